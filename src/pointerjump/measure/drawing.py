"""A run as a picture: the forest of parent pointers after each phase, as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from pointerjump.errors import GraphError
from pointerjump.graph import Graph
from pointerjump.reference.machine import Cells, Machine
from pointerjump.registry import ask

EXAMPLE = Graph.from_edges([0, 5, 3, 8, 1, 2, 4], [5, 3, 8, 1, 6, 7, 7], vertices=10)
"""A path through six vertices, another through three, and a vertex by itself."""

MOST_VERTICES = 40
STEP, RADIUS, MARGIN, CAPTION, COLUMNS = 34, 10, 14, 22, 2
CHANGED, KEPT, FAINT = "#D55E00", "#0072B2", "#999999"


@dataclass(frozen=True)
class Snapshot:
    """Where every vertex points at the end of a phase; -1 where it points nowhere yet."""

    phase: str
    parents: tuple[int, ...]


def snapshots(algorithm: str, graph: Graph = EXAMPLE, **variant: object) -> list[Snapshot]:
    """Run a reference; return the forest after each phase that changed it.

    Examples
    --------
    >>> [shot.phase for shot in snapshots("groute")]
    ['hook', 'multi-jump']
    """
    asked = ask("components", algorithm, variant, None)
    drawn, chosen = asked.algorithm, asked.algorithm.variant("reference", asked.dense)
    parents = drawn.parents_of(chosen)
    found: list[Snapshot] = []
    written: dict[str, Cells] = {}

    def remember(cells: Cells, *_: Any) -> None:
        written[cells.name] = cells  # of several arrays with one name, the one in use

    def note(phase: str, arrays: dict[str, Cells]) -> None:
        if parents is None:
            return
        cells = written.get(parents.array, arrays.get(parents.array))
        if cells is not None and len(cells) == graph.vertices:
            shot = Snapshot(phase, tuple(cells))
            if not found or found[-1].parents != shot.parents:
                found.append(shot)

    with Machine(on_write=remember, after_phase=note):
        drawn.function()(graph.symmetrized(), **chosen)
    return found


def draw(algorithm: str, graph: Graph = EXAMPLE, **variant: object) -> str:
    """Return a run as one SVG: a panel for each phase that changed the forest.

    Raises
    ------
    GraphError
        If the graph is too large to be seen.

    Examples
    --------
    >>> draw("ecl-cc").startswith("<svg")
    True
    """
    if graph.vertices > MOST_VERTICES:
        raise GraphError(
            f"the graph has {graph.vertices} vertices: a picture shows up to {MOST_VERTICES}; "
            "draw a smaller one"
        )
    shots = snapshots(algorithm, graph, **variant)
    spans = [abs(u - v) for u, v in zip(graph.sources.tolist(), graph.neighbors.tolist(), strict=True)]
    rise = max([1, *(abs(v - p) for shot in shots for v, p in enumerate(shot.parents) if p >= 0)])
    above, below = _height(rise), _height(max(spans, default=1))
    width = STEP * max(graph.vertices, 6) + 2 * MARGIN
    height = CAPTION + above + 2 * RADIUS + below + MARGIN
    down = -(-len(shots) // COLUMNS)
    panels = []
    before: tuple[int, ...] = tuple(range(graph.vertices))
    for i, shot in enumerate(shots):
        x, y = i % COLUMNS * width, i // COLUMNS * height
        panels.append(
            f'<g transform="translate({x},{y})">'
            + _panel(f"{i + 1}. after {shot.phase}", shot.parents, before, graph, CAPTION + above + RADIUS)
            + "</g>"
        )
        before = shot.parents
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * width} {down * height}" '
        f'style="max-width:{COLUMNS * width}px" width="100%" role="img" font-family="sans-serif" '
        f'font-size="11" aria-label="The forest of parent pointers after each phase of {escape(algorithm)}">'
        f"{''.join(panels)}</svg>"
    )


def _height(span: int) -> int:
    """Return how high an arc over so many places is."""
    return int(8 + 7 * span**0.9)


def _x(v: int) -> int:
    return MARGIN + STEP // 2 + v * STEP


def _panel(title: str, parents: tuple[int, ...], before: tuple[int, ...], graph: Graph, y: int) -> str:
    """Return one panel: the edges below the vertices, the pointers above, changed ones in another color."""
    parts = [f'<text x="{MARGIN}" y="14" fill="currentColor" font-weight="bold">{escape(title)}</text>']
    for u, v in zip(graph.sources.tolist(), graph.neighbors.tolist(), strict=True):
        if u < v:
            parts.append(_arc(u, v, y + RADIUS, _height(v - u), FAINT, 1.2))
    for v, p in enumerate(parents):
        if p not in (v, -1):
            color = KEPT if before[v] == p else CHANGED
            parts.append(_arc(v, p, y - RADIUS, -_height(abs(v - p)), color, 1.8))
            tip = _x(p) + (3 if p < v else -3)
            parts.append(f'<path d="M{tip},{y - RADIUS} l-3,-7 l6,0 z" fill="{color}" stroke="none"/>')
    for v, p in enumerate(parents):
        ring = ' stroke-width="2.4"' if p == v else ' stroke-dasharray="2 2"' if p == -1 else ""
        parts.append(
            f'<circle cx="{_x(v)}" cy="{y}" r="{RADIUS}" fill="none" stroke="currentColor"{ring}/>'
            f'<text x="{_x(v)}" y="{y + 4}" text-anchor="middle" fill="currentColor">{v}</text>'
        )
    return "".join(parts)


def _arc(u: int, v: int, y: int, height: int, color: str, thick: float) -> str:
    """Return an arc from u to v, downwards for a positive height."""
    nudge = 3 if v < u else -3  # keeps arrows in and out apart
    x0, x1 = _x(u) - nudge, _x(v) + nudge
    control = y + height * 4 / 3
    return (
        f'<path d="M{x0},{y} C{x0},{control:.0f} {x1},{control:.0f} {x1},{y}" fill="none" '
        f'stroke="{color}" stroke-width="{thick}"/>'
    )
