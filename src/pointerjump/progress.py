"""How the readers of files and the checks of results say how far they are."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""A function that is told, now and then, what share of the work is done, from 0 to 1."""
