"""The pages of the documentation, and the commands on them that a reader can paste."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))  # as mkdocs does for its hooks
PROGRAMS = ("pointerjump", "python", "python3", "pytest", "pytest-benchmark", "pip", "mkdocs", "ruff", "bash")
SHELLS = ("sh", "bash", "console", "shell")
A_COMMAND = re.compile(rf"(\w+=\S+ )*((\S*/)?({'|'.join(PROGRAMS)}) \S|\.ci/run\b|benches/\S+\.sh\b)")
A_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]+|\.\.\.")

_FENCED = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")


class Command(NamedTuple):
    """A command, and the page on which it stands first."""

    page: str
    text: str
    in_a_sentence: bool = False

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        return shlex.split(self.line)

    @property
    def line(self) -> str:
        """The command without what stands before the program: variables, and its folder."""
        return re.sub(r"^(\w+=\S+ )*(\.venv/bin/)?", "", self.text)

    def begins_with(self, start: str) -> bool:
        """Return whether the command begins with these words."""
        return re.match(rf"{re.escape(start)}(?![\w./-])", self.line) is not None

    @property
    def has_placeholder(self) -> bool:
        """Return whether a reader must first write something else in place of a word in capitals."""
        return any(A_PLACEHOLDER.fullmatch(word) for word in self.words[1:])


def texts() -> dict[str, str]:
    """Return the Markdown of every page that somebody has written, by the file's path."""
    cells_of = runpy.run_path(str(ROOT / "docs" / "examples.py"))["cells_of"]
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
    found = {str(path.relative_to(ROOT)): path.read_text() for path in files}
    for path in sorted((ROOT / "examples").glob("*.py")):
        cells = cells_of(path.read_text())
        found[f"examples/{path.name}"] = "\n\n".join(cell.content for cell in cells if cell.is_text)
    return found


def prose_of(text: str) -> str:
    """Return a page without its blocks of code."""
    return _FENCED.sub("", text)


def commands_of(page: str, text: str) -> Iterator[Command]:
    """Yield the commands of a page, from top to bottom."""
    places = [*_FENCED.finditer(text)]
    inside = [match.span() for match in places]
    inline = [m for m in _INLINE.finditer(text) if not any(a <= m.start() < b for a, b in inside)]
    for match in sorted([*places, *inline], key=lambda match: match.start()):
        if match.re is _INLINE:
            command = " ".join(match[1].split())
            if A_COMMAND.match(command):
                yield Command(page, command, in_a_sentence=True)
        elif match[2] in (*SHELLS, ""):
            yield from _commands_of_block(page, dedent(match[3]), is_shell=match[2] != "")


def _commands_of_block(page: str, block: str, is_shell: bool) -> Iterator[Command]:
    """Yield a shell's commands, or those among lines that may be something else."""
    for line in re.sub(r"\\\n\s*", "", block).splitlines():
        for part in re.split(r" && |\s{3,}(?=pointerjump )", line):
            command = re.sub(r"\s+#\s.*|^#.*", "", part.removeprefix("$ ")).strip()
            if command and (is_shell or A_COMMAND.match(command)):
                yield Command(page, command)


def all_commands() -> list[Command]:
    """Return every command once, from the first page that has it."""
    first: dict[str, Command] = {}
    for page, text in texts().items():
        for command in commands_of(page, text):
            known = first.get(command.text)
            if known is None or known.in_a_sentence > command.in_a_sentence:
                first[command.text] = command
    return list(first.values())
