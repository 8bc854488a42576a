"""Columns of ids as raw bytes, in the layout that Arrow and the kernels share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import pa

Id = bytes  # the bytes of a single id


@dataclass(frozen=True)
class IdKind:
    """The kind of ids in a column: their width in bytes (None if it varies) and their order.

    Ids are compared byte by byte, or as 64-bit integers if the order is "signed" or "unsigned".
    """

    width: int | None = None
    order: str = "bytes"


@dataclass(frozen=True)
class IdBytes:
    """A column of ids, stored as the concatenated bytes of all ids.

    If the width of ids varies, `begin` contains the start of each id, followed by the end of the last id.
    """

    kind: IdKind
    text: npt.NDArray[np.uint8]
    begin: npt.NDArray[Any] | None = None  # dtype: uint64

    @classmethod
    def of(cls, kind: IdKind, ids: Sequence[bytes]) -> IdBytes:
        text = np.frombuffer(b"".join(ids), np.uint8)
        if kind.width is not None:
            return cls(kind, text)
        return cls(kind, text, np.cumsum([0, *map(len, ids)]).astype(np.uint64))

    def __len__(self) -> int:
        if self.begin is None:
            return len(self.text) // (self.kind.width or 1)
        return len(self.begin) - 1

    @property
    def nbytes(self) -> int:
        return len(self.text) if self.begin is None else int(self.begin[-1] - self.begin[0])

    def part(self, first: int, end: int) -> IdBytes:
        if self.begin is None:
            width = self.kind.width or 1
            return IdBytes(self.kind, self.text[width * first : width * end])
        return IdBytes(self.kind, self.text, self.begin[first : end + 1])

    def tight(self) -> IdBytes:
        """Return the same ids in a buffer that has no other bytes."""
        if self.begin is None:
            return self
        begin = self.begin - self.begin[0]
        return IdBytes(self.kind, self.text[int(self.begin[0]) : int(self.begin[-1])], begin)

    def tolist(self) -> list[Id]:
        if self.begin is None:
            width = self.kind.width or 1
            ends = range(0, len(self.text) + 1, width)
        else:
            ends = self.begin.tolist()
        text = self.text.tobytes()
        return [text[i:j] for i, j in zip(ends, ends[1:], strict=False)]


# -- from and to Arrow -------------------------------------------------------------------------------

TOP_BIT = np.uint64(1 << 63)


@cache
def id_kind(type: pa.DataType) -> IdKind | None:
    """Return the kind of the ids in a column of this Arrow type, or None if kernels do not support them."""
    types = pa.types
    if types.is_large_string(type) or types.is_large_binary(type):
        return IdKind()
    if type == pa.uint64():
        return IdKind(8, "unsigned")
    of_time = types.is_timestamp(type) or types.is_duration(type) or types.is_time64(type)
    if type == pa.int64() or of_time or types.is_date64(type):
        return IdKind(8, "signed")
    if types.is_fixed_size_binary(type) and type.byte_width:
        return IdKind(type.byte_width)
    return IdKind(16) if types.is_decimal128(type) else None


def as_bytes(ids: pa.Array[Any], kind: IdKind) -> IdBytes:
    """Convert an Arrow array of non-null ids to bytes, without a copy if possible."""
    parts: list[Any] = ids.buffers()[1:]
    first, count = ids.offset, len(ids)
    text = np.frombuffer(parts[-1] or b"", np.uint8)
    if kind.width is None:
        begin = np.frombuffer(parts[0] or bytes(8), np.uint64)
        return IdBytes(kind, text, begin[first : first + count + 1])
    text = text[kind.width * first : kind.width * (first + count)]
    return IdBytes(kind, _in_order_of_bytes(text) if pa.types.is_decimal(ids.type) else text)


def as_ids(ids: IdBytes, type: pa.DataType) -> pa.Array[Any]:
    """Convert bytes back to an Arrow array of the given type, without a copy if possible."""
    text = _in_order_of_bytes(ids.text, back=True) if pa.types.is_decimal(type) else ids.text
    arrays: list[Any] = [text] if ids.begin is None else [ids.begin, text]
    return pa.Array.from_buffers(type, len(ids), [None, *map(pa.py_buffer, arrays)])


def _in_order_of_bytes(numbers: npt.NDArray[np.uint8], *, back: bool = False) -> npt.NDArray[np.uint8]:
    """Convert signed 128-bit integers (little-endian) to bytes that sort in the same order, or vice versa."""
    halves = numbers.view(np.uint64).reshape(-1, 2)
    if back:
        halves = halves.byteswap()[:, ::-1].copy()
        halves[:, 1] ^= TOP_BIT
    else:
        halves = halves[:, ::-1].copy()
        halves[:, 0] ^= TOP_BIT
        halves = halves.byteswap()
    return halves.reshape(-1).view(np.uint8)
