"""The errors and warnings that pointerjump raises deliberately.

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

Each message is a single line that names the input and says what is wrong with it and how to fix it. The
``pointerjump`` command prints the message and exits with code 2, or with code 1 for
:class:`VerificationError`.
"""

import sys
import warnings


class PointerjumpError(Exception):
    """Base class of all errors that pointerjump raises deliberately."""


class GraphError(PointerjumpError, ValueError):
    """Raised if arrays or objects do not describe a graph, for example because an id is out of range."""


class ListError(PointerjumpError, ValueError):
    """Raised if a successor array does not describe linked lists, for example because it has a cycle."""


class FormatError(PointerjumpError, ValueError):
    """Raised if a file violates the rules of its format."""


class SpecError(PointerjumpError, ValueError):
    """Raised if a generator spec names an unknown generator, or has a parameter that is not allowed."""


class TableError(PointerjumpError, ValueError):
    """Raised if a table lacks a requested column, or if a column contains values that cannot be ids."""


class ImageError(PointerjumpError, ValueError):
    """Raised if an array cannot be labelled as an image, or if labels do not match an image."""


class AlgorithmError(PointerjumpError, ValueError):
    """Raised if an algorithm or variant does not exist, or if it does not support the request."""


class DeviceError(PointerjumpError, RuntimeError):
    """Raised if no OpenCL device is usable, or if a device cannot store the input or run the algorithm."""


class MemoryLimitError(PointerjumpError, MemoryError):
    """Raised if the input needs more memory than this machine, container or process has."""


class VerificationError(PointerjumpError):
    """Raised if a labelling, forest or ranking is wrong. The message names vertices that prove this.

    Attributes
    ----------
    vertices : tuple of int
        The vertices that are named in the message, if any.
    """

    def __init__(self, message: str, vertices: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.vertices = vertices


class PointerjumpWarning(UserWarning):
    """Base class of all warnings from pointerjump."""


class CacheWarning(PointerjumpWarning):
    """Issued if pyopencl's caches cannot be used, so that each process has to build its programs again."""


class DeviceWarning(PointerjumpWarning):
    """Issued if a device does not work and another one is used instead."""


class FormatWarning(PointerjumpWarning):
    """Issued if a file is ambiguous or a format cannot represent all data. The message says what was done."""


_NOT_THE_USERS = ("pointerjump", "contextlib", "functools")
"""Packages whose stack frames are skipped when looking for the user's code."""


def warn_user(message: str, category: type[PointerjumpWarning]) -> None:
    """Issue a warning that refers to the line of the user's code that called into the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THE_USERS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
