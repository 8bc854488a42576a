"""The command that finds connected components, ``cc``: of a graph, a file in blocks, or a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pointerjump.cli import completion
from pointerjump.cli.blocks import OfBlocks, why_in_blocks
from pointerjump.cli.complaints import complain
from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.options import (
    LABEL_FILES,
    OF_GRAPHS,
    TABLE_FILES,
    algorithm_option,
    device_option,
    devices_option,
    format_option,
    json_option,
    output_option,
    reading_options,
    size_options,
    streaming_options,
    table_options,
    variant_option,
    verify_option,
)
from pointerjump.cli.reading import Source, load_graph, title_of
from pointerjump.cli.sizes import SizesAsked, facts_of_components
from pointerjump.cli.steps import Steps
from pointerjump.cli.tables import OfTable, TableOptions
from pointerjump.cli.tasks import Facts, Summary, Task, carry_out
from pointerjump.tables.write import BINARY

if TYPE_CHECKING:
    from pointerjump.cli.steps import Names
    from pointerjump.graph import Graph
    from pointerjump.result import Components
    from pointerjump.run import Order


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
    from pointerjump.inputs import classify

    if devices is not None and options["device"] is not None:
        raise click.UsageError("--device and --devices are both given: leave one out")
    if isinstance(devices, list) and len(devices) == 1:
        options["device"], devices = devices[0], None
    input: Source = inputs[0] if len(inputs) == 1 else [*inputs]
    sizes = SizesAsked(top, histogram)
    table = TableOptions.of(options)
    reading = {name: options.pop(name) for name in OF_GRAPHS}
    of_graphs = any(value not in (None, "auto") for value in [*reading.values(), checkpoint, devices])
    if classify(input, columns=table.first() is not None, numbers=of_graphs).kind == "table":
        table.require_sense(input, options["output"], checkpoint, devices)
        carry_out(OfTable(input, table, options["output"], labels, memory, sizes, **reading), **options)
        return
    labels = labels or "consecutive"
    why = why_in_blocks(input, reading, memory, checkpoint, devices)
    if why is None:
        carry_out(OfGraph(input, labels, devices, sizes, **reading), **options)
        return
    if memory is None and checkpoint is None and not options["as_json"]:
        complain(f"{title_of(input)} is streamed, with its ids as vertex numbers: {why}")
    blocks = OfBlocks(input, why, labels, devices, sizes, memory, checkpoint, checkpoint_every, **reading)
    try:
        carry_out(blocks, **options)
    except KeyboardInterrupt:
        blocks.say_how_to_go_on()
        raise


class OfGraph(Task["Graph", "Components"]):
    """The components of a graph that is read whole."""

    problem = "components"
    doing = "finding components"
    result = "labels"
    right = "the labels are right"

    def __init__(
        self,
        source: Source,
        labels: str,
        devices: list[str] | str | None,
        sizes: SizesAsked,
        **reading: Any,
    ) -> None:
        super().__init__(source, **reading)
        self._labels, self._devices, self._sizes = labels, devices, sizes

    def require_output(self, path: str) -> None:
        from pointerjump.formats import require_label_file
        from pointerjump.formats.files import base_suffix

        if base_suffix(Path(path)) in BINARY:
            raise click.UsageError(
                f"{path} is for clusters of a table, and the input is read as a graph: name the columns of "
                "its pairs by --source and --target, or write labels to .npy, .csv or .tsv"
            )
        require_label_file(path)

    def order(self, algorithm: str, device: str | None, choices: Any) -> Order:
        if self._devices is None:
            return super().order(algorithm, device, choices)
        from pointerjump.run import choice_for_blocks
        from pointerjump.streams import devices_of

        self._asked = algorithm, devices_of(self._devices), choices
        choice_for_blocks(algorithm, self._asked[1][0], choices)
        return super().order(algorithm, self._asked[1][0], choices)

    def read(self, steps: Steps) -> Graph:
        return load_graph(self.source, steps.show, self.reading)

    def run(self, wanted: Order, given: Graph, steps: Steps) -> tuple[Components, Facts]:
        from pointerjump.inputs import HostGraph
        from pointerjump.result import find_components
        from pointerjump.streams import components_of_parts

        if self._devices is None:
            found = find_components(wanted, HostGraph(given), self._labels)
        else:
            algorithm, devices, choices = self._asked
            found = components_of_parts(given, algorithm, devices, self._labels, choices)
        return found, found.stats

    def verify(self, given: Graph, answer: Components, steps: Steps) -> None:
        from pointerjump.verifier import verify

        verify(given, answer.labels, progress=steps.show)

    def write(self, path: str, given: Graph, answer: Components) -> None:
        from pointerjump.formats import write_labels

        write_labels(path, answer.labels, given.names)

    def summary(self, given: Graph, answer: Components) -> Summary:
        facts, lines = facts_of_components(answer, answer.sizes)
        counts = {"vertices": given.vertices, "edges": given.edges, "records": given.records}
        text = f"{given.vertices:,} vertices, {given.edges:,} undirected edges"
        counted = answer.sizes if self._labels == "consecutive" else None
        return Summary(
            {**counts, **facts, "streamed": None},
            [*lines, ("graph", text)],
            *self._sizes.told(answer.labels, counted, given.names),
        )

    def names(self, given: Graph, answer: Components) -> Names:
        return given.names
