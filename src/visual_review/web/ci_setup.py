"""Commands and files to copy, for publishing from CI or one's own machine."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from visual_review.repositories.models import Repository
from visual_review.web.client_wheel import wheel_name
from visual_review.web.mcp_setup import LOOPBACK, Snippet
from visual_review.web.node_package import has_node_package, package_name

TOKEN_VARIABLE: Final = "UI_REVIEW_TOKEN"  # noqa: S105 - The name of a variable.
URL_VARIABLE: Final = "VISUAL_REVIEW_URL"
# The value for a shell where the page does not know the token; the command names the missing value.
NO_TOKEN: Final = "paste the project token here"  # noqa: S105 - A text for people.
CLIENT_FOLDER: Final = "~/.visual-review"
GITHUB_FILE: Final = ".github/workflows/visual-review.yml"
GITLAB_FILE: Final = ".gitlab-ci.yml"

# A tag can be moved to other code, and the other code would run in the job with the token.
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
{steps}
        env:
          VISUAL_REVIEW_URL: {url}
          UI_REVIEW_TOKEN: ${{{{ secrets.UI_REVIEW_TOKEN }}}}"""
GITLAB: Final = """\
visual-review:
  image: {image}
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  variables:
    VISUAL_REVIEW_URL: {url}
  script:
{steps}"""
NODE_IMAGE: Final = "node:24"
BUILD_STORYBOOK: Final = "npm ci && npx storybook build --stats-json"
RUN_PLAYWRIGHT: Final = "npx playwright test --reporter=list,visual-review/reporter"
# For people who take screenshots otherwise: a command of their own, and its folder.
RUN_TESTS: Final = "npm ci && npm test"


@dataclass(frozen=True)
class Tool:
    """A program taking the screenshots; ``steps`` are commands of a CI job, with ``{wheel}``.

    ``install`` and ``publish`` are commands of a shell.
    """

    id: str
    name: str
    github_steps: tuple[str, ...]
    gitlab_steps: tuple[str, ...]
    install: str
    publish: str


STORYBOOK: Final = Tool(
    "storybook",
    "Storybook",
    (
        BUILD_STORYBOOK,
        'pip install "visual-review @ {wheel}"',
        "playwright install --with-deps --only-shell chromium",
        "visual-review publish storybook-static",
    ),
    (
        "apt-get update && apt-get install -y chromium-headless-shell pipx",
        BUILD_STORYBOOK,
        'pipx run --spec "visual-review @ {wheel}" visual-review publish storybook-static',
    ),
    # Distributions refuse installations outside a virtual environment.
    f"python3 -m venv {CLIENT_FOLDER}\n"
    f"{CLIENT_FOLDER}/bin/pip install {{quoted_wheel}}\n"
    f"{CLIENT_FOLDER}/bin/playwright install --only-shell chromium",
    f"{CLIENT_FOLDER}/bin/visual-review publish storybook-static",
)
PLAYWRIGHT: Final = Tool(
    "playwright",
    "Playwright",
    ("npm ci", "npx playwright install --with-deps chromium", RUN_PLAYWRIGHT),
    (
        "apt-get update && apt-get install -y python3-venv",
        "npm ci",
        "npx playwright install --with-deps chromium",
        RUN_PLAYWRIGHT,
    ),
    "npm install --save-dev {package}",
    RUN_PLAYWRIGHT,
)
IMAGES: Final = Tool(
    "images",
    "Images of other tools",
    (
        RUN_TESTS,
        'pip install "visual-review @ {wheel}"',
        "visual-review publish screenshots",
    ),
    (
        "apt-get update && apt-get install -y pipx",
        RUN_TESTS,
        'pipx run --spec "visual-review @ {wheel}" visual-review publish screenshots',
    ),
    f"python3 -m venv {CLIENT_FOLDER}\n{CLIENT_FOLDER}/bin/pip install {{quoted_wheel}}",
    f"{CLIENT_FOLDER}/bin/visual-review publish screenshots",
)
TOOLS: Final = (STORYBOOK, PLAYWRIGHT, IMAGES)


@dataclass(frozen=True)
class ToolSetup:
    """The snippets of one tool by their names."""

    id: str
    name: str
    snippets: Mapping[str, Snippet]


@dataclass(frozen=True)
class CiSetup:
    """Examples for each tool; ``selected`` is the initially open tab of a CI provider."""

    tools: tuple[ToolSetup, ...]
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
    """Return the examples for a repository; ``token`` is known only right after its creation."""
    is_local = urlsplit(base_url).hostname in LOOPBACK
    selected = "shell" if is_local else "gitlab" if provider == "gitlab" else "github"
    secrets = {
        "github": _github_secret(full_name, token),
        "gitlab": _gitlab_secret(full_name, token),
    }
    available = [tool for tool in TOOLS if tool is not PLAYWRIGHT or has_node_package()]
    tools = (_create_tool(tool, base_url, default_branch, secrets, token) for tool in available)
    return CiSetup(tuple(tools), selected, is_local)


def _create_tool(
    tool: Tool, base_url: str, default_branch: str, secrets: Mapping[str, str], token: str
) -> ToolSetup:
    wheel = f"{base_url}/client/{wheel_name()}"
    github = GITHUB.format(
        url=base_url,
        branch=_quote_yaml(default_branch),
        checkout=CHECKOUT,
        setup_python=SETUP_PYTHON,
        steps="\n".join(f"      - run: {step.format(wheel=wheel)}" for step in tool.github_steps),
    )
    gitlab = GITLAB.format(
        url=base_url,
        image=NODE_IMAGE,
        steps="\n".join(f"    - {step.format(wheel=wheel)}" for step in tool.gitlab_steps),
    )
    found = (
        Snippet("install", _install_commands(tool, base_url)),
        Snippet("publish", _publish_commands(tool, base_url, token)),
        Snippet("github-secret", secrets["github"]),
        Snippet("github-file", github, GITHUB_FILE),
        Snippet("gitlab-secret", secrets["gitlab"]),
        Snippet("gitlab-file", gitlab, GITLAB_FILE),
    )
    named = {each.id.replace("-", "_"): replace(each, id=f"{tool.id}-{each.id}") for each in found}
    return ToolSetup(tool.id, tool.name, named)


def create_install_snippet(base_url: str) -> Snippet:
    return Snippet("install", _install_commands(STORYBOOK, base_url))


def _install_commands(tool: Tool, base_url: str) -> str:
    wheel = shlex.quote(f"visual-review @ {base_url}/client/{wheel_name()}")
    package = f"{base_url}/client/{package_name()}" if tool is PLAYWRIGHT else ""
    return tool.install.format(quoted_wheel=wheel, package=package)


def _publish_commands(tool: Tool, base_url: str, token: str) -> str:
    return (
        f"export {URL_VARIABLE}={shlex.quote(base_url)}\n"
        f"export {TOKEN_VARIABLE}={shlex.quote(token or NO_TOKEN)}\n"
        f"{tool.publish}"
    )


def _github_secret(full_name: str, token: str) -> str:
    # Without a value, the program asks for the token.
    value = f" --body {shlex.quote(token)}" if token else ""
    return f"gh secret set {TOKEN_VARIABLE} --repo {shlex.quote(full_name)}{value}"


def _gitlab_secret(full_name: str, token: str) -> str:
    value = shlex.quote(token or NO_TOKEN)
    repository = shlex.quote(full_name)
    return f"glab variable set {TOKEN_VARIABLE} --masked --repo {repository} --value {value}"


def _quote_yaml(text: str) -> str:
    """Return the text as a YAML string in which no character has a meaning."""
    quoted = text.replace("'", "''")
    return f"'{quoted}'"
