"""The errors that pointerjump raises on purpose, and its warnings.

    PointerjumpError                  PointerjumpWarning (UserWarning)
    ├── GraphError                    ├── CacheWarning
    ├── ListError                     ├── DeviceWarning
    ├── FormatError                   └── FormatWarning
    ├── SpecError
    ├── TableError
    ├── ImageError
    ├── AlgorithmError
    ├── DeviceError
    ├── MemoryLimitError
    └── VerificationError

Each message is one line that names the input, what is wrong with it, and how to fix it. The command line
prints the message and exits with code 2, or with 1 for :class:`VerificationError`.
"""

import sys
import warnings


class PointerjumpError(Exception):
    """Base class of every error that pointerjump raises on purpose."""


class GraphError(PointerjumpError, ValueError):
    """Arrays or objects do not describe a graph (ids out of range, offsets that decrease, ...)."""


class ListError(PointerjumpError, ValueError):
    """A successor array does not hold linked lists (a cycle, two elements with the same successor, ...)."""


class FormatError(PointerjumpError, ValueError):
    """A file breaks the rules of its format."""


class SpecError(PointerjumpError, ValueError):
    """A generator spec names an unknown generator, or has a parameter that the generator cannot use."""


class TableError(PointerjumpError, ValueError):
    """A table lacks a column that was asked for, or the column holds values that cannot be ids."""


class ImageError(PointerjumpError, ValueError):
    """An array cannot be labelled as an image, or labels do not fit an image."""


class AlgorithmError(PointerjumpError, ValueError):
    """An algorithm or variant does not exist, or cannot do what was asked."""


class DeviceError(PointerjumpError, RuntimeError):
    """There is no usable OpenCL device, or the device cannot hold the input or run the algorithm."""


class MemoryLimitError(PointerjumpError, MemoryError):
    """The input needs more memory than this machine, container or process has."""


class VerificationError(PointerjumpError):
    """A labelling, forest or ranking is wrong; the message names vertices that prove it.

    Attributes
    ----------
    vertices : tuple of int
        The vertices that the message names, if any.
    """

    def __init__(self, message: str, vertices: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.vertices = vertices


class PointerjumpWarning(UserWarning):
    """Base class of every warning from pointerjump."""


class CacheWarning(PointerjumpWarning):
    """pyopencl's caches cannot be used, so each process builds its programs again."""


class DeviceWarning(PointerjumpWarning):
    """A device does not work, so another one is used."""


class FormatWarning(PointerjumpWarning):
    """A file can be read in two ways, or a format cannot hold everything; the message says what was done."""


_NOT_THE_USERS = ("pointerjump", "contextlib", "functools")
"""Packages whose stack frames are skipped to find the user's code."""


def warn_user(message: str, category: type[PointerjumpWarning]) -> None:
    """Warn, and name the line of the user's code that called into the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THE_USERS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
