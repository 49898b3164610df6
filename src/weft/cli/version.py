"""`weft --version`: imports no library, so that it answers at once."""

import sys


def print_version() -> int:
    """Print the version in one line. Returns exit status 0."""
    import weft

    sys.stdout.write(f"weft {weft.__version__}\n")
    return 0
