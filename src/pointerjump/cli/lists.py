"""The commands that rank lists and find spanning forests: ``rank`` and ``forest``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from pointerjump.cli.examples import CommandWithExamples, example
from pointerjump.cli.options import (
    LABEL_FILES,
    OF_GRAPHS,
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
from pointerjump.cli.steps import Steps
from pointerjump.cli.tasks import Facts, Summary, Task, carry_out

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pointerjump.cli.steps import Names
    from pointerjump.graph import Graph
    from pointerjump.linked_lists import SuccessorArray
    from pointerjump.run import Order


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
    carry_out(OfLists(input), **options)


class OfLists(Task["SuccessorArray", "SuccessorArray"]):
    """The ranks of linked lists."""

    problem = "list-ranking"
    doing = "ranking"
    result = "ranks"
    right = "the ranks are right"

    def require_output(self, path: str) -> None:
        from pointerjump.formats import require_label_file

        require_label_file(path)

    def read(self, steps: Steps) -> SuccessorArray:
        return load_list(cast(str, self.source), steps.show)

    def run(self, wanted: Order, given: SuccessorArray, steps: Steps) -> tuple[SuccessorArray, Facts]:
        from pointerjump.lists import HostLists, rank_lists

        return rank_lists(wanted, HostLists(given))

    def verify(self, given: SuccessorArray, answer: SuccessorArray, steps: Steps) -> None:
        from pointerjump.verifier import verify_ranks

        verify_ranks(given, answer)

    def write(self, path: str, given: SuccessorArray, answer: SuccessorArray) -> None:
        from pointerjump.formats import write_labels

        write_labels(path, answer)

    def summary(self, given: SuccessorArray, answer: SuccessorArray) -> Summary:
        import numpy as np

        lists = int(np.count_nonzero(given == np.arange(len(given))))
        longest = int(answer.max(initial=-1)) + 1
        facts = {"elements": len(answer), "lists": lists, "longest": longest}
        lines = [
            ("elements", f"{len(answer):,}"),
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
    reading = {name: options.pop(name) for name in OF_GRAPHS}
    carry_out(SpanningForest(input, **reading), **options)


class SpanningForest(Task["Graph", "npt.NDArray[np.int32]"]):
    """A spanning forest of a graph."""

    problem = "spanning-forest"
    doing = "finding a forest"
    result = "forest's edges"
    right = "it is a spanning forest"

    def require_output(self, path: str) -> None:
        from pointerjump.formats import require_graph_file

        require_graph_file(path)

    def read(self, steps: Steps) -> Graph:
        return load_graph(self.source, steps.show, self.reading)

    def run(self, wanted: Order, given: Graph, steps: Steps) -> tuple[npt.NDArray[np.int32], Facts]:
        from pointerjump.inputs import HostGraph
        from pointerjump.result import find_forest

        return find_forest(wanted, HostGraph(given))

    def verify(self, given: Graph, answer: npt.NDArray[np.int32], steps: Steps) -> None:
        from pointerjump.verifier import verify_forest

        verify_forest(given, answer)

    def write(self, path: str, given: Graph, answer: npt.NDArray[np.int32]) -> None:
        from pointerjump.graph import Graph
        from pointerjump.inputs import write

        write(Graph.from_edges(answer, vertices=given.vertices, names=given.names), path)

    def summary(self, given: Graph, answer: npt.NDArray[np.int32]) -> Summary:
        components = given.vertices - len(answer)
        facts = {
            "vertices": given.vertices,
            "edges": given.edges,
            "forest": len(answer),
            "components": components,
        }
        lines = [
            ("forest", f"{len(answer):,} of {given.edges:,} undirected edges"),
            ("components", f"{components:,}"),
        ]
        return Summary(facts, lines)

    def names(self, given: Graph, answer: npt.NDArray[np.int32]) -> Names:
        return given.names
