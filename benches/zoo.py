"""Time ``auto`` and every other choice on a zoo of graphs, and say where ``auto`` is not the best.

    python benches/zoo.py [--device NAME] [--sizes small,medium,large] [--shapes path,star-last]
        [--forms rows,edges] [--orders generated,shuffled] [--candidates auto,galois,afforest:init=first]
        [--every-variant] [--cache FOLDER] [--minutes M] [--after FILE ...] [--json FILE] [--markdown FILE]
    python benches/zoo.py --report FILE ... [--least] [--markdown FILE]
    python benches/zoo.py --compare BEFORE AFTER [--least]

Graphs are on the device before a clock starts, as rows with both directions, or as edges, each once.
All answers are compared with scipy's. Candidates take turns, and the best of them goes on against ``auto``
alone; times are medians of whole runs, with launches.
benches/zoo_shapes.py has the shapes. The graphs are made in parallel, and kept in FOLDER.

For each graph there is a line with the time of ``auto``, that of the best other candidate, and their ratio,
which is flagged if it is above 1.25. At the end are the geometric mean of the ratios, the worst of them, and,
for each algorithm, how many times as long as its published form a default or variant takes at most.

What would take more than --longest seconds on a graph is left out there. That is estimated from smaller
graphs of the same shape. If these are neither among the sizes nor in --after FILE, the results of an earlier
run, all candidates run on them once, and nothing of that is reported.

With --minutes, the run stops after that time, and says how to go on. --report prints the end again, of one or
several files of results; --compare shows two of them side by side. With --least, these take the shortest run
in place of the median, for machines that are never quiet.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import zoo_report
from rich.console import Console
from zoo_candidates import AUTO, all_candidates, parse_candidates
from zoo_economy import Record, alike, far_everywhere, too_long
from zoo_graphs import ORDERS, SIZES, Specimen, load, make, make_all
from zoo_runs import FORMS, Exhibit, measure
from zoo_shapes import SHAPES

import pointerjump as pj
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for

LONGEST = 2.0
"""The seconds that a candidate may take, its plan included, unless the user says otherwise."""

SAVE_EACH = 10.0
"""After so many seconds results are written, so that few are lost if the run is ended."""


class Zoo:
    """What is measured, with what, and all that is known so far."""

    def __init__(self, session: Session, folder: Path, arguments: argparse.Namespace) -> None:
        self.session, self.folder = session, folder
        self.forms, self.longest = arguments.forms, arguments.longest
        chosen = arguments.candidates or all_candidates(arguments.every_variant)
        self.candidates = [AUTO, *dict.fromkeys(name for name in chosen if name != AUTO)]
        self.known: list[Record] = [found for file in arguments.after for found in read(file)["records"]]

    def visit(self, specimen: Specimen, *, once: bool = False) -> Iterator[Record]:
        """Measure a graph in all forms. With `once`, each candidate runs only once."""
        kept = load(specimen, self.folder)
        for form in self.forms:
            if once and alike(self.known, **specimen._asdict(), form=form):
                continue
            exhibit = Exhibit(kept, form, self.session)
            found = {**specimen._asdict(), **exhibit.facts_about(), "components": kept.components}
            found |= vars(measure(exhibit, self.candidates, *self.left_out(found, once)))
            self.known.append(found)
            yield found

    def left_out(self, found: Record, once: bool) -> tuple[set[str], dict[str, str]]:
        """Return the candidates that run only once on a graph, and those that do not, with the reasons."""
        others = self.candidates[1:]
        shape, size, order, form = (found[key] for key in ("shape", "size", "order", "form"))
        earlier = alike(self.known, shape=shape, order=order, form=form)
        skipped = too_long(earlier, others, found["vertices"] + found["stored"], self.longest)
        if once:
            return set(others), skipped
        return far_everywhere(self.known, others, size, order, form), skipped


def warm_up(zoo: Zoo) -> None:
    """Build the kernels of all candidates on a graph of a few vertices, so that no clock sees it."""
    specimen = Specimen("grid", "tiny", "generated")
    with TemporaryDirectory() as folder:
        make(specimen, Path(folder))
        kept = load(specimen, Path(folder))
    for form in FORMS:
        measure(Exhibit(kept, form, zoo.session), zoo.candidates, once=set(zoo.candidates), skipped={})


def run(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measure what the arguments ask for; return the results."""
    began = perf_counter()
    sizes = needed(arguments.sizes)
    make_all(arguments.shapes, sizes, arguments.orders, folder)
    zoo = Zoo(session_for(arguments.device), folder, arguments)
    warm_up(zoo)
    gc.freeze()  # so that no collection goes through what is there already
    took = perf_counter() - began
    print(f"{len(zoo.candidates)} candidates on {zoo.session.device}; made ready in {took:.0f} s", flush=True)
    results: dict[str, Any] = {"device": zoo.session.device.as_dict(), "records": [], "left_out": []}
    saved = began
    for size, order, shape in product(sizes, arguments.orders, arguments.shapes):
        asked_for = size in arguments.sizes
        if perf_counter() - began > 60 * arguments.minutes:
            results["left_out"] += [[size, order, shape]] if asked_for else []
            continue
        for found in zoo.visit(Specimen(shape, size, order), once=not asked_for):
            if asked_for:
                results["records"].append(found)
                print(zoo_report.line(found), flush=True)
        if arguments.json and perf_counter() - saved > SAVE_EACH:
            write(arguments.json, results)
            saved = perf_counter()
    return results


def needed(sizes: list[str]) -> list[str]:
    """Return the sizes to visit, in order: those asked for, and those that say how times grow."""
    order = list(SIZES)
    last = max(order.index(size) for size in sizes)
    return [size for size in order[: last + 1] if size in sizes or size != "tiny"]


def read(file: Path) -> dict[str, Any]:
    """Return the results in a file."""
    results: dict[str, Any] = json.loads(file.read_text())
    return results


def write(file: Path, results: dict[str, Any]) -> None:
    """Write results to a file."""
    file.write_text(json.dumps(results, indent=1))


def some_of(*known: str) -> Any:
    """Return a parser of lists such as ``a,b`` whose words are all known."""

    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}: choose from {', '.join(known)}")
        return names

    return parse


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--device")
    made.add_argument("--sizes", type=some_of(*SIZES), default=["small", "medium", "large"])
    made.add_argument("--shapes", type=some_of(*SHAPES), default=list(SHAPES))
    made.add_argument("--forms", type=some_of(*FORMS), default=list(FORMS))
    made.add_argument("--orders", type=some_of(*ORDERS), default=list(ORDERS))
    made.add_argument("--candidates", type=parse_candidates)
    made.add_argument("--every-variant", action="store_true", help="of every algorithm, not of the fast ones")
    made.add_argument("--longest", type=float, default=LONGEST, help="seconds that a candidate may take")
    made.add_argument("--cache", type=Path, metavar="FOLDER")
    made.add_argument("--minutes", type=float, default=float("inf"))
    made.add_argument("--after", type=Path, nargs="+", default=[], metavar="FILE")
    made.add_argument("--json", type=Path, metavar="FILE")
    made.add_argument("--markdown", type=Path, metavar="FILE")
    made.add_argument("--least", action="store_true", help="print the shortest runs, not the median ones")
    made.add_argument("--report", type=Path, nargs="+", metavar="FILE")
    made.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    return made


def results_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the results that the arguments ask for, old or new."""
    if arguments.report:
        return zoo_report.merged([read(file) for file in arguments.report])
    if arguments.cache:
        arguments.cache.mkdir(parents=True, exist_ok=True)
        return run(arguments, arguments.cache)
    with TemporaryDirectory() as folder:
        return run(arguments, Path(folder))


def main() -> None:
    """Run the command."""
    arguments = parser().parse_args()
    try:
        show(arguments)
    except (pj.PointerjumpError, OSError) as error:
        print(f"zoo.py: {error}", file=sys.stderr)
        sys.exit(2)


def show(arguments: argparse.Namespace) -> None:
    """Measure or read results, keep them, and print what they say."""
    shown = zoo_report.by_least if arguments.least else lambda results: results
    if arguments.compare:
        parts = zoo_report.comparison(*(shown(read(file))["records"] for file in arguments.compare))
    else:
        results = results_of(arguments)
        if arguments.json:
            write(arguments.json, results)
        results = shown(results)
        if arguments.markdown:
            arguments.markdown.write_text(zoo_report.markdown(results))
        parts = zoo_report.summary(results)
    console = Console(width=160)
    for part in parts:
        console.print(part)


if __name__ == "__main__":
    main()
