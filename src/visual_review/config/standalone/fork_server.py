"""The fork server: imports the shared modules once, and forks the processes of a first start.

The supervisor starts the server together with PostgreSQL. The server forks the migration, the web
process and the worker, which become children of the supervisor, and ends.
"""

import ctypes
import gc
import json
import logging
import logging.config
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from visual_review.config.boot import load, set_up
from visual_review.config.environment import BACKUPS, StartupError
from visual_review.config.first_owner import parse_owner_options
from visual_review.config.logs import log_settings, log_unexpected
from visual_review.config.standalone import privileges
from visual_review.config.standalone.child_processes import PROGRAM, SOLE_WORKER, owner_values
from visual_review.config.standalone.fork_plan import (
    START,
    ForkPlan,
    describe_failure,
    write_report,
)
from visual_review.config.standalone.parent_death import fork_for

# Modules imported by both web and worker: the two share the memory. No module may start a thread.
SHARED: Final = (
    "visual_review.billing.provider_sync",
    "visual_review.builds.images.composites",
    "visual_review.builds.images.links",
    "visual_review.builds.notifying.outbox",
    "visual_review.builds.publishing.verification",
    "visual_review.builds.reviewing.approval",
    "visual_review.payments.factory",
    "visual_review.recordings.uploads",
    "visual_review.repositories.deliveries",
)
FAILED: Final = 2
THREADS: Final = Path("/proc/self/task")
logger = logging.getLogger(__name__)
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "migrate": ("migrate",),
    "web": ("web",),
    "worker": ("worker", SOLE_WORKER),
}
STATUS = Path("/proc/self/stat")
# Fields 48 and 49 of proc(5); the list begins with the third, after the name in parentheses.
ARGUMENTS_START, ARGUMENTS_END = 48 - 3, 49 - 3


def main() -> None:
    logging.config.dictConfig(log_settings())
    sys.excepthook = log_unexpected
    privileges.harden()
    plan = ForkPlan.parse(sys.argv[1:])
    # Modules are no garbage: looking for garbage takes a tenth of the time of an import.
    gc.disable()
    try:
        import_shared()
    except StartupError as error:
        write_report(plan.reports, **describe_failure(error))
        sys.exit(FAILED)
    gc.freeze()
    for name, run in ROLES.items():
        if fork_for(plan.supervisor):
            _become(name, plan)
            run(plan)
            return
    # Nothing is left to do, and unloading all modules takes a tenth of a second.
    os._exit(0)


def import_shared() -> None:
    """Set up Django and import the shared modules; raises StartupError for invalid variables."""
    set_up()
    for name in SHARED:
        import_module(name)
    if count_threads() > 1:
        # Our modules start none, as a test shows; a tool loaded from outside may.
        logger.warning("a thread was started by an import; it will be missing in web and worker")


def _become(name: str, plan: ForkPlan) -> None:
    # Ctrl-C in the terminal must reach only the supervisor, which stops all in order.
    os.setsid()
    show_command([*PROGRAM, *COMMANDS[name]])
    write_report(plan.reports, name=name, pid=os.getpid())


def _migrate(plan: ForkPlan) -> None:
    plan.close_all_but(plan.reports, plan.migrate)
    # The owner's password passes through this short-lived process only.
    owner = _read_all(plan.migrate)
    if not owner:
        sys.exit(FAILED)
    try:
        link = _migrate_for(json.loads(owner))
    except StartupError as error:
        write_report(plan.reports, **describe_failure(error))
        sys.exit(FAILED)
    write_report(plan.reports, link=link)


def _migrate_for(owner: Mapping[str, str]) -> str:
    first_owner = parse_owner_options(*owner_values(owner))
    migrate = load("visual_review.config.commands.migrate.migrate")
    gc.enable()
    return str(migrate(first_owner, Path(os.environ[BACKUPS]), _inform))


def _web(plan: ForkPlan) -> None:
    plan.close_all_but(plan.listener, plan.web)
    serve = load("visual_review.config.http.serve.serve")
    check_storage = load("visual_review.config.startup.check_storage")
    listener = socket.socket(fileno=plan.listener)

    def run() -> None:
        check_storage()
        serve(listener)

    _run_when_started(plan.web, run)


def _worker(plan: ForkPlan) -> None:
    plan.close_all_but(plan.worker)
    run = load("visual_review.config.commands.worker.run_by_environment")
    _run_when_started(plan.worker, run)


def _run_when_started(gate: int, run: Callable[[], None]) -> None:
    gc.enable()
    if _read_all(gate) != START:
        # The migration failed, or the supervisor ended.
        sys.exit(FAILED)
    try:
        run()
    except StartupError as error:
        logger.critical("%s", error)
        sys.exit(FAILED)


def _read_all(file: int) -> bytes:
    with os.fdopen(file, "rb") as stream:
        return stream.read()


def _inform(text: str) -> None:
    print(f"visual-review: {text}", file=sys.stderr, flush=True)  # noqa: T201 - For the operator.


ROLES: Final[Mapping[str, Callable[[ForkPlan], None]]] = {
    "migrate": _migrate,
    "web": _web,
    "worker": _worker,
}


def count_threads() -> int:
    """Return the number of threads of this process; 1 where the number is unknown."""
    try:
        return len(list(THREADS.iterdir()))
    except OSError:
        return 1


def show_command(arguments: Sequence[str]) -> None:
    """Overwrite the arguments of the process, as far as they have room."""
    fields = STATUS.read_text().rpartition(")")[2].split()
    start, end = int(fields[ARGUMENTS_START]), int(fields[ARGUMENTS_END])
    # If the last byte is not zero, the kernel assumes that the text goes on behind the arguments.
    room = end - start - 1
    if room <= 0:
        return
    text = b"\0".join(argument.encode() for argument in arguments)[:room]
    ctypes.memmove(start, text.ljust(room + 1, b"\0"), room + 1)


if __name__ == "__main__":
    main()
