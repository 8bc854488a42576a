"""Connected components and list ranking by pointer jumping, on any OpenCL device.

Nothing is imported, and no device is looked for, until a name is first used.
"""

from __future__ import annotations

from pointerjump.version import __version__

TYPE_CHECKING = False  # typing's own would have to be imported, which takes half of the import's time
if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import devices
    from pointerjump.chunked_labels import label_chunks
    from pointerjump.connectivity import components
    from pointerjump.csgraph import connected_components
    from pointerjump.device_graph import DeviceGraph, to_device
    from pointerjump.disjoint_set import DisjointSet
    from pointerjump.errors import (
        AlgorithmError,
        CacheWarning,
        DeviceError,
        DeviceWarning,
        FormatError,
        FormatWarning,
        GraphError,
        ImageError,
        ListError,
        MemoryLimitError,
        PointerjumpError,
        PointerjumpWarning,
        SpecError,
        TableError,
        VerificationError,
    )
    from pointerjump.formats import (
        Blocks,
        read,
        read_blocks,
        read_labels,
        read_successors,
        write_labels,
        write_successors,
    )
    from pointerjump.generators import generate
    from pointerjump.graph import Graph
    from pointerjump.ids.components import TableComponents
    from pointerjump.ids.interning import number_ids
    from pointerjump.ids.thresholds import ThresholdComponents, components_at
    from pointerjump.image_verifier import verify_labels
    from pointerjump.inputs import write
    from pointerjump.label_regions import Contacts, Regions, contacts, largest, regions, remove_small
    from pointerjump.labels import label
    from pointerjump.lists import DeviceList, list_rank, list_scan
    from pointerjump.parallel import forest_of, merge_forests
    from pointerjump.registry import algorithms
    from pointerjump.result import Components, spanning_forest
    from pointerjump.verifier import verify, verify_blocks, verify_forest, verify_ranks

_HOME = {
    "Graph": "graph",
    "Components": "result",
    "components": "connectivity",
    "components_at": "ids.thresholds",
    "connected_components": "csgraph",
    "TableComponents": "ids.components",
    "forest_of": "parallel",
    "merge_forests": "parallel",
    "ThresholdComponents": "ids.thresholds",
    "label": "labels",
    "label_chunks": "chunked_labels",
    "list_rank": "lists",
    "Contacts": "label_regions",
    "Regions": "label_regions",
    "contacts": "label_regions",
    "largest": "label_regions",
    "regions": "label_regions",
    "remove_small": "label_regions",
    "number_ids": "ids.interning",
    "list_scan": "lists",
    "spanning_forest": "result",
    "Blocks": "formats",
    "read": "formats",
    "read_blocks": "formats",
    "read_labels": "formats",
    "read_successors": "formats",
    "write": "inputs",
    "write_labels": "formats",
    "write_successors": "formats",
    "generate": "generators",
    "algorithms": "registry",
    "verify": "verifier",
    "verify_blocks": "verifier",
    "verify_ranks": "verifier",
    "verify_forest": "verifier",
    "verify_labels": "image_verifier",
    "devices": "accel.runtime.devices",
    "DeviceGraph": "device_graph",
    "DeviceList": "lists",
    "DisjointSet": "disjoint_set",
    "to_device": "device_graph",
    "PointerjumpError": "errors",
    "PointerjumpWarning": "errors",
    "AlgorithmError": "errors",
    "CacheWarning": "errors",
    "DeviceError": "errors",
    "DeviceWarning": "errors",
    "FormatError": "errors",
    "FormatWarning": "errors",
    "GraphError": "errors",
    "ImageError": "errors",
    "ListError": "errors",
    "MemoryLimitError": "errors",
    "SpecError": "errors",
    "TableError": "errors",
    "VerificationError": "errors",
}

__all__ = [
    "AlgorithmError",
    "Blocks",
    "CacheWarning",
    "Components",
    "Contacts",
    "DeviceError",
    "DeviceGraph",
    "DeviceList",
    "DeviceWarning",
    "DisjointSet",
    "FormatError",
    "FormatWarning",
    "Graph",
    "GraphError",
    "ImageError",
    "ListError",
    "MemoryLimitError",
    "PointerjumpError",
    "PointerjumpWarning",
    "Regions",
    "SpecError",
    "TableComponents",
    "TableError",
    "ThresholdComponents",
    "VerificationError",
    "__version__",
    "algorithms",
    "components",
    "components_at",
    "connected_components",
    "contacts",
    "devices",
    "forest_of",
    "generate",
    "label",
    "label_chunks",
    "largest",
    "list_rank",
    "list_scan",
    "merge_forests",
    "number_ids",
    "read",
    "read_blocks",
    "read_labels",
    "read_successors",
    "regions",
    "remove_small",
    "spanning_forest",
    "to_device",
    "verify",
    "verify_blocks",
    "verify_forest",
    "verify_labels",
    "verify_ranks",
    "write",
    "write_labels",
    "write_successors",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
