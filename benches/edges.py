"""From edges to labels, by us and by others: is anything simpler faster?

    python benches/edges.py small [--device cpu] [--only "degree 16"] [--json FILE]
    python benches/edges.py sparse [--device cpu] [--only path] [--json FILE]

``small`` has ten to a million random edges. ``sparse`` has graphs of a million vertices in two orders: as
they are made, where neighbors are near one another, and with their vertices shuffled; and a grid with its
edges in the order of its rows and shuffled.

There are three forms of input: two arrays, scipy's matrix of these with each edge in one direction, on which
scipy is fastest, and its matrix with both directions. From arrays, scipy makes a matrix first, and that is
timed too. Boost's serial union-find takes part where there are a C++ compiler and its headers. Everybody's
answer is an array of labels.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from contest import OURS, Line, Run, Sheet, contest
from peers import PEERS, edges_once, same_components
from scipy.sparse.csgraph import connected_components as scipy_components
from zoo_shapes import SHAPES, Size

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import Effort

FORMS = ("arrays", "a matrix", "a matrix with both directions")
PEER = {peer.name: peer for peer in PEERS if peer.name in ("scipy", "Boost")}
missing = cache(lambda name: PEER[name].missing())

SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 200_000, 300_000, 500_000, 1_000_000)
MEAN_DEGREES = (2, 16)

SPARSE = ("recursive-tree", "binary-tree", "path", "matching", "triangles")
VERTICES = 999_996  # triangles need a multiple of three, a matching one of two
GRID = "grid2d:rows=2048,columns=2048,keep=0.62,seed=1"


@dataclass(frozen=True)
class Edges:
    """Named edges, each in one direction."""

    name: str
    sources: npt.NDArray[Any]
    targets: npt.NDArray[Any]
    vertices: int

    def matrix(self) -> Any:
        """Return scipy's matrix with each edge in the direction it has."""
        ones = np.ones(len(self.sources), np.bool_)
        return sp.coo_array((ones, (self.sources, self.targets)), (self.vertices, self.vertices)).tocsr()


def small(only: str) -> Iterator[Edges]:
    """Make random edges whose names contain a text."""
    for degree in MEAN_DEGREES:
        for m in SIZES:
            if only in (name := f"degree {degree}, {m:,}"):
                vertices = max(2, 2 * m // degree)
                yield Edges(name, *np.random.default_rng(m).integers(0, vertices, (2, m)), vertices)


def sparse(only: str) -> Iterator[Edges]:
    """Make edges of sparse graphs whose names contain a text."""
    for name in ("grid, edges in order", "grid, edges shuffled"):
        if only in name:
            graph = pj.generate(GRID)
            ends = np.stack(edges_once(graph)).astype(np.int32)
            if name.endswith("shuffled"):
                ends = ends[:, np.random.default_rng(2).permutation(ends.shape[1])]
            yield Edges(name, *ends, graph.vertices)
    for shape in SPARSE:
        for order in ("natural", "shuffled"):
            if only in (name := f"{shape}, {order}"):
                made = SHAPES[shape].build(Size(VERTICES, 2 * VERTICES))
                ends = np.stack([made.sources, made.targets])
                if order == "shuffled":
                    ends = np.random.default_rng(2).permutation(VERTICES)[ends]
                yield Edges(name, *ends.astype(np.int32), made.vertices)


def on_arrays(edges: Edges, session: Session) -> dict[str, Callable[[], Run]]:
    """Return who finds labels from arrays, ours first."""
    ends, n = (edges.sources, edges.targets), edges.vertices

    def by_peer(name: str) -> Run:
        if reason := missing(name):
            raise ImportError(reason)
        return lambda: PEER[name].from_arrays(*ends, n)

    ours = lambda: pj.components(ends, device=session, vertices=n).labels  # noqa: E731
    return {OURS: lambda: ours, **{name: partial(by_peer, name) for name in PEER}}


def on_matrix(matrix: Any, session: Session) -> dict[str, Callable[[], Run]]:
    """Return who finds labels from scipy's matrix, ours first."""
    ours = lambda: pj.connected_components(matrix, directed=False, device=session)[1]  # noqa: E731
    return {OURS: lambda: ours, "scipy": lambda: lambda: scipy_components(matrix, directed=False)[1]}


def lines_of(edges: Edges, session: Session, effort: Effort) -> Iterator[Line]:
    """Verify everybody's labels, and time all of them in turn; yield a line for each form of input."""
    found = pj.components((edges.sources, edges.targets), device=session, vertices=edges.vertices)
    pj.verify(pj.Graph.from_edges(edges.sources, edges.targets, vertices=edges.vertices), found.labels)

    def check(who: str, labels: npt.NDArray[np.int32]) -> None:
        if not same_components(labels, found.labels):
            raise SystemExit(f"{edges.name}: {who} finds other components")

    one_way = edges.matrix()
    both_ways = sp.csr_array(one_way + one_way.T)
    for prepare in (
        on_arrays(edges, session),
        on_matrix(one_way, session),
        on_matrix(both_ways, session),
    ):
        ran = {"ran": found.stats["algorithm"]} if "Boost" in prepare else {}
        yield contest(edges.name, prepare, check, effort, lead_in=2, **ran)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("edges", choices=["small", "sparse"])
    parser.add_argument("--device", help="what we run on")
    parser.add_argument("--only", default="", help="only edges with this in their name")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    session, unit = session_for(asked.device), "us" if asked.edges == "small" else "ms"
    effort = Effort(asked.rounds, seconds=0.7 if asked.edges == "small" else 0.0, patience=0.0)
    kinds = {form: ["scipy", "Boost"][: 2 if form == FORMS[0] else 1] for form in FORMS}
    sheets = {
        form: Sheet(f"{asked.edges} edges from {form}", {name: [name] for name in kinds[form]}, unit)
        for form in FORMS
    }
    print(session.device)
    for edges in {"small": small, "sparse": sparse}[asked.edges](asked.only):
        for sheet, line in zip(sheets.values(), lines_of(edges, session, effort), strict=True):
            sheet.add(line)
    for sheet in sheets.values():
        if not sheet.lines:
            raise SystemExit("--only fits the name of no edges")
        sheet.print()
    if asked.json:
        found = {form: [line.as_dict() for line in sheet.lines] for form, sheet in sheets.items()}
        asked.json.write_text(json.dumps({"device": session.device.as_dict(), **found}, indent=1))


if __name__ == "__main__":
    main()
