"""How readers and checks say how far they are."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Told the share of the work that is done, 0 to 1, now and then."""
