"""Errors a user may meet. Each is one sentence: what failed, which file, where, what to try."""


class XlavizError(Exception):
    """The input or the call is wrong: the text is shown as it stands, without a traceback.

    `hint` says what to try, `detail` is the long form (a shortened traceback, the end of a log)
    that the window folds away and the command line prints below the sentence.
    """

    exit_status = 2

    def __init__(self, message: str, *, hint: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the keyword arguments when an error crosses a process boundary."""
        return (_restore, (type(self), self.message, self.hint, self.detail))


class WorkFailedError(XlavizError):
    """The call was right, the work failed: a capture that raised, an export that could not be written."""

    exit_status = 1


def _restore(kind: type[XlavizError], message: str, hint: str, detail: str) -> XlavizError:
    return kind(message, hint=hint, detail=detail)
