"""``visual-review up`` on one data folder: started, disturbed, killed, stopped."""

import json
import os
import pwd
import re
import signal
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex

import pytest

from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.service import (
    Service,
    all_gone,
    descendants,
    environment,
    folder_owners,
    open_folder,
    owners,
    run,
    service_owner,
    start,
    wait_until,
)
from visual_review.config.standalone.os_user import ACCOUNT_NAME

FOREIGN = {"A_TOKEN": f"token-{token_hex()}", "AWS_SECRET_ACCESS_KEY": f"key-{token_hex()}"}
# Passed on the same way as the owner's password; with a password, no link would be printed.
OF_THE_OWNER = {"VISUAL_REVIEW_OWNER_ORGANIZATION": f"organization-{token_hex()}"}
STEPS = (
    # Before the service is loaded.
    f"Visual Review {version('visual-review')}",
    "Starting Visual Review with the data folder ",
    "Creating the database",
    "Migrating the database",
    "Starting the web process and the worker",
    "Visual Review is ready at ",
)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A real first start in an empty folder, shared by tests that leave the service running."""
    with open_folder() as folder:
        started = start(folder / "data", environment(**FOREIGN, **OF_THE_OWNER))
        yield started
        started.process.end()


def test_it_starts_in_an_empty_folder_and_reports_its_health(service: Service) -> None:
    assert service.get("/healthz").json() == {"status": "alive"}
    ready = service.get("/readyz")
    assert ready.status_code == 200
    assert ready.json() == {
        "status": "ready",
        "database": "ok",
        "storage": "ok",
        "worker": "ok",
        "disk": "ok",
        "pages": "ok",
    }


def test_it_says_each_step_and_greets_after_all_log_lines(service: Service) -> None:
    lines = service.process.written.split("Press Ctrl-C to stop.")[0].splitlines()
    found = [next(n for n, line in enumerate(lines) if line.startswith(step)) for step in STEPS]
    assert found == sorted(found)
    logged = [number for number, line in enumerate(lines) if line.startswith("{")]
    # Web and worker log that they work before the greeting, and nothing is in front of the first.
    assert found[0] == 0
    assert max(logged) < found[-1]


def test_the_first_start_prints_a_link_that_opens(service: Service) -> None:
    link = re.search(r"http\S+/setup/\S+", service.process.written)
    assert link is not None
    assert link[0].startswith(f"{service.address}/setup/")
    assert service.get(link[0].removeprefix(service.address)).status_code == 200
    assert service.get("/setup/vr_setup_wrong").status_code == 404


def test_the_log_contains_no_secrets(service: Service) -> None:
    service.get("/blobs/secret-path?expires=9&signature=0123456789abcdef")
    service.get("/setup/vr_setup_abcdefghijklmnopqrstuvwxyz")
    wait_until("the requests are logged", lambda: "/setup/vr_setup_***" in service.process.written)
    written = service.process.written
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    paths = [line["path"] for line in lines if "path" in line]
    assert "/blobs/secret-path" in paths
    assert "0123456789abcdef" not in written
    assert "abcdefghijklmnopqrstuvwxyz" not in written
    assert (service.data / "database-password").read_text() not in written


def test_every_response_forbids_inline_scripts_and_frames(service: Service) -> None:
    for path in ("/healthz", "/sign-in", "/api/mcp", "/nowhere"):
        headers = service.get(path).headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_the_mcp_endpoint_accepts_only_post_and_requires_a_credential(service: Service) -> None:
    refused = service.get("/api/mcp")
    assert refused.status_code == 405
    assert refused.headers["allow"] == "POST"

    anonymous = service.post("/api/mcp", {"jsonrpc": "2.0", "id": 1})
    assert anonymous.status_code == 401
    assert "/.well-known/oauth-protected-resource/api/mcp" in anonymous.headers["www-authenticate"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change accounts")
def test_started_by_root_it_runs_as_an_ordinary_user_or_says_why_not(service: Service) -> None:
    account, owner = pwd.getpwnam(ACCOUNT_NAME).pw_uid, service_owner()
    processes = descendants(service.process)
    users = {process.uids().real for process in processes if "postgres" not in process.name()}
    assert users == {owner}
    assert {each.uids().real for each in processes if "postgres" in each.name()} == {account}
    said = f"gave up root for the account '{ACCOUNT_NAME}'" if owner else "running as root: "
    assert said in service.process.written
    assert owners(service.data) == folder_owners()


def test_its_processes_cannot_be_inspected_and_gain_no_rights(service: Service) -> None:
    names = ("web", "worker")
    children = [process for name in names if (process := service.process.child(name))]
    assert len(children) == len(names)
    for number in (service.process.process.pid, *(process.pid for process in children)):
        folder = Path("/proc", str(number))
        status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines())
        assert status["NoNewPrivs"] == "1"
        # A process closed to inspection belongs to root.
        assert (folder / "environ").stat().st_uid == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can read their memory")
def test_web_and_worker_have_nothing_of_others(service: Service) -> None:
    secrets = {**FOREIGN, **OF_THE_OWNER}
    for name in ("web", "worker"):
        process = service.process.child(name)
        assert process is not None
        assert not set(secrets) & set(process.environ())
        found = partial(is_in_memory, process.pid)
        # Text known to be there is found, so that the search itself works.
        assert found(str(service.data / "blobs"))
        assert not any(map(found, secrets.values())), name


def test_the_process_that_forked_them_is_gone(service: Service) -> None:
    lines = [child.cmdline() for child in service.process.children()]
    assert sorted(line[-1] if "-m" in line else "postgres" for line in map(no_padding, lines)) == [
        "--alone",
        "postgres",
        "web",
    ]


def test_a_second_start_with_the_same_data_is_refused(service: Service) -> None:
    second = run(["up", "--data", str(service.data), "--port", "0"])
    assert second.code == 2
    assert f"already running with the data folder {service.data}" in second.err
    assert f"process {service.process.process.pid}" in second.err
    assert service.ready()


def test_a_used_port_is_reported_and_nothing_is_started(service: Service, tmp_path: Path) -> None:
    port = service.address.rpartition(":")[2]
    refused = run_in_process(["up", "--data", str(tmp_path / "other"), "--port", port])
    assert refused.code == 2
    assert f"Port {port} of 127.0.0.1 is used by another program" in refused.err
    assert not (tmp_path / "other" / "postgres").exists()


@pytest.mark.parametrize("name", ["web", "worker", "postgres"])
def test_a_killed_process_is_restarted(service: Service, name: str) -> None:
    killed = service.process.child(name)
    assert killed is not None
    killed.kill()
    wait_until(f"{name} is gone", lambda: all_gone([killed]))
    wait_until(f"{name} runs again", lambda: service.process.child(name), service.process)
    wait_until("the service is ready again", service.ready, service.process)


@pytest.fixture(scope="module")
def recovered_service(service: Service) -> Iterator[Service]:
    """The same data after ``kill -9`` of the supervisor; for the last tests of this module."""
    parts = descendants(service.process)
    service.process.end(signal.SIGKILL)
    wait_until("its children end", lambda: all_gone(parts))
    started = start(service.data)
    yield started
    started.process.end()


def test_all_processes_end_with_a_killed_supervisor_and_the_next_start_recovers(
    recovered_service: Service,
) -> None:
    assert recovered_service.ready()
    # No one has opened the link of the first start.
    assert "/setup/" in recovered_service.process.written


def no_padding(arguments: list[str]) -> list[str]:
    return [argument for argument in arguments if argument]


def is_in_memory(pid: int, text: str) -> bool:
    """Return whether a process has the text anywhere in its memory; only root may look."""
    wanted = text.encode()
    with Path(f"/proc/{pid}/maps").open() as maps, Path(f"/proc/{pid}/mem").open("rb") as memory:
        for line in maps:
            area, rights = line.split()[:2]
            if "rw" not in rights:
                continue
            start, end = (int(number, 16) for number in area.split("-"))
            memory.seek(start)
            if wanted in memory.read(end - start):
                return True
    return False


def orderly_shutdowns(data: Path) -> int:
    """Count the orderly shutdowns in PostgreSQL's log."""
    logs = (data / "postgres" / "cluster" / "log").glob("*.log")
    return sum(log.read_text().count("database system is shut down") for log in logs)


def test_ctrl_c_stops_all_processes_in_order(recovered_service: Service) -> None:
    parts = descendants(recovered_service.process)
    assert len(parts) >= 3
    before = orderly_shutdowns(recovered_service.data)
    assert recovered_service.process.end(signal.SIGINT) == 0
    assert all_gone(parts)
    assert orderly_shutdowns(recovered_service.data) == before + 1
    # A killed server would have left its PID file behind.
    assert not (recovered_service.data / "postgres" / "cluster" / "postmaster.pid").exists()
