"""The commands that write or check files: ``update``, ``convert``, ``generate``, ``draw`` and ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pointerjump as pj
from pointerjump.base.limits import MOST_DRAWN
from pointerjump.cli.commands import (
    OF_GRAPHS,
    Example,
    FileToWrite,
    algorithms,
    command,
    device_option,
    file_options,
    format_option,
    input_argument,
    json_option,
    output_option,
    reading_options,
    require_unused,
    specs,
    specs_or_files,
    variant_option,
)
from pointerjump.cli.steps import Steps, follow_steps, report
from pointerjump.cli.tasks import load_graph, load_list
from pointerjump.cli.terminal import table_of_facts

if TYPE_CHECKING:
    from pointerjump.registry import Problem

ON_GRAPHS: tuple[Problem, ...] = ("components", "spanning-forest", "bridges", "biconnectivity")
ON_LISTS: tuple[Problem, ...] = ("list-ranking", "list-scan", "functional-graphs")


@command(
    Example(
        "Yesterday's clusters, and a pair that came today",
        "printf 'left,right\\nann,bob\\ncal,dee\\n' > pairs.csv",
        "pointerjump cc pairs.csv -o old.csv",
        "printf 'left,right\\nbob,eve\\n' > today.csv",
        "pointerjump update old.csv today.csv -o clusters.csv",
        "cat clusters.csv",
    ),
)
@click.argument("old", metavar="OLD", type=click.Path())
@click.argument("new", metavar="NEW", type=click.Path())
@output_option("-o", "--output", required=True, help="The table to write: .parquet, .arrow, .csv or .tsv.")
@click.option("--id", metavar="COLUMN", default="id", show_default=True, help="OLD: the column of ids.")
@click.option(
    "--cluster", metavar="COLUMN", default="component", show_default=True, help="OLD: the column of clusters."
)
@click.option(
    "--source",
    metavar="COLUMN",
    help="NEW: the column with one id of each pair. [default: detected by name]",
)
@click.option("--target", metavar="COLUMN", help="NEW: the column with the other id.")
@click.option(
    "--keep",
    type=click.Choice(["previous", "oldest", "smallest"]),
    default="previous",
    show_default=True,
    help="Name merged clusters after their largest part (previous) or their oldest part (oldest), or name "
    "all clusters after their smallest ids (smallest).",
)
@device_option
@json_option
def update(old: str, new: str, output: str, device: str | None, as_json: bool, **options: Any) -> None:
    """Add new pairs to a table of clusters. Existing clusters keep their names.

    OLD is a table that lists each id once, with its cluster, as written by `cc -o`. NEW is a table of pairs.
    The output has the columns id, component, previous and status. Possible statuses are unchanged, grown,
    merged and new.
    """
    from pointerjump.ids.updates import STATUS
    from pointerjump.tables.write import ROW_GROUP, require_table_file, write_table

    require_table_file(output)
    with follow_steps() as steps:
        steps.begin("updating")
        found = pj.update_clusters(old, new, device=device, **options)
        steps.begin("writing")
        parts = (found.slice(begin, ROW_GROUP) for begin in range(0, len(found), ROW_GROUP))
        write_table(output, found.schema, parts)
    counted = {each["values"]: each["counts"] for each in found["status"].value_counts().to_pylist()}
    counts = {"ids": len(found), **{status: counted.get(status, 0) for status in STATUS}}
    _report_file(as_json, {"old": old, "pairs": new}, output, counts, steps, "clusters")


@command(
    Example(
        "A Matrix Market file of a small grid, and then a binary file of it",
        "pointerjump convert grid2d:rows=2,columns=3 grid.mtx",
        "cat grid.mtx",
        "pointerjump convert grid.mtx grid.egr",
    ),
    Example(
        "Edges between names; the file keeps the names",
        "printf 'ann,bob\\nbob,dee\\n' > names.csv",
        "pointerjump convert names.csv names.npz --no-header",
    ),
)
@click.argument("input", metavar="IN", shell_complete=specs_or_files)
@click.argument("output", metavar="[OUT]", type=FileToWrite(), required=False)
@output_option(
    "-o", "--output", "named", metavar="OUT", help="The file to write, as an alternative to the argument OUT."
)
@reading_options(
    click.option("--from", "format", metavar="NAME", help="The format of IN. [default: by its suffix]")
)
@click.option("--to", metavar="NAME", help="The format of OUT. [default: by its suffix]")
@json_option
def convert(
    input: str, output: str | None, named: str | None, to: str | None, as_json: bool, **reading: Any
) -> None:
    """Read a graph in one format and write it in another."""
    from pointerjump.formats import require_graph_file, write_graph

    if (output is None) == (named is None):
        raise click.UsageError("name one file to write: convert IN OUT, or convert IN -o OUT")
    output = named if output is None else output
    assert output is not None
    require_graph_file(output, to)
    with follow_steps() as steps:
        steps.begin("reading")
        graph = load_graph(input, steps.show, reading)
        steps.begin("writing")
        write_graph(graph, output, to)
    counts = {"vertices": graph.vertices, "edges": graph.edges}
    _report_file(as_json, {"input": input}, output, counts, steps, "graph")


@command(
    Example("A Kronecker graph", "pointerjump generate kron:scale=14,degree=16,seed=1 -o kron.egr"),
    Example(
        "A graph that a paper measured, by its name there",
        "pointerjump generate rmat16.sym -o rmat16.mtx.gz",
    ),
    Example(
        "A linked list, as a successor array",
        "pointerjump generate list:length=6,order=random -o list.txt",
        "cat list.txt",
    ),
)
@click.argument("spec", metavar="SPEC", shell_complete=specs)
@output_option("-o", "--output", required=True, help="The file to write.")
@format_option
@json_option
def generate(spec: str, output: str, format: str | None, as_json: bool) -> None:
    """Generate a graph or a linked list, and write it to a file.

    SPEC is a generator with its parameters, such as kron:scale=20,degree=16,seed=1, or a preset.
    """
    from pointerjump.formats import require_graph_file, require_writable, write_graph
    from pointerjump.generators import makes_graph

    is_graph = makes_graph(spec)
    if is_graph:
        require_graph_file(output, format)
    else:
        require_unused({"format": format}, spec)
        require_writable(output)
    with follow_steps() as steps:
        steps.begin("generating")
        made: Any = pj.generate(spec)
        counts = {"vertices": made.vertices, "edges": made.edges} if is_graph else {"elements": len(made)}
        steps.begin("writing")
        if is_graph:
            write_graph(made, output, format)
        else:
            pj.write_successors(output, made)
    _report_file(as_json, {"input": spec}, output, counts, steps, "graph" if is_graph else "list")


@command(
    Example("A run on the example graph", "pointerjump draw ecl-cc -o ecl-cc.svg"),
    Example(
        "A run to step through in a browser, on a grid that has lost some edges",
        "pointerjump draw afforest grid2d:rows=4,columns=7,keep=0.7 -o afforest.html",
    ),
    Example(
        "A graph of your own: one edge a line, and a frame for each write",
        "printf '%s\\n' '3 7' '7 1' '1 4' '5 2' > edges.txt",
        "pointerjump draw ecl-cc edges.txt --every write -o by_writes.svg",
    ),
    Example("A ranking of a list", "pointerjump draw wylie list:length=9 -o wylie.svg"),
    Example(
        "More than 40 vertices, and a picture that any program can show; this needs matplotlib",
        "pointerjump draw soman delaunay:vertices=90 --most 90 -o soman.png",
    ),
)
@click.argument("algorithm", shell_complete=algorithms)
@click.argument("input", metavar="[INPUT]", required=False, shell_complete=specs_or_files)
@variant_option
@output_option(
    "-o", "--output", required=True, help="The file to write: .svg, .png, or .html, which plays in a browser."
)
@click.option(
    "--layout",
    type=click.Choice(["plane", "line"]),
    help="Place the vertices in the plane, or on a line in order. [default: plane]",
)
@click.option(
    "--every",
    type=click.Choice(["auto", "phase", "write"]),
    default="auto",
    show_default=True,
    help="Draw a frame for each phase or for each write. With auto, each write is drawn if the graph is "
    "small and there are few phases.",
)
@click.option(
    "--most",
    metavar="N",
    type=click.IntRange(1),
    default=MOST_DRAWN,
    show_default=True,
    help="The largest input to draw, in vertices or elements.",
)
@file_options
def draw(algorithm: str, input: str | None, variant: str, output: str, as_json: bool, **options: Any) -> None:
    """Draw a run of an algorithm on a small input, phase by phase.

    The algorithm's reference implementation is run, and each frame shows where every vertex points after a
    phase. INPUT is a file or spec of a graph or, for algorithms on lists, of linked lists. Without INPUT, a
    small example is drawn. If the name of the output file ends in .html, the file plays the run in a browser,
    with buttons to step forward and back.
    """
    from pointerjump.draw import draw as draw_run
    from pointerjump.draw import require_kind
    from pointerjump.formats import require_writable
    from pointerjump.generators import is_spec
    from pointerjump.registry import find_algorithm, parse_variant

    reading = {name: options.pop(name) for name in OF_GRAPHS}
    found = find_algorithm(algorithm)
    choices: dict[str, Any] = parse_variant(variant)
    found.require("reference")
    found.variant("reference", choices)
    if input is None or found.problem not in ON_GRAPHS:
        require_unused(reading, "without a graph as INPUT")
    require_writable(output)
    require_kind(output)
    if input is not None and found.problem not in ON_GRAPHS + ON_LISTS:
        raise click.UsageError(
            f"{input}: leave it out: an algorithm for {found.problem} can be drawn on other inputs only from "
            "Python"
        )
    with follow_steps() as steps:
        steps.begin("reading")
        given: Any = input  # None stands for the example; a spec of a graph also says where vertices are
        if found.problem in ON_GRAPHS:
            if input is not None and not (is_spec(input) and reading["vertices"] is None):
                given = load_graph(input, steps.show, reading)
        elif input is not None:
            given = load_list(input, steps.show)
        steps.begin("drawing")
        drawn = draw_run(algorithm, given, **options, **choices)
        steps.begin("writing")
        drawn.save(output)
    facts = {"algorithm": found.name, "input": input}
    counts = dict(drawn.scene.sizes) | {"frames": len(drawn.frames)}
    _report_file(as_json, facts, output, counts, steps, "drawn")


@command(
    Example(
        "Labels that are right",
        "pointerjump cc star:vertices=8 -o labels.csv",
        "pointerjump verify star:vertices=8 labels.csv",
    ),
    Example(
        "The same labels are wrong for another graph",
        "pointerjump verify empty:vertices=8 labels.csv",
        exit_code=1,
    ),
    Example(
        "Ranks of a list",
        "pointerjump rank list:length=100 -o ranks.npy",
        "pointerjump verify --ranks list:length=100 ranks.npy",
    ),
)
@input_argument
@click.argument("labels", metavar="LABELS", type=click.Path())
@click.option("--ranks", is_flag=True, help="Check ranks: INPUT is a successor array, LABELS are ranks.")
@file_options
def verify(input: str, labels: str, ranks: bool, as_json: bool, **reading: Any) -> None:
    """Check labels, as written by `cc -o`, against a graph. The exit code is 1 if they are wrong.

    If LABELS is a .csv or .tsv file, its lines may be in any order, because each begins with the id of a
    vertex. A .npy file contains only the labels, in vertex order.
    """
    import numpy as np

    if ranks:
        require_unused(reading, "--ranks")
    with follow_steps() as steps:
        steps.begin("reading")
        given: Any = load_list(input, steps.show) if ranks else load_graph(input, steps.show, reading)
        names = None if ranks else given.names
        numbers = np.arange(len(given) if ranks else given.vertices)
        steps.begin("reading ranks" if ranks else "reading labels")
        values = pj.read_labels(labels, numbers if names is None else names, progress=steps.show)
        if ranks:
            steps.check(lambda: pj.verify_ranks(given, values))
        else:
            steps.check(lambda: pj.verify(given, values, progress=steps.show), names)
    table = table_of_facts(None, [("verified", f"yes: {labels} is right for {input}")])
    report(as_json, {"input": input, "labels": labels, **steps.verdict}, table, steps=steps)


def _report_file(
    as_json: bool, facts: dict[str, Any], output: str, counts: dict[str, int], steps: Steps, what: str
) -> None:
    size = Path(output).stat().st_size
    lines = [
        (what, ", ".join(f"{count:,} {name}" for name, count in counts.items())),
        ("written", f"{output}, {size:,} bytes"),
    ]
    document = {**facts, "output": output, **counts, "bytes": size}
    report(as_json, document, table_of_facts(next(iter(facts.values())), lines), steps=steps)
