"""Arrow columns of ids as the bytes that kernels read, and back."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.id_bytes import IdBytes, IdKind

if TYPE_CHECKING:
    import pyarrow as pa

TOP_BIT = np.uint64(1 << 63)


@cache
def id_kind(type: pa.DataType) -> IdKind | None:
    """Return what ids of an Arrow type are for kernels, or None if kernels do not take them.

    Kernels take strings, bytes, integers of 64 bits, dates and times of 64 bits, and bytes of a fixed width.
    """
    import pyarrow as pa

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
    """Return ids without nulls as bytes, where they lie if possible."""
    import pyarrow as pa

    parts: list[Any] = ids.buffers()[1:]
    first, count = ids.offset, len(ids)
    text = np.frombuffer(parts[-1] or b"", np.uint8)
    if kind.width is None:
        begin = np.frombuffer(parts[0] or bytes(8), np.uint64)
        return IdBytes(kind, text, begin[first : first + count + 1])
    text = text[kind.width * first : kind.width * (first + count)]
    return IdBytes(kind, _in_order_of_bytes(text) if pa.types.is_decimal(ids.type) else text)


def as_ids(ids: IdBytes, type: pa.DataType) -> pa.Array[Any]:
    """Return bytes as Arrow ids of the type that they were made of, where they lie if possible."""
    import pyarrow as pa

    text = _in_order_of_bytes(ids.text, back=True) if pa.types.is_decimal(type) else ids.text
    arrays: list[Any] = [text] if ids.begin is None else [ids.begin, text]
    return pa.Array.from_buffers(type, len(ids), [None, *map(pa.py_buffer, arrays)])


def _in_order_of_bytes(numbers: npt.NDArray[np.uint8], *, back: bool = False) -> npt.NDArray[np.uint8]:
    """Return signed 128-bit integers as bytes that are in order where the integers are, or such bytes back.

    The integers begin with their lowest byte; the bytes begin with the highest, whose top bit is inverted.
    """
    halves = numbers.view(np.uint64).reshape(-1, 2)
    if back:
        halves = halves.byteswap()[:, ::-1].copy()
        halves[:, 1] ^= TOP_BIT
    else:
        halves = halves[:, ::-1].copy()
        halves[:, 0] ^= TOP_BIT
        halves = halves.byteswap()
    return halves.reshape(-1).view(np.uint8)
