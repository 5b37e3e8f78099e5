"""Which variables the browser and its driver get."""

import os

import pytest

from visual_review.client.capture.environment import (
    DRIVER_NAMES,
    driver_environment,
    select_variables,
)

NEEDED = {
    "PATH": "/usr/bin",
    "HOME": "/home/ada",
    "LC_ALL": "C.UTF-8",
    "FONTCONFIG_PATH": "/etc/fonts",
    "SystemRoot": "C:\\Windows",
}
CREDENTIALS = {
    "UI_REVIEW_TOKEN": "secret",
    "VISUAL_REVIEW_ID_TOKEN": "secret",
    "GITHUB_TOKEN": "secret",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "secret",
    "CI_JOB_TOKEN": "secret",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "HTTPS_PROXY": "http://name:secret@proxy",
    "SSH_AUTH_SOCK": "/run/agent",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus",
    "NODE_OPTIONS": "--require=secret",
    "A_NAME_THAT_NO_ONE_KNOWS": "secret",
}


def test_only_what_changes_pixels_or_is_needed_to_start_is_passed_on() -> None:
    assert select_variables({**NEEDED, **CREDENTIALS}) == NEEDED


def test_the_driver_also_learns_where_browsers_are() -> None:
    places = {"PLAYWRIGHT_BROWSERS_PATH": "/opt/browsers", "PLAYWRIGHT_NODEJS_PATH": "/opt/node"}
    tokens = {"PLAYWRIGHT_SERVICE_ACCESS_TOKEN": "secret"}
    assert select_variables({**places, **tokens}, DRIVER_NAMES) == places


def test_the_environment_is_restored_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UI_REVIEW_TOKEN", "secret")
    before = dict(os.environ)

    def fail() -> None:
        with driver_environment():
            assert "UI_REVIEW_TOKEN" not in os.environ
            assert os.environ["PATH"] == before["PATH"]
            raise OSError

    with pytest.raises(OSError, match=r"^$"):
        fail()
    assert dict(os.environ) == before
