"""Which algorithms ``pointerjump bench`` times on which graphs and lists, and the tables of what they took.

A run of each algorithm is timed on a graph or list that is on the device, with all launches. If asked for,
its kernels are timed, too. For ``auto``, a whole call is timed by phase, from arrays on the host to an answer
there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, NamedTuple

from pointerjump.accel.runtime.session import Session
from pointerjump.bench.kernel_times import ProfilingSession, kernel_times
from pointerjump.bench.subjects import SEED, GraphSubject, ListSubject
from pointerjump.bench.timing import Effort, Timing, timed
from pointerjump.errors import AlgorithmError
from pointerjump.generators import is_spec, makes_graph
from pointerjump.registry import ALGORITHMS, find_algorithm, parse_variant

SETS: Mapping[str, tuple[Effort, Mapping[str, str]]] = {
    "quick": (
        Effort(rounds=5, seconds=0.2, patience=5.0),
        {
            "urand16": f"urand:scale=16,degree=8,seed={SEED}",
            "kron16": f"kron:scale=16,degree=8,seed={SEED}",
            "road16": f"grid2d:rows=256,columns=256,keep=0.62,seed={SEED}",
            "delaunay_n16": "delaunay_n16",
            "list18": f"list:length={1 << 18},seed={SEED}",
        },
    ),
    "standard": (
        Effort(rounds=5, seconds=0.5, patience=10.0),
        {
            "urand18": f"urand:scale=18,degree=16,seed={SEED}",
            "kron18": f"kron:scale=18,degree=16,seed={SEED}",
            "road20": f"grid2d:rows=1024,columns=1024,keep=0.62,seed={SEED}",
            "2d-2e20.sym": "2d-2e20.sym",
            "rmat16.sym": "rmat16.sym",
            "delaunay_n17": "delaunay_n17",
            "list22": f"list:length={1 << 22},seed={SEED}",
        },
    ),
    "full": (
        Effort(rounds=9, seconds=0.5, patience=60.0),
        {
            "g24": f"kron:scale=24,degree=16,seed={SEED}",
            "g22": f"kron:scale=22,degree=16,seed={SEED}",
            "u23": f"urand:scale=23,degree=8,seed={SEED}",
            "kron_g500-logn21": "kron_g500-logn21",
            "rmat22.sym": "rmat22.sym",
            "r4-2e23.sym": "r4-2e23.sym",
            "road24": f"grid2d:rows=4096,columns=4096,keep=0.62,seed={SEED}",
            "grid22": "grid2d:rows=2048,columns=2048",
            "delaunay_n20": "delaunay_n20",
            "2d-2e20.sym": "2d-2e20.sym",
            "u18": f"urand:scale=18,degree=8,seed={SEED}",
            "list24": f"list:length={1 << 24},seed={SEED}",
        },
    ),
}
"""By name: how much time may be taken, and graphs and lists by name."""


class Measured(NamedTuple):
    """How long a run or a call took, or a part of it.

    Attributes
    ----------
    input : str
        The name of the graph or list.
    algorithm, ran : str
        What was asked for, such as ``auto`` or ``afforest:init=first``, and the algorithm that ran.
    kind : {"run", "kernel", "call", "phase"}
        A run on the device, all launches of a kernel in it, a whole call, or a phase of it.
    step : str
        The name of the kernel or the phase, or empty.
    timing : Timing
        Seconds.
    """

    input: str
    algorithm: str
    ran: str
    kind: Literal["run", "kernel", "call", "phase"]
    step: str
    timing: Timing

    def as_dict(self) -> dict[str, Any]:
        """Return what files have: names, and seconds."""
        values = self._asdict()
        t: Timing = values.pop("timing")
        return {**values, "median": t.median, "low": t.low, "high": t.high, "samples": t.samples}


@dataclass
class OwnTimes:
    """What was measured on a device, on what, and what was left out, each with the reason."""

    session: Session
    inputs: list[dict[str, Any]] = field(default_factory=list)
    times: list[Measured] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Return everything as data that JSON can hold; times are in seconds."""
        return {
            "device": self.session.device.as_dict(),
            "inputs": self.inputs,
            "times": [each.as_dict() for each in self.times],
            "left_out": self.left_out,
        }

    def csv(self) -> str:
        """Return a line for each time, with the median and the quartiles in seconds."""
        columns = ("input", "algorithm", "ran", "kind", "step", "median", "low", "high", "samples")
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for each in self.times:
            writer.writerow({**each.as_dict(), "samples": len(each.timing.samples)})
        return text.getvalue()


def named(sources: Sequence[str]) -> dict[str, str]:
    """Return files and specs by name: a file's own name, unless two in different folders share it.

    Examples
    --------
    >>> named(["a/g.el", "star:vertices=9"])
    {'g.el': 'a/g.el', 'star:vertices=9': 'star:vertices=9'}
    """
    names = [Path(source).name for source in sources]
    return dict(zip(names if len(set(names)) == len(names) else sources, sources, strict=True))


def check_algorithms(algorithms: Sequence[str]) -> None:
    """Refuse algorithms and variants that do not exist.

    Raises
    ------
    AlgorithmError
        If one of them is not ``auto``, or no algorithm with kernels, or not ``NAME:AXIS=VALUE,...``.
    """
    for asked in algorithms:
        name, _, variant = asked.partition(":")
        parse_variant(variant)
        if name != "auto" and not find_algorithm(name).kernels:
            raise AlgorithmError(
                f"{name} has no kernels, so there is nothing to time on a device: leave it out"
            )


def measure_device(
    session: Session,
    inputs: Mapping[str, str],
    algorithms: Sequence[str] = (),
    *,
    effort: Effort,
    kernels: bool = False,
    begin: Callable[[str], None] = lambda name: None,
) -> OwnTimes:
    """Time algorithms on graphs and lists; one of these is in memory at a time.

    Parameters
    ----------
    session : Session
        Of the device to measure on.
    inputs : mapping of str to str
        Files of graphs, and specs of graphs or lists, by name.
    algorithms : sequence of str
        ``NAME`` or ``NAME:AXIS=VALUE,...``. Default: ``auto``, and every parallel algorithm with kernels.
    effort : Effort
    kernels : bool
        Whether to time each kernel too.
    begin : callable
        Told the name of each graph or list as it begins.

    Raises
    ------
    VerificationError
        If an answer is wrong: nothing is timed that has not been verified.
    """
    check_algorithms(algorithms)
    found = OwnTimes(session)
    for name, source in inputs.items():
        begin(name)
        of_lists = is_spec(source) and not makes_graph(source)
        subject = (ListSubject if of_lists else GraphSubject)(name, source, session)
        found.inputs.append({"name": name, "source": source, "problem": subject.problem, **subject.counts})
        _measure(subject, algorithms or ["auto", *_parallel(subject.problem)], effort, kernels, found)
    return found


def _parallel(problem: str) -> list[str]:
    having = (each for each in ALGORITHMS.values() if each.problem == problem and each.kernels)
    return [each.name for each in having if not each.serial]


def _measure(
    subject: GraphSubject | ListSubject,
    algorithms: Sequence[str],
    effort: Effort,
    kernels: bool,
    found: OwnTimes,
) -> None:
    """Verify and time the algorithms that solve the subject's problem, side by side."""
    runs: dict[str, Callable[[], object]] = {}
    ran: dict[str, str] = {}
    of_kernels: list[Measured] = []
    for asked in algorithms:
        name, _, values = asked.partition(":")
        variant = parse_variant(values)
        if name != "auto" and find_algorithm(name).problem != subject.problem:
            continue
        began = perf_counter()
        try:
            ran[asked] = subject.chosen(name, **variant)
            run = subject.kernels(name, **variant)
        except AlgorithmError as refusal:
            found.left_out.append(f"{asked} on {subject.name}: {refusal}")
            continue
        if (took := perf_counter() - began) > effort.patience:
            found.left_out.append(f"{asked} on {subject.name}: took {took:.0f} s, too long for this set")
            continue
        runs[asked] = run
        if kernels:
            profiling = ProfilingSession(subject.session)
            launched = subject.kernels(name, profiling, **variant)
            by_kernel = kernel_times(launched, profiling, effort.rounds)
            of_kernels += [
                Measured(subject.name, asked, ran[asked], "kernel", *each) for each in by_kernel.items()
            ]
    for asked, timing in timed(runs, effort).items():
        found.times.append(Measured(subject.name, asked, ran[asked], "run", "", timing))
        found.times += [each for each in of_kernels if each.algorithm == asked]
        if asked == "auto":
            found.times += _of_call(subject, effort)


def _of_call(subject: GraphSubject | ListSubject, effort: Effort) -> Iterator[Measured]:
    """Time a whole call of ``auto``, and its phases."""
    call, facts = subject.call(), list[dict[str, Any]]()
    timing = timed({"call": lambda: facts.append(call())}, effort)["call"]
    ran = facts[-1]["algorithm"]
    yield Measured(subject.name, "auto", ran, "call", "", timing)
    phases = [each["seconds"] for each in facts[1:]]  # the first one warms up
    for phase in phases[-1]:
        samples = tuple(each.get(phase, 0.0) for each in phases)
        yield Measured(subject.name, "auto", ran, "phase", phase, Timing(samples))
