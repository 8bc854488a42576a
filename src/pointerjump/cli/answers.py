"""The commands that run an algorithm on a graph or a list: ``cc``, ``rank`` and ``forest``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pointerjump.cli import completion
from pointerjump.cli.complaints import complain
from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.options import (
    LABEL_FILES,
    TABLE_FILES,
    algorithm_option,
    device_option,
    devices_option,
    format_option,
    input_argument,
    json_option,
    output_option,
    reading_options,
    size_options,
    streaming_options,
    table_options,
    variant_option,
    verify_option,
)
from pointerjump.cli.reading import Source, load_graph, load_list, title_of
from pointerjump.cli.sizes import SizesAsked
from pointerjump.cli.streaming import Stream, StreamOptions, facts_of_components
from pointerjump.cli.table_options import TableOptions
from pointerjump.cli.tables import Clusters
from pointerjump.cli.tasks import Choices, Facts, Summary, Task, carry_out
from pointerjump.tables.suffixes import BINARY

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pointerjump.cli.steps import Steps
    from pointerjump.face.result import Components
    from pointerjump.graph import Graph
    from pointerjump.linked_lists import SuccessorArray

    Forest = npt.NDArray[np.int32]


OF_GRAPHS = ("ids", "vertices", "header", "columns", "format")
"""Options that say how the file of a graph is read."""


@click.command(
    cls=CommandWithExamples,
    examples=(
        example(
            "The components of a random graph, and how many there are of each size",
            "pointerjump cc urand:vertices=1000,degree=1 --histogram",
        ),
        example("What programs read", "pointerjump cc kron:scale=12 --json"),
        example(
            "The label of each vertex, checked and written to a file",
            "pointerjump cc grid2d:rows=3,columns=4,keep=0.5 --verify -o labels.csv",
            "cat labels.csv",
        ),
        example("Edges on standard input", "printf '0 1\\n1 2\\n5 6\\n' | pointerjump cc -"),
        example(
            "Pairs of ids in a table",
            "printf 'left,right\\nann,bob\\nbob,dee\\ncal,eve\\n' > pairs.csv",
            "pointerjump cc pairs.csv --source left --target right -o clusters.csv",
            "cat clusters.csv",
        ),
    ),
)
@click.argument(
    "inputs", metavar="INPUT...", nargs=-1, required=True, shell_complete=completion.specs_or_files
)
@table_options
@algorithm_option
@variant_option
@device_option
@devices_option
@click.option(
    "--labels",
    type=click.Choice(["consecutive", "representative"]),
    help="Number components from 0, or name them by their smallest vertex or id. [default: consecutive for "
    "graphs, representative for tables]",
)
@output_option(
    "-o", "--output", help=f"Write labels of a graph: {LABEL_FILES}. Or clusters of a table: {TABLE_FILES}."
)
@verify_option
@size_options
@streaming_options
@reading_options(format_option)
@json_option
def cc(
    inputs: tuple[str, ...],
    labels: str | None,
    memory: int | None,
    checkpoint: str | None,
    checkpoint_every: float,
    devices: list[str] | str | None,
    top: int | None,
    histogram: bool,
    **options: Any,
) -> None:
    """Find the connected components of a graph, or of the ids in a table.

    A graph has edges between integers, or between names. What is written is the label of each vertex. A file
    that is larger than memory is read block by block. Then ids are kept as vertex numbers, and edges are not
    counted.

    A table has pairs of ids in two columns (--source, --target), or groups and their members (--group,
    --member). Ids may be strings, integers or bytes. It is a Parquet, Arrow or CSV file with named columns,
    or a folder of such files. What is written is a table with the columns id, component and size.

    Several files, or a pattern such as 'part-*.parquet', are one input. - is standard input.

    INPUT is taken as a table if an option for tables is given, and as a graph if one for graphs is.
    Otherwise, it is a table if it is a folder, or a Parquet, Arrow, CSV or TSV file whose columns
    have names of pairs, such as left and right. All else is a graph.
    """
    if devices is not None and options["device"] is not None:
        raise click.UsageError("--device and --devices are both given: leave one out")
    if isinstance(devices, list) and len(devices) == 1:
        options["device"], devices = devices[0], None
    asked = StreamOptions(memory, checkpoint, checkpoint_every, devices)
    sizes = SizesAsked(top, histogram)
    table = TableOptions(**{field.name: options.pop(field.name) for field in fields(TableOptions)})
    input: Source = inputs[0] if len(inputs) == 1 else [*inputs]
    for_graphs = [options[name] for name in OF_GRAPHS]
    if table.mean_a_table(input, [*for_graphs, checkpoint, devices]):
        table.require_sense(input, options["output"], asked)
        _of_table(input, Clusters(table, options["output"], labels, memory, sizes), options)
    else:
        _of_graph(input, asked, labels or "consecutive", sizes, options)


def _of_table(input: Source, clusters: Clusters, options: dict[str, Any]) -> None:
    """Find the components of the ids in a table."""
    with clusters.within_memory():
        carry_out(clusters.task(), input, **options)


def _of_graph(
    input: Source, asked: StreamOptions, labels: str, sizes: SizesAsked, options: dict[str, Any]
) -> None:
    """Find the components of a graph, which is read whole or block by block."""
    why = asked.why(input, {name: options[name] for name in OF_GRAPHS})
    if why is None:
        carry_out(_task_on_graph(labels, asked.devices, sizes), input, **options)
        return
    if asked.streams_unasked and not options["as_json"]:
        complain(f"{title_of(input)} is streamed, with its ids as vertex numbers: {why}")
    stream = Stream(asked, labels, why, sizes)
    try:
        with stream.within_memory():
            carry_out(stream.task(), input, **options)
    except KeyboardInterrupt:
        stream.say_how_to_go_on()
        raise


def _require_label_file(path: str) -> None:
    from pointerjump.formats import require_label_file
    from pointerjump.formats.files import base_suffix

    if base_suffix(Path(path)) in BINARY:
        raise click.UsageError(
            f"{path} is for clusters of a table, and the input is read as a graph: name the columns of its "
            "pairs by --source and --target, or write labels to .npy, .csv or .tsv"
        )
    require_label_file(path)


def _task_on_graph(
    labels: str, devices: list[str] | str | None, sizes: SizesAsked
) -> Task[Graph, Components]:
    """Return what ``cc`` does with a graph that is read whole."""
    from pointerjump.face.components import find_components
    from pointerjump.face.graphs import HostGraph
    from pointerjump.face.set_forests import choose
    from pointerjump.face.streams import components_of_parts, devices_of
    from pointerjump.formats import write_labels
    from pointerjump.verifier import verify

    def run(
        algorithm: str, device: str | None, choices: Choices, take: Callable[[], Graph], _: Steps
    ) -> tuple[Components, Facts]:
        if devices is None:
            found = find_components(algorithm, device, choices, labels, lambda: HostGraph(take()))
        else:
            where = devices_of(devices)
            choose(algorithm, choices, where[0])
            found = components_of_parts(take(), algorithm, where, labels, choices)
        return found, found.stats

    def summarize(graph: Graph, found: Components) -> Summary:
        facts, lines = facts_of_components(found, found.sizes)
        counts = {"vertices": graph.vertices, "edges": graph.edges, "records": graph.records}
        text = f"{graph.vertices:,} vertices, {graph.edges:,} undirected edges"
        counted = found.sizes if labels == "consecutive" else None
        return Summary(
            {**counts, **facts, "streamed": None},
            [*lines, ("graph", text)],
            *sizes.told(found.labels, counted, graph.names),
        )

    return Task(
        problem="components",
        doing="finding components",
        result="labels",
        right="the labels are right",
        require_output=_require_label_file,
        read=load_graph,
        run=run,
        verify=lambda graph, found, progress: verify(graph, found.labels, progress=progress),
        write=lambda path, graph, found: write_labels(path, found.labels, graph.names),
        summarize=summarize,
        names=lambda graph, _: graph.names,
        devices=devices,
    )


@click.command(
    cls=CommandWithExamples,
    examples=(
        example("Rank a list of a million elements", "pointerjump rank list:length=1000000,seed=1"),
        example(
            "Rank two short lists in one array, and write each element's rank",
            "pointerjump rank lists:length=8,count=2 -o ranks.csv",
            "cat ranks.csv",
        ),
        example(
            "Choose the algorithm, and check the ranks",
            "pointerjump rank list:length=65536 --algorithm wylie --verify",
        ),
    ),
)
@input_argument
@algorithm_option
@variant_option
@device_option
@output_option("-o", "--output", help=f"Write ranks: {LABEL_FILES}.")
@verify_option
@json_option
def rank(input: str, **options: Any) -> None:
    """Rank linked lists: each element's distance to the last element of its list.

    INPUT is a successor array (.npy, or text with one successor a line), - for such text on standard
    input, or a spec such as list:length=1000000,seed=1.
    """
    from pointerjump.face.lists import HostLists, rank_lists
    from pointerjump.formats import require_label_file, write_labels
    from pointerjump.verifier import verify_ranks

    task: Task[SuccessorArray, SuccessorArray] = Task(
        problem="list-ranking",
        doing="ranking",
        result="ranks",
        right="the ranks are right",
        require_output=require_label_file,
        read=lambda source, progress, _: load_list(source, progress),
        run=lambda algorithm, device, choices, take, _: rank_lists(
            algorithm, device, choices, lambda: HostLists(take())
        ),
        verify=lambda successors, ranks, _: verify_ranks(successors, ranks),
        write=lambda path, _, ranks: write_labels(path, ranks),
        summarize=_summarize_ranks,
    )
    carry_out(task, input, **options)


def _summarize_ranks(successors: SuccessorArray, ranks: SuccessorArray) -> Summary:
    import numpy as np

    lists = int(np.count_nonzero(successors == np.arange(len(successors))))
    longest = int(ranks.max(initial=-1)) + 1
    facts = {"elements": len(ranks), "lists": lists, "longest": longest}
    lines = [
        ("elements", f"{len(ranks):,}"),
        ("lists", f"{lists:,}, the longest of {longest:,} elements"),
    ]
    return Summary(facts, lines)


@click.command(
    cls=CommandWithExamples,
    examples=(
        example("A forest of a grid, checked", "pointerjump forest grid2d:rows=100,columns=100 --verify"),
        example(
            "Three complete graphs, and the edges that keep each connected",
            "pointerjump forest cliques:count=3,size=3 -o forest.el",
            "cat forest.el",
        ),
    ),
)
@input_argument
@variant_option
@device_option
@output_option("-o", "--output", help="Write the forest's edges as a graph file.")
@verify_option
@reading_options(format_option)
@json_option
def forest(input: str, **options: Any) -> None:
    """Find a spanning forest of a graph."""
    from pointerjump.face.forests import find_forest
    from pointerjump.face.graphs import HostGraph
    from pointerjump.formats import require_graph_file, write_graph
    from pointerjump.graph import Graph
    from pointerjump.verifier import verify_forest

    task: Task[Graph, Forest] = Task(
        problem="spanning-forest",
        doing="finding a forest",
        result="forest's edges",
        right="it is a spanning forest",
        require_output=require_graph_file,
        read=load_graph,
        run=lambda algorithm, device, choices, take, _: find_forest(
            algorithm, device, choices, lambda: HostGraph(take())
        ),
        verify=lambda graph, edges, _: verify_forest(graph, edges),
        write=lambda path, graph, edges: write_graph(
            Graph.from_edges(edges, vertices=graph.vertices, names=graph.names), path
        ),
        summarize=_summarize_forest,
        names=lambda graph, _: graph.names,
    )
    carry_out(task, input, **options)


def _summarize_forest(graph: Graph, edges: Forest) -> Summary:
    components = graph.vertices - len(edges)
    facts = {
        "vertices": graph.vertices,
        "edges": graph.edges,
        "forest": len(edges),
        "components": components,
    }
    lines = [
        ("forest", f"{len(edges):,} of {graph.edges:,} undirected edges"),
        ("components", f"{components:,}"),
    ]
    return Summary(facts, lines)
