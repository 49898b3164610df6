"""`python -m weft.host`: this host's manifest as one line of JSON, for launchers elsewhere."""

import sys

import msgspec

from weft.host.manifest import collect

sys.stdout.write(msgspec.json.encode(collect()).decode() + "\n")
