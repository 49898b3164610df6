"""weft: the interconnect laboratory in one tool."""

from importlib.metadata import version

from weft.record.run import Run, load

__version__ = version("weft")
__all__ = ["Run", "__version__", "load"]
