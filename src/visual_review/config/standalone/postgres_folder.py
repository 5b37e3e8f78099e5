"""The folder of the embedded PostgreSQL and the socket for reaching the server.

Apart from the server, so that the URL is known before the library of PostgreSQL is loaded.
"""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from urllib.parse import quote

from visual_review.config.environment import StartupError
from visual_review.config.standalone.os_user import Account, account_for
from visual_review.config.standalone.postgres_programs import programs_for

SUPERUSER = "visual_review"
ROLE = "visual_review_service"
DATABASE = "visual_review"
PORT = 5432
# A socket's path has at most 107 bytes on Linux, 103 on macOS; the file's own name takes 15.
SOCKET_FOLDER_BYTES = 85
SOCKET_NOTE = "postgres-socket-folder"


@dataclass
class PostgresFolder:
    """A folder owned by the account of the server.

    ``password`` is the password of the role ROLE; ``settings`` are the server's.
    """

    folder: Path
    password: str
    settings: Mapping[str, str] = field(default_factory=dict)
    account: Account = field(init=False)
    socket: Path = field(init=False)

    def __post_init__(self) -> None:
        self.account = account_for(self.folder)
        self.socket = self.folder / "socket"

    @property
    def cluster(self) -> Path:
        return self.folder / "cluster"

    @property
    def url(self) -> str:
        """The URL for Django and psycopg, with the password."""
        # The name of the socket contains the port; without a port, the user's PGPORT would apply.
        port = self.settings.get("port", str(PORT))
        return (
            f"postgresql://{ROLE}:{quote(self.password, safe='')}@/{DATABASE}"
            f"?host={quote(str(self.socket), safe='')}&port={port}"
        )

    def find_programs(self) -> Path:
        """Return the folder of PostgreSQL's programs runnable by the server's account."""
        return programs_for(self.account, self.folder.parent / "programs")

    def exists(self) -> bool:
        """Whether the database was created, by this or an earlier start."""
        return (self.cluster / "PG_VERSION").exists()

    def prepare(self) -> None:
        """Create the folders; from here on ``url`` is final. Repeatable."""
        self._make_folder()
        self._make_socket_folder()

    def sibling_path(self, name: str) -> Path:
        # As root we never write into the folder of the other account: the account could place a
        # link there that redirects our writes.
        return self.folder.parent / name

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.account.give_ownership(self.folder)
        obstacle = self.account.find_obstacle(self.folder)
        if obstacle is not None:
            raise StartupError(
                f"PostgreSQL does not run as root, and its own account cannot enter {obstacle}, "
                "which contains the data folder. Choose a folder that every account can reach, "
                "such as --data /var/lib/visual-review, or run as an ordinary user."
            )

    def _make_socket_folder(self) -> None:
        note = self.sibling_path(SOCKET_NOTE)
        if note.exists() and note.read_text() != str(self.socket):
            # A killed supervisor could not remove the folder.
            rmtree(note.read_text(), ignore_errors=True)
            note.unlink()
        if len(os.fsencode(self.socket)) > SOCKET_FOLDER_BYTES:
            self.socket = Path(tempfile.mkdtemp(prefix="visual-review-"))
            note.write_text(str(self.socket))
        self.socket.mkdir(mode=0o700, exist_ok=True)
        self.account.give_ownership(self.socket)

    def remove_socket_folder(self) -> None:
        if self.socket.parent != self.folder:
            rmtree(self.socket, ignore_errors=True)
            self.sibling_path(SOCKET_NOTE).unlink(missing_ok=True)
