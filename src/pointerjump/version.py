"""The package's version, in a module of its own so that setup.cfg can read it without importing."""

__version__ = "0.1.0"
