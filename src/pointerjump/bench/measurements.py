"""Measured times as plain data, and the numbers that charts make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import geometric_mean

from pointerjump.bench.timing import Timing

Place = str | float
"""Where on a chart's x axis: a graph's name, or a number."""

GEOMETRIC_MEAN, MEAN = "geometric mean", "mean"


@dataclass(frozen=True)
class ContestantTimes:
    """The times of one contestant in one place.

    Attributes
    ----------
    where : str or float
        The place on the x axis.
    who : str
        An algorithm, a variant, a kernel or another program.
    timing : Timing
        Seconds.
    counts : dict of str to int
        How much one run works on: ``vertices`` and ``directed_edges``, or ``elements``.
    """

    where: Place
    who: str
    timing: Timing
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass
class ChartTimes:
    """The times that a chart is made of, and who was left out, each with the reason."""

    times: list[ContestantTimes] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def add(self, other: ChartTimes) -> None:
        """Take in what was measured in another place."""
        self.times += other.times
        self.left_out += [line for line in other.left_out if line not in self.left_out]


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
    """Show each time over the reference's median in the same place, with the geometric mean.

    Examples
    --------
    >>> times = [ContestantTimes("g", "a", Timing((2.0,))), ContestantTimes("g", "b", Timing((3.0,)))]
    >>> [(p.where, p.who, p.median) for p in relative_to("a")(times)][1::2]
    [('g', 'b', 1.5), ('geometric mean', 'b', 1.5)]
    """

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
    """Return each contestant's geometric mean over the places where it was measured.

    Examples
    --------
    >>> a, b = Point("g", "scipy", 2.0, 1.9, 2.1), Point("h", "scipy", 8.0, 7.0, 9.0)
    >>> geometric_means([a, b])
    [Point(where='geometric mean', who='scipy', median=4.0, low=4.0, high=4.0)]
    """
    means = {who: geometric_mean(p.median for p in points if p.who == who) for who in _names(points)}
    return [Point(GEOMETRIC_MEAN, who, mean, mean, mean) for who, mean in means.items()]


def _in_units_of(seconds: float, m: ContestantTimes) -> Point:
    t = m.timing
    return Point(m.where, m.who, t.median / seconds, t.low / seconds, t.high / seconds)


def _names(items: Iterable[ContestantTimes | Point]) -> list[str]:
    return list(dict.fromkeys(item.who for item in items))
