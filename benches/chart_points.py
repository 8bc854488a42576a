"""The numbers that charts show: measured times in a unit, beside others, and their means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import geometric_mean

from chart_times import ContestantTimes, Place

GEOMETRIC_MEAN, MEAN = "geometric mean", "mean"

NOISY_FROM = 1.25
"""A number is noisy if its third quartile is more than so many times its first."""


@dataclass(frozen=True)
class Point:
    """A bar or a point of a chart: median and quartiles in the chart's unit."""

    where: Place
    who: str
    median: float
    low: float
    high: float

    @property
    def noisy(self) -> bool:
        """Whether the quartiles are far apart."""
        return self.high > NOISY_FROM * self.low


Scale = Callable[[list[ContestantTimes]], list[Point]]
"""Turns times into what a chart shows."""


def milliseconds(times: list[ContestantTimes]) -> list[Point]:
    """Show each time as it is."""
    return [_in_units_of(1e-3, m) for m in times]


def nanoseconds_per(counted: str) -> Scale:
    """Show the time for each of what was counted."""
    return lambda times: [_in_units_of(1e-9 * m.counts[counted], m) for m in times]


def million_per_second(counted: str) -> Scale:
    """Show how many of what was counted are done in a second, with the geometric mean."""

    def scale(times: list[ContestantTimes]) -> list[Point]:
        points = []
        for m in times:
            millions = m.counts[counted] / 1e6
            slow, middle, fast = (millions / t for t in (m.timing.high, m.timing.median, m.timing.low))
            points.append(Point(m.where, m.who, middle, slow, fast))
        return points + geometric_means(points)

    return scale


def relative_to(reference: str) -> Scale:
    """Show each time over the reference's median in the same place, with the geometric mean."""

    def scale(times: list[ContestantTimes]) -> list[Point]:
        unit = {m.where: m.timing.median for m in times if m.who == reference}
        points = [_in_units_of(unit[m.where], m) for m in times]
        return points + geometric_means(points)

    return scale


def relative_to_best(times: list[ContestantTimes]) -> list[Point]:
    """Show each time over the same contestant's best median anywhere."""
    best = {who: min(m.timing.median for m in times if m.who == who) for who in _names(times)}
    return [_in_units_of(best[m.who], m) for m in times]


def percent_of_sum(times: list[ContestantTimes]) -> list[Point]:
    """Show each time as a part of the sum in its place, with the mean over all places."""
    total: dict[Place, float] = {}
    for m in times:
        total[m.where] = total.get(m.where, 0.0) + m.timing.median
    points = [_in_units_of(total[m.where] / 100, m) for m in times]
    # A kernel that a place does not have counts as nothing there, so that the means sum to 100.
    means = {who: sum(p.median for p in points if p.who == who) / len(total) for who in _names(points)}
    return points + [Point(MEAN, who, mean, mean, mean) for who, mean in means.items()]


def geometric_means(points: list[Point]) -> list[Point]:
    """Return each contestant's geometric mean over the places where it was measured."""
    means = {who: geometric_mean(p.median for p in points if p.who == who) for who in _names(points)}
    return [Point(GEOMETRIC_MEAN, who, mean, mean, mean) for who, mean in means.items()]


def _in_units_of(seconds: float, m: ContestantTimes) -> Point:
    t = m.timing
    return Point(m.where, m.who, t.median / seconds, t.low / seconds, t.high / seconds)


def _names(items: Iterable[ContestantTimes | Point]) -> list[str]:
    return list(dict.fromkeys(item.who for item in items))
