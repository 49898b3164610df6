"""weft: the interconnect laboratory in one tool."""

from weft.record.run import Run, load

__all__ = ["Run", "__version__", "load"]


def __getattr__(name: str) -> str:
    """The version, looked up when it is asked for: that takes longer than the rest."""
    if name != "__version__":
        raise AttributeError(name)
    from importlib.metadata import version

    return version("weft")
