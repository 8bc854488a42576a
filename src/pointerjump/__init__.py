"""Connected components and list ranking by pointer jumping, on any OpenCL device.

Submodules are imported lazily, when one of their names is first used. Importing the package does not look up
any devices.
"""

from __future__ import annotations

from pointerjump.version import __version__ as __version__

TYPE_CHECKING = False  # importing it from typing would double the import time
if TYPE_CHECKING:
    from pointerjump.accel.runtime.devices import devices as devices
    from pointerjump.accel.runtime.sessions import device_queue as device_queue
    from pointerjump.base.graph import Graph as Graph
    from pointerjump.errors import AlgorithmError as AlgorithmError
    from pointerjump.errors import CacheWarning as CacheWarning
    from pointerjump.errors import DeviceError as DeviceError
    from pointerjump.errors import DeviceWarning as DeviceWarning
    from pointerjump.errors import FormatError as FormatError
    from pointerjump.errors import FormatWarning as FormatWarning
    from pointerjump.errors import GraphError as GraphError
    from pointerjump.errors import ImageError as ImageError
    from pointerjump.errors import ListError as ListError
    from pointerjump.errors import MemoryLimitError as MemoryLimitError
    from pointerjump.errors import PointerjumpError as PointerjumpError
    from pointerjump.errors import PointerjumpWarning as PointerjumpWarning
    from pointerjump.errors import SpecError as SpecError
    from pointerjump.errors import TableError as TableError
    from pointerjump.errors import VerificationError as VerificationError
    from pointerjump.formats import Blocks as Blocks
    from pointerjump.formats import read as read
    from pointerjump.formats import read_blocks as read_blocks
    from pointerjump.formats import read_labels as read_labels
    from pointerjump.formats import read_successors as read_successors
    from pointerjump.formats import write_labels as write_labels
    from pointerjump.formats import write_successors as write_successors
    from pointerjump.generators import generate as generate
    from pointerjump.graphs.biconnectivity import articulation_points as articulation_points
    from pointerjump.graphs.biconnectivity import biconnected_components as biconnected_components
    from pointerjump.graphs.biconnectivity import bridges as bridges
    from pointerjump.graphs.biconnectivity import is_biconnected as is_biconnected
    from pointerjump.graphs.biconnectivity import (
        two_edge_connected_components as two_edge_connected_components,
    )
    from pointerjump.graphs.connectivity import components as components
    from pointerjump.graphs.csgraph import connected_components as connected_components
    from pointerjump.graphs.csgraph import minimum_spanning_tree as minimum_spanning_tree
    from pointerjump.graphs.mutual_reachability import mutual_reachability as mutual_reachability
    from pointerjump.graphs.parallel import forest_of as forest_of
    from pointerjump.graphs.parallel import merge_forests as merge_forests
    from pointerjump.graphs.spanning_forests import minimum_spanning_forest as minimum_spanning_forest
    from pointerjump.graphs.spanning_forests import single_linkage as single_linkage
    from pointerjump.ids.components import TableComponents as TableComponents
    from pointerjump.ids.interning import number_ids as number_ids
    from pointerjump.ids.one_to_one import one_to_one_clusters as one_to_one_clusters
    from pointerjump.ids.thresholds import ThresholdComponents as ThresholdComponents
    from pointerjump.ids.thresholds import components_at as components_at
    from pointerjump.ids.updates import update_clusters as update_clusters
    from pointerjump.imaging.chunked_labels import label_chunks as label_chunks
    from pointerjump.imaging.cleaning import clear_border as clear_border
    from pointerjump.imaging.cleaning import fill_holes as fill_holes
    from pointerjump.imaging.cleaning import relabel_by_size as relabel_by_size
    from pointerjump.imaging.label_regions import Contacts as Contacts
    from pointerjump.imaging.label_regions import Regions as Regions
    from pointerjump.imaging.label_regions import contacts as contacts
    from pointerjump.imaging.label_regions import largest as largest
    from pointerjump.imaging.label_regions import regions as regions
    from pointerjump.imaging.label_regions import remove_small as remove_small
    from pointerjump.imaging.labels import label as label
    from pointerjump.imaging.overlays import overlay as overlay
    from pointerjump.imaging.stitching import stitch as stitch
    from pointerjump.imaging.windings import wraps as wraps
    from pointerjump.registry import algorithms as algorithms
    from pointerjump.solving.biconnected import BiconnectedComponents as BiconnectedComponents
    from pointerjump.solving.condensed import CondensedTree as CondensedTree
    from pointerjump.solving.condensed import FlatClusters as FlatClusters
    from pointerjump.solving.dendrograms import Dendrogram as Dendrogram
    from pointerjump.solving.device_graph import DeviceGraph as DeviceGraph
    from pointerjump.solving.device_graph import to_device as to_device
    from pointerjump.solving.disjoint_set import DisjointSet as DisjointSet
    from pointerjump.solving.functional_graphs import Cycles as Cycles
    from pointerjump.solving.functional_graphs import cycles as cycles
    from pointerjump.solving.functional_graphs import kth_successor as kth_successor
    from pointerjump.solving.inputs import write as write
    from pointerjump.solving.lists import DeviceList as DeviceList
    from pointerjump.solving.lists import list_rank as list_rank
    from pointerjump.solving.lists import list_scan as list_scan
    from pointerjump.solving.minimum_forest import MinimumForest as MinimumForest
    from pointerjump.solving.result import Components as Components
    from pointerjump.solving.result import ObjectComponents as ObjectComponents
    from pointerjump.solving.result import spanning_forest as spanning_forest
    from pointerjump.solving.spanning_forests import SpanningForest as SpanningForest
    from pointerjump.solving.trees import RootedForest as RootedForest
    from pointerjump.solving.trees import rooted_forest as rooted_forest
    from pointerjump.verifiers.biconnectivity import verify_biconnected as verify_biconnected
    from pointerjump.verifiers.biconnectivity import verify_bridges as verify_bridges
    from pointerjump.verifiers.graphs import verify as verify
    from pointerjump.verifiers.graphs import verify_blocks as verify_blocks
    from pointerjump.verifiers.graphs import verify_forest as verify_forest
    from pointerjump.verifiers.graphs import verify_ranks as verify_ranks
    from pointerjump.verifiers.images import verify_labels as verify_labels
    from pointerjump.verifiers.merges import verify_merges as verify_merges
    from pointerjump.verifiers.spanning_forests import verify_minimum_forest as verify_minimum_forest
    from pointerjump.verifiers.trees import verify_rooted as verify_rooted

_NAMES = {
    "accel.runtime.devices": "devices",
    "accel.runtime.sessions": "device_queue",
    "imaging.chunked_labels": "label_chunks",
    "graphs.biconnectivity": (
        "articulation_points biconnected_components bridges is_biconnected two_edge_connected_components"
    ),
    "graphs.connectivity": "components",
    "graphs.csgraph": "connected_components minimum_spanning_tree",
    "solving.biconnected": "BiconnectedComponents",
    "solving.condensed": "CondensedTree FlatClusters",
    "solving.dendrograms": "Dendrogram",
    "solving.device_graph": "DeviceGraph to_device",
    "solving.disjoint_set": "DisjointSet",
    "errors": (
        "AlgorithmError CacheWarning DeviceError DeviceWarning FormatError FormatWarning GraphError "
        "ImageError ListError MemoryLimitError PointerjumpError PointerjumpWarning SpecError TableError "
        "VerificationError"
    ),
    "formats": "Blocks read read_blocks read_labels read_successors write_labels write_successors",
    "generators": "generate",
    "base.graph": "Graph",
    "ids.components": "TableComponents",
    "ids.interning": "number_ids",
    "ids.one_to_one": "one_to_one_clusters",
    "ids.thresholds": "ThresholdComponents components_at",
    "ids.updates": "update_clusters",
    "verifiers.images": "verify_labels",
    "solving.functional_graphs": "Cycles cycles kth_successor",
    "solving.inputs": "write",
    "imaging.label_regions": "Contacts Regions contacts largest regions remove_small",
    "imaging.cleaning": "clear_border fill_holes relabel_by_size",
    "imaging.labels": "label",
    "imaging.overlays": "overlay",
    "imaging.stitching": "stitch",
    "imaging.windings": "wraps",
    "solving.lists": "DeviceList list_rank list_scan",
    "graphs.mutual_reachability": "mutual_reachability",
    "graphs.parallel": "forest_of merge_forests",
    "graphs.spanning_forests": "minimum_spanning_forest single_linkage",
    "registry": "algorithms",
    "solving.minimum_forest": "MinimumForest",
    "solving.result": "Components ObjectComponents spanning_forest",
    "solving.spanning_forests": "SpanningForest",
    "solving.trees": "RootedForest rooted_forest",
    "verifiers.biconnectivity": "verify_biconnected verify_bridges",
    "verifiers.graphs": "verify verify_blocks verify_forest verify_ranks",
    "verifiers.merges": "verify_merges",
    "verifiers.spanning_forests": "verify_minimum_forest",
    "verifiers.trees": "verify_rooted",
}
"""The public names that each module provides."""

_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(["__version__", *_HOME])


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
