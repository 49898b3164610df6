"""A simulated platform, as a plan and a record keep it."""

from __future__ import annotations

from typing import Literal

import msgspec

from weft.file_values import Small

# calibrated as a model of few parameters, or point for point; predicted from what was calibrated
# on fewer nodes; or given as a file by the user.
Kind = Literal["model", "table", "predicted", "given"]
_IN_WORDS = {
    "model": "calibrated, a model of few parameters",
    "table": "calibrated, one piece for each published size",
    "predicted": "predicted beyond what was calibrated",
    "given": "a platform file, calibrated by nobody here",
}


class SimulatedPlatform(msgspec.Struct, frozen=True, kw_only=True):
    """The platform that ranks were simulated on: nothing of such a run was measured.

    `origin` is what it was calibrated from, and `xml` the whole file that the simulator read. Each
    node has up to `ranks_per_node`.
    """

    name: str
    kind: Kind
    nodes: Small
    origin: str = ""
    xml: str = ""
    ranks_per_node: Small = 1

    @property
    def base(self) -> str:
        """What links and hosts are of: on another fabric it is called "escher, full fat tree"."""
        return self.name.partition(",")[0]

    @property
    def label(self) -> str:
        """For the head of a table or a figure."""
        return f"simulated on {self.name} ({self.kind})"

    @property
    def checks_messages(self) -> bool:
        """Whether each message of a first pass is compared: that takes much memory of many nodes.

        Of a prediction only the first bytes of each message are there, and what the last messages
        left in the buffers is compared.
        """
        return self.kind != "predicted"

    @property
    def in_words(self) -> str:
        """Name and kind, for the head of what is shown: "escher (calibrated, ...)"."""
        origin = f", from {self.origin}" if self.origin else ""
        return f"{self.name} ({_IN_WORDS[self.kind]}{origin})"
