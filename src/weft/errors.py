"""The one kind of error a user sees: what is wrong, and what to do about it."""


class WeftError(Exception):
    """An expected failure, shown to the user as one line.

    `what` names the cause; `mend` says what to type or change next. Commands turn it into one
    line on standard error and exit status 2. Both may quote a file or an argument: characters that
    a terminal would obey, line ends too, are escaped.
    """

    def __init__(self, what: str, mend: str) -> None:
        self.what = _printable(what)
        self.mend = _printable(mend)
        super().__init__(f"{self.what}; {self.mend}")


def _printable(text: str) -> str:
    """Text in which an unprintable character stands as Python would write it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
