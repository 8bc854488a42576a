"""How long work says how far it is: the readers of files, the checks of results, images in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float], None]
"""A function that is told, now and then, what share of the work is done, from 0 to 1."""


@contextmanager
def bar(doing: str) -> Iterator[Progress]:
    """Yield what draws a bar on standard error beside what is being done, in a terminal or a notebook."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    watched = console.is_terminal or console.is_jupyter
    with Bar(console=console, transient=True, disable=not watched) as drawn:
        task = drawn.add_task(doing, total=1.0)
        yield lambda share: drawn.update(task, completed=share)
