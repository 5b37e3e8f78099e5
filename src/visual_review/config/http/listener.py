"""The listening socket of the web process; a supervisor binds the socket once and passes it on."""

import errno
import os
import socket
from contextlib import ExitStack

from visual_review.config.environment import StartupError

LISTENER_VARIABLE = "VISUAL_REVIEW_LISTENER"
BACKLOG = 2048
UNSENT_BYTES = 128 * 1024


def bind(host: str, port: int, setting: str = "--port") -> socket.socket:
    """Return a listening socket; raises StartupError, naming ``setting``, on failure."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with ExitStack() as stack:
            listener = stack.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
            stack.pop_all()
    except OSError as error:
        raise StartupError(_reason(error, host, port, setting)) from error
    return listener


def open_listener(host: str, port: int) -> socket.socket:
    """Return the socket inherited from the supervisor, or bind a new one."""
    number = os.environ.get(LISTENER_VARIABLE)
    return socket.socket(fileno=int(number)) if number else bind(host, port)


def limit_unsent_bytes(listener: socket.socket) -> None:
    """Bound the system's buffers for slow readers; connections inherit the limit.

    Without a limit, some megabytes of each response would wait in the kernel's memory.
    """
    option = getattr(socket, "TCP_NOTSENT_LOWAT", None)
    if option is not None and listener.family in {socket.AF_INET, socket.AF_INET6}:
        listener.setsockopt(socket.IPPROTO_TCP, option, UNSENT_BYTES)


def _reason(error: OSError, host: str, port: int, setting: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} of {host} is used by another program. Stop that program, or choose "
            f"another port with {setting}."
        )
    if error.errno == errno.EACCES:
        return f"This user may not use port {port}. Choose a port above 1023 with {setting}."
    return f"Cannot listen on port {port} of {host}: {error}. Check the host and {setting}."
