"""Is head slower than base? Measures both checkouts in turns, and fails if so.

    python benches/compare.py BASE [HEAD] [--device D] [--only REGEX] [--scale 18] [--rounds 15] [--json FILE]

BASE and HEAD are git revisions; HEAD is the working tree if it is left out. Each round starts three new
processes, one with base, one with base again and one with head, which then take turns, in random order
and one at a time; a process's time for a benchmark is the median over its calls.

How it is decided: (1) A round gives one pair of times, head's and base's. If nothing has changed, the
difference of their logarithms is as likely to be above zero as below, however the machine's speed drifts
from round to round. (2) So the sign test gives an exact interval for the median difference
(``scipy.stats.quantile_test``), whatever the distribution of the times. (3) A benchmark is slower if the
lower end of that interval is above two thresholds: 3%, and the noise, which is the same median for base
against base. (4) The chance that an end of the interval is beyond the truth is at most 1% divided by the
number of benchmarks (Bonferroni), so at most one run in a hundred reports a slowdown when there is none.
(5) Each round starts new processes, because the layout of memory makes one process faster than another for
its whole life. Without new processes, such a difference would look like a change.

Exits with 1 if a benchmark is slower, fails only in head, or has a different answer in head; with 2 if the
two cannot be compared; otherwise with 0.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import click
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
WORKER = Path(__file__).with_name("worker.py")
SIDES = ("base", "base again", "head")

FALSE_ALARMS = 0.01  # the share of runs that may report a slowdown although nothing has changed
FLOOR = 0.03  # nobody would act on a smaller change
TURNS = 5  # in each round
QUICK = 8, 2, 1  # scale, rounds, turns
FAILED, BAD_INPUT = 1, 2

out = Console(width=None if sys.stdout.isatty() else 140)
err = Console(stderr=True)


Verdict = Literal["slower", "faster", "no change seen", "too few rounds"]


class CannotCompare(click.ClickException):
    """The two checkouts cannot be compared; the message is one line that says why."""


# -- verdict ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judgement:
    """The conclusion from the times of one benchmark.

    `ratio` is the median over rounds of head's time divided by base's. Its interval is from `low` to `high`,
    or None if there are too few rounds. `noise` says how far from 1 the ratio is for base against base.
    `base` and `head` are medians in seconds.
    """

    base: float
    head: float
    ratio: float
    low: float | None
    high: float | None
    noise: float
    verdict: Verdict


def judge(seconds: npt.ArrayLike, benchmarks: int) -> Judgement:
    """Judge one of `benchmarks` benchmarks by its times: one line per round, one column per side."""
    base, again, head = np.log(seconds).T
    change = head - base
    from scipy.stats import quantile_test  # takes a second, which no complaint should

    interval = quantile_test(change, p=0.5).confidence_interval(1 - 2 * FALSE_ALARMS / benchmarks)
    noise = np.exp(abs(np.median(again - base))) - 1
    threshold = 1 + max(noise, FLOOR)
    low, high = np.exp([interval.low, interval.high])
    known = len(change) >= rounds_needed(benchmarks)
    verdict: Verdict = "no change seen" if known else "too few rounds"
    if low > threshold:
        verdict = "slower"
    elif high < 1 / threshold:
        verdict = "faster"
    return Judgement(
        base=float(np.exp(np.median(base))),
        head=float(np.exp(np.median(head))),
        ratio=float(np.exp(np.median(change))),
        low=float(low) if known else None,
        high=float(high) if known else None,
        noise=float(noise),
        verdict=verdict,
    )


def rounds_needed(benchmarks: int) -> int:
    """Return the fewest rounds for which there is an interval: with fewer, chance cannot be ruled out."""
    return int(np.ceil(np.log2(benchmarks / FALSE_ALARMS)))


# -- checkouts -------------------------------------------------------------------------------------


def git(*arguments: str) -> bytes:
    """Run git in this repository and return what it prints."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True)
    except FileNotFoundError:
        raise CannotCompare(
            "git is not installed, so there are no revisions to compare: install git"
        ) from None
    if done.returncode:
        raise CannotCompare(f"git {arguments[0]}: {done.stderr.decode().strip() or 'failed'}")
    return done.stdout


def commit_of(revision: str) -> str:
    """Return the commit that a revision names."""
    git("rev-parse", "--git-dir")  # fails if this is not a repository
    try:
        return git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except CannotCompare:
        raise CannotCompare(
            f"{revision!r} is not a revision of {ROOT}: git log --all --oneline lists them"
        ) from None


@contextmanager
def checkout(commit: str | None) -> Iterator[Path]:
    """Yield a folder with the files of a commit, or the working tree itself."""
    if commit is None:
        yield ROOT
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", commit))) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


def install(source: Path, site: Path) -> None:
    """Install the package in `site`. Nothing is built, so it is enough to copy the folders in setup.cfg."""
    config = ConfigParser(interpolation=None)
    config.read(source / "setup.cfg", "utf-8")
    lines = config.get("options", "package_dir", fallback="").splitlines()
    folders = [[part.strip() for part in line.split("=", 1)] for line in lines if "=" in line]
    if not folders:
        raise CannotCompare(f"setup.cfg in {source} names no package_dir, so there is nothing to install")
    unwanted = shutil.ignore_patterns("__pycache__")
    for package, folder in folders:
        home = site.joinpath(*package.split("."))
        try:
            shutil.copytree(source / folder, home, ignore=unwanted, dirs_exist_ok=True)
        except OSError as error:
            raise CannotCompare(f"{folder}, which setup.cfg names, cannot be copied: {error}") from None


# -- workers ---------------------------------------------------------------------------------------


def worker_command(*arguments: str | Path) -> list[str]:
    """Return the command of a worker; -P keeps the worker's folder off its path."""
    return [sys.executable, "-P", str(WORKER), *map(str, arguments)]


def with_package(site: Path) -> dict[str, str]:
    """Return an environment in which `site` comes before everything else that is installed."""
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path}


def last_line(text: str) -> str:
    """Return the last line, which says what happened if the text is a traceback."""
    return (text.strip().splitlines() or ["it said nothing"])[-1]


def make_inputs(site: Path, inputs: Path, scale: int) -> None:
    """Generate the inputs of all workers, with the package in `site`."""
    command = worker_command("inputs", inputs, str(scale))
    done = subprocess.run(command, env=with_package(site), capture_output=True, text=True)
    if done.returncode:
        raise CannotCompare(f"base cannot make the inputs: {last_line(done.stderr)}")


class Worker:
    """A process that times calls of one checkout."""

    def __init__(self, side: str, site: Path, inputs: Path, device: str | None) -> None:
        self.side = side
        self._stderr = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115  __exit__ closes it
        self._process = subprocess.Popen(
            worker_command("serve", inputs, device or ""),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            env=with_package(site),
        )
        self.first: dict[str, Any] = {}

    def wait_for_first_call(self) -> None:
        """Set `first`: the time of import and first call, the device, and the available benchmarks."""
        self.first = self._answer("its first call")

    def prepare(self, name: str) -> dict[str, Any]:
        """Prepare a benchmark; return a checksum of its ``answer``, or the ``error``."""
        return self._ask("prepare", name)

    def measure(self, name: str) -> list[float]:
        """Return the times of several calls, in seconds."""
        seconds: list[float] = self._ask("measure", name)["seconds"]
        return seconds

    def _ask(self, question: str, name: str) -> dict[str, Any]:
        assert self._process.stdin
        with suppress(BrokenPipeError):  # then there is no answer either
            print(json.dumps([question, name]), file=self._process.stdin, flush=True)
        return self._answer(name)

    def _answer(self, name: str) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            self._stderr.seek(0)
            raise CannotCompare(
                f"{self.side}'s process ended with code {code} in {name}: {last_line(self._stderr.read())}"
            )
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # closes its standard input, which ends it
        self._stderr.close()


# -- measuring -------------------------------------------------------------------------------------


@dataclass
class Measured:
    """What a comparison has found so far."""

    device: str = ""
    seconds: dict[str, list[list[float]]] = field(default_factory=dict)
    """For each benchmark and round, the time of each side."""
    missing: dict[str, str] = field(default_factory=dict)
    """Why base has no time for a benchmark."""
    failed: dict[str, str] = field(default_factory=dict)
    """What head does wrong in a benchmark."""


def run_round(
    sites: dict[str, Path],
    inputs: Path,
    device: str | None,
    only: re.Pattern[str],
    turns: int,
    found: Measured,
) -> None:
    """Start new processes, let them take turns in each benchmark, and add the results to `found`."""
    with ExitStack() as stack:
        workers: dict[str, Worker] = {}
        for side in in_random_order():
            workers[side] = stack.enter_context(Worker(side, sites[side], inputs, device))
            workers[side].wait_for_first_call()  # one at a time
        found.device = common_device(workers)
        for name in chosen(workers["head"].first["benchmarks"], only):
            if name in found.missing or name in found.failed:
                continue
            answers = {side: workers[side].prepare(name) for side in in_random_order()}
            if problem := answers["base"].get("error"):
                found.missing[name] = f"base: {problem}"
            elif problem := answers["head"].get("error"):
                found.failed[name] = f"head: {problem}"
            elif answers["base"]["answer"] != answers["head"]["answer"]:
                found.failed[name] = "head's answer is not base's"
            else:
                seconds = take_turns(name, workers, turns)
                found.seconds.setdefault(name, []).append([float(np.median(seconds[side])) for side in SIDES])


def take_turns(name: str, workers: dict[str, Worker], turns: int) -> dict[str, list[float]]:
    """Return each side's times of a benchmark."""
    seconds: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(turns):
        for side in in_random_order():
            seconds[side] += workers[side].measure(name)
    return seconds


def in_random_order() -> list[str]:
    """Return the sides in random order, so that going first is no advantage."""
    return random.sample(SIDES, len(SIDES))


def common_device(workers: dict[str, Worker]) -> str:
    """Return the device that all workers run on."""
    for side in SIDES:
        if problem := workers[side].first.get("error"):
            raise CannotCompare(f"{side} does not run: {problem}")
    base, head = (workers[side].first["device"] for side in ("base", "head"))
    if base != head:
        raise CannotCompare(f"base chose {base}, but head chose {head}: name one with --device")
    return str(base)


def chosen(benchmarks: list[str], only: re.Pattern[str]) -> list[str]:
    """Return the benchmarks whose names match `only`."""
    names = [name for name in benchmarks if only.search(name)]
    if not names:
        raise CannotCompare(f"--only {only.pattern!r} matches none of: {'; '.join(benchmarks)}")
    return names


# -- report ----------------------------------------------------------------------------------------


def table(found: Measured, judgements: dict[str, Judgement], title: str) -> Table:
    """Return all results as a table for people."""
    shown = Table(title=title, title_justify="left")
    shown.add_column("benchmark")
    for column in ("base", "head", "head / base", "interval", "noise"):
        shown.add_column(column, justify="right")
    shown.add_column("verdict", overflow="fold")
    styles = {"slower": "bold red", "faster": "green"}
    for name, j in judgements.items():
        shown.add_row(
            name,
            milliseconds(j.base),
            milliseconds(j.head),
            f"{j.ratio:.3f}",
            "" if j.low is None else f"{j.low:.3f} to {j.high:.3f}",
            f"{j.noise:.1%}",
            j.verdict,
            style=styles.get(j.verdict),
        )
    for name, why in found.failed.items():
        shown.add_row(name, *[""] * 5, f"failed: {why}", style="bold red")
    for name, why in found.missing.items():
        shown.add_row(name, *[""] * 5, f"not compared: {why}")
    return shown


def milliseconds(seconds: float) -> str:
    """Return a time as text, with three digits."""
    return f"{seconds * 1e3:#.3g} ms"


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write a file completely, or not at all."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    aside.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
    aside.replace(path)


# -- command ---------------------------------------------------------------------------------------


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("base")
@click.argument("head", required=False)
@click.option("--device", metavar="NAME", help="As for pointerjump --device.")
@click.option("--only", metavar="REGEX", default="", help="Only benchmarks whose name has a match.")
@click.option(
    "--scale",
    type=click.IntRange(1, 24),
    default=18,
    show_default=True,
    help="Graphs of 2**SCALE vertices or four times as many; use 22 for a GPU.",
)
@click.option("--rounds", type=click.IntRange(1), default=15, show_default=True, help="How often to measure.")
@click.option("--quick", is_flag=True, help="Tiny graphs, too few rounds to judge: does everything run?")
@click.option(
    "--json", "json_file", metavar="FILE", type=click.Path(path_type=Path), help="Also write the data."
)
def compare(
    base: str,
    head: str | None,
    device: str | None,
    only: str,
    scale: int,
    rounds: int,
    quick: bool,
    json_file: Path | None,
) -> int:
    """Measure two checkouts in turns: exit 1 if HEAD (default: the working tree) is slower than BASE."""
    scale, rounds, turns = QUICK if quick else (scale, rounds, TURNS)
    try:
        pattern = re.compile(only)
    except re.error as error:
        raise CannotCompare(f"--only {only!r} is not a regular expression: {error}") from None
    if json_file and not json_file.parent.is_dir():
        raise CannotCompare(f"--json {json_file}: there is no folder {json_file.parent}")
    commits = {"base": commit_of(base), "head": commit_of(head) if head else None}

    found = Measured()
    with tempfile.TemporaryDirectory(prefix="pointerjump-compare-") as folder:
        sites = {side: Path(folder, f"site{number}") for number, side in enumerate(SIDES)}
        inputs = Path(folder, "inputs")
        inputs.mkdir()
        for side, site in sites.items():
            with checkout(commits["head" if side == "head" else "base"]) as source:
                install(source, site)
        make_inputs(sites["base"], inputs, scale)
        run_round(sites, inputs, device, pattern, 1, found)  # builds programs; drivers keep them
        measurable = len(found.seconds)
        found.seconds.clear()
        if not measurable and not found.failed:
            raise CannotCompare(f"base has none of the benchmarks: {'; '.join(found.missing.values())}")
        needed = rounds_needed(measurable) if measurable and not quick else 0
        if rounds < needed:
            raise CannotCompare(
                f"--rounds {rounds}: to tell slowdowns in {measurable} benchmarks from chance takes {needed}"
            )
        for _ in track(range(rounds), "measuring", console=err, transient=True, disable=not err.is_terminal):
            run_round(sites, inputs, device, pattern, turns, found)

    judgements = {
        name: judge(seconds, measurable)
        for name, seconds in found.seconds.items()
        if name not in found.failed
    }
    out.print(table(found, judgements, f"{base} and {head or 'the working tree'} on {found.device}"))
    if json_file:
        document = {"commits": commits, "scale": scale, "sides": SIDES, **asdict(found)}
        write_json(json_file, document | {"judgements": {name: asdict(j) for name, j in judgements.items()}})
    slower = any(judgement.verdict == "slower" for judgement in judgements.values())
    return FAILED if slower or found.failed else 0


def main() -> None:
    """Run the command, and turn every error into one line and an exit code."""
    try:
        code = compare.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        print(f"compare.py: {' '.join(error.format_message().split())}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    sys.exit(code)


if __name__ == "__main__":
    main()
