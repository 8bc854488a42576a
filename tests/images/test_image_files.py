"""Images in files: what other programs write is read, labels are written whole, damage is told in a line."""

from __future__ import annotations

import errno
import gzip
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import warnings
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pointerjump.base import memory
from pointerjump.errors import FormatError, FormatWarning, MemoryLimitError, PointerjumpError
from pointerjump.formats.images import (
    BY_SUFFIX,
    ImageFile,
    UnfinishedLabels,
    read_image,
    require_image_file,
    write_image,
)

Pixels = npt.NDArray[Any]

MASK = np.array([[0, 1, 1, 0, 0], [0, 0, 0, 2, 2], [1, 0, 0, 2, 0]], np.uint8)
WRITTEN = (".npy", ".npy.gz", ".npz", ".png", ".tif", ".tiff", ".nii", ".nii.gz", ".zarr")
posix = pytest.mark.skipif(os.name != "posix", reason="modes and pipes are POSIX's")


def need(suffix: str) -> None:
    """Skip the test if what reads such files is not installed."""
    needs = BY_SUFFIX["." + suffix.split(".")[1]].needs
    if needs is not None:
        pytest.importorskip(needs[0])


def labels(*shape: int) -> Pixels:
    return np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape) % 50_000


def read(path: Path, channel: Any = None) -> Pixels:
    found: Pixels = read_image(path, channel).pixels[...]
    return found


def save(path: Path, array: Pixels) -> Path:
    """Write an image as an image of its own labels."""
    write_image(path, array, ImageFile(array))
    return path


# -- there and back --------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(7,), (5, 6), (2, 5, 6), (3, 5, 6), (2, 3, 4, 3), (1, 1, 4), (6, 1)])
@pytest.mark.parametrize("suffix", WRITTEN)
def test_labels_come_back(suffix: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    need(suffix)
    least, most = BY_SUFFIX["." + suffix.split(".")[1]].axes
    path = tmp_path / f"labels{suffix}"
    if not least <= len(shape) <= most:
        with pytest.raises(FormatError, match=f"cannot hold labels of {len(shape)} dimensions, but of"):
            save(path, labels(*shape))
        with pytest.raises(FormatError, match=f"cannot hold labels of {len(shape)} dimensions, but of"):
            require_image_file(path, shape)
        return
    require_image_file(path, shape)
    save(path, labels(*shape))
    back = read(path)
    assert back.shape == shape
    assert back.dtype == (np.uint16 if suffix == ".png" else np.int32)
    assert np.array_equal(back, labels(*shape))
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".tif", ".nii", ".zarr"])
def test_wide_labels_come_back(suffix: str, tmp_path: Path) -> None:
    need(suffix)
    wide = labels(3, 4).astype(np.int64) << 33
    back = read(save(tmp_path / f"labels{suffix}", wide))
    assert back.dtype == np.int64
    assert np.array_equal(back, wide)


@pytest.mark.parametrize("suffix", WRITTEN)
def test_images_without_pixels(suffix: str, tmp_path: Path) -> None:
    need(suffix)
    if suffix.startswith((".npy", ".npz", ".zarr")):
        assert read(save(tmp_path / f"labels{suffix}", labels(0, 5))).shape == (0, 5)
    else:
        with pytest.raises(FormatError, match=r"cannot hold an image without pixels: choose \.npy"):
            save(tmp_path / f"labels{suffix}", labels(0, 5))


def test_a_png_of_too_many_labels(tmp_path: Path) -> None:
    need(".png")
    with pytest.raises(
        FormatError, match=r"cannot hold 65,536 labels: a PNG has 16 bits, for 65,535: choose"
    ):
        save(tmp_path / "labels.png", np.array([[65_536]]))
    assert not list(tmp_path.iterdir())
    assert read(save(tmp_path / "labels.png", np.array([[65_535]]))) == 65_535


# -- NumPy's arrays --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", ">i4", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_mapped(dtype: str, order: Any, tmp_path: Path) -> None:
    array = np.asarray(labels(4, 5, 6).astype(dtype), order=order)
    np.save(tmp_path / "a.npy", array)
    back = read(tmp_path / "a.npy")
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)
    assert back.flags.f_contiguous == (order == "F")
    assert not back.flags.owndata, "it lies in the file"


def test_archives_of_several_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", image=MASK)
    assert np.array_equal(read(tmp_path / "a.npz"), MASK)
    np.savez(tmp_path / "a.npz", image=MASK, more=MASK)
    with pytest.raises(FormatError, match=r"a\.npz: holds 2 arrays, and one is needed: save it alone"):
        read(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz")
    with pytest.raises(FormatError, match="holds 0 arrays"):
        read(tmp_path / "a.npz")


def test_arrays_of_objects_are_not_unpickled(tmp_path: Path) -> None:
    objects: Any = np.array([print], object)
    np.save(tmp_path / "a.npy", objects)
    np.savez(tmp_path / "a.npz", objects)
    for name in ("a.npy", "a.npz"):
        with pytest.raises(FormatError, match=r"is damaged, or not what np\.save writes"):
            read(tmp_path / name)


# -- pictures --------------------------------------------------------------------------------------


def picture(path: Path, pixels: Pixels, mode: str | None = None, **options: Any) -> Path:
    """Save a picture by Pillow."""
    image = pytest.importorskip("PIL.Image").fromarray(pixels)
    (image.convert(mode) if mode else image).save(path, **options)
    return path


@pytest.mark.parametrize("suffix", [".png", ".bmp", ".gif", ".pgm", ".webp", ".PNG"])
def test_grey_pictures(suffix: str, tmp_path: Path) -> None:
    need(".png")
    lossless = {"lossless": True} if suffix == ".webp" else {}
    path = picture(tmp_path / f"a{suffix}", MASK * 100, **lossless)
    assert np.array_equal(read(path), MASK * 100)


@pytest.mark.parametrize("suffix", [".png", ".pbm", ".bmp"])
def test_pictures_of_bits(suffix: str, tmp_path: Path) -> None:
    need(".png")
    assert np.array_equal(read(picture(tmp_path / f"a{suffix}", MASK > 0)) > 0, MASK > 0)


def test_pictures_of_16_bits_and_photographs(tmp_path: Path) -> None:
    need(".png")
    wide = MASK.astype(np.uint16) * 30_000
    assert np.array_equal(read(picture(tmp_path / "a.png", wide)), wide)
    assert read(picture(tmp_path / "a.jpg", MASK)).shape == MASK.shape


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA"])
def test_greys_stored_as_colors_are_greys(mode: str, tmp_path: Path) -> None:
    need(".png")
    path = picture(tmp_path / "a.png", MASK, mode)
    assert np.array_equal(read(path), MASK)
    for channel in range(len(mode)):
        opaque = np.full_like(MASK, 255) if mode[channel] == "A" else MASK
        assert np.array_equal(read(path, channel), opaque)


def test_of_colors_one_has_to_be_chosen(tmp_path: Path) -> None:
    need(".png")
    colors = np.dstack([MASK, MASK * 2, MASK * 3])
    path = picture(tmp_path / "a.png", colors)
    with pytest.raises(
        FormatError, match=r"has 3 channels, and one can be labelled: choose --channel 0 to 2, or all"
    ):
        read(path)
    assert np.array_equal(read(path, 1), MASK * 2)
    with pytest.raises(FormatError, match="has no channel 3: choose from 0 to 2"):
        read(path, 3)
    translucent = picture(tmp_path / "b.png", np.dstack([MASK, MASK, MASK, 255 - MASK]))
    with pytest.raises(FormatError, match="has 4 channels"):
        read(translucent)
    with pytest.raises(FormatError, match="has no channels: leave out --channel"):
        read(picture(tmp_path / "c.png", MASK), 0)


@pytest.mark.parametrize("suffix", [".png", ".gif", ".tif"])
@pytest.mark.parametrize(
    ("palette", "expected"),
    [
        ([0, 0, 0, 255, 0, 0, 0, 255, 0], MASK),
        ([255, 255, 255, 7, 7, 7, 0, 0, 0], np.array([255, 7, 0])[MASK]),
        ([255, 255, 255, 255, 0, 0, 0, 255, 0], "has a palette whose first color is not black"),
    ],
    ids=["kinds of objects", "greys", "colors"],
)
def test_palettes(palette: list[int], expected: Any, suffix: str, tmp_path: Path) -> None:
    need(".png")
    need(suffix)
    image = pytest.importorskip("PIL.Image").fromarray(MASK).convert("P")
    image.putpalette(palette)
    path = tmp_path / f"a{suffix}"
    image.save(path)
    if isinstance(expected, str):
        with pytest.raises(FormatError, match=expected):
            read(path)
    else:
        assert np.array_equal(read(path), expected)


def test_pictures_of_other_kinds_are_not_opened(tmp_path: Path) -> None:
    """Not even if they are called .png: Pillow would run Ghostscript, for example."""
    need(".png")
    (tmp_path / "a.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EOF\n")
    with pytest.raises(FormatError, match=r"a\.png: is no picture of a known kind \(\.png, \.bmp, "):
        read(tmp_path / "a.png")
    assert np.array_equal(read(picture(tmp_path / "b.bmp", MASK).rename(tmp_path / "b.png")), MASK)


@pytest.mark.parametrize("suffix", [".gif", ".png", ".webp"])
def test_animations_are_refused(suffix: str, tmp_path: Path) -> None:
    need(".png")
    more = pytest.importorskip("PIL.Image").fromarray(255 - MASK * 100)
    path = picture(tmp_path / f"a{suffix}", MASK * 100, save_all=True, append_images=[more])
    with pytest.raises(FormatError, match="holds 2 pictures, as an animation does"):
        read(path)


# -- TIFF ------------------------------------------------------------------------------------------


def test_stacks_are_volumes(tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    stack = labels(4, 5, 6).astype(np.uint16)
    with tifffile.TiffWriter(tmp_path / "pages.tif") as pages:
        for page in stack:
            pages.write(page, photometric="minisblack", contiguous=False, metadata=None)
    tifffile.imwrite(tmp_path / "imagej.tif", stack, imagej=True, metadata={"axes": "ZYX"})
    tifffile.imwrite(tmp_path / "zlib.tif", stack, compression="zlib", photometric="minisblack")
    tifffile.imwrite(tmp_path / "big.tif", stack, bigtiff=True, photometric="minisblack")
    tifffile.imwrite(
        tmp_path / "ome.ome.tif", stack, ome=True, photometric="minisblack", metadata={"axes": "ZYX"}
    )
    for path in tmp_path.iterdir():
        assert np.array_equal(read(path), stack), path


def test_channels_of_a_tiff(tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    stack = labels(4, 3, 5, 6).astype(np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", stack, imagej=True, metadata={"axes": "ZCYX"})
    assert np.array_equal(read(tmp_path / "a.tif", 2), stack[:, 2])
    with pytest.raises(FormatError, match=r"has 3 channels, .* or all if they are slices of a"):
        read(tmp_path / "a.tif")
    assert np.array_equal(read(tmp_path / "a.tif", "all"), stack)
    colors = np.dstack([MASK, MASK, MASK])
    tifffile.imwrite(tmp_path / "b.tif", colors, photometric="rgb")
    assert np.array_equal(read(tmp_path / "b.tif"), MASK)
    tifffile.imwrite(tmp_path / "c.tif", np.stack([colors] * 3), photometric="rgb", metadata={"axes": "CYXS"})
    assert read(tmp_path / "c.tif", "all").shape == (3, *MASK.shape, 3)
    with pytest.raises(FormatError, match=r"has channels along several axes .*CYXS.*: save one"):
        read(tmp_path / "c.tif", 0)


def test_several_images_in_a_tiff(tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    with tifffile.TiffWriter(tmp_path / "a.tif") as pages:
        pages.write(MASK)
        pages.write(MASK[1:])
    with pytest.raises(FormatError, match="holds 2 images that differ in shape or type"):
        read(tmp_path / "a.tif")


def test_a_tiff_that_needs_more_to_be_decompressed(tmp_path: Path) -> None:
    need(".tif")
    path = picture(tmp_path / "a.tif", MASK, compression="group4", mode="1")
    try:
        import imagecodecs  # noqa: F401
    except ImportError:
        with pytest.raises(
            FormatError, match="compressed by CCITTFAX4, which needs imagecodecs: pip install"
        ):
            read(path)
    else:
        assert np.array_equal(read(path), MASK > 0)


def test_remarks_of_a_library_are_warnings_of_one_line(tmp_path: Path) -> None:
    """Here it is what stands for missing data, which matters to nobody."""
    tifffile = pytest.importorskip("tifffile")
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, MASK, extratags=[(42113, 2, 0, "nothing", True)])
    with pytest.warns(FormatWarning, match=r"a\.tif: .*parsing GDAL_NODATA tag raised") as caught:
        assert np.array_equal(read(path), MASK)
    assert len(caught) == 1
    assert len(str(caught[0].message).splitlines()) == 1


# -- NIfTI -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Nifti1Image", "Nifti2Image"])
@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
def test_labels_of_a_nifti_lie_where_it_lies(kind: str, suffix: str, tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    affine = np.array([[0, 2.0, 0, 5], [-3, 0, 0, 6], [0, 0, 4, 7], [0, 0, 0, 1]])
    image = getattr(nibabel, kind)(labels(3, 4, 5).astype(np.int16), affine)
    image.header.set_xyzt_units("mm", "sec")
    image.header["descrip"] = b"a scan"
    image.header["cal_max"] = 100
    nibabel.save(image, tmp_path / f"scan{suffix}")
    scan = read_image(tmp_path / f"scan{suffix}")
    assert scan.pixels.dtype == np.int16
    assert np.array_equal(scan.pixels, labels(3, 4, 5))
    write_image(tmp_path / f"labels{suffix}", labels(3, 4, 5), scan)
    back = nibabel.load(tmp_path / f"labels{suffix}")
    assert type(back) is getattr(nibabel, kind)
    assert np.array_equal(back.affine, affine)
    assert back.header.get_xyzt_units() == ("mm", "sec")
    assert back.header["descrip"] == b"a scan"
    assert back.header["cal_max"] == 0
    assert back.get_data_dtype() == np.int32
    assert np.array_equal(np.asarray(back.dataobj), labels(3, 4, 5))


def test_scaled_values_are_read_and_labels_are_not_scaled(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    nibabel.save(nibabel.Nifti1Image(MASK, None), tmp_path / "scan.nii")
    with (tmp_path / "scan.nii").open("r+b") as file:
        file.seek(112)
        file.write(struct.pack("<ff", 0.25, -1))
    scan = read_image(tmp_path / "scan.nii")
    assert np.array_equal(scan.pixels, MASK / 4 - 1)
    write_image(tmp_path / "labels.nii", labels(3, 5), scan)
    assert np.array_equal(read(tmp_path / "labels.nii"), labels(3, 5))


def test_axes_too_long_for_nifti_1(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    long = labels(40_000, 2)
    assert np.array_equal(read(save(tmp_path / "labels.nii", long)), long)
    assert isinstance(nibabel.load(tmp_path / "labels.nii"), nibabel.Nifti2Image)


# -- zarr ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [2, 3])
def test_labels_of_a_zarr_array_have_its_chunks(version: Any, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(
        tmp_path / "a.zarr", shape=(9, 10), chunks=(4, 3), dtype="u1", zarr_format=version
    )
    array[...] = labels(9, 10)
    image = read_image(tmp_path / "a.zarr")
    assert (image.pixels.shape, image.pixels.dtype, image.pixels.chunks) == ((9, 10), np.uint8, (4, 3))
    assert np.array_equal(image.pixels[2:5, 3:], labels(9, 10)[2:5, 3:])
    write_image(tmp_path / "b.zarr", labels(9, 10), image)
    back = zarr.open(tmp_path / "b.zarr", mode="r")
    assert (back.metadata.zarr_format, back.chunks, back.dtype) == (version, (4, 3), np.int32)
    assert np.array_equal(back[...], labels(9, 10))


def test_groups_of_zarr(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    group = zarr.create_group(tmp_path / "a.zarr")
    with pytest.raises(FormatError, match=r"is a group with 0 arrays \(none\), and one is needed"):
        read(tmp_path / "a.zarr")
    group.create_array("image", data=MASK)
    assert np.array_equal(read(tmp_path / "a.zarr"), MASK)
    assert np.array_equal(read(tmp_path / "a.zarr" / "image"), MASK)
    group.create_array("more", data=MASK + 1)
    with pytest.raises(FormatError, match=r"is a group with 2 arrays \(image, more\).*as in a\.zarr.NAME"):
        read(tmp_path / "a.zarr")
    assert np.array_equal(read(tmp_path / "a.zarr" / "more"), MASK + 1)
    require_image_file(tmp_path / "a.zarr" / "labels")
    write_image(tmp_path / "a.zarr" / "labels", labels(3, 5), read_image(tmp_path / "a.zarr" / "image"))
    assert np.array_equal(zarr.open(tmp_path / "a.zarr", mode="r")["labels"][...], labels(3, 5))


@pytest.mark.parametrize("filters", [["vlen-utf8", "pickle"], ["vlen-bytes", "pickle"], ["vlen-utf8"]])
def test_objects_in_a_zarr_array_are_not_read(filters: list[str], tmp_path: Path) -> None:
    """A pickle could run any program."""
    need(".zarr")
    (tmp_path / "a.zarr").mkdir()
    facts = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|O", "order": "C", "fill_value": ""}
    codecs = {"filters": [{"id": name} for name in filters], "compressor": None}
    (tmp_path / "a.zarr" / ".zarray").write_text(json.dumps({**facts, **codecs}))
    (tmp_path / "a.zarr" / "0").write_bytes(pickle.dumps([1, 2, 3, 4]))
    with pytest.raises(FormatError, match="holds objects, and not only numbers"):
        read_image(tmp_path / "a.zarr")


def test_a_folder_is_replaced_only_by_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(".zarr")
    import zarr

    path = save(tmp_path / "a.zarr", labels(9, 10))
    require_image_file(path)
    save(path, labels(3, 4))
    assert np.array_equal(read(path), labels(3, 4))

    def make_and_fail(store: str, **_: object) -> None:
        Path(store).mkdir()
        (Path(store) / "half").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(zarr, "create_array", make_and_fail)
    with pytest.raises(KeyboardInterrupt):
        save(path, labels(9, 10))
    assert np.array_equal(read(path), labels(3, 4))
    assert [file.name for file in tmp_path.iterdir()] == ["a.zarr"]


def test_an_older_folder_comes_back_if_it_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(".zarr")
    path = save(tmp_path / "a.zarr", labels(3, 4))
    rename = Path.rename

    def refuse(folder: Path, target: Path) -> Path:
        if target.name == "a.zarr" and not any(target.parent.glob("*.zarr.tried")):
            (target.parent / "once.zarr.tried").touch()
            raise PermissionError(13, "Permission denied")
        return rename(folder, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(FormatError, match=r"a\.zarr: Permission denied"):
        save(path, labels(9, 10))
    assert np.array_equal(read(path), labels(3, 4))


def test_other_folders_are_not_replaced(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    folder, group, file = tmp_path / "a.zarr", tmp_path / "b.zarr", tmp_path / "c.zarr"
    folder.mkdir()
    (folder / "precious").touch()
    zarr.create_group(group).create_array("image", data=MASK)
    file.touch()
    for path in (folder, group):
        with pytest.raises(FormatError, match="is a folder that is no zarr array, so it is not replaced"):
            require_image_file(path)
    with pytest.raises(FormatError, match="is a file, and a folder is to be written"):
        require_image_file(file)


# -- part by part ----------------------------------------------------------------------------------

WHOLE = (slice(0, 9), slice(0, 10))
PART = (slice(2, 7), slice(3, 10))
SEVENS = np.full((5, 7), 7)


@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
@pytest.mark.parametrize("continued", [False, True])
def test_labels_are_written_part_by_part(continued: bool, suffix: str, tmp_path: Path) -> None:
    need(suffix)
    path = save(tmp_path / f"a{suffix}", labels(2, 3))
    mode = path.stat().st_mode
    parts = UnfinishedLabels(path, (9, 10), np.int32, ImageFile(MASK, zarr=(3, (4, 3))), continued)
    parts.array[WHOLE] = labels(9, 10)
    parts.array[PART] = SEVENS
    assert np.array_equal(read(path), labels(2, 3)), "nothing has taken its place yet"
    parts.put_in_place()
    parts.remove()
    expected = labels(9, 10)
    expected[PART] = 7
    assert np.array_equal(read(path), expected)
    assert path.stat().st_mode == mode
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
def test_labels_that_an_interrupted_run_has_left(suffix: str, tmp_path: Path) -> None:
    need(suffix)
    path, like = tmp_path / f"a{suffix}", ImageFile(MASK)
    UnfinishedLabels(path, (9, 10), np.int32, like, continued=True).array[PART] = SEVENS
    (left,) = tmp_path.iterdir()
    again = UnfinishedLabels(path, (9, 10), np.int32, like, continued=True)
    assert np.all(again.array[PART] == 7)
    assert np.all(UnfinishedLabels(path, (9, 11), np.int32, like, continued=True).array[PART] == 0)
    UnfinishedLabels(path, (9, 10), np.int32, like, continued=True).array[PART] = SEVENS
    assert np.all(UnfinishedLabels(path, (9, 10), np.int64, like, continued=True).array[PART] == 0)
    for file in [left] if left.is_file() else left.iterdir():
        if file.is_file():
            file.write_text("no labels at all")
    again = UnfinishedLabels(path, (9, 10), np.int32, like, continued=True)
    assert np.all(again.array[PART] == 0)
    again.remove()
    assert not list(tmp_path.iterdir())


def test_two_runs_do_not_write_to_the_same_file(tmp_path: Path) -> None:
    one, other = (UnfinishedLabels(tmp_path / "a.npy", (3, 4), np.int32, ImageFile(MASK)) for _ in range(2))
    one.array[:], other.array[:] = 1, 2
    assert np.all(one.array == 1)
    assert len(list(tmp_path.iterdir())) == 2


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.xyz", r"has the suffix '\.xyz': images end in \.npy, \.npz, \.png, "),
        ("a", "has the suffix ''"),
        ("", "the path is empty"),
        ("a\0.npy", "no file can have this name"),
        ("missing.npy", "No such file or directory"),
        ("missing.zarr", "No such file or directory"),
        ("folder.npy", "is a folder: name a file in it"),
        ("folder.tif", "is a folder: name a file in it"),
        ("folder.zarr", "is damaged, or not a folder of zarr"),
        ("empty.npy", "is empty"),
        ("empty.nii", "is empty"),
        ("empty.npz", "is empty"),
        ("a.png.gz", r"cannot be compressed as a whole: leave out \.gz"),
    ],
)
def test_names_that_are_refused(name: str, message: str, tmp_path: Path) -> None:
    if Path(name).suffix in BY_SUFFIX:
        need(Path(name).suffix)
    for kind in (".npy", ".tif", ".zarr"):
        (tmp_path / f"folder{kind}").mkdir()
    for kind in (".npy", ".nii", ".npz"):
        (tmp_path / f"empty{kind}").touch()
    with pytest.raises(FormatError, match=message) as caught:
        read_image(os.path.join(tmp_path, name) if name else name)  # noqa: PTH118  pathlib drops what is wrong
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.csv", r"has the suffix '\.csv': images end in"),
        ("a.jpg", r"cannot hold labels, as \.jpg can only be read: choose from \.npy, "),
        ("a.tif.gz", r"cannot be compressed as a whole: leave out \.gz"),
        ("none/a.npy", "there is no such folder"),
        ("none/a.zarr", "there is no such folder"),
        ("folder.npy", "is a folder: name a file in it"),
    ],
)
def test_outputs_that_are_refused_early(name: str, message: str, tmp_path: Path) -> None:
    if Path(name).suffix in BY_SUFFIX:
        need(Path(name).suffix)
    need(".tif")
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(FormatError, match=message):
        require_image_file(tmp_path / name)


@pytest.mark.parametrize(
    ("suffix", "library", "extra"),
    [(".png", "imageio", "png"), (".tif", "tifffile", "tiff"), (".nii.gz", "nibabel", "nifti"),
     (".zarr", "zarr", "zarr")],
)  # fmt: skip
def test_a_missing_library_is_named_with_the_way_to_get_it(
    suffix: str, library: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    path = tmp_path / f"a{suffix}"
    message = rf"a{suffix}: needs {library}, which is not installed: pip install 'pointerjump\[{extra}\]'$"
    with pytest.raises(FormatError, match=message):
        read_image(path)
    with pytest.raises(FormatError, match=message):
        require_image_file(path)


@posix
def test_files_that_may_not_be_read() -> None:
    with tempfile.TemporaryDirectory() as name:  # tmp_path is root's alone, and root may read everything
        folder = Path(name)
        folder.chmod(0o755)
        paths = [save(folder / f"a{suffix}", labels(3, 4)) for suffix in WRITTEN if _is_here(suffix)]
        for path in paths:
            path.chmod(0)
        user = os.geteuid()
        try:
            if user == 0:
                os.seteuid(65534)
            for path in paths:
                with pytest.raises(FormatError, match=rf"{path.name}: Permission denied"):
                    read(path)
        finally:
            os.seteuid(user)
        for path in paths:
            path.chmod(0o700)


@posix
@pytest.mark.parametrize("suffix", [".npy", ".tif", ".nii.gz"])
def test_pipes(suffix: str, tmp_path: Path) -> None:
    """What comes through a pipe is read as from a file."""
    import threading

    need(suffix)
    content = save(tmp_path / f"a{suffix}", labels(3, 4)).read_bytes()
    pipe = tmp_path / f"pipe{suffix}"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[content])
    writer.start()
    assert np.array_equal(read(pipe), labels(3, 4))
    writer.join()


LIMITED = """
import resource, sys
import numpy as np
from pointerjump.errors import FormatError
from pointerjump.formats.images import ImageFile, UnfinishedLabels, write_image
labels = np.random.default_rng(1).integers(0, 1 << 16, (300, 1000), np.int32)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
for path in sys.argv[1:]:
    try:
        write_image(path, labels, ImageFile(labels))
    except FormatError as error:
        print(error)
try:
    UnfinishedLabels(sys.argv[1], labels.shape, labels.dtype, ImageFile(labels))
except FormatError as error:
    print(error)
"""


@posix
def test_files_that_may_not_grow(tmp_path: Path) -> None:
    """What was there stays, and no part of what could not be written."""
    paths = [tmp_path / f"labels{suffix}" for suffix in WRITTEN if _is_here(suffix)]
    for path in paths:
        if path.suffix == ".zarr":
            save(path, labels(2, 3))
        else:
            path.write_bytes(b"precious")
    before = sorted(tmp_path.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *paths], capture_output=True, text=True, check=False
    )
    told = [f"{path}: {os.strerror(errno.EFBIG)}" for path in [*paths, paths[0]]]
    assert done.stdout.splitlines() == told, done.stderr
    assert sorted(tmp_path.rglob("*")) == before
    assert all(path.read_bytes() == b"precious" for path in paths if path.suffix != ".zarr")


# -- damage and bombs ------------------------------------------------------------------------------

DAMAGED = (".npy", ".npy.gz", ".npz", ".png", ".bmp", ".gif", ".pgm", ".webp", ".tif", ".nii", ".nii.gz")


def small(suffix: str, folder: Path) -> Path:
    """Return a small image file."""
    path = folder / f"small{suffix}"
    if BY_SUFFIX["." + suffix.split(".")[1]].write is None:
        return picture(path, MASK * 100, **({"lossless": True} if suffix == ".webp" else {}))
    if suffix != ".tif":
        return save(path, MASK.astype(np.int32))
    tifffile = pytest.importorskip("tifffile")
    tifffile.imwrite(path, np.stack([MASK] * 2), compression="zlib", photometric="minisblack", metadata=None)
    return path


@pytest.mark.parametrize("suffix", DAMAGED)
def test_files_that_are_cut_short(suffix: str, tmp_path: Path) -> None:
    """Some formats end with what nobody needs: then all pixels are there."""
    need(suffix)
    path = small(suffix, tmp_path)
    content, pixels = path.read_bytes(), read(path).copy()
    cuts = range(0, len(content), max(1, len(content) // 90))
    refused = 0
    for cut in cuts:
        path.write_bytes(content[:cut])
        try:
            assert np.array_equal(read(path), pixels), cut
        except PointerjumpError:
            refused += 1
    assert refused > 0.7 * len(cuts)


@pytest.mark.parametrize("suffix", DAMAGED)
def test_files_with_a_damaged_byte(suffix: str, tmp_path: Path) -> None:
    """Whatever a file holds, it is an image or a clear error."""
    need(suffix)
    path = small(suffix, tmp_path)
    content = path.read_bytes()
    for place in range(0, min(len(content), 400), 5):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            with suppress(PointerjumpError):
                assert read(path).ndim


@pytest.mark.parametrize("damage", ["cut", "turned", "emptied"])
def test_damaged_folders_of_zarr(damage: str, tmp_path: Path) -> None:
    need(".zarr")
    path = save(tmp_path / "a.zarr", labels(4, 5))
    files = [file for file in path.rglob("*") if file.is_file()]
    assert len(files) >= 2
    for file in files:
        content = file.read_bytes()
        turned = content[:9] + bytes([content[9] ^ 0xFF]) + content[10:]
        file.write_bytes({"cut": content[: len(content) // 2], "turned": turned, "emptied": b""}[damage])
        with pytest.raises(FormatError, match="is damaged, or not a") as caught:
            read(path)
        assert len(str(caught.value).splitlines()) == 1
        file.write_bytes(content)


def bomb(suffix: str) -> bytes:
    """Return a small file that states, or unpacks to, a huge image."""
    side = 1 << 20
    if suffix == ".png":
        return _png_header(side)
    if suffix == ".nii.gz":
        return gzip.compress(_nifti_header(side))
    if suffix == ".tif":
        tags = [
            (256, side),
            (257, side),
            (258, 8),
            (259, 1),
            (262, 1),
            (273, 200),
            (278, side),
            (279, 2**32 - 1),
        ]
        entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
        return b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(100)
    header = BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|u1", "fortran_order": False, "shape": (side, side)}
    )
    if suffix == ".npz":
        archive = BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as members:
            members.writestr("a.npy", header.getvalue() + bytes(1 << 20))
        return archive.getvalue()
    return gzip.compress(header.getvalue() + bytes(1 << 20)) if suffix == ".npy.gz" else header.getvalue()


def _png_header(side: int) -> bytes:
    import zlib

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000)))


def _nifti_header(side: int) -> bytes:
    header = bytearray(540)
    struct.pack_into("<i8s", header, 0, 540, b"n+2\0\r\n\x1a\n")
    struct.pack_into("<hh8q", header, 12, 2, 8, 2, side, side, 1, 1, 1, 1, 1)
    struct.pack_into("<q", header, 168, 544)
    return bytes(header) + bytes(1 << 10)


@pytest.mark.parametrize("suffix", [".npy", ".npy.gz", ".npz", ".png", ".tif", ".nii.gz"])
def test_bombs_are_refused_before_anything_is_allocated(suffix: str, tmp_path: Path) -> None:
    need(suffix)
    path = tmp_path / f"a{suffix}"
    path.write_bytes(bomb(suffix))
    with pytest.raises((MemoryLimitError, FormatError), match=r"are free|truncated") as caught:
        read(path)
    assert len(str(caught.value).splitlines()) == 1


def test_zarr_arrays_larger_than_memory_are_read_in_parts(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    zarr.create_array(tmp_path / "a.zarr", shape=(1 << 24, 1 << 24), chunks=(1 << 10, 1 << 10), dtype="u1")
    pixels = read_image(tmp_path / "a.zarr").pixels
    with pytest.raises(MemoryLimitError, match=r"a\.zarr: its pixels of shape .* would take .* are free"):
        pixels[...]
    assert pixels[5:7, 5:8].shape == (2, 3)
    zarr.create_array(tmp_path / "b.zarr", shape=(4,), chunks=(1 << 50,), dtype="u1")
    with pytest.raises(MemoryLimitError, match=r"b\.zarr: a chunk of shape .* would take .* are free"):
        read(tmp_path / "b.zarr")


def test_what_needs_memory_asks_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [save(tmp_path / f"a{suffix}", labels(40, 50)) for suffix in WRITTEN if _is_here(suffix)]
    monkeypatch.setattr(memory, "available", lambda: (1000, "here"))
    monkeypatch.setattr(memory, "NOT_ASKED_ABOUT", 500)
    for path in paths:
        if path.suffix in (".npy", ".nii"):
            assert read(path).shape == (40, 50), "it is mapped"
        else:
            with pytest.raises(MemoryLimitError, match="only 1000 bytes are free here"):
                read(path)


def _is_here(suffix: str) -> bool:
    from importlib.util import find_spec

    needs = BY_SUFFIX["." + suffix.split(".")[1]].needs
    return needs is None or find_spec(needs[0]) is not None
