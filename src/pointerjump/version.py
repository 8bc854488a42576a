"""The package's version, in a separate module so that setup.cfg can read it without importing the package."""

__version__ = "0.1.0"
