"""weft from Python: what `import weft` gives (docs/python.md)."""

from weft.notebook.checked import Check, check
from weft.notebook.compared import ComparedSides as Comparison
from weft.notebook.compared import compare
from weft.notebook.fitted import Fit, fit
from weft.notebook.loaded import LoadedRun as Run
from weft.notebook.loaded import load

__all__ = ["Check", "Comparison", "Fit", "Run", "check", "compare", "fit", "load"]
