"""The local Git provider of demo and journeys: faults, webhooks and pages."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.local_host.app import create_application
from scripts.local_host.markup import render_comment
from scripts.local_host.memory import MemoryHost, MemoryWorld
from scripts.setup_steps import ROOT

from tests.support.case import Case
from tests.support.hosts.adapter import NAME, TOKEN, AsgiServer
from tests.support.hosts.contract import COMMIT, MARK, status
from tests.support.hosts.local_server import ReceivedRequest, Reply, local_server, reply
from tests.support.servers.service import answers, wait_until
from visual_review.hosts.errors import HostBusyError, HostResponseError
from visual_review.hosts.gitea.host import GiteaHost, gitea_client
from visual_review.hosts.gitea.webhooks import GiteaWebhookReader
from visual_review.hosts.responses import RetryPolicy
from visual_review.kernel.clock import now

SECRET = "the secret of a webhook"


@pytest.fixture
def world(asgi_server: AsgiServer) -> MemoryWorld:
    world = MemoryWorld("memory://local")
    world.add_repository(NAME)
    world.open_pull_request(NAME, "blue", COMMIT, title="<b>Blue</b>")
    world.take_events()
    asgi_server.app = create_application(asgi_server.address, world)
    return world


@pytest.fixture
def host(asgi_server: AsgiServer, world: MemoryWorld) -> Iterator[GiteaHost]:  # noqa: ARG001 - The server shows it.
    host = GiteaHost(gitea_client(asgi_server.address, TOKEN, RetryPolicy(attempts=1)))
    yield host
    host.close()


def control(asgi_server: AsgiServer, path: str, values: object) -> Any:  # noqa: ANN401 - JSON.
    answer = httpx.post(
        f"{asgi_server.address}/control/{path}", content=json.dumps(values), timeout=60
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("kind", "error"),
    [("down", HostBusyError), ("failing", HostBusyError), ("html", HostResponseError)],
)
def test_a_trouble_is_met_by_every_third_call(
    asgi_server: AsgiServer, host: GiteaHost, kind: str, error: type[Exception]
) -> None:
    control(asgi_server, "faults", [{"kind": kind, "every": 3}])
    for _ in range(2):
        host.get_repository(NAME)
        host.get_repository(NAME)
        with pytest.raises(error):
            host.get_repository(NAME)
    assert control(asgi_server, "faults", []) == 2
    host.get_repository(NAME)


def test_a_rate_limit_says_when_to_retry(asgi_server: AsgiServer, host: GiteaHost) -> None:
    control(asgi_server, "faults", [{"kind": "limited", "seconds": 600, "times": 1}])
    with pytest.raises(HostBusyError) as caught:
        host.get_repository(NAME)
    assert caught.value.until is not None
    assert 300 < (caught.value.until - now()).total_seconds() <= 600


@pytest.mark.parametrize("kind", ["lost", "stuck"])
def test_a_call_whose_response_is_lost_was_processed(
    asgi_server: AsgiServer, host: GiteaHost, world: MemoryWorld, kind: str
) -> None:
    control(asgi_server, "faults", [{"kind": kind, "method": "POST", "seconds": 0}])
    with pytest.raises(HostBusyError):
        host.add_comment(NAME, 1, MARK)
    assert len(world.comments_of(NAME, 1)) == 1


def test_a_slow_response_is_accepted(asgi_server: AsgiServer, host: GiteaHost) -> None:
    control(asgi_server, "faults", [{"kind": "slow", "seconds": 0}])
    assert host.get_repository(NAME).full_name == NAME


def test_changes_are_reported_by_signed_webhooks(
    asgi_server: AsgiServer, world: MemoryWorld
) -> None:
    def take(request: ReceivedRequest) -> Reply:
        GiteaWebhookReader().verify_signature(request.headers, request.body, SECRET)
        return reply({})

    with local_server(take) as server:
        control(asgi_server, "hook", {"url": server.address, "secret": SECRET})
        control(
            asgi_server,
            "do/change_base_branch",
            {"full_name": NAME, "number": 1, "base_branch": "next"},
        )
        changed = MemoryHost(world, TOKEN).get_pull_request(NAME, 1)
        control(asgi_server, "do/rename_repository", {"full_name": NAME, "new_name": "acme/site"})
        control(asgi_server, "do/delete_branch", {"full_name": "acme/site", "branch": "blue"})
        events = [
            GiteaWebhookReader().parse_event(request.headers, request.body)
            for request in server.requests
        ]
    # Gitea does not report a new name.
    assert [event.kind for event in events if event] == ["pull_request", "branch_deleted"]
    assert events[0] is not None
    assert events[0].pull_request == changed


@pytest.mark.usefixtures("world")
def test_held_webhooks_are_sent_on_request_each_time(asgi_server: AsgiServer) -> None:
    with local_server(lambda _request: reply({})) as server:
        control(asgi_server, "hook", {"url": server.address, "secret": SECRET, "hold": True})
        control(asgi_server, "do/close_pull_request", {"full_name": NAME, "number": 1})
        assert server.requests == []
        [delivery] = control(asgi_server, "deliveries", {})
        for _ in range(2):
            assert control(asgi_server, f"deliveries/{delivery['id']}/send", {}) == 200
        assert len({request.headers["x-gitea-delivery"] for request in server.requests}) == 1
        assert len(server.requests) == 2


@pytest.mark.usefixtures("world")
def test_a_webhook_that_no_one_receives_is_recorded(asgi_server: AsgiServer) -> None:
    with local_server(lambda _request: reply({})) as server:
        address = server.address
    control(asgi_server, "hook", {"url": address, "secret": SECRET})
    control(asgi_server, "do/close_pull_request", {"full_name": NAME, "number": 1})
    [delivery] = control(asgi_server, "deliveries", {})
    assert delivery["statuses"] == [0]


@pytest.mark.parametrize("deed", ["locked", "__init__", "party"])
@pytest.mark.usefixtures("world")
def test_only_operations_of_users_can_be_called(asgi_server: AsgiServer, deed: str) -> None:
    assert (
        httpx.post(f"{asgi_server.address}/control/do/{deed}", content="{}", timeout=60).status_code
        == 404
    )


@pytest.mark.usefixtures("world")
def test_requests_from_a_browser_page_are_rejected(asgi_server: AsgiServer) -> None:
    address = f"{asgi_server.address}/control/do/clear_faults"
    answer = httpx.post(address, content="{}", headers={"Origin": "https://evil.test"}, timeout=60)
    assert answer.status_code == 403


def test_the_page_of_a_pull_request_shows_what_was_posted(
    asgi_server: AsgiServer, host: GiteaHost, world: MemoryWorld
) -> None:
    host.set_status(NAME, COMMIT, status("pending"))
    host.add_comment(NAME, 1, f"{MARK}\n### Review needed\n\n> `<b>`")
    world.write_comment(NAME, 1, "<script>alert(1)</script>")
    page = httpx.get(f"{asgi_server.address}/{NAME}/pulls/1", timeout=60)
    assert "script" not in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    for shown in ("&lt;b&gt;Blue", "2 stories wait for a review", "<h3>Review needed</h3>"):
        assert shown in page.text
    assert httpx.get(f"{asgi_server.address}/{NAME}/pulls/9", timeout=60).status_code == 404


MARKUP = [
    ("<!-- hidden -->\n**seen**", "<p><strong>seen</strong></p>"),
    ('<a href="javascript:x">y</a>', "<p><a>y</a></p>"),
    ('<img src="data:x" onerror="y" alt="z">', '<img alt="z">'),
    (
        '<a href="http://x.test"><img src="http://x.test/1" alt="&#60;b&#62;"></a>',
        '<p><a href="http://x.test"><img src="http://x.test/1" alt="&lt;b&gt;"></a></p>',
    ),
    ("<style>p {}</style>x", "x"),
    ("a <b>c", "<p>a c</p>"),
]


def test_markdown_becomes_safe_html(case: Case) -> None:
    for text, shown in MARKUP:
        with case(text):
            assert "".join(render_comment(text).split("\n")) == shown


@given(st.text(alphabet="<>/='\"`!-[]()# \nabscriptonxhref:&;"))
def test_no_text_becomes_a_script(text: str) -> None:
    html = render_comment(text).lower()
    assert "<script" not in html
    assert 'href="j' not in html


def test_the_process_ends_with_its_parent() -> None:
    starting = (
        "import os\n"
        "from scripts.local_host.running import running_local_host\n"
        "with running_local_host() as host:\n"
        "    print(host.url, flush=True)\n"
        "    os._exit(1)\n"
    )
    command = [sys.executable, "-c", starting]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=240, check=False
    )
    address = done.stdout.strip()
    assert address.startswith("http://127.0.0.1:")
    wait_until("it is gone", lambda: not answers(address, 200))
