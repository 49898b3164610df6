"""The one kind of error a user sees: the cause and the fix."""

_LONGEST, _LONGEST_END = 900, 400


class WeftError(Exception):
    """An expected failure, shown to the user as one line.

    `what` names the cause; `fix` is what to type or change next. Commands turn it into one line on
    standard error and exit status 2. Both may quote a file or an argument: control characters and
    line ends are escaped, and the middle of a very long text is left out.
    """

    def __init__(self, what: str, fix: str) -> None:
        self.what = _shortened(printable(what))
        self.fix = _shortened(printable(fix))
        super().__init__(f"{self.what}; {self.fix}")


def without_effect(option: str, why: str, fix: str = "") -> WeftError:
    """The error for an option that was typed where it would do nothing: why, and what to type."""
    return WeftError(f"{option} has no effect: {why}", fix or f"omit {option}")


def _shortened(text: str) -> str:
    """The text; a very long one keeps its two ends."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST_END]} … {text[-_LONGEST_END:]}"


def printable(text: str, kept: str = "") -> str:
    """The text with unprintable characters as Python escapes them, but for those `kept`."""
    return "".join(
        char if char.isprintable() or char in kept else repr(char)[1:-1] for char in text
    )


def printable_lines(text: str) -> str:
    """The same of several lines: their ends and tabs stay."""
    return text if text.isprintable() else printable(text, "\n\t")
