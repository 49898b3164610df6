"""The one kind of error a user sees: what is wrong, and what to do about it."""


class WeftError(Exception):
    """An expected failure, shown to the user as one line.

    `what` names the cause; `mend` says what to type or change next. Commands turn it into one
    line on standard error and exit status 2.
    """

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(f"{what}; {mend}")
        self.what = what
        self.mend = mend
