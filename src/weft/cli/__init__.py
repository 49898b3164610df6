"""The command line: one file per command, arguments to a call."""
