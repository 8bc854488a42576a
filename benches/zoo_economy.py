"""What the zoo (benches/zoo.py) leaves out to save time, judged by smaller graphs of the same shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Record = dict[str, Any]

FAR = 3.0
"""What takes so many times as long as the best on all graphs of the smallest size runs once on others."""

SLOW = 6.0
"""What takes so many times as long as the best may take time that grows with the square of the size."""

TOO_LONG = "would take about"
"""How the reason begins for which a candidate is left out."""


def alike(records: Iterable[Record], **facts: str) -> list[Record]:
    """Return the records with these facts, such as ``form="rows"``."""
    return [found for found in records if facts.items() <= found.items()]


def far_everywhere(records: list[Record], names: list[str], size: str, order: str, form: str) -> set[str]:
    """Return the candidates that were far from the best on all graphs of the smallest size."""
    others = [found for found in alike(records, order=order, form=form) if found["size"] != size]
    smallest = alike(others, size=others[0]["size"]) if others else []
    return {name for name in names if smallest and all(is_far(name, found) for found in smallest)}


def is_far(name: str, found: Record) -> bool:
    """Return whether a candidate was far from the best on one graph, or did not run there."""
    return bool(found["ms"].get(name, float("inf")) > FAR * min(found["ms"].values()))


def too_long(earlier: list[Record], names: Iterable[str], items: int, longest: float) -> dict[str, str]:
    """Return the candidates that would take too long on a graph, with the reasons.

    Parameters
    ----------
    earlier : list of dict
        What was found on smaller graphs of the same shape, order and form, the smallest first.
    names : iterable of str
        The candidates.
    items : int
        How many vertices and stored edges the graph has.
    longest : float
        How many seconds a candidate may take, its plan included.
    """
    reasons = {}
    for name in names:
        before = [found["skipped"][name] for found in earlier if TOO_LONG in found["skipped"].get(name, "")]
        seconds = estimate(name, earlier, items)
        if before or seconds > longest:
            reasons[name] = before[0] if before else f"{TOO_LONG} {seconds:.1f} s from {items:,} items on"
    return reasons


def estimate(name: str, earlier: list[Record], items: int) -> float:
    """Return the seconds that a candidate would take on a graph, or 0 if it ran on no smaller one.

    They may grow faster than the graph: those of label propagation on a path grow with the square of its
    length. Two smaller graphs show how fast. From one alone we cannot tell, and assume the worst of whatever
    was slow there.
    """
    known = [found for found in earlier if name in found["cost"]]
    if not known:
        return 0.0
    cost = [found["cost"][name] for found in known]
    larger = items / (known[-1]["vertices"] + known[-1]["stored"])
    if len(known) > 1:
        return float(cost[-1] * max(larger, cost[-1] / cost[-2]))
    ms = known[-1]["ms"]
    run = ms[name] / 1e3
    growth = larger**2 if ms[name] > SLOW * min(ms.values()) else larger
    return float(run * growth + (cost[-1] - run) * larger)
