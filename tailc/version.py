"""The version of tailc, for modules that cannot import the package itself."""

__version__ = "0.1.0"
