from weft.notebook import Check as Check
from weft.notebook import Comparison as Comparison
from weft.notebook import Fit as Fit
from weft.notebook import Layers as Layers
from weft.notebook import Run as Run
from weft.notebook import Trend as Trend
from weft.notebook import WeftError as WeftError
from weft.notebook import check as check
from weft.notebook import compare as compare
from weft.notebook import fit as fit
from weft.notebook import layers as layers
from weft.notebook import load as load
from weft.notebook import trend as trend

__version__: str
