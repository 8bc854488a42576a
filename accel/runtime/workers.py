"""Threads that do one piece of work after another, and that nobody has to end.

Unlike those of ``concurrent.futures``, they still work while the interpreter is ending, and it does not
wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any

Work = tuple["Future[Any]", Callable[[], Any]]


class Workers:
    """Up to `most` threads, started when they are first needed. With none, the caller's thread works."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._threads = 0
        self._waiting: SimpleQueue[Work | None] = SimpleQueue()

    def start(self, done: Future[Any], work: Callable[[], Any]) -> None:
        """Let a thread do `work`, and `done` tell its result."""
        if self._threads < self._most:
            self._start_threads()
        if self._threads:
            self._waiting.put((done, work))
        else:
            do(done, work)

    def _start_threads(self) -> None:
        try:
            while self._threads < self._most:
                Thread(target=_serve, args=[self._waiting], name="pointerjump-ring", daemon=True).start()
                self._threads += 1
        except RuntimeError:  # the system allows no more threads, or the interpreter is ending
            self._most = self._threads

    def __del__(self) -> None:
        for _ in range(self._threads):
            self._waiting.put(None)


def do(done: Future[Any], work: Callable[[], Any]) -> None:
    """Do `work`, unless it has been cancelled."""
    if not done.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # whoever asks for the result gets it
        done.set_exception(error)
    else:
        done.set_result(result)


def _serve(waiting: SimpleQueue[Work | None]) -> None:
    while (given := waiting.get()) is not None:
        do(*given)
        del given  # so that an idle thread keeps no array alive
