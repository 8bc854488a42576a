"""Tables of regions: ours, scikit-image's and cc3d's, one group of properties after the other.

    python benches/regions.py [--side 512] [--cell 11] [--dtype uint16] [--rounds 2] [--device cpu]

A cube of --side pixels is full of cells, about one for each cube of --cell pixels, beside a background. Sides
take turns, and ours is compared with scikit-image's table. Printed are seconds: median, least and greatest.
cc3d.statistics has sizes, boxes and centroids only; it is left out if it is not installed.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from made_images import cells

import pointerjump as pj

GROUPS = {
    "places": ("label", "area", "bbox", "centroid"),
    "shapes": ("axis_major_length", "axis_minor_length"),
    "extremes": ("intensity_min", "intensity_max"),
    "means": ("intensity_mean", "intensity_std"),
    "weighted centroids": ("centroid_weighted",),
}
GROUPS["all"] = tuple(name for names in GROUPS.values() for name in names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--side", type=int, default=512)
    parser.add_argument("--cell", type=int, default=11)
    parser.add_argument("--dtype", default="uint16")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--device")
    asked = parser.parse_args()
    from skimage.measure import regionprops_table

    labels = cells((asked.side,) * 3, asked.cell)
    image = np.random.default_rng(1).integers(0, 256, labels.shape, np.uint8).astype(asked.dtype)
    image += labels.astype(image.dtype)
    print(f"{labels.shape} {labels.dtype}, {labels.max():,} labels, intensities {image.dtype}", flush=True)
    for group, names in GROUPS.items():
        sides: dict[str, Callable[[], Any]] = {
            "ours": lambda names=names: pj.regions(
                labels, image, properties=names, device=asked.device
            ).table(),
            "scikit-image": lambda names=names: regionprops_table(labels, image, properties=names),
        }
        if group == "places":
            try:
                from cc3d import statistics

                sides["cc3d"] = lambda statistics=statistics: statistics(labels)
            except ImportError:
                pass
        spent: defaultdict[str, list[float]] = defaultdict(list)
        sides["ours"]()  # builds kernels
        for _ in range(asked.rounds):
            found = {}
            for side, work in sides.items():
                began = perf_counter()
                found[side] = work()
                spent[side].append(perf_counter() - began)
            for column, expected in found["scikit-image"].items():
                np.testing.assert_allclose(found["ours"][column], expected, 1e-6, 1e-5, err_msg=column)
        for side, each in spent.items():
            print(f"{group}, {side}: {median(each):.2f} s ({min(each):.2f} to {max(each):.2f})", flush=True)
        ratio = median(spent["scikit-image"]) / median(spent["ours"])
        print(f"{group}: scikit-image takes {ratio:.1f} times as long", flush=True)


if __name__ == "__main__":
    main()
