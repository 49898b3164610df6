"""The command line: one file per command, arguments to a call."""

import gc

# What a command loads stays until it ends. Python would look through it for circles that nobody
# needs any more each time that 700 objects came, which takes longer than loading some libraries.
gc.set_threshold(50_000)
