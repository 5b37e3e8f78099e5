"""The address the web process answers at; a supervisor binds it once and hands it on."""

import errno
import os
import socket

from visual_review.config.errors import StartupError

LISTENER_VARIABLE = "VISUAL_REVIEW_LISTENER"
BACKLOG = 2048


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; raises StartupError when the address is taken or not ours."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        raise StartupError(_reason(error, host, port)) from error
    return listener


def inherited_or_bound(host: str, port: int) -> socket.socket:
    """The supervisor's socket when it handed one on, else one of our own."""
    number = os.environ.get(LISTENER_VARIABLE)
    return socket.socket(fileno=int(number)) if number else bind(host, port)


def _reason(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} of {host} is taken by another program. End that program, or name "
            "another port with --port."
        )
    if error.errno == errno.EACCES:
        return f"Port {port} is not allowed to this user. Name one above 1023 with --port."
    return f"The address {host} port {port} cannot be used: {error}. Check --host and --port."
