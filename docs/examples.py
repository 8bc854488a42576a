"""Makes a page of each script in examples/, with what its code prints and the pictures it writes.

mkdocs runs this as a hook (mkdocs.yml). The scripts are divided into cells, as Jupytext has them: text after
``# %% [markdown]``, code after ``# %%``.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from pages.markdown import framed

from pointerjump import DeviceError

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


class Cell(NamedTuple):
    """A part of a script: Markdown or code."""

    is_text: bool
    content: str


class Result(NamedTuple):
    """What a cell of code has printed, and the pictures that it has written, by file name."""

    printed: str
    pictures: dict[str, bytes]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each example."""
    from mkdocs.structure.files import File

    for path in sorted(EXAMPLES.glob("*.py")):
        cells = cells_of(path.read_text())
        try:
            results = list(run(cells))
        except (ImportError, DeviceError) as error:
            logging.getLogger("mkdocs.hooks.examples").warning(f"{path.name} cannot be run here: {error}")
            results = []
        files.append(
            File.generated(config, f"examples/{path.stem}.md", content=page(path.name, cells, results))
        )
        for name, content in (picture for result in results for picture in result.pictures.items()):
            if not is_embedded(name):
                files.append(File.generated(config, f"examples/{name}", content=content))
    return files


def cells_of(script: str) -> list[Cell]:
    """Return the cells of a script."""
    parts = re.split(r"^# %%(.*)\n", script, flags=re.MULTILINE)[1:]
    cells = []
    for kind, content in zip(parts[::2], parts[1::2], strict=True):
        is_text = kind.strip() == "[markdown]"
        cells.append(Cell(is_text, re.sub("^# ?", "", content, flags=re.MULTILINE) if is_text else content))
    return cells


def run(cells: list[Cell]) -> Iterator[Result]:
    """Run the code of all cells, one after the other, in an empty folder; yield a result for each cell."""
    names = {"__name__": "__main__"}
    with TemporaryDirectory() as folder:
        for cell in cells:
            before = set(Path(folder).iterdir())
            printed = io.StringIO()
            if not cell.is_text:
                with chdir(folder), redirect_stdout(printed):
                    exec(cell.content, names)
            new = sorted(path for path in Path(folder).iterdir() if path not in before)
            yield Result(printed.getvalue(), {path.name: path.read_bytes() for path in new})


def page(script: str, cells: list[Cell], results: list[Result]) -> str:
    """Return the page of a script, which was not run if there are no results."""
    was = "was" if results else "was not"
    note = f"*This page is `examples/{script}`, which {was} run when the page was made.*"
    parts = []
    for cell, result in zip(cells, results or [Result("", {})] * len(cells), strict=True):
        parts.append(cell.content.strip() if cell.is_text else f"```python\n{cell.content.strip()}\n```")
        if result.printed:
            parts.append(f"```text\n{result.printed.rstrip()}\n```")
        for name, content in result.pictures.items():
            parts.append(shown(name, content))
    return "\n\n".join([parts[0], note, *parts[1:]]) + "\n"


def is_embedded(name: str) -> bool:
    """Return whether a picture is put into the page itself."""
    return name.endswith((".svg", ".html"))


def shown(name: str, content: bytes) -> str:
    """Return what shows a picture in a page: a drawing, an animation or an image."""
    if name.endswith(".svg"):
        return f'<div class="run">{content.decode()}</div>'
    if name.endswith(".html"):
        return framed(content.decode(), f"{Path(name).stem}, step by step")
    return f"![{Path(name).stem}]({name})"
