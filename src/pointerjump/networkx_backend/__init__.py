"""The NetworkX backend: ``nx.connected_components(G, backend="pointerjump")``.

NetworkX finds `info` and `backend` through the entry points in setup.cfg. Importing either of them imports
this module first, so this module imports nothing itself.
"""
