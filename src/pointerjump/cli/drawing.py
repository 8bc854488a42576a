"""The command that draws a run: ``draw``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pointerjump.cli import completion
from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.options import (
    format_option,
    json_option,
    output_option,
    reading_options,
    variant_option,
)
from pointerjump.cli.reading import load_graph, load_list, require_unused
from pointerjump.cli.report import report_file
from pointerjump.cli.steps import follow_steps
from pointerjump.limits import MOST_DRAWN

if TYPE_CHECKING:
    from pointerjump.draw.frames import PictureLayout
    from pointerjump.draw.recording import Every
    from pointerjump.progress import Progress
    from pointerjump.registry import Problem

ON_GRAPHS: tuple[Problem, ...] = ("components", "spanning-forest")
ON_LISTS: tuple[Problem, ...] = ("list-ranking", "list-scan")


@click.command(
    cls=CommandWithExamples,
    examples=(
        example("A run on the example graph", "pointerjump draw ecl-cc -o ecl-cc.svg"),
        example(
            "A run to step through in a browser, on a grid that has lost some edges",
            "pointerjump draw afforest grid2d:rows=4,columns=7,keep=0.7 -o afforest.html",
        ),
        example(
            "A graph of your own: one edge a line, and a frame for each write",
            "printf '%s\\n' '3 7' '7 1' '1 4' '5 2' > edges.txt",
            "pointerjump draw ecl-cc edges.txt --every write -o by_writes.svg",
        ),
        example("A ranking of a list", "pointerjump draw wylie list:length=9 -o wylie.svg"),
        example(
            "More than 40 vertices, and a picture that any program can show; this needs matplotlib",
            "pointerjump draw soman delaunay:vertices=90 --most 90 -o soman.png",
        ),
    ),
)
@click.argument("algorithm", shell_complete=completion.algorithms)
@click.argument("input", metavar="[INPUT]", required=False, shell_complete=completion.specs_or_files)
@variant_option
@output_option(
    "-o", "--output", required=True, help="The picture: .svg, .png, or .html, which plays in a browser."
)
@click.option(
    "--layout",
    type=click.Choice(["plane", "line"]),
    help="Vertices in the plane, or in a row, in order.  [default: plane]",
)
@click.option(
    "--every",
    type=click.Choice(["auto", "phase", "write"]),
    default="auto",
    show_default=True,
    help="A frame for each phase, or for each write; auto is write for small graphs and few phases.",
)
@click.option(
    "--most",
    metavar="N",
    type=click.IntRange(1),
    default=MOST_DRAWN,
    show_default=True,
    help="Draw up to so many vertices or elements.",
)
@reading_options(format_option)
@json_option
def draw(
    algorithm: str,
    input: str | None,
    variant: str,
    output: str,
    layout: PictureLayout | None,
    every: Every,
    most: int,
    as_json: bool,
    **reading: Any,
) -> None:
    """Draw a run of any algorithm on a small input, phase by phase.

    The algorithm's reference runs, and each frame shows where every vertex points after a phase. INPUT is a
    file or a spec: of a graph or, for list ranking and list scan, of lists. Without INPUT, a small example is
    drawn. A picture that ends in .html plays the run in a browser, with buttons to step and to go back.
    """
    from pointerjump.draw import draw as draw_run
    from pointerjump.draw import require_kind
    from pointerjump.formats import require_writable
    from pointerjump.registry import find_algorithm, parse_variant

    found = find_algorithm(algorithm)
    choices = parse_variant(variant)
    found.require("reference")
    found.variant("reference", choices)
    if input is None or found.problem not in ON_GRAPHS:
        require_unused(reading, "without a graph as INPUT")
    require_writable(output)
    require_kind(output)
    with follow_steps() as steps:
        steps.begin("reading")
        given = _load(found.problem, input, steps.show, reading)
        steps.begin("drawing")
        drawn = draw_run(algorithm, given, layout=layout, every=every, most=most, **choices)
        steps.begin("writing")
        drawn.save(output)
    facts = {"algorithm": found.name, "input": input}
    counts = dict(drawn.scene.sizes) | {"frames": len(drawn.frames)}
    report_file(as_json, facts, title=found.name, output=output, counts=counts, steps=steps, what="drawn")


def _load(problem: Problem, source: str | None, progress: Progress, reading: dict[str, Any]) -> Any:
    """Return what is drawn: None for the example, and a spec as it is, as it says where vertices are."""
    if source is None:
        return None
    if problem in ON_GRAPHS:
        from pointerjump.generators import is_spec

        spec_alone = is_spec(source) and reading["vertices"] is None
        return source if spec_alone else load_graph(source, progress, reading)
    if problem in ON_LISTS:
        return load_list(source, progress)
    raise click.UsageError(
        f"{source}: leave it out: an algorithm for {problem} is drawn on its example, except from Python"
    )
