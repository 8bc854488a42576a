"""The command that checks an answer in a file: ``verify``."""

from __future__ import annotations

from typing import Any

import click

from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.options import format_option, input_argument, json_option, reading_options
from pointerjump.cli.reading import load_graph, load_list, require_unused
from pointerjump.cli.report import report
from pointerjump.cli.steps import Steps, follow_steps
from pointerjump.cli.terminal import table_of_facts


@click.command(
    cls=CommandWithExamples,
    examples=(
        example(
            "Labels that are right",
            "pointerjump cc star:vertices=8 -o labels.csv",
            "pointerjump verify star:vertices=8 labels.csv",
        ),
        example(
            "The same labels are wrong for another graph",
            "pointerjump verify empty:vertices=8 labels.csv",
            exit_code=1,
        ),
        example(
            "Ranks of a list",
            "pointerjump rank list:length=100 -o ranks.npy",
            "pointerjump verify --ranks list:length=100 ranks.npy",
        ),
    ),
)
@input_argument
@click.argument("labels", metavar="LABELS", type=click.Path())
@click.option("--ranks", is_flag=True, help="INPUT is a successor array and LABELS are ranks.")
@reading_options(format_option)
@json_option
def verify(input: str, labels: str, ranks: bool, as_json: bool, **reading: Any) -> None:
    """Check labels, as `cc -o` writes them, against the graph; exit 1 if they are wrong.

    Lines of a .csv or .tsv are matched with vertices by the ids they begin with, in any order; a .npy has
    labels alone, in vertex order.
    """
    if ranks:
        require_unused(reading, "--ranks")
    with follow_steps() as steps:
        steps.begin("reading")
        if ranks:
            _verify_ranks(input, labels, steps)
        else:
            _verify_labels(input, labels, reading, steps)
    table = table_of_facts(None, [("verified", f"yes: {labels} is right for {input}")])
    report(as_json, {"input": input, "labels": labels, **steps.verdict}, table, steps=steps)


def _verify_ranks(source: str, ranks: str, steps: Steps) -> None:
    """Read linked lists and the file with their ranks, and check the ranks."""
    import numpy as np

    from pointerjump.formats import read_labels
    from pointerjump.verifier import verify_ranks

    successors = load_list(source, steps.show)
    steps.begin("reading ranks")
    values = read_labels(ranks, np.arange(len(successors)), progress=steps.show)
    steps.check(lambda: verify_ranks(successors, values))


def _verify_labels(source: str, labels: str, reading: dict[str, Any], steps: Steps) -> None:
    """Read a graph and the file with its labels, and check the labels."""
    import numpy as np

    from pointerjump import verifier
    from pointerjump.formats import read_labels

    graph = load_graph(source, steps.show, reading)
    names = np.arange(graph.vertices) if graph.names is None else graph.names
    steps.begin("reading labels")
    values = read_labels(labels, names, progress=steps.show)
    steps.check(lambda: verifier.verify(graph, values, progress=steps.show), graph.names)
