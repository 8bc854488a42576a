"""Figures of the properties: what can be read in them, on inputs with long names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from pointerjump.measure import PROPERTIES, Measurement, Property, measure
from pointerjump.measure.plots import legend_above

pytest.importorskip("matplotlib", reason="matplotlib draws the figures")

from page_figures import inline_svg, svg

from pointerjump.measure.properties import Counted

EVERY = [pytest.param(each, id=each.name) for each in PROPERTIES]
GRAPHS = ("grid2d:rows=9,columns=12,keep=0.62,seed=1", "kron:scale=6,degree=4,seed=1", "star:vertices=40")
LISTS = ("list:length=300,seed=1", "list:length=2048,seed=1")


@dataclass
class Drawn:
    """A figure, drawn: what was measured, the element, and where things are, in pixels."""

    found: Measurement
    svg: str
    size: tuple[float, float]
    data: list[Any]
    legends: list[Any]
    titles: list[Any]
    letters: list[list[Any]]
    """By panel."""
    names: list[list[Any]]
    """Of the x axes' ticks, by panel; none where they are slanted."""
    explained: str


@cache
def drawn(which: Property) -> Drawn:
    """Draw a property of inputs with long names; the heat map has many panels for one input."""
    inputs = (
        LISTS
        if which.of == "list"
        else ("urand:scale=7,degree=16,seed=1",)
        if which.name == "heat-map"
        else GRAPHS
    )
    found = measure(which.name, inputs)
    figures: list[Any] = []

    def draw(figure: Any, lines: list[Counted]) -> None:
        figures.append(figure)
        which.draw(figure, lines)

    from matplotlib.text import Text

    element = svg(replace(found, of=replace(which, draw=draw)))
    (figure,) = figures
    shown = [axes for axes in figure.axes if axes.axison]

    def boxes(things: Iterable[Any]) -> list[Any]:
        return [thing.get_window_extent() for thing in things]

    def ticks(axes: Any) -> list[Any]:
        low, high = sorted(axes.get_xlim())
        labels = [
            label
            for label in axes.get_xticklabels()
            if low <= label.get_position()[0] <= high and label.get_text() and label.get_visible()
        ]
        return [] if any(label.get_rotation() for label in labels) else boxes(labels)

    return Drawn(
        found,
        element,
        (figure.bbox.width, figure.bbox.height),
        boxes(shown),
        boxes(figure.legends),
        boxes(axes.title for axes in shown if axes.get_title()),
        # The letters without the lines that lead from them to their phases.
        [[Text.get_window_extent(letter) for letter in axes.texts] for axes in shown],
        [ticks(axes) for axes in shown],
        figure.get_supxlabel(),
    )


def texts(element: str) -> list[str]:
    return re.findall(r"<text[^>]*>(.*?)</text>", element)


@pytest.mark.parametrize("which", EVERY)
def test_it_can_stand_in_a_page_beside_others(which: Property) -> None:
    element = drawn(which).svg
    assert element.startswith("<svg ")
    assert "\n\n" not in element, "a blank line would end it in Markdown"
    assert "<style" not in element, "a style sheet would be the whole page's"
    assert "fill: #ffffff" in element, "a background, for dark pages"
    ids = re.findall(r'\bid="([^"]*)"', element)
    assert ids
    assert all(own.startswith(f"{which.name}-") for own in ids)
    assert len(set(ids)) == len(ids)


def test_the_same_figure_can_stand_in_a_page_twice() -> None:
    which = PROPERTIES[-1]
    element = svg(drawn(which).found, "second")
    assert all(own.startswith("second-") for own in re.findall(r'\bid="([^"]*)"', element))
    references = re.findall(r'(?:url\(#|href="#)([^")]*)', element)
    assert references
    assert set(references) <= set(re.findall(r'\bid="([^"]*)"', element))


@pytest.mark.parametrize("which", EVERY)
def test_ticks_are_plain_numbers(which: Property) -> None:
    element = drawn(which).svg
    assert texts(element)
    assert "tspan" not in element, "no 10 with a raised exponent"
    assert not [text for text in texts(element) if re.search(r"\de[+-]?\d|\N{MULTIPLICATION SIGN}", text)]


@pytest.mark.parametrize("which", EVERY)
def test_nothing_covers_anything(which: Property) -> None:
    figure = drawn(which)
    letters = [box for panel in figure.letters for box in panel]
    for legend in figure.legends:
        assert not [box for box in (*figure.data, *figure.titles, *letters) if box.overlaps(legend)]
    for title in figure.titles:
        assert not [box for box in (*figure.data, *letters) if box.overlaps(title)]
    for panel in (figure.titles, figure.legends, *figure.letters, *figure.names):
        assert not [1 for one, other in combinations(panel, 2) if one.overlaps(other)]


@pytest.mark.parametrize("which", EVERY)
def test_nothing_is_clipped(which: Property) -> None:
    figure = drawn(which)
    width, height = figure.size
    written = [figure.legends, figure.titles, *figure.letters, *figure.names]
    for box in (box for panel in written for box in panel):
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= width
        assert box.y1 <= height


def test_the_heat_maps_letters_are_explained() -> None:
    figure = drawn(next(each for each in PROPERTIES if each.name == "heat-map"))
    explained = dict(re.findall(r"(\w) = ([\w ]+)", figure.explained))
    phases = {phase for line in figure.found.series for _, phase, _ in line.get("trace", ())}
    assert set(explained.values()) == phases
    assert len(phases) == len(explained) > 2
    assert sum(map(len, figure.letters)) >= len(phases)


def test_a_legend_names_everything_once() -> None:
    def on(figure: Any) -> None:
        for axes in figure.subplots(1, 2):
            axes.plot([0, 1], [1, 2], label="a line")
        assert legend_above(figure, 80) > 0

    assert texts(inline_svg(on, "two", "", (8, 4))).count("a line") == 1


@pytest.mark.parametrize("which", EVERY)
def test_nothing_to_count_is_said(which: Property) -> None:
    nothing = "list:length=0" if which.of == "list" else "empty:vertices=0"
    element = svg(measure(which.name, [nothing]))
    assert element.startswith("<svg")
    if which.name in ("giant-component", "heat-map", "list-accesses"):
        assert "There was nothing to count." in element
