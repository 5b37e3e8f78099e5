"""How the browser is confined: the ways to try, and the message without confinement."""

from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.client.capture.browser import list_confinements
from visual_review.client.capture.chromium import local_flags
from visual_review.client.capture.sandbox import (
    NO_NAMESPACES,
    NO_USER,
    OUT_OF_REACH,
    USER_IDS,
    Failure,
    Sandbox,
    SeparateUser,
    choose_user_id,
    explain_failure,
    is_confined,
)

OWN = "Name:\tpython\nNSpid:\t812\nSeccomp:\t0\n"
IN_A_CONTAINER = "Name:\tpython\nNSpid:\t812\nSeccomp:\t2\n"


def test_the_safest_way_comes_first() -> None:
    user = SeparateUser(61_200, Path("/home"))
    ways = [(way.sandboxed, way.user) for way in list_confinements(user)]
    assert ways == [(True, user), (False, user), (False, None)]
    ways = [(way.sandboxed, way.user) for way in list_confinements(None)]
    assert ways == [(True, None), (False, None)]


LOGS = {
    "[err] FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox!": NO_NAMESPACES,
    "[err] Failed to move to new namespace: PID namespaces supported": NO_NAMESPACES,
    "[err] visual-review cannot become another user: [Errno 22] Invalid argument": NO_USER,
    "[err] visual-review cannot start the browser as another user: [Errno 13]": OUT_OF_REACH,
}


def test_the_reason_is_read_from_the_browsers_log(case: Case) -> None:
    for log, failure in LOGS.items():
        with case(log):
            assert explain_failure(f"BrowserType.launch: closed\n  - [pid=1]{log}\n") == failure


def test_any_other_reason_is_quoted() -> None:
    failure = explain_failure("closed\n  - [pid=7][err] error while loading libnss3.so\n")
    assert failure.problem == "it did not start in it (error while loading libnss3.so)"
    assert explain_failure("").problem == "it did not start in it"


PROCESSES = [
    ("in the sandbox", "NSpid:\t9\t4\t1\nSeccomp:\t2\n", OWN, True),
    ("without the sandbox", "NSpid:\t9\nSeccomp:\t0\n", OWN, False),
    ("with only one of its layers", "NSpid:\t9\t4\t1\nSeccomp:\t0\n", OWN, False),
    ("with the filter of the container", "NSpid:\t9\nSeccomp:\t2\n", IN_A_CONTAINER, False),
    ("on a kernel that does not say", "Name:\tchrome\n", "Name:\tpython\n", True),
]


def test_a_process_shows_whether_it_is_in_the_sandbox(case: Case) -> None:
    for name, renderer, own, expected in PROCESSES:
        with case(name):
            assert is_confined(renderer, own) is expected


@pytest.mark.parametrize(
    ("sandbox", "line"),
    [
        (Sandbox(), "in its sandbox"),
        (Sandbox(61_200), "in its sandbox as user 61200"),
        (
            Sandbox(None, Failure("a problem", "A remedy.")),
            "without its sandbox: a problem. A remedy.",
        ),
    ],
)
def test_it_is_described_in_one_line(sandbox: Sandbox, line: str) -> None:
    assert sandbox.describe() == line


def test_the_browsers_user_is_no_one_elses() -> None:
    used = set(USER_IDS) - {61_300}
    assert choose_user_id(used) == 61_300
    assert choose_user_id(set()) in USER_IDS


def test_nothing_but_the_storybook_resolves() -> None:
    rules, web_rtc = local_flags(8000, ())
    assert rules == "--host-resolver-rules=MAP storybook.localhost 127.0.0.1:8000, MAP * ~NOTFOUND"
    assert web_rtc == "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"


def test_allowed_hosts_resolve_with_their_port_or_all() -> None:
    rules = local_flags(8000, ("cdn.example.org", "127.0.0.1:9000"))[0]
    assert rules.endswith(
        "MAP 127.0.0.1:9000 127.0.0.1:9000, MAP * ~NOTFOUND, EXCLUDE cdn.example.org"
    )


def test_the_command_of_the_user_finds_any_browser(case: Case) -> None:
    for browser, named in {
        Path("/opt/it's a browser"): "/opt/it's a browser",
        Path("relative"): f"{Path.cwd()}/relative",
    }.items():
        with case(browser):
            command = SeparateUser(61_200, Path("/home")).wrap(browser)
            assert command[-3:] == ["61200", "/home", named]
