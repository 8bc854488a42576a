"""Arrays of other libraries: taken wherever arrays are, and given back in kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pointerjump as pj
from pointerjump.accel import device_arrays
from pointerjump.accel.runtime.devices import devices
from pointerjump.base import foreign

ANYWHERE = None if any(device.works for device in devices()) else "reference"
MASK = np.array([[1, 1, 0, 1], [0, 0, 0, 1], [1, 0, 1, 1]], np.uint8)


class OnAGpu:
    """An array that lies on a GPU, as DLPack says it; NumPy can have a copy if it asks for one."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.device = array, "gpu:0"

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, *, dl_device: Any = None, copy: bool | None = None, **_: Any) -> Any:
        if dl_device != (1, 0) or copy is not True:
            raise BufferError("this memory is not the host's")
        return self.array.copy().__dlpack__()

    def __array_namespace__(self) -> Any:
        return OnAGpu

    @staticmethod
    def asarray(array: np.ndarray, device: str) -> OnAGpu:
        assert device == "gpu:0"
        made = OnAGpu(array)
        made.dtype = array.dtype  # type: ignore[attr-defined]
        return made


class Older:
    """An array that knows no more than CUDA's interface, and how it is copied."""

    def __init__(self, array: np.ndarray) -> None:
        self._array, self.__cuda_array_interface__ = array, {"version": 3}

    def get(self) -> np.ndarray:
        return self._array.copy()


def of_jax(array: np.ndarray) -> Any:
    return pytest.importorskip("jax.numpy").asarray(array)


def of_torch(array: np.ndarray) -> Any:
    return pytest.importorskip("torch").from_numpy(array)


KINDS = {"JAX": of_jax, "torch": of_torch, "on a GPU": OnAGpu, "older": Older}


def seen(array: Any) -> np.ndarray:
    found: np.ndarray = foreign.to_host(array)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_images_are_given_back_in_kind(kind: str) -> None:
    mask = KINDS[kind](MASK)
    same = type(mask) if kind != "older" else np.ndarray  # nobody knows how to make one
    labels, count = pj.label(mask, return_num=True, device=ANYWHERE)
    assert isinstance(labels, same)
    assert count == 3
    expected = pj.label(MASK, device=ANYWHERE)
    np.testing.assert_array_equal(seen(labels), expected)
    given = KINDS[kind](expected)
    for change in (pj.largest, pj.relabel_by_size, pj.clear_border):
        assert isinstance(change(given, device=ANYWHERE), same)
        np.testing.assert_array_equal(seen(change(given, device=ANYWHERE)), change(expected, device=ANYWHERE))
    table = pj.regions(given, KINDS[kind](MASK), properties="intensity_mean", device=ANYWHERE).table()
    assert table["intensity_mean"].tolist() == [1, 1, 1]
    assert pj.contacts(given, ANYWHERE).faces.tolist() == []
    assert pj.overlay(KINDS[kind](MASK), given).shape == (3, 4, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_graphs_and_lists(kind: str) -> None:
    us, vs = (KINDS[kind](np.array(each, np.int32)) for each in ([0, 4, 2], [2, 3, 5]))
    found = pj.components((us, vs), device=ANYWHERE)
    assert found.labels.tolist() == [0, 1, 0, 2, 2, 0]
    assert found.stats["seconds"]["transfer"] >= 0
    pairs = KINDS[kind](np.array([[0, 4, 2], [2, 3, 5]], np.int32).T.copy())
    assert pj.components(pairs, device=ANYWHERE).labels.tolist() == found.labels.tolist()
    assert pj.components(groups=pairs, device=ANYWHERE).labels.tolist() == found.labels.tolist()
    assert len(pj.spanning_forest((us, vs), device=ANYWHERE)) == 3
    weights = KINDS[kind](np.array([1, 2, 3], np.int32))
    assert pj.minimum_spanning_forest((us, vs), weights, device=ANYWHERE).total == 6
    successors = KINDS[kind](np.array([1, 2, 2], np.int32))
    ranks = pj.list_rank(successors, device=ANYWHERE)
    assert isinstance(ranks, type(successors) if kind != "older" else np.ndarray)
    assert seen(ranks).tolist() == [2, 1, 0]
    joined = pj.DisjointSet(6, device=ANYWHERE)
    joined.merge(us, vs)
    assert joined.n_subsets == 3


@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_sizes_of_pixels(kind: str) -> None:
    ids = KINDS[kind](np.array([7, 3, 7], np.int32))
    numbers, distinct = pj.number_ids(ids)
    assert isinstance(numbers, type(ids) if kind != "older" else np.ndarray)
    assert (seen(numbers).tolist(), distinct.to_pylist()) == ([0, 1, 0], [7, 3])
    assert isinstance(pj.number_ids(ids=ids)[0], type(numbers))
    nodes = {"left": [7], "right": [8]}
    pairs = pytest.importorskip("pyarrow").table(nodes)
    assert pj.components(pairs, nodes=ids, device=ANYWHERE).vertices == 3
    sizes = KINDS[kind](np.array([2, 3], np.float32))
    table = pj.regions(np.eye(2, dtype=np.int32), spacing=sizes, device=ANYWHERE).table()
    assert table["area"].tolist() == [12]
    with pytest.raises(pj.PointerjumpError, match="is no column of ids"):
        pj.number_ids(KINDS[kind](MASK))


def test_the_host_s_arrays_are_not_copied() -> None:
    array = np.arange(5)
    assert np.shares_memory(foreign.to_host(Exported(array)), array)
    assert not foreign.is_foreign(array)
    assert not foreign.is_foreign(np.int32(1))
    assert not foreign.is_foreign(pytest.importorskip("pyarrow").array([1]))


class Exported:
    """An array on the host that is known by DLPack only."""

    def __init__(self, array: np.ndarray) -> None:
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def test_what_numpy_cannot_hold_is_refused() -> None:
    class Strange(OnAGpu):
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("numbers of 16 bits that NumPy does not know")

    for work in (pj.label, pj.list_rank, pj.components):
        with pytest.raises(pj.PointerjumpError):
            work(Strange(MASK), device=ANYWHERE)


def test_jax_gets_no_numbers_that_it_would_cut_off() -> None:
    numpy = pytest.importorskip("jax.numpy")
    large = np.array([2**40, 1])
    assert device_arrays._like(large, numpy.zeros(1)) is large
