"""Commands and files that people copy to publish from CI or their own machine."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from visual_review.repositories.models import Repository
from visual_review.web.client_wheel import wheel_name
from visual_review.web.mcp_setup import LOOPBACK, Snippet

TOKEN_VARIABLE: Final = "UI_REVIEW_TOKEN"  # noqa: S105 - The name of a variable.
URL_VARIABLE: Final = "VISUAL_REVIEW_URL"
# What a shell gets where the page does not know the token; the command then says what is missing.
NO_TOKEN: Final = "paste the project token here"  # noqa: S105 - A text for people.
CLIENT_FOLDER: Final = "~/.visual-review"
GITHUB_FILE: Final = ".github/workflows/visual-review.yml"
GITLAB_FILE: Final = ".gitlab-ci.yml"

# A tag can be moved to other code, which would then run in the job that has the token.
CHECKOUT: Final = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
SETUP_PYTHON: Final = "actions/setup-python@ece7cb06caefa5fff74198d8649806c4678c61a1 # v6.3.0"
GITHUB: Final = """\
name: Visual Review
on:
  push:
    branches: [{branch}]
  pull_request:
jobs:
  visual-review:
    runs-on: ubuntu-latest
    steps:
      - uses: {checkout}
        with:
          fetch-depth: 0
      - uses: {setup_python}
        with:
          python-version: "3.12"
      - run: npm ci && npx storybook build --stats-json
      - run: pip install "visual-review @ {wheel}"
      - run: playwright install --with-deps --only-shell chromium
      - run: visual-review publish storybook-static
        env:
          VISUAL_REVIEW_URL: {url}
          UI_REVIEW_TOKEN: ${{{{ secrets.UI_REVIEW_TOKEN }}}}"""
GITLAB: Final = """\
visual-review:
  image: node:24
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  variables:
    VISUAL_REVIEW_URL: {url}
  script:
    - apt-get update && apt-get install -y chromium-headless-shell pipx
    - npm ci && npx storybook build --stats-json
    - pipx run --spec "visual-review @ {wheel}" visual-review publish storybook-static"""


@dataclass(frozen=True)
class CiSetup:
    """Examples by name; ``selected`` is the tab that is open first."""

    snippets: Mapping[str, Snippet]
    selected: str
    is_local: bool


def ci_setup_of(repository: Repository, token: str = "") -> CiSetup:
    account = repository.host_account
    return create_ci_setup(
        settings.PUBLIC_URL,
        repository.full_name,
        repository.default_branch,
        "" if account is None else account.kind,
        token,
    )


def create_ci_setup(
    base_url: str, full_name: str, default_branch: str, provider: str, token: str = ""
) -> CiSetup:
    """Return the examples for a repository; ``token`` is known only where it was just created."""
    wheel = f"{base_url}/client/{wheel_name()}"
    values = {"url": base_url, "wheel": wheel, "branch": _quote_yaml(default_branch)}
    actions = {"checkout": CHECKOUT, "setup_python": SETUP_PYTHON}
    is_local = urlsplit(base_url).hostname in LOOPBACK
    selected = "shell" if is_local else "gitlab" if provider == "gitlab" else "github"
    found = (
        Snippet("install", _install_commands(wheel)),
        Snippet("publish", _publish_commands(base_url, token)),
        Snippet("github-secret", _github_secret(full_name, token)),
        Snippet("github-file", GITHUB.format(**values, **actions), GITHUB_FILE),
        Snippet("gitlab-secret", _gitlab_secret(full_name, token)),
        Snippet("gitlab-file", GITLAB.format(**values), GITLAB_FILE),
    )
    return CiSetup({each.id.replace("-", "_"): each for each in found}, selected, is_local)


def create_install_snippet(base_url: str) -> Snippet:
    return Snippet("install", _install_commands(f"{base_url}/client/{wheel_name()}"))


def _install_commands(wheel: str) -> str:
    # Distributions refuse installations outside a virtual environment.
    return (
        f"python3 -m venv {CLIENT_FOLDER}\n"
        f"{CLIENT_FOLDER}/bin/pip install {shlex.quote(f'visual-review @ {wheel}')}\n"
        f"{CLIENT_FOLDER}/bin/playwright install --only-shell chromium"
    )


def _publish_commands(base_url: str, token: str) -> str:
    return (
        f"export {URL_VARIABLE}={shlex.quote(base_url)}\n"
        f"export {TOKEN_VARIABLE}={shlex.quote(token or NO_TOKEN)}\n"
        f"{CLIENT_FOLDER}/bin/visual-review publish storybook-static"
    )


def _github_secret(full_name: str, token: str) -> str:
    # Without a value, the program asks for it.
    value = f" --body {shlex.quote(token)}" if token else ""
    return f"gh secret set {TOKEN_VARIABLE} --repo {shlex.quote(full_name)}{value}"


def _gitlab_secret(full_name: str, token: str) -> str:
    value = shlex.quote(token or NO_TOKEN)
    repository = shlex.quote(full_name)
    return f"glab variable set {TOKEN_VARIABLE} --masked --repo {repository} --value {value}"


def _quote_yaml(text: str) -> str:
    """Return it as a YAML string in which no character has a meaning."""
    quoted = text.replace("'", "''")
    return f"'{quoted}'"
