"""The commands that make one file of another, or of a generator spec: ``convert`` and ``generate``."""

from __future__ import annotations

from typing import Any

import click

from pointerjump.cli import completion
from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.options import format_option, json_option, output_option, reading_options, to_file
from pointerjump.cli.reading import load_graph, require_unused
from pointerjump.cli.report import report_file
from pointerjump.cli.steps import follow_steps


@click.command(
    cls=CommandWithExamples,
    examples=(
        example(
            "A Matrix Market file of a small grid, and then a binary file of it",
            "pointerjump convert grid2d:rows=2,columns=3 grid.mtx",
            "cat grid.mtx",
            "pointerjump convert grid.mtx grid.egr",
        ),
        example(
            "Edges between names; the file keeps the names",
            "printf 'ann,bob\\nbob,dee\\n' > names.csv",
            "pointerjump convert names.csv names.npz --no-header",
        ),
    ),
)
@click.argument("input", metavar="IN", shell_complete=completion.specs_or_files)
@click.argument("output", metavar="OUT", type=click.Path(), callback=to_file)
@reading_options(click.option("--from", "format", metavar="NAME", help="IN's format, if not by suffix."))
@click.option("--to", metavar="NAME", help="OUT's format, if not by suffix.")
@json_option
def convert(input: str, output: str, to: str | None, as_json: bool, **reading: Any) -> None:
    """Read a graph in one format and write it in another."""
    from pointerjump.formats import require_graph_file, write_graph

    require_graph_file(output, to)
    with follow_steps() as steps:
        steps.begin("reading")
        graph = load_graph(input, steps.show, reading)
        steps.begin("writing")
        write_graph(graph, output, to)
    counts = {"vertices": graph.vertices, "edges": graph.edges}
    report_file(as_json, {"input": input}, title=input, output=output, counts=counts, steps=steps)


@click.command(
    cls=CommandWithExamples,
    examples=(
        example("A Kronecker graph", "pointerjump generate kron:scale=14,degree=16,seed=1 -o kron.egr"),
        example(
            "A graph that a paper measured, by its name there",
            "pointerjump generate rmat16.sym -o rmat16.mtx.gz",
        ),
        example(
            "A linked list, as a successor array",
            "pointerjump generate list:length=6,order=random -o list.txt",
            "cat list.txt",
        ),
    ),
)
@click.argument("spec", metavar="SPEC", shell_complete=completion.specs)
@output_option("-o", "--output", required=True, help="The file to write.")
@format_option
@json_option
def generate(spec: str, output: str, format: str | None, as_json: bool) -> None:
    """Generate a graph, or a linked list, and write it to a file.

    SPEC is a generator with its parameters, such as kron:scale=20,degree=16,seed=1.
    """
    from pointerjump.formats import require_graph_file, require_writable, write_graph, write_successors
    from pointerjump.generators import generate_graph, generate_list, makes_graph

    if makes_graph(spec):
        require_graph_file(output, format)
    else:
        require_unused({"format": format}, spec)
        require_writable(output)
    with follow_steps() as steps:
        steps.begin("generating")
        if makes_graph(spec):
            graph = generate_graph(spec)
            counts = {"vertices": graph.vertices, "edges": graph.edges}
            steps.begin("writing")
            write_graph(graph, output, format)
        else:
            successors = generate_list(spec)
            counts = {"elements": len(successors)}
            steps.begin("writing")
            write_successors(output, successors)
    report_file(as_json, {"input": spec}, title=spec, output=output, counts=counts, steps=steps)
