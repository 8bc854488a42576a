"""Ours beside the authors' CUDA programs, on the same graph files, on one NVIDIA GPU, in one run.

    python benches/bench_cuda.py PROGRAMS FOLDER [--kinds aside] [--graphs g22,u23] [--parts rows] [--json F]

PROGRAMS is the folder of the programs that cuda_programs.py describes, and FOLDER keeps the graphs. Some have
500 million directed edges, so a RAM disk is best. The graphs are those of table_graphs.py. With --kinds they
are those of wide_graphs.py: of the kinds on which `auto` was tuned, or of those that were set aside. They
stay on the device while they are timed, and what is timed is finding each vertex's representative. Our labels
are verified first, and gconn's counts of components compared with ours.

In each of several rounds, ours and theirs take turns, each of theirs in a process of its own. Ours are
wall times with all launches and one wait, the median of 15 runs. Theirs are what the programs print. A
round's median counts as one sample, and the tables have the medians of these. The first round tries all of
gconn's variants that --gconn allows, and later ones the best three.

The tables are one for each part. rows: the best CUDA program for each graph, chosen with hindsight, against
`auto`. ecl-cc: the authors' ECL-CC against ours. edges: gconn against `auto` on edges in random order, each
in one direction.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import geometric_mean, median
from time import perf_counter

import numpy as np
import numpy.typing as npt
from cuda_programs import AFFOREST, ECL_CC, EDGE_FORM, GCONN, RACE_FREE, ROW_FORMS, Answer, Call, Programs
from rich.console import Console
from rich.table import Table
from table_graphs import GRAPHS, Make, daily, keep, load
from wide_graphs import wide

import pointerjump as pj
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import place
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.bench.timing import ProfilingSession, kernel_times
from pointerjump.registry.selection import ask, select
from pointerjump.solving.inputs import HostGraph, as_graph

REPEATS, WARM_UP = 15, 2
PARTS = ("rows", "ecl-cc", "edges")
AUTO, OUR_ECL_CC, OUR_RACE_FREE, AUTO_EDGES = "auto", "our ecl-cc", "our ecl-cc, race-free", "auto, edges"
ROW_RUNS: dict[str, tuple[str, dict[str, object]]] = {
    AUTO: ("auto", {}),
    OUR_ECL_CC: ("ecl-cc", {}),
    OUR_RACE_FREE: ("ecl-cc", {"reads": "atomic"}),
}
"""Our runs on rows: each one's algorithm and variant."""

OURS = {"rows": (AUTO,), "ecl-cc": (OUR_ECL_CC, OUR_RACE_FREE), "edges": (AUTO_EDGES,)}
EDGE_GRAPHS = ("g22", "u23", "r4-2e23", "road24")
MOST_CONTENDERS = 3
"""How many of gconn's variants are run in every round, of those over rows and of those over edges."""


# -- what is timed ---------------------------------------------------------------------------------


def keep_edges(name: str, folder: Path) -> None:
    """Keep the edges of a graph, each once, from its smaller end to its larger, in random order."""
    path = folder / f"{name}.edges.npy"
    if path.exists():
        return
    graph = load(name, folder)
    once = np.flatnonzero(graph.sources < graph.neighbors)
    np.random.default_rng(1).shuffle(once)
    np.save(path, np.stack([graph.sources[once], graph.neighbors[once]]).astype(np.int32))


def keep_sg(name: str, folder: Path) -> None:
    """Keep a graph's rows as Afforest reads them."""
    path = folder / f"{name}.sg"
    if not path.exists():
        pj.write(load(name, folder), path)


def in_edges(name: str) -> bool:
    """Return whether a graph takes part in the comparison on edges: of the eleven, only some do."""
    return name in EDGE_GRAPHS or name not in GRAPHS


def keep_all(graphs: Mapping[str, Make], parts: list[str], folder: Path) -> None:
    """Make all files that the folder does not have yet."""
    keep(graphs, folder)
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(keep_sg, name, folder) for name in graphs if "rows" in parts]
        jobs += [pool.submit(keep_edges, n, folder) for n in graphs if "edges" in parts and in_edges(n)]
        for job in jobs:
            job.result()


def plans(name: str, parts: list[str], folder: Path, session: Session) -> dict[str, Plan]:
    """Put a graph on the device in the forms that these parts need; return our runs by name."""
    found: dict[str, Plan] = {}
    row_runs = [run for part in parts for run in OURS[part] if run in ROW_RUNS]
    if row_runs:
        d = pj.to_device(load(name, folder), session)
        for run in row_runs:
            algorithm, variant = ROW_RUNS[run]
            found[run] = d.plan(algorithm, **variant)
    if "edges" in parts and in_edges(name):
        found[AUTO_EDGES] = plan_of_edges(name, folder, session)
    return found


def plan_of_edges(name: str, folder: Path, session: Session) -> Plan:
    """Return what `auto` runs on edges that are on the device, as they are."""
    edges = as_graph(tuple(np.load(folder / f"{name}.edges.npy")), vertices=load(name, folder).vertices)
    tuning = session.tuning
    choice = select(ask("components", "auto", {}, tuning), HostGraph(edges).facts(), tuning)
    return choice.algorithm.prepare(place(edges, choice.form, session), **choice.variant)


def kernel_ms(plan: Plan, session: ProfilingSession) -> float:
    """Return the sum of the kernels' own times in a run, in ms, by the device's clock."""
    return 1e3 * sum(timing.median for timing in kernel_times(plan.run, session).values())


# -- whether it is right ---------------------------------------------------------------------------


def keep_verified_labels(names: list[str], folder: Path, session: Session) -> None:
    """Keep labels of each graph, found by `auto` on the device, and verified."""
    missing = [name for name in names if not (folder / f"{name}.labels.npy").exists()]
    for name in missing:
        np.save(folder / f"{name}.found.npy", pj.components(load(name, folder), device=session).labels)
    # A process that is forked could not use the device's library, which is loaded by now.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(verify_found, folder=folder), missing))


def verify_found(name: str, folder: Path) -> None:
    """Verify the labels that were found; then they are the graph's labels."""
    found = folder / f"{name}.found.npy"
    pj.verify(load(name, folder), np.load(found))
    found.rename(folder / f"{name}.labels.npy")


def representatives_of(labels: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    """Return the smallest vertex of each vertex's component; labels are in the order of these."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(labels), prepend=-1))[labels]


def check_ours(name: str, runs: dict[str, Plan], labels: npt.NDArray[np.int32], session: Session) -> None:
    """Compare our runs' answers with verified labels."""
    expected = representatives_of(labels)
    for run, plan in runs.items():
        plan.run()
        if not np.array_equal(session.get(plan.result, len(labels)), expected):
            raise SystemExit(f"{name}: {run} finds other components than the verified ones")


def right_ones(answers: list[Answer], graph: str, components: int, programs: Programs) -> list[Answer]:
    """Return the answers that have as many components as ours, or do not say how many."""
    right = [answer for answer in answers if answer.components in (None, components)]
    for answer in answers:
        if answer not in right:
            found = f"{answer.components:,} components, but there are {components:,}"
            programs.problems.append(f"{answer.name} on {graph}: finds {found}")
    return right


# -- turns -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ratio:
    """The ratio of two medians, and the least and the greatest of the rounds' ratios."""

    of_medians: float
    least: float
    greatest: float

    def __str__(self) -> str:
        return f"{self.of_medians:.2f} ({self.least:.2f} to {self.greatest:.2f})"


@dataclass
class Times:
    """The times on one graph, in ms: of ours and theirs one for each round, and of our kernels."""

    components: int
    samples: dict[str, list[float]]
    kernels: dict[str, float] = field(default_factory=dict)

    def best(self, names: Iterable[str]) -> str | None:
        """Return which of these took least time, of those that took part in every round."""
        rounds = max(map(len, self.samples.values()))
        having = [name for name in names if len(self.samples.get(name, ())) == rounds]
        return min(having, key=self.ms) if having else None

    def ms(self, name: str) -> float:
        """Return the median over the rounds."""
        return median(self.samples[name])

    def ratio(self, above: str | None, below: str) -> Ratio | None:
        """Return the ratio of two times, or None if one of them is missing."""
        if above is None or not {above, below} <= self.samples.keys():
            return None
        pairs = zip(self.samples[above], self.samples[below], strict=False)
        rounds = [mine / other for mine, other in pairs]
        return Ratio(self.ms(above) / self.ms(below), min(rounds), max(rounds))

    def of_gconn(self, *forms: str) -> list[str]:
        """Return the names of gconn's answers over these forms."""
        return [name for name in self.samples for form in forms if name.startswith(f"{GCONN} {form} ")]


def calls_for(parts: list[str], graph: str, forms: list[str], variants: str) -> list[Call]:
    """Return the calls of programs that these parts need."""
    calls = []
    if "rows" in parts or "ecl-cc" in parts:
        calls.append(Call(ECL_CC))
    if "ecl-cc" in parts:
        calls.append(Call(RACE_FREE))
    if "rows" in parts:
        calls += [Call(program) for program in AFFOREST] + [Call(GCONN, f, variants) for f in forms]
    if "edges" in parts and in_edges(graph):
        calls.append(Call(GCONN, EDGE_FORM, variants))
    return calls


def contenders(answers: list[Answer]) -> list[Call]:
    """Return the calls for the next round: of gconn's variants only the best few."""
    calls = [answer.call for answer in answers if answer.call.program != GCONN]
    for over_edges in (False, True):
        tried = [a for a in answers if a.call.program == GCONN and (a.call.form == EDGE_FORM) == over_edges]
        calls += [answer.call for answer in sorted(tried, key=lambda a: a.ms)[:MOST_CONTENDERS]]
    return calls


def wall(session: Session, plan: Plan) -> float:
    """Return the median wall time of one run, in ms."""
    times = []
    for _ in range(WARM_UP + REPEATS):
        began = perf_counter()
        plan.run()
        session.finish()
        times.append((perf_counter() - began) * 1e3)
    return median(times[WARM_UP:])


def in_turn(
    name: str, runs: dict[str, Plan], calls: list[Call], components: int, setup: Setup
) -> dict[str, list[float]]:
    """Let ours and theirs take turns on a graph."""
    samples: dict[str, list[float]] = defaultdict(list)
    for _ in range(setup.rounds):
        for run, plan in runs.items():
            samples[run].append(wall(setup.session, plan))
        printed = [answer for call in calls for answer in setup.programs.answers(call, name)]
        answers = right_ones(printed, name, components, setup.programs)
        for answer in answers:
            samples[answer.name].append(answer.ms)
        calls = contenders(answers)
    return dict(samples)


@dataclass(frozen=True)
class Setup:
    """What to measure, and with what."""

    parts: list[str]
    folder: Path
    rounds: int
    forms: list[str]
    variants: str
    session: Session
    programs: Programs


def measured(name: str, setup: Setup) -> Times:
    """Check and time ours and theirs on one graph."""
    labels = np.load(setup.folder / f"{name}.labels.npy")
    components = int(labels.max(initial=-1)) + 1
    runs = plans(name, setup.parts, setup.folder, setup.session)
    check_ours(name, runs, labels, setup.session)
    calls = setup.programs.there(calls_for(setup.parts, name, setup.forms, setup.variants))
    times = Times(components, in_turn(name, runs, calls, components, setup))
    profiling = ProfilingSession(setup.session)
    for run, plan in plans(name, setup.parts, setup.folder, profiling).items():
        times.kernels[run] = kernel_ms(plan, profiling)
    return times


# -- tables ----------------------------------------------------------------------------------------


@dataclass
class Sheet:
    """A table with a line for each graph."""

    title: str
    headings: list[str]
    lines: list[list[str]] = field(default_factory=list)
    ratios: dict[str, dict[str, float]] = field(default_factory=dict)
    """By heading and graph."""

    def add(self, graph: str, *cells: str | Ratio | None) -> None:
        """Add a line. None is for a time or ratio that is missing."""
        for heading, cell in zip(self.headings[1:], cells, strict=True):
            if isinstance(cell, Ratio):
                self.ratios.setdefault(heading, {})[graph] = cell.of_medians
        self.lines.append([graph, *(str(cell or "-") for cell in cells)])

    def summaries(self) -> list[str]:
        """Return, for each column of ratios, the geometric mean, the least and the greatest."""
        return [f"{heading}: {summary(ratios)}" for heading, ratios in self.ratios.items()]

    def print(self, console: Console) -> None:
        """Print the table."""
        table = Table(title=self.title, title_justify="left")
        for heading in self.headings:
            table.add_column(heading, justify="left" if heading == self.headings[0] else "right")
        for line in self.lines:
            table.add_row(*line)
        console.print(table, *self.summaries(), sep="\n", highlight=False)


def summary(ratios: dict[str, float]) -> str:
    """Return the geometric mean of ratios, and which is the least and which the greatest."""
    least, greatest = (f(ratios, key=lambda name: ratios[name]) for f in (min, max))
    return (
        f"geometric mean {geometric_mean(ratios.values()):.2f}, "
        f"least {ratios[least]:.2f} ({least}), greatest {ratios[greatest]:.2f} ({greatest})"
    )


def shown(times: Times, name: str | None) -> str | None:
    """Return a time for the table, if it is there; our kernels' own time is in brackets."""
    if name is None or name not in times.samples:
        return None
    kernels = f" ({times.kernels[name]:.3f})" if name in times.kernels else ""
    return f"{times.ms(name):.3f}{kernels}"


def row_sheet(found: dict[str, Times]) -> Sheet:
    """Return the table of the CUDA programs against `auto`; the best is chosen for each graph."""
    headings = ["graph", "ECL-CC", "Afforest", "gconn", "its variant", "auto"]
    ratios = ["ECL-CC or Afforest / auto", "best of all / auto"]
    sheet = Sheet("ms on rows: the authors' CUDA programs, and auto (its kernels)", headings + ratios)
    for name, t in found.items():
        ecl_cc, afforest, gconn = t.best([ECL_CC]), t.best(AFFOREST), t.best(t.of_gconn(*ROW_FORMS))
        published = t.best(filter(None, (ecl_cc, afforest)))
        best = t.best(filter(None, (published, gconn)))
        theirs = [shown(t, each) for each in (ecl_cc, afforest, gconn)]
        both = t.ratio(published, AUTO), t.ratio(best, AUTO)
        sheet.add(name, *theirs, variant_of(gconn), shown(t, AUTO), *both)
    return sheet


def ecl_cc_sheet(found: dict[str, Times]) -> Sheet:
    """Return the table of our ECL-CC against its authors'."""
    headings = ["graph", "theirs", "ours", "ours / theirs"]
    race_free = [f"race-free: {heading}" for heading in headings[1:]]
    sheet = Sheet("ms on rows: ECL-CC by its authors, and ours (its kernels)", headings + race_free)
    pairs = ((ECL_CC, OUR_ECL_CC), (RACE_FREE, OUR_RACE_FREE))
    for name, t in found.items():
        cells = [(shown(t, theirs), shown(t, ours), t.ratio(ours, theirs)) for theirs, ours in pairs]
        sheet.add(name, *cells[0], *cells[1])
    return sheet


def edge_sheet(found: dict[str, Times]) -> Sheet:
    """Return the table of gconn's best variant on edges against `auto`."""
    headings = ["graph", "gconn", "its variant", "auto", "gconn / auto"]
    sheet = Sheet("ms on edges in random order: gconn, and auto (its kernels)", headings)
    for name, t in found.items():
        if AUTO_EDGES in t.samples:
            best = t.best(t.of_gconn(EDGE_FORM))
            sheet.add(name, shown(t, best), variant_of(best), shown(t, AUTO_EDGES), t.ratio(best, AUTO_EDGES))
    return sheet


def variant_of(gconn: str | None) -> str | None:
    """Return the form and the variant in the name of an answer of gconn's."""
    return gconn and gconn.removeprefix(f"{GCONN} ")


SHEETS = {"rows": row_sheet, "ecl-cc": ecl_cc_sheet, "edges": edge_sheet}


# -- the command -----------------------------------------------------------------------------------


def parse() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", type=Path, help="the folder of the authors' programs")
    parser.add_argument("folder", type=Path, help="the folder that keeps the graphs")
    parser.add_argument("--kinds", choices=("tuned", "aside"), help="which half of wide_graphs.py's kinds")
    parser.add_argument("--data", type=Path, help="the folder of the real graphs that wide_graphs.py names")
    parser.add_argument("--graphs", help="which of the graphs, with commas between; without it, all")
    parser.add_argument("--parts", default=",".join(PARTS), help="which tables, with commas between")
    parser.add_argument(
        "--gconn", default="NAIVE", metavar="WORD", help="a part of the names of gconn's variants to try"
    )
    parser.add_argument("--forms", default=",".join(ROW_FORMS), help="gconn's forms over rows to try")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--longest", type=float, default=60, help="seconds that a process of theirs may take")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    makers = wide(asked.kinds, asked.data) if asked.kinds else daily()
    for option, known in (("graphs", list(makers)), ("parts", list(PARTS)), ("forms", list(ROW_FORMS))):
        names = (getattr(asked, option) or ",".join(known)).split(",")
        if strange := [name for name in names if name not in known]:
            parser.error(f"--{option} {','.join(strange)}: choose from {', '.join(known)}")
        setattr(asked, option, names)
    asked.makers = {name: makers[name] for name in asked.graphs}
    return asked


def main() -> None:
    """Run the command."""
    given = parse()
    began = perf_counter()
    keep_all(given.makers, given.parts, given.folder)
    print(f"{perf_counter() - began:.0f} s: the graphs are there", flush=True)
    session = session_for(given.device)
    keep_verified_labels(given.graphs, given.folder, session)
    print(f"{perf_counter() - began:.0f} s: our labels are right, on {session.device}", flush=True)

    programs = Programs(given.programs, given.folder, given.longest)
    setup = Setup(given.parts, given.folder, given.rounds, given.forms, given.gconn, session, programs)
    found: dict[str, Times] = {}
    for name in given.graphs:
        found[name] = measured(name, setup)
        medians = ", ".join(f"{each} {found[name].ms(each):.3f}" for each in found[name].samples)
        print(f"{perf_counter() - began:.0f} s: {name}: {medians}", flush=True)
        if given.json:  # after each graph, in case the run is stopped
            facts = {"device": session.device.as_dict(), "rounds": given.rounds}
            graphs = {name: asdict(times) for name, times in found.items()}
            problems = {"problems": programs.problems}
            given.json.write_text(json.dumps({**facts, "graphs": graphs, **problems}, indent=1))
    console = Console(width=150)
    for part in given.parts:
        SHEETS[part](found).print(console)
    print("\n".join(f"left out: {problem}" for problem in programs.problems) or "nothing was left out")


if __name__ == "__main__":
    main()
