"""The variables of the browser."""

from visual_review.client.capture.chromium import select_variables

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
