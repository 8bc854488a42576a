"""The NetworkX backend: ``nx.connected_components(G, backend="pointerjump")``.

NetworkX finds `info` and `backend` by the entry points in setup.cfg. This module is imported with both, so it
imports nothing.
"""
