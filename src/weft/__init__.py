"""weft: the interconnect laboratory in one tool."""

from importlib.metadata import version

__version__ = version("weft")
