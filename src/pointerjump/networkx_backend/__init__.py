"""The NetworkX backend: ``nx.connected_components(G, backend="pointerjump")``.

NetworkX finds `info` and `backend` through the entry points in setup.cfg. Both import this module, so it
imports nothing.
"""
