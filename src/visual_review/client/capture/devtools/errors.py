"""What goes wrong between this process and the browser."""


class BrowserError(Exception):
    """The browser did not do what was requested; the message has one line."""


class ConnectionLostError(BrowserError):
    """The browser ended, or closed its side of the pipe."""


class TargetLostError(BrowserError):
    """The page crashed or was closed; the browser itself still runs."""


class ProtocolError(BrowserError):
    """The browser reported that a command failed."""

    def __init__(self, method: str, message: str) -> None:
        super().__init__(f"{message} ({method})")
        self.method = method
        self.message = message
