"""Ids as bytes: what an Arrow column of ids and the kernels that number ids have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Id = bytes
"""Within `IdBytes`, the word is the name of a property."""


@dataclass(frozen=True)
class IdKind:
    """How ids are stored, and which of two is smaller.

    Attributes
    ----------
    width : int, optional
        How many bytes each id has, if all have the same number.
    order : {"bytes", "signed", "unsigned"}
        Which of two ids is smaller: the one whose bytes come first, or the smaller 64-bit integer.
    """

    width: int | None = None
    order: str = "bytes"


@dataclass(frozen=True)
class IdBytes:
    """A column of ids.

    Attributes
    ----------
    kind : IdKind
    text : ndarray of uint8
        Their bytes, one id after the other.
    begin : ndarray of uint64, shape (ids + 1,), optional
        Where each id begins in the text, and where the last one ends. None if they have one width.
    """

    kind: IdKind
    text: npt.NDArray[np.uint8]
    begin: npt.NDArray[Any] | None = None

    @classmethod
    def of(cls, kind: IdKind, ids: Sequence[bytes]) -> IdBytes:
        """Return a column of these ids."""
        text = np.frombuffer(b"".join(ids), np.uint8)
        if kind.width is not None:
            return cls(kind, text)
        return cls(kind, text, np.cumsum([0, *map(len, ids)]).astype(np.uint64))

    def __len__(self) -> int:
        """Return the number of ids."""
        if self.begin is None:
            return len(self.text) // (self.kind.width or 1)
        return len(self.begin) - 1

    @property
    def nbytes(self) -> int:
        """How many bytes the ids have."""
        return len(self.text) if self.begin is None else int(self.begin[-1] - self.begin[0])

    def part(self, first: int, end: int) -> IdBytes:
        """Return the ids from the first up to the end."""
        if self.begin is None:
            width = self.kind.width or 1
            return IdBytes(self.kind, self.text[width * first : width * end])
        return IdBytes(self.kind, self.text, self.begin[first : end + 1])

    def tight(self) -> IdBytes:
        """Return the same ids without the bytes of others."""
        if self.begin is None:
            return self
        begin = self.begin - self.begin[0]
        return IdBytes(self.kind, self.text[int(self.begin[0]) : int(self.begin[-1])], begin)

    def tolist(self) -> list[Id]:
        """Return every id's bytes."""
        if self.begin is None:
            width = self.kind.width or 1
            ends = range(0, len(self.text) + 1, width)
        else:
            ends = self.begin.tolist()
        text = self.text.tobytes()
        return [text[i:j] for i, j in zip(ends, ends[1:], strict=False)]
