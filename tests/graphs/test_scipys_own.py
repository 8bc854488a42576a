"""scipy's own tests of its function, with ours in its place, on every device and on the reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from scipy.sparse import csgraph

from pointerjump import connected_components  # before scipy's function is replaced, which ours may call
from pointerjump.accel.runtime.devices import devices

THEIRS = pytest.importorskip("scipy.sparse.csgraph.tests.test_connected_components")

# pytest collects them as if they stood here, with their parameters.
globals().update({name: test for name, test in vars(THEIRS).items() if name.startswith("test_")})

WORKING = [*(device for device in devices() if device.works), "reference"]


@pytest.fixture(params=WORKING, ids=lambda where: str(getattr(where, "platform", where)), autouse=True)
def ours(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put our function in the place of scipy's; at the end, check that it was called."""
    calls = []

    def substitute(graph: Any, *args: Any, **options: Any) -> Any:
        calls.append(options)
        where = None if options.get("connection") == "strong" else request.param
        return connected_components(graph, *args, **options, device=where)

    monkeypatch.setattr(csgraph, "connected_components", substitute)
    yield
    assert calls or request.node.originalname == "test_they_are_all_here"


def test_they_are_all_here() -> None:
    assert len([name for name in globals() if name.startswith("test_")]) > 8
