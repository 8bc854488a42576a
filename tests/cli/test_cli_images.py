"""``pointerjump label``, run as users run it."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import ndimage

import pointerjump as pj
from pointerjump import cli
from pointerjump.accel.runtime.devices import devices
from pointerjump.base import memory
from pointerjump.cli import images
from pointerjump.formats.images import BY_SUFFIX, ImageFile, read_image, write_image
from pointerjump.imaging import chunked_labels, labels
from pointerjump.imaging.chunked_labels import ChunkedImage

Capture = pytest.CaptureFixture[str]

MASK = np.random.default_rng(14).random((20, 30)) < 0.5
REFERENCE = ("--device", "reference")
FIND_LABELS = labels.find_labels


@pytest.fixture(autouse=True)
def in_a_folder_with_a_mask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("mask.npy", MASK)


def label(capsys: Capture, *arguments: object) -> dict[str, Any]:
    """Run the command with --json and --verify, which has to succeed; return what it says."""
    assert cli.run(["label", *map(str, arguments), *REFERENCE, "--json", "--verify"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["verified"] is True
    return document


def refused(capsys: Capture, *arguments: object) -> str:
    """Run the command, which has to fail with one line; return that."""
    assert cli.run(["label", *map(str, arguments), *REFERENCE]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert "a bug in pointerjump" not in said.err
    return said.err


def test_json_has_every_field(capsys: Capture) -> None:
    expected, count = ndimage.label(MASK, np.ones((3, 3)))
    sizes = np.bincount(expected.ravel())[1:]
    document = label(capsys, "mask.npy", "--connectivity", 8, "-o", "labels.npy")
    assert np.array_equal(np.load("labels.npy"), expected)
    assert np.load("labels.npy").dtype == np.int32
    facts = {
        "input": "mask.npy",
        "shape": [20, 30],
        "dtype": "bool",
        "connectivity": 2,
        "neighbors": 8,
        "components": count,
        "largest": sizes.max(),
        "largest_label": sizes.argmax() + 1,
        "foreground": MASK.sum(),
        "algorithm": "two-pass",
        "platform": "reference",
        "output": "labels.npy",
        "verified": True,
        "why_not": None,
        "warnings": [],
    }
    assert facts.items() <= document.items()
    assert {"variant", "device"} <= document.keys()
    assert {"read", "compute", "verify", "write", "total"} <= document["seconds"].keys()


def test_people_read_the_same(capsys: Capture) -> None:
    expected, count = ndimage.label(MASK)
    sizes = np.bincount(expected.ravel())[1:]
    assert cli.run(["label", "mask.npy", *REFERENCE]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"components {count} " in said
    share = f"{sizes.max() / MASK.size:.1%}"
    assert f"largest label {sizes.argmax() + 1}, {sizes.max()} pixels ({share} of the image)" in said
    assert f"foreground {MASK.sum()} pixels ({MASK.mean():.1%} of the image)" in said
    assert "image 20 x 30, bool, 4 neighbors" in said
    assert "verified not asked for (--verify)" in said
    assert list(Path().iterdir()) == [Path("mask.npy")]


SHADES = np.random.default_rng(15).integers(1, 255, (20, 30)).astype(np.uint8)


@pytest.mark.parametrize("chunks", [(), ("--chunk", 10, "-o", "labels.npy")])
def test_a_grey_image_without_a_threshold_gets_a_hint(chunks: tuple[object, ...], capsys: Capture) -> None:
    np.save("grey.npy", SHADES)
    assert cli.run(["label", "grey.npy", *map(str, chunks), *REFERENCE]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "pointerjump: warning: grey.npy holds grey values, and every pixel that is not 0 is foreground: "
        "--threshold T or --threshold otsu makes a mask, --multilabel keeps different values apart, and "
        "--background 0 says that this is meant"
    ]
    document = label(capsys, "grey.npy", *chunks)
    assert document["components"] == 1
    assert [f"pointerjump: warning: {each}" for each in document["warnings"]] == said
    for options in (("--threshold", 9), ("--multilabel",), ("--delta", 0), ("--background", 0)):
        assert label(capsys, "grey.npy", *options, *chunks)["warnings"] == []


@pytest.mark.parametrize("dtype", ["u1", "f8"])
@pytest.mark.parametrize("values", [(0, 0), (0, 255), (1, 3)])
def test_a_mask_of_numbers_gets_no_hint(values: tuple[int, int], dtype: str, capsys: Capture) -> None:
    np.save("two.npy", np.where(MASK, *values).astype(dtype))
    assert label(capsys, "two.npy")["warnings"] == []


@pytest.mark.parametrize("shape", [(0,), (0, 3), (4,)])
def test_images_of_nothing(shape: tuple[int, ...], capsys: Capture) -> None:
    np.save("nothing.npy", np.zeros(shape, np.uint8))
    document = label(capsys, "nothing.npy", "-o", "labels.npy")
    assert (document["components"], document["largest"], document["largest_label"]) == (0, 0, None)
    assert np.load("labels.npy").shape == shape
    assert cli.run(["label", "nothing.npy", *REFERENCE]) == 0
    assert "largest     none" in capsys.readouterr().out


@pytest.mark.skipif(not any(d.works for d in devices()), reason="no OpenCL device works")
def test_labels_on_a_device(capsys: Capture) -> None:
    assert cli.run(["label", "mask.npy", "--json", "--verify", "-o", "labels.npy"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verified"] is True
    assert document["platform"] != "reference"
    assert np.array_equal(np.load("labels.npy"), ndimage.label(MASK)[0])


# -- what belongs together -------------------------------------------------------------------------

GREY = np.array([[9, 9, 0, 5], [0, 8, 0, 5], [5, 0, 0, 6]], np.uint8)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [[1, 1, 0, 2], [0, 1, 0, 2], [3, 0, 0, 2]]),
        ("--multilabel", [[1, 1, 0, 2], [0, 3, 0, 2], [4, 0, 0, 5]]),
        ("--multilabel --background 5", [[1, 1, 2, 0], [3, 4, 2, 0], [0, 2, 2, 5]]),
        ("--multilabel --background none", [[1, 1, 2, 3], [4, 5, 2, 3], [6, 2, 2, 7]]),
        ("--background none", [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]),
        ("--delta 1", [[1, 1, 0, 2], [0, 1, 0, 2], [3, 0, 0, 2]]),
        ("--delta 0", [[1, 1, 0, 2], [0, 3, 0, 2], [4, 0, 0, 5]]),
        ("--threshold 5", [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 2]]),
        ("--threshold 5.5", [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 2]]),
        ("--threshold -1", [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]),
        ("--threshold 1e30", [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
        ("--wrap-axes 1", [[1, 1, 0, 1], [0, 1, 0, 1], [1, 0, 0, 1]]),
        ("--wrap-axes 0,-1", [[1, 1, 0, 1], [0, 1, 0, 1], [1, 0, 0, 1]]),
        ("--connectivity 2", [[1, 1, 0, 2], [0, 1, 0, 2], [1, 0, 0, 2]]),
        ("--connectivity 8", [[1, 1, 0, 2], [0, 1, 0, 2], [1, 0, 0, 2]]),
    ],
)  # fmt: skip
def test_options(options: str, expected: list[list[int]], capsys: Capture) -> None:
    np.save("grey.npy", GREY)
    label(capsys, "grey.npy", *options.split(), "-o", "labels.npy")
    assert np.load("labels.npy").tolist() == expected


def test_a_threshold_is_exact_for_large_integers(capsys: Capture) -> None:
    np.save("large.npy", np.array([2**63, 2**63 + 1, 0, 2**64 - 1], np.uint64))
    label(capsys, "large.npy", "--threshold", 2**63, "-o", "labels.npy")
    assert np.load("labels.npy").tolist() == [0, 1, 0, 2]


def test_a_channel_is_labelled(capsys: Capture) -> None:
    pytest.importorskip("imageio")
    from PIL import Image

    Image.fromarray(np.dstack([GREY, MASK[:3, :4].astype(np.uint8), GREY])).save("colors.png")
    assert "colors.png: has 3 channels, and one can be labelled: choose" in refused(capsys, "colors.png")
    label(capsys, "colors.png", "--channel", 1, "-o", "labels.npy")
    assert np.array_equal(np.load("labels.npy"), ndimage.label(MASK[:3, :4])[0])
    assert label(capsys, "colors.png", "--channel", "all")["shape"] == [3, 4, 3]


# -- from file to file -----------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [suffix for suffix, known in BY_SUFFIX.items() if known.write])
def test_every_format_in_and_out(suffix: str, capsys: Capture) -> None:
    if (needs := BY_SUFFIX[suffix].needs) is not None:
        pytest.importorskip(needs[0])
    mask = MASK.astype(np.uint8)
    write_image(f"mask{suffix}", mask, ImageFile(mask))
    label(capsys, f"mask{suffix}", "-o", f"labels{suffix}")
    assert np.array_equal(read_image(f"labels{suffix}").pixels[...], ndimage.label(mask)[0])


def test_labels_replace_the_image_that_they_are_of(capsys: Capture) -> None:
    label(capsys, "mask.npy", "-o", "mask.npy")
    assert np.array_equal(np.load("mask.npy"), ndimage.label(MASK)[0])
    if find_spec("zarr") is not None:
        write_image("mask.zarr", MASK, ImageFile(MASK))
        label(capsys, "mask.zarr", "-o", "mask.zarr")
        assert np.array_equal(read_image("mask.zarr").pixels[...], ndimage.label(MASK)[0])


# -- chunk by chunk --------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
@pytest.mark.parametrize(
    "options",
    [
        "--chunk 7",
        "--chunk 20,8 --connectivity 8",
        "--chunk 6,30 --wrap-axes 0,1",
        "--chunk 3,3 --threshold 0.5",
        "--chunk 99 --background none",
    ],
)
def test_chunks_change_nothing(options: str, suffix: str, capsys: Capture) -> None:
    if suffix == ".zarr":
        pytest.importorskip("zarr")
    at_once = ["mask.npy", *options.split()[2:], "-o", "at_once.npy"]
    in_chunks = ["mask.npy", *options.split(), "-o", f"in_chunks{suffix}"]
    one, other = label(capsys, *at_once), label(capsys, *in_chunks)
    assert np.array_equal(read_image(f"in_chunks{suffix}").pixels[...], np.load("at_once.npy"))
    different = {name for name in one if one[name] != other[name]}
    assert different == {"chunked", "output", "seconds"}
    assert other["chunked"] == "--chunk is given"
    assert {file.name for file in Path().iterdir()} == {"mask.npy", "at_once.npy", f"in_chunks{suffix}"}


def test_chunks_of_zarr(capsys: Capture) -> None:
    zarr = pytest.importorskip("zarr")
    zarr.create_array("mask.zarr", data=MASK.astype(np.uint8), chunks=(7, 9))
    label(capsys, "mask.zarr", "--chunk", "10,12", "-o", "labels.zarr")
    assert np.array_equal(zarr.open("labels.zarr")[...], ndimage.label(MASK)[0])
    assert zarr.open("labels.zarr").chunks == (7, 9)


def test_what_exceeds_the_memory_is_labelled_in_chunks(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert label(capsys, "mask.npy", "--memory", "64GiB")["chunked"] is None
    monkeypatch.setattr(chunked_labels, "bytes_at_once", lambda image: 1 << 60)
    asked = label(capsys, "mask.npy", "--memory", "16GiB", "-o", "labels.npy")
    assert "would take 1073741824.0 GiB, and only" in asked["chunked"]
    assert asked["chunked"].endswith("within --memory 16.0 GiB") or "are free" in asked["chunked"]
    assert np.array_equal(np.load("labels.npy"), ndimage.label(MASK)[0])
    assert "labelling it at once would take" in label(capsys, "mask.npy", "-o", "labels.npy")["chunked"]
    said = refused(capsys, "mask.npy")
    assert "mask.npy: labelling it at once would take 1073741824.0 GiB, and only " in said
    assert said.endswith(": name a .npy or .zarr file for the labels by -o\n")


def test_that_it_goes_chunk_by_chunk_unasked_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(chunked_labels, "bytes_at_once", lambda image: 1 << 60)
    assert cli.run(["label", "mask.npy", "-o", "labels.npy", *REFERENCE]) == 0
    assert "pointerjump: mask.npy is labelled chunk by chunk: labelling it at once" in capsys.readouterr().err
    assert cli.run(["label", "mask.npy", "-o", "labels.npy", "--chunk", "9", *REFERENCE]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
@pytest.mark.parametrize("after", [2, 6], ids=["in the first pass", "in the second pass"])
def test_an_interrupted_run_goes_on(
    after: int, suffix: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    if suffix == ".zarr":
        pytest.importorskip("zarr")
    line = ["mask.npy", "--chunk", "5,30", "--checkpoint", "done.npz", "-o", f"labels{suffix}"]
    labelled = []
    label_chunk = ChunkedImage.label_chunk

    def interrupted(*arguments: Any, wraps: Any = None) -> Any:
        if wraps is None:  # it is no seam
            labelled.append(arguments)
        if len(labelled) > after:
            raise KeyboardInterrupt
        return label_chunk(*arguments, wraps=wraps)

    with monkeypatch.context() as patched:
        patched.setattr(ChunkedImage, "label_chunk", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cli.run(["label", *line, *REFERENCE])
    said = capsys.readouterr().err.strip()
    assert (
        said == "pointerjump: interrupted: done.npz holds what is done so far; run the same command to go on"
    )
    unfinished = f".labels{suffix}.continued.part"
    assert {file.name for file in Path().iterdir()} == {"mask.npy", "done.npz", unfinished}
    label(capsys, *line)
    assert np.array_equal(read_image(f"labels{suffix}").pixels[...], ndimage.label(MASK)[0])
    assert {file.name for file in Path().iterdir()} == {"mask.npy", f"labels{suffix}"}


def test_a_checkpoint_of_another_run_leaves_nothing_behind(capsys: Capture) -> None:
    np.savez("other.npz", about=np.array("{}"), parents=np.zeros(1, np.int32))
    before = sorted(Path().iterdir())
    said = refused(capsys, "mask.npy", "--chunk", 5, "--checkpoint", "other.npz", "-o", "labels.npy")
    assert "other.npz: " in said
    assert sorted(Path().iterdir()) == before


def test_nothing_is_left_of_a_run_that_cannot_go_on(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(ChunkedImage, "label_chunk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cli.run(["label", "mask.npy", "--chunk", "5", "-o", "labels.npy", *REFERENCE])
    assert capsys.readouterr().err.strip() == ""
    assert list(Path().iterdir()) == [Path("mask.npy")]


def test_wrong_labels_of_chunks_are_not_kept(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def wrong(*_: Any, out: Any, **__: Any) -> Any:
        out[...] = 1
        return out, 1

    monkeypatch.setattr("pointerjump.imaging.chunked_labels.label_chunks", wrong)
    line = ["label", "mask.npy", *REFERENCE, "--verify", "--chunk", "9", "-o", "labels.npy"]
    assert cli.run(line) == 1
    assert "is background, but has label 1" in capsys.readouterr().err
    assert list(Path().iterdir()) == [Path("mask.npy")]


# -- what is wrong is told -------------------------------------------------------------------------


@pytest.mark.parametrize("as_json", [True, False])
def test_wrong_labels_are_told_and_not_written(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def wrong(*arguments: Any, **options: Any) -> Any:
        labels, *more = FIND_LABELS(*arguments, **options)
        return np.minimum(labels, 1), *more

    monkeypatch.setattr("pointerjump.imaging.labels.find_labels", wrong)
    line = ["label", "mask.npy", *REFERENCE, "--verify", "-o", "labels.npy"]
    assert cli.run([*line, *(["--json"] if as_json else [])]) == 1
    said = capsys.readouterr()
    if as_json:
        document = json.loads(said.out)
        assert document["verified"] is False
        assert document["output"] is None
    why_not = document["why_not"] if as_json else said.err
    assert "both have label 1, but no path joins them" in why_not
    assert not Path("labels.npy").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--threshold 1 --multilabel", "--threshold makes a mask, in which --multilabel means nothing"),
        ("--threshold 1 --delta 0", "--threshold makes a mask, in which --delta means nothing"),
        ("--threshold 1 --background 0", "--threshold makes a mask, in which --background means nothing"),
        ("--threshold 1 --background none", "--threshold makes a mask, in which --background means"),
        ("--connectivity 3", "mask.npy: connectivity is 3, and the image has 2 dimensions: choose"),
        ("--wrap-axes 2", "mask.npy: wrap_axes has 2: choose from the image"),
        ("--wrap-axes 0,", "'0,' is not axes: write 0 or 0,1"),
        ("--delta -1", "mask.npy: delta is -1: give a difference of at least 0"),
        ("--delta inf", "'inf' is not a finite number"),
        ("--background nothing", "'nothing' is not a finite number"),
        ("--channel 0", "mask.npy: has no channels: leave out --channel; to label one channel"),
        ("--channel some", "'some' is not a channel: write a number from 0 on, or all"),
        ("--algorithm afforest", "afforest"),
        ("--variant a=b", "a"),
        ("--chunk 5", "mask.npy: --chunk is given: name a .npy or .zarr file for the labels by -o"),
        ("--chunk 5,5,5 -o labels.npy", "mask.npy: chunk is (5, 5, 5), and the image has shape (20, 30)"),
        ("--chunk 0 -o labels.npy", "mask.npy: chunk is 0"),
        ("--chunk a -o labels.npy", "'a' is not a chunk: write 256 or 64,512,512"),
        ("--chunk 5 -o labels.npz", "labels.npz: cannot be written part by part"),
        ("--chunk 5 -o labels.npy.gz", "labels.npy.gz: cannot be written part by part"),
        ("--chunk 5 --algorithm two-pass", "--chunk labels chunk by chunk, and --algorithm and --variant"),
        ("--checkpoint done.npz", "mask.npy: --checkpoint is given: name a .npy or .zarr file"),
        ("--checkpoint done.txt -o labels.npy", "done.txt"),
        ("--memory 1MiB --chunk 5 -o labels.npy", "--memory is 1.0 MiB, but the program and one block"),
        ("-o labels.csv", "labels.csv: has the suffix '.csv': images end in .npy"),
        ("-o -", "- would be standard output"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense(options: str, message: str, capsys: Capture) -> None:
    assert message in refused(capsys, "mask.npy", *options.split())
    assert list(Path().iterdir()) == [Path("mask.npy")]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((1, 1, 1, 1, 1)), "a.npy: the image has 5 dimensions"),
        (np.zeros(()), "a.npy: the image has 0 dimensions"),
        (np.zeros(3, complex), "a.npy: the image has dtype complex128"),
        (np.array(["a"]), "a.npy: the image has dtype <U1"),
        (np.zeros(3, [("r", "u1")]), "a.npy: the image has dtype"),
    ],
    ids=["5 dimensions", "none", "complex", "text", "records"],
)
def test_arrays_that_are_no_images(array: npt.NDArray[Any], message: str, capsys: Capture) -> None:
    np.save("a.npy", array)
    assert message in refused(capsys, "a.npy")
    assert message in refused(capsys, "a.npy", "--threshold", 1)


def test_inputs_that_are_no_files(capsys: Capture) -> None:
    assert "-: images are read from files: save standard input to one" in refused(capsys, "-")
    assert "has the suffix ''" in refused(capsys, "path:vertices=4")
    assert "none.npy: No such file or directory" in refused(capsys, "none.npy")


def test_an_output_that_cannot_hold_the_labels_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    pytest.importorskip("imageio")
    np.save("volume.npy", np.ones((2, 3, 4)))
    monkeypatch.setattr("pointerjump.imaging.labels.find_labels", lambda take, *how: take() and 1 / 0)
    said = refused(capsys, "volume.npy", "-o", "labels.png")
    assert "labels.png: cannot hold labels of 3 dimensions, but of 2: choose .npy" in said


def test_labels_that_cannot_be_checked_are_written_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(memory, "NOT_ASKED_ABOUT", 15_000)
    monkeypatch.setattr(memory, "available", lambda: (20_000, "here"))
    said = refused(capsys, "mask.npy", "--multilabel", "--verify", "-o", "labels.npy")
    assert "checking labels of 600 pixels would take 52.7 KiB" in said
    assert "labels.npy was written unchecked" in said
    assert np.array_equal(np.load("labels.npy"), ndimage.label(MASK)[0])


# -- what is left out, pictures and tables ---------------------------------------------------------------

SPOTS = np.kron([[9, 0, 7, 0], [0, 0, 7, 0], [8, 8, 0, 1]], np.ones((2, 3), int)).astype(np.uint8)


@pytest.mark.parametrize("chunk", [[], ["--chunk", "2"]])
@pytest.mark.parametrize("out", ["out.npy", "out.zarr"])
def test_components_are_left_out(out: str, chunk: list[str], capsys: Capture) -> None:
    zarr = pytest.importorskip("zarr")
    np.save("spots.npy", SPOTS)
    asked = ["label", "spots.npy", "--threshold", "0", *chunk, "--verify", "--json", "-o", out]
    kept = ["--min-size", "7", "--largest", "2", "--regions", "spots.csv"]
    assert cli.run([*asked, *kept]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["components"], found["found"], found["foreground"]) == (2, 4, 24)
    labels = pj.label(SPOTS > 0)
    expected = pj.largest(pj.remove_small(labels, 7), 2)
    written = np.load(out) if out.endswith("npy") else np.asarray(zarr.open(out)[...])
    np.testing.assert_array_equal(written, expected)
    table = pd.read_csv("spots.csv")
    for name, column in pj.regions(expected, SPOTS).table().items():
        np.testing.assert_allclose(table[name].astype(float), column.astype(float))


def test_nothing_is_written_that_is_not_asked_for(tmp_path: Path, capsys: Capture) -> None:
    np.save("spots.npy", SPOTS)
    assert (
        cli.run(["label", "spots.npy", "--threshold", "0", "--min-size", "8", "--regions", "t.parquet"]) == 0
    )
    assert "2 of 4" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mask.npy", "spots.npy", "t.parquet"]
    assert len(pd.read_parquet("t.parquet")) == 2


def test_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    imageio = pytest.importorskip("imageio.v3")
    np.save("spots.npy", SPOTS)
    assert cli.run(["label", "spots.npy", "--threshold", "otsu", "-o", "spots.png", "--overlay"]) == 0
    assert re.search(r"overlay +written to spots.png", capsys.readouterr().out)
    expected = pj.overlay(SPOTS, pj.label(SPOTS > 4))
    np.testing.assert_array_equal(imageio.imread("spots.png"), expected)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint32", "float32", "float64"])
def test_otsus_threshold_is_scikit_images(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    filters = pytest.importorskip("skimage.filters")
    rng = np.random.default_rng(5)
    for shape in ((50,), (9, 11), (5, 6, 7)):
        pixels = np.abs(rng.normal(30, 5, shape) + 40 * rng.integers(0, 2, shape)).astype(dtype)
        expected = filters.threshold_otsu(pixels)
        for at_once in (1 << 22, 30):
            monkeypatch.setattr(images, "AT_ONCE", at_once)
            assert images.otsu(pixels) == pytest.approx(expected, rel=1e-6)
            np.testing.assert_array_equal(pixels > images.otsu(pixels), pixels > expected)
    assert images.otsu(np.full((3, 3), 7, dtype)) == 7


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("ends", [(1.0, 1.0000000000000002), (-1e308, 1e308)])
def test_otsus_threshold_of_numbers_without_bins(ends: tuple[float, float]) -> None:
    with pytest.raises(pj.ImageError, match="too close together or too far apart"):
        images.otsu(np.array(ends))
    assert images.otsu(np.array([0, 10, 1e30, 1e30])) < 1e30


def test_otsus_threshold_of_integers_far_apart() -> None:
    assert 10 < images.otsu(np.array([0, 10, 2**40, 2**40 + 5])) < 2**40
    assert images.otsu(np.array([2**64 - 8, 2**64 - 7, 2**64 - 1], np.uint64)) == pytest.approx(2**64)
    assert images.otsu(np.array([-128, -127, 127], np.int8)) == -127


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--overlay", "name a .png file"),
        ("--overlay -o out.npy", "name a .png file"),
        ("--overlay -o out.png --chunk 2", "written part by part"),
        ("--min-size 2 --checkpoint c.npz -o out.npy", "leave one of them out"),
        ("--threshold best", "is not a finite number"),
        ("--regions out.npy", "tables end in"),
        ("--largest 0", "0"),
    ],
)
def test_what_does_not_go_together(options: str, said: str, tmp_path: Path, capsys: Capture) -> None:
    np.save("spots.npy", SPOTS)
    assert cli.run(["label", "spots.npy", *options.split()]) == 2
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mask.npy", "spots.npy"]


@pytest.mark.parametrize("pixels", [np.zeros((0, 2)), np.array([1.0, np.nan]), np.array([1.0, np.inf])])
def test_images_without_a_threshold(pixels: np.ndarray, tmp_path: Path, capsys: Capture) -> None:
    np.save(tmp_path / "strange.npy", pixels)
    assert cli.run(["label", str(tmp_path / "strange.npy"), "--threshold", "otsu"]) == 2
    assert "--threshold" in capsys.readouterr().err
