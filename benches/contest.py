"""Programs that do the same, side by side: answers are checked, all take turns, and a table has the ratios.

edges.py, bench_images.py, bench_ids.py and bench_dropins.py say who takes part, and in what.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, fsum, log
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from pointerjump.bench.timing import Effort, Timing, timed

OURS = "pointerjump"

Run = Callable[[], Any]
"""Does it once, and returns the answer."""


class LeftOutError(Exception):
    """This program does not take this input."""


@dataclass(frozen=True)
class Line:
    """What everybody took for a task, ours first; other cells of the table; and why others are left out."""

    task: str
    timings: dict[str, Timing]
    cells: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def ratio(self, names: list[str]) -> float | None:
        """Return how many times as long as ours the fastest of these took, if any took part."""
        theirs = [self.timings[name].median for name in names if name in self.timings]
        return min(theirs) / self.timings[OURS].median if theirs else None

    def as_dict(self) -> dict[str, Any]:
        """Return what a JSON file keeps."""
        times = {who: {"median": t.median, "low": t.low, "high": t.high} for who, t in self.timings.items()}
        return {"task": self.task, **self.cells, "seconds": times}


def contest(
    task: str,
    prepare: Mapping[str, Callable[[], Run]],
    check: Callable[[str, Any], None],
    effort: Effort,
    *,
    lead_in: int = 0,
    **cells: str,
) -> Line:
    """Check everybody's answer, then time all in turns.

    `prepare` has a function for each program, ours first, that returns a run; who raises ImportError or
    LeftOutError there does not take part. `check` is told who has found an answer, and raises an error if it
    is wrong.
    """
    runs: dict[str, Run] = {}
    left_out: dict[str, str] = {}
    for name, made in prepare.items():
        try:
            runs[name] = made()
        except (ImportError, LeftOutError) as reason:
            left_out[name] = str(reason)
            continue
        check(name, runs[name]())
    return Line(task, timed(runs, effort, lead_in), cells, left_out)


def with_peak(run: Run) -> tuple[Any, int | None]:
    """Return an answer, and how many bytes more there were at the peak than before, if Linux says so."""
    gc.collect()
    process = Path("/proc/self")
    try:
        (process / "clear_refs").write_text("5")  # the peak begins anew
    except OSError:
        return run(), None
    before = resident(process, "VmRSS")
    answer = run()
    return answer, max(0, resident(process, "VmHWM") - before)


def resident(process: Path, what: str = "VmHWM") -> int:
    """Return how many bytes a process, as a folder of /proc, has at the peak so far, or now (``VmRSS``).

    What the system reports of ended children will not do: there a child begins with its parent's peak.
    """
    return int((process / "status").read_text().partition(f"{what}:")[2].split()[0]) << 10


class Sheet:
    """A table of a contest: medians, the quartiles of ours, and ratios to the fastest of each kind."""

    def __init__(self, title: str, kinds: Mapping[str, list[str]], unit: str = "ms") -> None:
        self.title, self.kinds, self.unit = title, kinds, unit
        self.per_second = {"s": 1.0, "ms": 1e3, "us": 1e6}[unit]
        self.lines: list[Line] = []

    def add(self, line: Line) -> None:
        """Add a line, and print it, and who is left out for the first time."""
        for name in line.left_out.keys() - {name for other in self.lines for name in other.left_out}:
            print(f"{self.title}: {name} is left out: {line.left_out[name]}")
        times = ", ".join(f"{who} {self._shown(t.median)}" for who, t in line.timings.items())
        print(f"{self.title}: {line.task}: {times} {self.unit}", flush=True)
        self.lines.append(line)

    def print(self, console: Console | None = None) -> None:
        """Print the table, and below it, for each kind, the mean ratio and where we are least ahead."""
        names = list(dict.fromkeys(who for line in self.lines for who in line.timings))
        others = [name for name in names if name != OURS]
        cells = list(dict.fromkeys(name for line in self.lines for name in line.cells))
        table = Table(title=f"{self.title}, {self.unit}: medians, quartiles", title_justify="left")
        for heading in ("", *cells, OURS, "", *others, *(f"{kind} / ours" for kind in self.kinds)):
            table.add_column(heading, justify="right" if table.columns else "left")
        for line in self.lines:
            ours = line.timings[OURS]
            found = [line.ratio(kind) for kind in self.kinds.values()]
            table.add_row(
                line.task,
                *(line.cells.get(name, "") for name in cells),
                self._shown(ours.median),
                f"{self._shown(ours.low)} to {self._shown(ours.high)}",
                *(self._shown(line.timings[o].median) if o in line.timings else "-" for o in others),
                *("-" if ratio is None else f"{ratio:.2f}" for ratio in found),
            )
        console = console or Console(width=200)
        console.print(table)
        for kind, of_kind in self.kinds.items():
            ratios = {line.task: r for line in self.lines if (r := line.ratio(of_kind)) is not None}
            if ratios:
                mean = exp(fsum(map(log, ratios.values())) / len(ratios))
                least = min(ratios, key=lambda task: ratios[task])
                console.print(
                    f"{kind} / ours: geometric mean {mean:.2f}, least {ratios[least]:.2f} ({least})",
                    highlight=False,
                )

    def _shown(self, seconds: float) -> str:
        value = self.per_second * seconds
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
