"""Interning numbers ids as a dictionary does, whatever the ids and the schedule, by reference and kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_schedules import machines

import pointerjump as pj
from pointerjump.accel import interning as accel
from pointerjump.accel.id_forests import IdForest
from pointerjump.accel.interning import DeviceInterner
from pointerjump.accel.runtime import programs
from pointerjump.accel.runtime.devices import Device
from pointerjump.accel.runtime.session import Kernels, Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.id_bytes import IdBytes, IdKind
from pointerjump.ids import interning as face_ids
from pointerjump.reference import interning as reference
from pointerjump.reference.machine import Machine

pytestmark = pytest.mark.diagonal  # each kind of id has kernels of its own, which some drivers build slowly

STRINGS = IdKind()
SIGNED, UNSIGNED = IdKind(8, "signed"), IdKind(8, "unsigned")


def by_dictionary(ids: Sequence[Any]) -> list[int]:
    known: dict[Any, int] = {}
    return [known.setdefault(id, len(known)) for id in ids]


def intern(interner: DeviceInterner, *columns: Sequence[bytes]) -> list[int]:
    """Return the numbers of these ids, row by row."""
    found: list[int] = []
    with interner.session.running():
        for block in interner.blocks([IdBytes.of(interner.kind, ids) for ids in columns]):
            numbers = interner.intern(block)
            found += interner.session.get(numbers, len(block) * len(block[0])).tolist()
    return found


def kept(interner: DeviceInterner) -> list[bytes]:
    with interner.session.running():
        return interner.ids().tolist()


@cache
def own_memory(device: Device) -> Session:
    """A session that treats a CPU as if it were a GPU with memory of its own."""
    return Session(replace(device, host_memory=False))


def alike(rng: np.random.Generator, many: int) -> list[bytes]:
    """Ids of many lengths, of which many differ in a single byte, each several times and in any order."""
    ids = [b"a" * length for length in range(41)]
    for length in (7, 8, 9, 15, 16, 17):
        common = bytes(rng.integers(0, 256, length, np.uint8))
        ids += [common + end for end in (b"", b"\0", b"\0\0", b"x", b"y")]
        ids += [begin + common for begin in (b"", b"\0", b"\0\0", b"x", b"y")]
        ids += [common[:at] + b"?" + common[at + 1 :] for at in range(length)]
    ids += ["é".encode(), "e\u0301".encode(), "日本".encode(), b"\xff\xfe"]
    return [ids[i] for i in rng.integers(0, len(ids), many)]


LONG = b"x" * (1 << 20)
LONG_IDS = [
    LONG,
    b"y" + LONG[1:],
    LONG[:-1] + b"y",
    LONG[1:],
    LONG[: 1 << 19] + b"y" + LONG[(1 << 19) + 1 :],
] * 2

# -- the reference -------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(
    ids=st.lists(st.binary(max_size=3), max_size=60),
    block=st.integers(1, 70),
    seed=st.integers(0, 2**63 - 1),
    machine=machines(),
)
def test_the_reference_in_any_order_with_stale_reads(
    ids: list[bytes], block: int, seed: int, machine: Machine
) -> None:
    with machine:
        assert reference.interning(ids, block, seed) == by_dictionary(ids)


@pytest.mark.parametrize("few", [1, 2, 4])
def test_the_reference_where_ids_share_hashes(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "hash_of", lambda id, seed: (id[0] + seed) % few << 29)
    for seed in range(30):
        ids = [bytes([i]) for i in np.random.default_rng(seed).integers(0, 20, 60)]
        with Machine("random", stale=True, seed=seed):
            assert reference.interning(ids, 25, seed) == by_dictionary(ids)


# -- kernels: every kind of id, and every variant ------------------------------------------------------

VARIANTS = [
    {"access": access, "reads": reads, "block": block, "seed": seed}
    for (access, reads), (block, seed) in zip(
        product(("striding", "partitioning"), ("plain", "atomic")),
        ((3000, 1), (1, 2), (64, 2**63 - 1), (1000, 0)),
        strict=True,
    )
]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_strings(variant: dict[str, Any], device: Device) -> None:
    ids = alike(np.random.default_rng(1), 60 if variant["block"] == 1 else 3000)
    interner = DeviceInterner(session_for(device), STRINGS, **variant)
    assert intern(interner, ids) == by_dictionary(ids) == reference.interning(ids)
    assert kept(interner) == list(dict.fromkeys(ids))
    assert interner.known == len(set(ids))


def test_strings_where_a_device_has_memory_of_its_own(device: Device) -> None:
    """Blocks with the long ids are so large that they go through the ring."""
    session = own_memory(device)
    interner = DeviceInterner(session, STRINGS, block=1000)
    ids = [*alike(np.random.default_rng(2), 3000), *LONG_IDS, *alike(np.random.default_rng(3), 3000)]
    assert intern(interner, ids) == by_dictionary(ids)
    assert kept(interner) == list(dict.fromkeys(ids))


def test_strings_of_a_megabyte(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for at_once in (accel.BLOCK_BYTES, 3 << 20, 1):
        monkeypatch.setattr(accel, "BLOCK_BYTES", at_once)
        interner = DeviceInterner(session_for(device), STRINGS)
        assert intern(interner, LONG_IDS) == by_dictionary(LONG_IDS)
        assert kept(interner) == list(dict.fromkeys(LONG_IDS))


@pytest.mark.parametrize("width", [pytest.param(1, marks=pytest.mark.exhaustive), 3, 20])
def test_ids_of_one_width(width: int, device: Device) -> None:
    """Widths of 8 and 16 are among the Arrow columns."""
    rng = np.random.default_rng(width)
    few = rng.integers(0, 256, (200, width), np.uint8)
    few[100:] = few[:100]
    few[100:, rng.integers(0, width)] ^= 1
    ids = [bytes(few[i]) for i in rng.integers(0, 200, 1500)]
    interner = DeviceInterner(session_for(device), IdKind(width), block=400)
    assert intern(interner, ids) == by_dictionary(ids)
    assert kept(interner) == list(dict.fromkeys(ids))


def test_two_columns_are_numbered_row_by_row(device: Device) -> None:
    left, right = (alike(np.random.default_rng(seed), 1501) for seed in (1, 2))
    in_rows = [id for row in zip(left, right, strict=True) for id in row]
    for session in (session_for(device), own_memory(device)):
        assert intern(DeviceInterner(session, STRINGS, block=700), left, right) == by_dictionary(in_rows)


EXTREMES = [0, 1, -1, 2**63 - 1, -(2**63), 2**32, 2**32 - 1, -(2**32), 2**31]


@pytest.mark.one_device
@pytest.mark.parametrize(
    "ids",
    [
        pa.array([], pa.int64()),
        pa.array([7]),
        pa.array(["x"] * 500),
        pa.array(range(5000)),
        pa.array(EXTREMES * 3, pa.int64()),
        pa.array([number % 2**64 for number in EXTREMES] * 3, pa.uint64()),
        pa.array([5, 3, 5], pa.int8()),
        pa.array(["cal", "ann", "cal", "bob", "ann"]).slice(1, 3),
        pa.array(["cal", "ann", "cal"], pa.large_string()).slice(2),
        pa.chunked_array([["b", "a"], [], ["a", "c"], ["b"]], pa.string()),
        pa.chunked_array([pa.array([1, 2, 3]).slice(1), pa.array([3, 1])]),
        pa.array(["b", "a", "b"]).dictionary_encode(),
        pa.array([b"\0", b"\0\0", b"\0"], pa.binary()),
        pa.array([b"0123456789abcdef", b"0123456789abcdeF"] * 2, pa.binary(16)).slice(1),
        pa.array([Decimal("-1.50"), Decimal("1.50"), Decimal("-1.50"), Decimal(0)], pa.decimal128(38, 2)),
        pa.array([1, 2, 1], pa.timestamp("us")),
        pa.array([1, 2, 1], pa.date32()),
    ],
    ids=lambda ids: f"{len(ids)} of {ids.type}",
)
def test_arrow_columns(ids: Any, device: Device) -> None:
    """The values come back as they were, in order of first appearance; types may become wider."""
    values = ids.to_pylist()
    for algorithm, where in (("interning", device), ("interning", "reference"), ("auto", device)):
        numbers, distinct = pj.number_ids(ids, algorithm=algorithm, device=where)
        assert numbers.dtype == np.int32
        assert numbers.tolist() == by_dictionary(values)
        assert distinct.to_pylist() == list(dict.fromkeys(values))
        distinct.validate(full=True)


def test_byte_swapped_integers() -> None:
    numbers, distinct = pj.number_ids(np.array([7, 3, 7], ">i8"))
    assert (numbers.tolist(), distinct.to_pylist()) == ([0, 1, 0], [7, 3])


def test_where_a_device_cannot_intern_a_library_does(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face_ids, "FEW_IDS", 0)
    monkeypatch.setattr(face_ids, "solve", None)
    without = Session(replace(device, int64_atomics=False))
    numbers, distinct = pj.number_ids(["b", "a", "b"], device=without)
    assert (numbers.tolist(), distinct.to_pylist()) == ([0, 1, 0], ["b", "a"])


@pytest.mark.parametrize(
    ("ids", "why"),
    [
        (["a", None], "null in row 1"),
        (pa.chunked_array([["a"], ["b", ""]]), "empty in row 2"),
        (pa.chunked_array([pa.array([1, 2]), pa.array([3, None])]), "null in row 3"),
        ([1.5], "double, which cannot be ids"),
        ([1, "a"], "ids: list is no column of ids"),
    ],
)
def test_what_is_no_id_is_refused(ids: Any, why: str) -> None:
    for algorithm in ("auto", "interning"):
        with pytest.raises(pj.TableError, match=why) as refused:
            pj.number_ids(ids, algorithm=algorithm)
        assert "\n" not in str(refused.value)


def test_the_table_grows_over_many_blocks(device: Device) -> None:
    """It is made anew several times, and later blocks find the ids of all earlier ones."""
    numbers = np.random.default_rng(7).integers(0, 20_000, 40_000)
    ids = [b"cust_%08d" % number for number in numbers]
    interner = DeviceInterner(session_for(device), STRINGS, block=1000)
    assert intern(interner, ids) == by_dictionary(ids)
    assert interner._slots > 16 * 1024


def test_interners_of_one_session_share_nothing_that_counts(device: Device) -> None:
    for session in (session_for(device), own_memory(device)):
        one, other = DeviceInterner(session, STRINGS), DeviceInterner(session, SIGNED)
        ids = [b"%08d" % number for number in np.random.default_rng(8).integers(0, 900, 3000)]
        expected = by_dictionary(ids)
        found: list[list[int]] = [[], []]
        for first in range(0, 3000, 500):
            for interner, so_far in zip((one, other), found, strict=True):
                so_far += intern(interner, ids[first : first + 500])
        assert found == [expected, expected]


def test_sixteen_threads(device: Device) -> None:
    """They share a session, and what one of them frees is not what another one reads."""
    ids = [pa.array(np.random.default_rng(seed).integers(0, 500, 2000).astype(str)) for seed in range(16)]
    with ThreadPoolExecutor(16) as pool:
        numbered = pool.map(
            lambda each: pj.number_ids(each, algorithm="interning", device=device, block=700), ids
        )
        for given_ids, (numbers, distinct) in zip(ids, numbered, strict=True):
            assert distinct.take(pa.array(numbers)).to_pylist() == given_ids.to_pylist()


# -- the hash ------------------------------------------------------------------------------------------


def test_the_kernels_hash_is_the_references(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    source = programs.source
    hash_all = """
    __kernel void hash_all(const uint m, const ulong seed, BLOCK, __global uint *hash) {
        FOR_EACH(uint, i, m) hash[i] = hash_of(ID_OF_BLOCK(i), seed);
    }"""
    monkeypatch.setattr(programs, "source", lambda name: source(name) + hash_all)
    session = Session(device)
    interner = DeviceInterner(session, STRINGS)
    ids = alike(np.random.default_rng(4), 500)
    for seed in (0, 1, 2**64 - 1):
        with session.running():
            block = interner._put([IdBytes.of(STRINGS, ids)])
            hashes = session.empty(500, np.uint32, "hashes")
            kernel = interner._kernels(None)
            kernel("hash_all", session.shapes.over(500), np.uint32(500), np.uint64(seed), *block, hashes)()
            found = session.get(hashes, 500, np.uint32)
        assert found.tolist() == [reference.hash_of(id, seed) for id in ids]


def one_bit_apart(rng: np.random.Generator) -> Iterator[bytes]:
    """Yield 64 ids of eight bytes around each of 1024."""
    for base in rng.integers(0, 2**63, 1024).tolist():
        for bit in range(64):
            yield (base ^ 1 << bit).to_bytes(8, "little")


FAMILIES = {
    "integers": [number.to_bytes(8, "little") for number in range(1 << 16)],
    "strings": [b"cust_%08d" % number for number in range(1 << 16)],
    "one bit apart": list(one_bit_apart(np.random.default_rng(5))),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_hashes_are_spread_evenly(family: str) -> None:
    """In all ranges of ten bits, by the chi-squared statistic: its mean is 1023, its deviation 45."""
    ids = FAMILIES[family]
    hashes = np.array([reference.hash_of(id, 12345) for id in ids], np.uint32)
    for shift in (22, 11, 0):
        counts = np.bincount(hashes >> shift & 1023, minlength=1024)
        assert abs(((counts - 64) ** 2 / 64).sum() - 1023) < 5 * 45, shift
    assert len(ids) - len(np.unique(hashes)) < 8  # 0.5 are expected


def test_every_bit_of_an_id_reaches_every_bit_of_its_hash() -> None:
    random = np.random.default_rng(6)
    for length in (3, 8, 13):
        changed = np.zeros((8 * length, 32))
        for _ in range(200):
            id = random.bytes(length)
            number, hash = int.from_bytes(id, "little"), reference.hash_of(id, 99)
            for bit in range(8 * length):
                flipped = (number ^ 1 << bit).to_bytes(length, "little")
                difference = hash ^ reference.hash_of(flipped, 99)
                changed[bit] += [difference >> i & 1 for i in range(32)]
        assert changed.min() > 50  # of 200; half is expected
        assert changed.max() < 150


# -- adversaries ---------------------------------------------------------------------------------------


class Launches:
    """Counts an interner's launches by kernel, may fail in the middle of them, and may add macros."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **macros: object) -> None:
        self.names: list[str] = []
        self.fail_at: tuple[str, str] | None = None
        original, launches = DeviceInterner._kernels, self

        def kernels(self: DeviceInterner, access: str | None, **more: object) -> Any:
            return launches.watched(original(self, access, **macros, **more))

        monkeypatch.setattr(DeviceInterner, "_kernels", kernels)

    def watched(self, kernels: Kernels) -> Any:
        def launch(name: str, *arguments: Any) -> Any:
            def enqueue() -> None:
                self.names.append(name)
                if self.fail_at == (name, "before"):
                    raise KeyboardInterrupt
                kernels(name, *arguments)()
                if self.fail_at == (name, "after"):
                    raise KeyboardInterrupt

            return enqueue

        return launch


def test_ids_that_share_one_hash(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few fit into slots next to each other; for more, a dictionary takes over, for good."""
    monkeypatch.setattr(accel, "FARTHEST", 64)
    launches = Launches(monkeypatch, ONE_HASH=5)
    interner = DeviceInterner(session_for(device), STRINGS, block=100)
    few = [b"%d" % (number % 60) for number in range(500)]
    assert intern(interner, few) == by_dictionary(few)
    assert interner._on_host is None
    assert launches.names.count("look_up") == 5

    many = [b"%d" % (number % 1000) for number in range(3000)]
    launches.names.clear()
    assert intern(interner, many) == by_dictionary([*few, *many])[500:]
    assert interner._on_host is not None
    assert interner._slot is None
    assert launches.names.count("look_up") <= accel.SEEDS
    assert kept(interner) == list(dict.fromkeys([*few, *many]))
    assert intern(interner, few[::-1], many[:500]) == [
        int(id) for row in zip(few[::-1], many[:500], strict=True) for id in row
    ]


def test_ids_of_one_width_that_share_one_hash(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the limit as it is, and so many in the first block that not one of them stays on the device."""
    launches = Launches(monkeypatch, ONE_HASH=-1)
    for session in (session_for(device), own_memory(device)):
        interner = DeviceInterner(session, SIGNED, block=3000)
        ids = [b"%08d" % number for number in np.random.default_rng(1).integers(0, 6000, 6000)]
        launches.names.clear()
        assert intern(interner, ids) == by_dictionary(ids)
        assert launches.names.count("look_up") == accel.SEEDS
        assert launches.names.count("keep_new") == 0
        assert kept(interner) == list(dict.fromkeys(ids))


def test_clusters(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another seed is tried where searches are long; whichever blocks that happens in, nothing is lost."""
    monkeypatch.setattr(accel, "FARTHEST", 5)
    monkeypatch.setattr(accel, "SEEDS", 40)
    ids = [b"%d" % number for number in np.random.default_rng(3).integers(0, 2000, 4000)]
    interner = DeviceInterner(session_for(device), STRINGS, block=200, seed=1)
    assert intern(interner, ids) == by_dictionary(ids)
    assert interner._seeds > 1


# -- what goes wrong -----------------------------------------------------------------------------------


def test_more_ids_than_there_can_be(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accel, "MOST_IDS", 1000)
    ids = pa.array(range(1001))
    assert pj.number_ids(ids[:1000], algorithm="interning", device=device, block=100)[0][-1] == 999
    with pytest.raises(pj.DeviceError, match=r"at most 1,000 can be numbered") as refused:
        pj.number_ids(ids, algorithm="interning", device=device, block=100)
    assert "\n" not in str(refused.value)


def test_memory_that_is_refused(device: Device) -> None:
    """One line says what has no room; and with room, the interner goes on where it was."""
    for host_memory in {device.host_memory, False}:
        session = Session(replace(device, host_memory=host_memory, max_allocation=1 << 17))
        interner = DeviceInterner(session, STRINGS, block=1000)
        ids = [b"%06d" % number for number in range(12_000)]
        with pytest.raises(
            pj.DeviceError, match=r"needs .* in one buffer, and .* allows 128.0 KiB"
        ) as refused:
            intern(interner, ids)
        assert "\n" not in str(refused.value)
        known = interner.known
        assert 1000 <= known < 12_000
        session.device = replace(session.device, max_allocation=device.max_allocation)
        assert intern(interner, ids) == list(range(12_000))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", ["look_up", "count_new", "add_up", "keep_new", "tell", "clear", "refill"])
def test_an_interrupt(name: str, when: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it interrupts, afterwards every id still has one number, and every number one id."""
    launches = Launches(monkeypatch)
    ids = alike(np.random.default_rng(5), 1500)
    interner = DeviceInterner(session_for(device), STRINGS, block=500)
    before = intern(interner, ids[:500])
    if name in ("clear", "refill"):
        interner._slots = 0  # as if the table were too small
    launches.fail_at = name, when
    with pytest.raises(KeyboardInterrupt):
        intern(interner, [b"new", b"newer", *ids[500:1000]])
    launches.fail_at = None
    assert intern(interner, ids[:500]) == before
    numbers, distinct = intern(interner, ids), kept(interner)
    assert [distinct[number] for number in numbers] == ids
    assert len(set(distinct)) == len(distinct) == interner.known


def test_an_interner_may_go_while_kernels_run(device: Device) -> None:
    """They read arrays that go with it: if nobody waited, the process would crash."""
    session = session_for(device)
    ids = np.random.default_rng(2).integers(0, 2**40, 200_000)
    with session.running():
        for _ in range(3):
            interner = DeviceInterner(session, SIGNED)
            interner.intern([IdBytes(SIGNED, ids.copy().view(np.uint8))])
            del interner
        assert session.get(session.scratch("the ids' numbers", 1), 1)[0] == 0


# -- the smallest id of every component ----------------------------------------------------------------


def smallest_by_python(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return the smallest id of each id's component."""
    component: dict[Any, set[Any]] = {}
    for a, b in pairs:
        joined = component.setdefault(a, {a}) | component.setdefault(b, {b})
        component |= dict.fromkeys(joined, joined)
    return {id: min(joined) for id, joined in component.items()}


def named(forest: IdForest) -> dict[bytes, bytes]:
    """Return what a forest says is the smallest id of each id's component."""
    with forest.session.running():
        ids, smallest = forest.take()
    listed = ids.tolist()
    return {id: listed[number] for id, number in zip(listed, smallest.tolist(), strict=True)}


def as_integers(ids: Sequence[int]) -> list[bytes]:
    return [(id % 2**64).to_bytes(8, "little") for id in ids]


@pytest.mark.one_device
@pytest.mark.parametrize("kind", [SIGNED, UNSIGNED], ids=lambda kind: kind.order)
def test_the_smallest_integer(kind: IdKind, device: Device) -> None:
    rng = np.random.default_rng(4)
    low = -(2**63) if kind is SIGNED else 0
    many = [*range(low, low + 100), *range(low + 2**64 - 100, low + 2**64), *range(2**31, 2**31 + 100)]
    if kind is SIGNED:
        many = [(number + 2**63) % 2**64 - 2**63 for number in many]
    pairs = [(many[a], many[b]) for a, b in rng.integers(0, len(many), (130, 2))]
    left, right = (as_integers(ids) for ids in zip(*pairs, strict=True))
    for session in (session_for(device), own_memory(device)):
        forest = IdForest(session, kind)
        with session.running():
            forest.merge(IdBytes.of(kind, left), IdBytes.of(kind, right))
        expected = smallest_by_python(pairs)
        assert named(forest) == dict(zip(as_integers(expected), as_integers(expected.values()), strict=True))


@pytest.mark.one_device
@pytest.mark.parametrize("kind", [STRINGS, IdKind(20)], ids=["strings", "one width"])
def test_the_smallest_string(kind: IdKind, device: Device) -> None:
    rng = np.random.default_rng(5)
    ids = sorted(set(alike(rng, 600)))
    if kind.width:
        ids = sorted({id[: kind.width].rjust(kind.width, b"a") for id in ids})
    pairs = [(ids[a], ids[b]) for a, b in rng.integers(0, len(ids), (len(ids) // 2, 2))]
    left, right = zip(*pairs, strict=True)
    forest = IdForest(session_for(device), kind)
    with forest.session.running():
        forest.merge(IdBytes.of(kind, left), IdBytes.of(kind, right))
    assert named(forest) == smallest_by_python(pairs)


def test_groups_join_their_members(device: Device) -> None:
    rng = np.random.default_rng(6)
    rows = [(b"%d" % group, b"id %d" % member) for group, member in rng.integers(0, 400, (500, 2))]
    groups, members = zip(*rows, strict=True)
    first: dict[bytes, bytes] = {}
    expected = smallest_by_python([(first.setdefault(group, member), member) for group, member in rows])
    for session in (session_for(device), own_memory(device)):
        forest = IdForest(session, STRINGS, [STRINGS])
        with session.running():
            for some in (slice(200), slice(200, 201), slice(201, 500)):
                forest.join(IdBytes.of(STRINGS, groups[some]), IdBytes.of(STRINGS, members[some]))
        assert named(forest) == expected


def test_no_more_programs_are_built_than_run(device: Device) -> None:
    """A program takes tenths of a second to build: one interns, one links, one is for vertices."""
    session = Session(device)
    ids = [b"%d" % number for number in range(3000)]
    forest = IdForest(session, STRINGS)
    with session.running():
        for _ in range(2):
            forest.merge(IdBytes.of(STRINGS, ids[:-1]), IdBytes.of(STRINGS, ids[1:]))
    assert set(named(forest).values()) == {b"0"}
    files = [(file, dict(defines)) for file, defines in session._programs]
    assert {defines["COLUMNS"] for file, defines in files if file == "interning.cl"} == {2}
    of_forests = [defines for file, defines in files if file == "disjoint_set.cl"]
    assert sorted("EDGES" in defines for defines in of_forests) == [False, True]
