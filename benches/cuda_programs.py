"""The authors' CUDA programs for connected components, each run as a process on a graph file.

A folder holds the programs, built for this machine from their authors' sources, with as few changes as
it takes to time them. Each reads one graph and runs on it while it stays on the device:

``ecl-cc FILE.egr``, ``ecl-cc-racefree FILE.egr``
    ECL-CC (burtscher/ECL-Suite), as published and race-free. Print a line ``MEDIAN_MS t``: the median of
    some warm runs, in ms.
``afforest -f FILE.sg -n 17``, ``afforest32 -f FILE.sg -n 17``
    Afforest (michaelsutton/afforest) with offsets of 64 and of 32 bits. Print ``Trial Time: t`` for each of
    17 runs, in seconds. The first two warm up.
``gconn FILE.egr FORM WORD``
    gconn (hochawa/gconn) with every one of its variants that has WORD in its name. FORM is COO (each edge
    once, in random order), or one of CSR, SAMPLE, BFS and IHOOK, which go over rows. Prints for each variant
    a line ``gconn FILE FORM VARIANT t components N``, with the median of some warm runs in ms.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

ECL_CC, RACE_FREE = "ecl-cc", "ecl-cc-racefree"
AFFOREST = ("afforest", "afforest32")
GCONN = "gconn"
ROW_FORMS = ("SAMPLE", "IHOOK", "BFS", "CSR")
EDGE_FORM = "COO"
AFFOREST_RUNS, AFFOREST_WARM_UP = 17, 2


@dataclass(frozen=True)
class Call:
    """A way to call a program: of gconn, also a form, and a part of the names of variants."""

    program: str
    form: str = ""
    variants: str = ""


@dataclass(frozen=True)
class Answer:
    """What a program printed about one of its variants; only gconn also counts the components."""

    call: Call
    ms: float
    components: int | None = None

    @property
    def name(self) -> str:
        """The names of program, form and variant."""
        return " ".join(filter(None, (self.call.program, self.call.form, self.call.variants)))


@dataclass
class Programs:
    """The programs in a folder, and the graphs that they read.

    Attributes
    ----------
    binaries, graphs : Path
        The folder of the programs, and the folder of ``NAME.egr`` and ``NAME.sg``.
    longest : float
        After how many seconds a process is stopped. What it has printed until then counts.
    problems : list of str
        What could not be run, and why.
    """

    binaries: Path
    graphs: Path
    longest: float = 60
    problems: list[str] = field(default_factory=list)

    def there(self, calls: list[Call]) -> list[Call]:
        """Return the calls whose programs are there; remember which are not."""
        for program in dict.fromkeys(call.program for call in calls):
            if not self._is_there(program):
                self._remember(f"{program}: there is no program {self.binaries / program}")
        return [call for call in calls if self._is_there(call.program)]

    def answers(self, call: Call, graph: str) -> list[Answer]:
        """Run a program on a graph; return what it printed, or nothing if it failed."""
        found = parsed(call, self._printed(call, graph))
        if not found:
            self._remember(f"{call.program} {call.form} on {graph}: printed no time".replace("  ", " "))
        return found

    def _is_there(self, program: str) -> bool:
        return os.access(self.binaries / program, os.X_OK)

    def _remember(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def _printed(self, call: Call, graph: str) -> str:
        command = [str(self.binaries / call.program), *arguments(call, self.graphs / graph)]
        what = f"{call.program} {call.form} on {graph}".replace("  ", " ")
        try:
            done = subprocess.run(command, capture_output=True, timeout=self.longest, check=False)
        except subprocess.TimeoutExpired as stopped:
            self._remember(f"{what}: stopped after {self.longest:g} s")
            return (stopped.stdout or b"").decode(errors="replace")
        if done.returncode:
            self._remember(f"{what}: ended with code {done.returncode}")
        return done.stdout.decode(errors="replace")


def arguments(call: Call, graph: Path) -> list[str]:
    """Return a program's arguments, for the graph at this path without its suffix."""
    if call.program in AFFOREST:
        return ["-f", f"{graph}.sg", "-n", str(AFFOREST_RUNS)]
    return [f"{graph}.egr", *filter(None, (call.form, call.variants))]


def parsed(call: Call, printed: str) -> list[Answer]:
    """Return what a program printed: one answer, or one for each variant of gconn."""
    if call.program == GCONN:
        lines = re.findall(r"^gconn .* (\S+) (\S+) (\S+) components (\d+)$", printed, re.MULTILINE)
        return [Answer(Call(GCONN, form, name), float(ms), int(n)) for form, name, ms, n in lines]
    if call.program in AFFOREST:
        trials = [1e3 * float(s) for s in re.findall(r"Trial Time:\s+(\S+)", printed)][AFFOREST_WARM_UP:]
        return [Answer(call, median(trials))] if trials else []
    return [Answer(call, float(ms)) for ms in re.findall(r"^MEDIAN_MS (\S+)$", printed, re.MULTILINE)[:1]]
