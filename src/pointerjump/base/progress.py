"""Progress callbacks for reading files, checking results and labelling images in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float], None]  # called with the fraction of the work completed, from 0 to 1


@contextmanager
def bar(doing: str) -> Iterator[Progress]:
    """Yield a callback that draws a progress bar on standard error, but only in a terminal or a notebook."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    watched = console.is_terminal or console.is_jupyter
    with Bar(console=console, transient=True, disable=not watched) as drawn:
        task = drawn.add_task(doing, total=1.0)
        yield lambda share: drawn.update(task, completed=share)
