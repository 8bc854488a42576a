"""The command-line entry point, for ``pointerjump`` and ``python -m pointerjump``.

A user may press Ctrl-C early, so signal handlers are installed before anything large is imported.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from time import perf_counter
from types import FrameType
from typing import Any, NoReturn

RETRY_SECONDS = 0.01
"""The delay in seconds before a lost interrupt is sent again. It gives the code that swallowed the interrupt
time to finish."""


def main() -> NoReturn:
    """Run the command. Exit with its exit code or, after a signal, with 128 plus the signal's number."""
    code, began = 0, perf_counter()
    stop = Stop()
    try:
        stop.listen()
        from pointerjump.base import standard_streams

        standard_streams.guard()
        sys.meta_path.insert(0, HiddenPandas())
        from pointerjump.cli import run

        code = run(began=began)
    except BaseException:
        # The KeyboardInterrupt raised by a signal may have been turned into another error on its way here.
        if stop.signal is None:
            raise
    finally:
        stop.end()
    if stop.signal is not None:
        _leave(128 + stop.signal)
    atexit._run_exitfuncs()
    _leave(code)


def _leave(code: int) -> NoReturn:
    # Otherwise, Python would take all of its objects apart, which takes 60 ms. After a signal, it might also
    # send SIGINT to itself: dataclasses and named tuples use ``exec`` while modules are imported, and Python
    # remembers an interrupt that leaves ``exec``, even if it is caught later.
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # if a stream is missing, closed or full, that cannot be reported
            stream.flush()
    os._exit(code)


class HiddenPandas:
    """An importer that makes this process work as if pandas were not installed.

    No command needs pandas, but pyarrow would import it, which takes 0.2 seconds.
    """

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class Stop:
    """Handles the signals that end the command early: Ctrl-C, a request to terminate and a closed terminal.

    Each signal raises a KeyboardInterrupt, so that unfinished files are removed and the terminal is restored.
    """

    SIGNALS = tuple(getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n))

    def __init__(self) -> None:
        self.signal: int | None = None

    def listen(self) -> None:
        """Install a handler for each signal, except those that are already ignored, as under ``nohup``."""
        sys.unraisablehook = self._try_again
        for number in self.SIGNALS:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._interrupt)

    def end(self) -> None:
        """Restore the default handlers. Nothing is left to clean up, so a signal may now end the process."""
        for number in self.SIGNALS:
            if signal.getsignal(number) == self._interrupt:
                signal.signal(number, signal.SIG_DFL)

    def _interrupt(self, number: int, frame: FrameType | None) -> NoReturn:
        self.signal = number
        raise KeyboardInterrupt

    def _try_again(self, lost: Any) -> None:
        """Send the signal again if its KeyboardInterrupt was lost in a destructor or a callback."""
        if self.signal is None or not issubclass(lost.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(lost)
            return
        import threading

        again = threading.Timer(RETRY_SECONDS, os.kill, [os.getpid(), self.signal])
        again.daemon = True
        again.start()


if __name__ == "__main__":
    main()
