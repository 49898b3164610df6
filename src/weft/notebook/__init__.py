"""weft from Python: what `import weft` gives (docs/python.md)."""

from weft.errors import WeftError
from weft.notebook.checked import Check, check
from weft.notebook.compared import ComparedSides as Comparison
from weft.notebook.compared import compare
from weft.notebook.fitted import Fit, fit
from weft.notebook.layered import Layers, layers
from weft.notebook.loaded import LoadedRun as Run
from weft.notebook.loaded import load
from weft.notebook.over_time import Trend, trend

__all__ = [
    "Check",
    "Comparison",
    "Fit",
    "Layers",
    "Run",
    "Trend",
    "WeftError",
    "check",
    "compare",
    "fit",
    "layers",
    "load",
    "trend",
]
