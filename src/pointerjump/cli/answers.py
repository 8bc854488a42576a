"""The commands that run an algorithm on a graph or a list: ``cc``, ``rank`` and ``forest``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from pointerjump.cli.options import (
    LABEL_FILES,
    algorithm_option,
    device_option,
    format_option,
    input_argument,
    json_option,
    output_option,
    reading_options,
    variant_option,
    verify_option,
)
from pointerjump.cli.reading import load_graph, load_list
from pointerjump.cli.tasks import Choices, Facts, Task, carry_out
from pointerjump.cli.terminal import Lines

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pointerjump.face.result import Components
    from pointerjump.graph import Graph
    from pointerjump.linked_lists import SuccessorArray

    Forest = npt.NDArray[np.int32]

LARGEST_SHOWN = 5


@click.command()
@input_argument
@algorithm_option
@variant_option
@device_option
@click.option(
    "--labels",
    type=click.Choice(["consecutive", "representative"]),
    default="consecutive",
    show_default=True,
    help="Number components from 0, or name them by their smallest vertex.",
)
@output_option("-o", "--output", help=f"Write labels: {LABEL_FILES}.")
@verify_option
@reading_options(format_option)
@json_option
def cc(input: str, labels: str, **options: Any) -> None:
    """Find the connected components of a graph."""
    from pointerjump.face.components import find_components
    from pointerjump.face.graphs import HostGraph
    from pointerjump.formats import require_label_file, write_labels
    from pointerjump.verifier import verify

    def run(
        algorithm: str, device: str | None, choices: Choices, take: Callable[[], Graph]
    ) -> tuple[Components, Facts]:
        found = find_components(algorithm, device, choices, labels, lambda: HostGraph(take()))
        return found, found.stats

    task: Task[Graph, Components] = Task(
        problem="components",
        doing="finding components",
        result="labels",
        right="the labels are right",
        require_output=require_label_file,
        read=load_graph,
        run=run,
        verify=lambda graph, found, progress: verify(graph, found.labels, progress=progress),
        write=lambda path, graph, found: write_labels(path, found.labels, graph.names),
        summarize=_summarize_components,
        names=lambda graph: graph.names,
    )
    carry_out(task, input, **options)


def _summarize_components(graph: Graph, found: Components) -> tuple[Facts, Lines]:
    sizes = found.sizes
    facts = {
        "vertices": graph.vertices,
        "edges": graph.edges,
        "records": graph.records,
        "components": found.count,
        "largest": int(sizes.max(initial=0)),
        "isolated": int((sizes == 1).sum()),
    }
    return facts, [
        ("components", f"{found.count:,}"),
        ("largest", _largest(sizes)),
        ("isolated", f"{facts['isolated']:,} {'vertex' if facts['isolated'] == 1 else 'vertices'}"),
        ("graph", f"{graph.vertices:,} vertices, {graph.edges:,} undirected edges"),
    ]


def _largest(sizes: npt.NDArray[np.int64]) -> str:
    """Return the sizes of the largest few components, as people read them."""
    import numpy as np

    shown = [f"{size:,}" for size in np.sort(sizes)[::-1][:LARGEST_SHOWN]]
    return ", ".join([*shown, "..."] if len(sizes) > LARGEST_SHOWN else shown) or "none"


@click.command()
@input_argument
@algorithm_option
@variant_option
@device_option
@output_option("-o", "--output", help=f"Write ranks: {LABEL_FILES}.")
@verify_option
@json_option
def rank(input: str, **options: Any) -> None:
    """Rank linked lists: each element's distance to the last element of its list.

    INPUT is a successor array (.npy, or text with one position a line), - for such text on standard
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
        run=lambda algorithm, device, choices, take: rank_lists(
            algorithm, device, choices, lambda: HostLists(take())
        ),
        verify=lambda successors, ranks, _: verify_ranks(successors, ranks),
        write=lambda path, _, ranks: write_labels(path, ranks),
        summarize=_summarize_ranks,
    )
    carry_out(task, input, **options)


def _summarize_ranks(successors: SuccessorArray, ranks: SuccessorArray) -> tuple[Facts, Lines]:
    import numpy as np

    lists = int(np.count_nonzero(successors == np.arange(len(successors))))
    longest = int(ranks.max(initial=-1)) + 1
    return {"elements": len(ranks), "lists": lists, "longest": longest}, [
        ("elements", f"{len(ranks):,}"),
        ("lists", f"{lists:,}, the longest of {longest:,} elements"),
    ]


@click.command()
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
    from pointerjump.formats import require_graph_file, write
    from pointerjump.graph import Graph
    from pointerjump.verifier import verify_forest

    task: Task[Graph, Forest] = Task(
        problem="spanning-forest",
        doing="finding a forest",
        result="forest's edges",
        right="it is a spanning forest",
        require_output=require_graph_file,
        read=load_graph,
        run=lambda algorithm, device, choices, take: find_forest(
            algorithm, device, choices, lambda: HostGraph(take())
        ),
        verify=lambda graph, edges, _: verify_forest(graph, edges),
        write=lambda path, graph, edges: write(
            Graph.from_edges(edges, vertices=graph.vertices, names=graph.names), path
        ),
        summarize=_summarize_forest,
        names=lambda graph: graph.names,
    )
    carry_out(task, input, **options)


def _summarize_forest(graph: Graph, edges: Forest) -> tuple[Facts, Lines]:
    components = graph.vertices - len(edges)
    facts = {
        "vertices": graph.vertices,
        "edges": graph.edges,
        "forest": len(edges),
        "components": components,
    }
    return facts, [
        ("forest", f"{len(edges):,} of {graph.edges:,} undirected edges"),
        ("components", f"{components:,}"),
    ]
