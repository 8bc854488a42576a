"""Peers: only finding components, with each program's own form of graph and of answer."""

from __future__ import annotations

from conftest import Measure, require
from peers import Peer, edges_once

from pointerjump.bench.own_device import GraphSubject


def test_pointerjump(measure: Measure, subject: GraphSubject) -> None:
    run = subject.kernels("auto")  # its labels are checked there
    measure(f"peers: {subject.name}", run, None, graph=subject.source, **subject.counts)


def test_peer(measure: Measure, subject: GraphSubject, peer: Peer) -> None:
    require(peer, subject)
    structure = peer.build(*edges_once(subject.graph), subject.graph.vertices)
    measure(
        f"peers: {subject.name}",
        lambda: peer.find(structure),
        lambda answer: subject.check(peer.labels(answer)),
        graph=subject.source,
        **subject.counts,
    )
