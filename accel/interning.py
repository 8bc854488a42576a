"""Interns ids on a device: assigns a number to each distinct id.

After every block of ids, the host waits to learn whether the hash table had slots for all ids, and how many
ids are new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from secrets import randbits
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.runtime.session import Buffer, Kernels, Session, let_end
from pointerjump.accel.shapes import Shape
from pointerjump.base.id_bytes import IdBytes, IdKind
from pointerjump.errors import DeviceError, PointerjumpError

FULLEST = 0.6
"""The maximum fraction of occupied slots. A larger fraction would make searches long, and a smaller one would
waste memory."""

FARTHEST = 1024
"""The maximum number of slots to search for one id."""

SEEDS = 3
"""The number of seeds to try. If too many ids still share a hash, the host numbers all ids with a
dictionary."""

MOST_AHEAD = 16  # if more ids are expected, the maximum ratio of a table's size to the size needed now

GROWTH, GROWTH_IN_PLACE = 2, 8
"""The factors by which arrays grow. The second factor is used for arrays in the host's memory, where unused
pages cost nothing."""

DENSE, FEW = 2, 1 << 16
"""Integers count as dense if all are less than `DENSE` times their count, or less than `DENSE` times `FEW`
if that is more."""

TABLE = "the table of ids"

MOST_SLOTS = 1 << 31  # the maximum number of slots, which are numbered with 31 bits

MOST_IDS = int(FULLEST * MOST_SLOTS)

BLOCK_BYTES = 1 << 28  # the maximum size of the ids in a block, in bytes, unless there is only one id

WAY_OUT = "use fewer ids at a time, or a machine with more memory"


def prepare(ids: IdsByBlocks, block: int, access: str, reads: str, seed: int | None = None) -> Plan:
    """Plan a run that numbers ids. After a run, ``ids.interner`` contains the distinct ids."""
    session = ids.session
    numbers = session.empty(len(ids), np.int32, "the ids' numbers")

    def run() -> None:
        interner = ids.interner = DeviceInterner(
            session, ids.kind, block=block, seed=seed, access=access, reads=reads
        )
        interner.expect(len(ids))
        first = 0
        for part in ids.parts:
            for (some,) in interner.blocks([part]):
                found = interner.intern([some])
                session.copy(numbers, found, len(some), first=first)
                first += len(some)

    return Plan(numbers, [run])


class IdsByBlocks:
    """Ids that a run copies to the device block by block. The run stores its interner in `interner`."""

    def __init__(self, session: Session, parts: Sequence[IdBytes], kind: IdKind) -> None:
        self.session, self.parts, self.kind = session, parts, kind
        self.interner: DeviceInterner | None = None

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)


class DeviceInterner:
    """Numbers ids 0, 1, ... in order of first appearance.

    The interner must be used inside ``with session.running()``. `block` is the number of ids to intern at a
    time. Its default depends on the device. The hash's `seed` is random by default, so that an attacker
    cannot choose ids with the same hash. `known` is the number of distinct ids interned so far.
    """

    def __init__(
        self,
        session: Session,
        kind: IdKind,
        *,
        block: int | None = None,
        seed: int | None = None,
        access: str | None = None,
        reads: str = "plain",
    ) -> None:
        self.session, self.kind = session, kind
        self.known, self._bytes = 0, 0
        self.text = Growing(session, np.uint8, "the ids")
        self.begin = Growing(session, np.uint64, "where each id begins")
        self._seed = np.uint64(randbits(64) if seed is None else seed)
        self._seeds = 1
        self._access, self._reads = access, reads
        self._at_once = block or session.tuning.ids_at_once
        self._direct = kind.order != "bytes"
        self._seen, self._coming, self._columns = 0, 0, 1
        self._slots = 0
        self._slot: Any = None  # a DeviceArray
        self._block: list[Buffer] = []
        self._on_host: dict[bytes, int] | None = None
        if kind.width is None:
            self.begin.write(np.zeros(1, np.uint64), 0)

    def __del__(self) -> None:
        # Kernels may still be reading the last block, whose arrays are about to be freed.
        if getattr(self, "_block", None):
            let_end(self.session.queue)

    # -- queries -------------------------------------------------------------------------------------

    def blocks(self, columns: Sequence[IdBytes]) -> Iterator[list[IdBytes]]:
        """Yield one column of ids, or two columns of equal length, in blocks of rows."""
        rows = len(columns[0])
        most = max(1, self._at_once // len(columns))
        first = 0
        while first < rows:
            end = min(rows, first + most)
            while end - first > 1 and sum(c.part(first, end).nbytes for c in columns) > BLOCK_BYTES:
                end = first + (end - first) // 2
            yield [column.part(first, end) for column in columns]
            first = end

    def intern(self, columns: Sequence[IdBytes]) -> Buffer:
        """Return the numbers assigned to the ids in a block, row by row.

        A block has one or two columns. The numbers are int32, and are valid until the next block is interned.
        """
        m, session = len(columns) * len(columns[0]), self.session
        if self.known + m > MOST_IDS:
            raise DeviceError(
                f"there are {self.known:,} different ids and more to come, and at most {MOST_IDS:,} can be "
                "numbered at once: split the table"
            )
        numbers = session.scratch("the ids' numbers", m)
        if self._on_host is None:
            try:
                if self._intern_on_device(m, columns, numbers):
                    return numbers
            except BaseException:
                self._forget_table()
                raise
            self._forget_table()
            self._on_host = {id: i for i, id in enumerate(self.ids().tolist())}
        session.copy_into(numbers, self._numbers_on_host(columns))
        return numbers

    def ids(self) -> IdBytes:
        text = self.text.array.take(self._bytes)
        begin = None if self.kind.width else self.begin.array.take(self.known + 1)
        return IdBytes(self.kind, text, begin)

    def expect(self, more: int) -> None:
        """Prepare for about `more` ids, including repeated ones. The table can then grow in a single step."""
        self._coming = more

    @property
    def nbytes(self) -> int:
        """The size of the ids in bytes, including the positions at which they begin."""
        return self._bytes + (8 * self.known if self.kind.width is None else 0)

    # -- internals -----------------------------------------------------------------------------------

    def _intern_on_device(self, m: int, columns: Sequence[IdBytes], numbers: Buffer) -> bool:
        """Number the ids of a block on the device. Return False if too many ids share a hash."""
        session = self.session
        if self._direct:
            # Negative integers are read as unsigned.
            largest = max(int(column.text.view(np.uint64).max(initial=0)) for column in columns)
            self._make_direct_slots(largest, m)
        self._columns = len(columns)
        block = self._put(columns)
        where = session.scratch("where ids are", m)
        if not self._look_up(m, block, where):
            return False
        self._block = block  # nothing reads the last block any longer
        self._keep_new(m, block, where)
        tell = self._kernels(self._access)
        tell("tell", session.shapes.over(m), np.uint32(m), where, self._slot.buffer, numbers)()
        self._seen, self._coming = self._seen + m, max(0, self._coming - m)
        return True

    def _forget_table(self) -> None:
        """Discard the table, because its slots may refer to ids of an abandoned block."""
        let_end(self.session.queue)
        self._slots, self._slot = 0, None
        self._direct = False  # the next block's integers may all be smaller than the known ones

    def _put(self, columns: Sequence[IdBytes]) -> list[Buffer]:
        """Put a block on the device. Return the buffers that the kernels expect.

        Each column has a buffer with the bytes of its ids and one with the positions at which the ids begin.
        If there is only one column, its buffers are returned twice. The arrays must not be modified until the
        next block is interned.
        """
        session, buffers = self.session, []
        for i, column in enumerate(columns):
            tight = column.tight()
            begin = np.zeros(1, np.uint64) if tight.begin is None else tight.begin
            for what, array in ((f"text {i}", tight.text), (f"begin {i}", begin)):
                if session.device.host_memory:
                    buffers.append(session.put(array, "a block of ids"))
                    continue
                size = 1 << max(16, int(array.nbytes - 1).bit_length())  # rounded up, so it rarely changes
                buffers.append(session.scratch(f"ids: {what}", size, np.uint8))
                session.copy_into(buffers[-1], array)
        return buffers if len(columns) == 2 else buffers * 2

    def _look_up(self, m: int, block: list[Buffer], where: Buffer) -> bool:
        """Find or create a slot for every id of a block. Return False if too many ids share a hash."""
        if not self._direct and (not self._slots or self.known + m > FULLEST * self._slots):
            self._make_slots(self._enough_slots(m))
        which = np.uint32(m), np.uint32(self.known)
        over = self.session.shapes.over(-(-m // self.session.tuning.ids_ahead))
        while self._seeds <= SEEDS:
            if self._search("look_up", over, *which, self._seed, *block, *self._table(), where):
                return True
            self._make_slots(self._slots)
        return False

    def _search(self, name: str, over: Shape, *arguments: Any) -> bool:
        """Run a kernel, and return whether it found a slot for every id. If not, choose a new seed."""
        session = self.session
        crowded = session.scratch("whether slots are crowded", 1, np.uint64)
        session.fill(crowded, 0, 2)
        self._kernels(self._access)(name, over, *arguments, crowded)()
        if not session.get(crowded, 1, np.uint64)[0]:
            return True
        self._seeds += 1
        self._seed = np.uint64(randbits(64))
        return False

    def _enough_slots(self, more: int) -> int:
        """Return the number of slots, rounded up to a power of two, that `more` additional ids need.

        Room is also made for later ids, which are assumed to be half as likely to be new as those seen so
        far. However, a table never has more than `MOST_AHEAD` times the number of slots that it needs now.
        """
        needed = 1 << max(10, int((self.known + more) / FULLEST).bit_length())
        coming = self._coming * self.known / self._seen / 2 if self._seen else 0
        likely = 1 << max(0, int((self.known + coming) / FULLEST).bit_length() - 1)
        return max(needed, min(likely, MOST_AHEAD * needed))

    def _make_direct_slots(self, largest: int, more: int) -> None:
        """Give every integer up to `largest` a slot of its own, unless that would take too many slots."""
        if largest >= min(DENSE * max(self.known + more, FEW), MOST_SLOTS):
            self._direct, self._slots = False, 0
        elif largest >= self._slots:
            self._make_slots(1 << max(10, largest.bit_length()))

    def _make_slots(self, slots: int) -> None:
        session = self.session
        while self._seeds <= SEEDS:
            self._slot = None  # so that there are never two tables at once
            self._slot, self._slots = DeviceArray(session, slots, np.uint64, TABLE, WAY_OUT), slots
            shapes, known = session.shapes, np.uint32(self.known)
            clear = self._kernels(self._access)
            clear("clear", shapes.over(slots), np.uint64(slots), self._slot.buffer)()
            over = shapes.over(-(-self.known // session.tuning.ids_ahead))
            if not self.known or self._search("refill", over, known, self._seed, *self._table()):
                return

    def _table(self) -> tuple[Any, ...]:
        bits = self._slots.bit_length() - 1
        mask, shift = np.uint64(self._slots - 1), np.uint32(0 if self._direct else 32 - bits)
        return self.text.array.buffer, self.begin.array.buffer, mask, shift, self._slot.buffer

    def _keep_new(self, m: int, block: list[Buffer], where: Buffer) -> None:
        session = self.session
        over, in_one_group = session.shapes.over(m), session.shapes.one_group()
        new_ids = session.scratch("new ids", over.groups + 1, np.uint64)
        new_bytes = session.scratch("new bytes", over.groups + 1, np.uint64)
        sums = new_ids, new_bytes
        kernel = self._kernels("partitioning", GROUP=over.local_size[0])
        add_up = self._kernels("partitioning", GROUP=in_one_group.local_size[0])
        counted = np.uint32(m), np.uint32(self.known)
        is_new = session.scratch("whether ids are new", m, np.uint8)
        kernel("count_new", over, *counted, *block, where, self._slot.buffer, is_new, *sums)()
        for each in sums:
            add_up("add_up", in_one_group, np.uint32(over.groups), each)()
        ids = int(session.get(new_ids, 1, np.uint64, first=over.groups)[0])
        size = int(session.get(new_bytes, 1, np.uint64, first=over.groups)[0])
        if not ids:
            return
        self._make_room(ids, size)
        kernel(
            "keep_new", over, *counted, np.uint64(self._bytes), *block, where, self._slot.buffer, is_new,
            *sums, self.text.array.buffer, self.begin.array.buffer,
        )()  # fmt: skip
        self.known, self._bytes = self.known + ids, self._bytes + size

    def _make_room(self, ids: int, size: int) -> None:
        self.text.make_room(self._bytes + size, self._bytes)
        if self.kind.width is None:
            self.begin.make_room(self.known + ids + 1, self.known + 1)

    def _numbers_on_host(self, columns: Sequence[IdBytes]) -> npt.NDArray[np.int32]:
        """Number ids with a dictionary on the host. Its speed does not depend on the values of the ids."""
        known = self._on_host
        assert known is not None
        by_column = [column.tight().tolist() for column in columns]
        in_rows = [id for row in zip(*by_column, strict=True) for id in row]
        numbers = np.fromiter((known.setdefault(id, len(known)) for id in in_rows), np.int32, len(in_rows))
        new = list(islice(reversed(known), len(known) - self.known))[::-1]  # a dictionary keeps the order
        if new:
            text = np.frombuffer(b"".join(new), np.uint8)
            self._make_room(len(new), len(text))
            self.text.write(text, self._bytes)
            if self.kind.width is None:
                self.begin.write(self._bytes + np.cumsum([len(id) for id in new]), self.known + 1)
            self.known, self._bytes = self.known + len(new), self._bytes + len(text)
        return numbers

    def _kernels(self, access: str | None, **macros: object) -> Kernels:
        return self.session.kernels(
            "interning.cl",
            access,
            WIDE_VERTICES=True,
            READS_ATOMIC=self._reads == "atomic",
            COLUMNS=self._columns,
            AHEAD=self.session.tuning.ids_ahead,
            FARTHEST=FARTHEST,
            DIRECT=self._direct,
            **{"GROUP": 1, "WIDTH": self.kind.width, **macros},
        )


class Growing:
    """A resizable array on a device. Making room may replace the underlying `array`."""

    def __init__(self, session: Session, dtype: npt.DTypeLike, what: str) -> None:
        self._room = 16
        self._made = partial(DeviceArray, session, dtype=dtype, what=what, way_out=WAY_OUT)
        self.array = self._made(16)

    def make_room(self, items: int, used: int) -> None:
        """Make room for `items` items, and keep the first `used` ones."""
        if items > self._room:
            room = self._room * (GROWTH_IN_PLACE if self.array.session.device.host_memory else GROWTH)
            made = None
            while made is None:
                room = -(-max(items, room) // 16) * 16
                try:
                    made = self._made(room)
                except PointerjumpError:  # there is no memory to spare
                    if room < items + 16:
                        raise
                    room //= 2
            made.copy_from(self.array.buffer, used)
            self.array, self._room = made, room

    def write(self, array: npt.NDArray[Any], first: int) -> None:
        session, dtype = self.array.session, self.array.dtype
        given = session.put_writable(array.astype(dtype, copy=False), "what comes into an array")
        session.copy(self.array.buffer, given, array.size, dtype, first=first)
