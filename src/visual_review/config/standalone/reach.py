"""What the service reads outside its own folders, and whether an account can."""

import os
import stat
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import visual_review
from visual_review.config.standalone.os_user import Account
from visual_review.kernel.confinement.capabilities import change_user

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/proc",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/shm",  # noqa: S108 - The shared memory of PostgreSQL.
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
    "/run/systemd/resolve",
)
# By name, as other files of /etc have secrets.
CONFIGURATION = (
    "alternatives",
    "gai.conf",
    "group",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "passwd",
    "pki/ca-trust/extracted",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "protocols",
    "resolv.conf",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
# A compiled module that cannot be read is compiled again.
OPTIONAL = "__pycache__"
PATH_BYTES = 4096


def installation_paths() -> set[Path]:
    """Return the folders of Python, the packages and this program."""
    folders = {
        sys.prefix,
        sys.base_prefix,
        sys.exec_prefix,
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        *os.environ.get("PYTHONPATH", "").split(os.pathsep),
    }
    interpreter = Path(sys.executable).resolve().parent
    program = Path(visual_review.__file__).resolve().parents[1]
    return {interpreter, program, *(Path(folder) for folder in folders if folder)}


def readable_paths() -> set[Path]:
    """Return all that the service reads: the installation, and of the system what it needs."""
    # Without its folder of compiled modules, each start would compile them all.
    named = (sys.pycache_prefix, *(os.environ.get(name) for name in CERTIFICATES))
    return {
        *installation_paths(),
        *map(Path, SYSTEM),
        *(Path("/etc", name) for name in CONFIGURATION),
        *(Path(name) for name in named if name),
    }


def find_unreachable(account: Account, folders: Iterable[Path]) -> Path | None:
    """Return a folder that ``account`` cannot enter, or a part of the installation it cannot read.

    Asks the kernel, in a copy of this process that has become the account.
    """
    entered = list(folders)
    read = [*sorted(installation_paths()), *_packages()]
    reading_end, writing_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            change_user(account.uid, account.gid)
            closed = [path for path in entered if not os.access(path, os.X_OK)]
            closed += [path for path in read if not _is_readable(path)]
            os.write(writing_end, os.fsencode(closed[0]) if closed else b"")
            os._exit(0)
        finally:
            # Nothing may return from here into the code of the parent.
            os._exit(1)
    os.close(writing_end)
    unreachable = os.read(reading_end, PATH_BYTES)
    os.close(reading_end)
    _, status = os.waitpid(child, 0)
    if status:
        return Path("/")
    return Path(os.fsdecode(unreachable)) if unreachable else None


def _packages() -> Iterable[Path]:
    # A umask of 077 leaves each package readable by its owner only.
    for name in ("purelib", "platlib"):
        folder = Path(sysconfig.get_path(name))
        if folder.is_dir():
            yield from (path for path in sorted(folder.iterdir()) if path.name != OPTIONAL)


def _is_readable(path: Path) -> bool:
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        return True
    except PermissionError:
        return False
    return os.access(path, os.R_OK | os.X_OK if stat.S_ISDIR(kind) else os.R_OK)
