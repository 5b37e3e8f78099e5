"""``visual-review doctor``: checks whether this machine can publish."""

import asyncio
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.uploading import find_credential, require_url
from visual_review.cli.commands import is_server_installed
from visual_review.client.capture import CaptureError, CaptureSettings
from visual_review.client.capture.browser import open_launcher
from visual_review.client.ci import Checkout, CiError, CiFacts, Overrides, read_facts
from visual_review.client.folder_check import check_folder
from visual_review.client.publishing import PublishError, RetryPolicy, Service
from visual_review.client.transport.credentials import Credential
from visual_review.imagediff.engine import EngineError, describe_engine

Folder = Annotated[
    Path | None,
    typer.Argument(metavar="[DIR]", help="A built Storybook, or a folder of images, to check."),
]
PROBLEMS: Final = 2
# The plan of any branch shows whether URL and token are correct.
ANY_BRANCH: Final = "main"
SERVER_PART: Final = "visual_review.cli.server.doctor"


def doctor(  # noqa: PLR0913 - Each is an option of the command.
    folder: Folder = None,
    *,
    url: options.Url = "",
    token: options.Token = "",
    product: options.Product = "default",
    branch: options.Branch = None,
    project_root: options.ProjectRoot = None,
    images_only: options.ImagesOnly = False,
    chromium: options.Browser = None,
) -> None:
    """Check the browser, comparison, commit, server and token without publishing anything.

    With DIR, also check what publishing it would find there.
    Exits with 0 if everything works, 2 if anything is missing.
    """
    out = make_console()

    def check_commit() -> str:
        return describe_facts(
            read_facts(os.environ, Checkout(Path.cwd()), Overrides(branch=branch))
        )

    def check_server() -> str:
        base_url = require_url(url)
        credential = find_credential(token, base_url)
        return check_service(base_url, credential, branch or ANY_BRANCH, product)

    checks: dict[str, Callable[[], str]] = {
        "browser": lambda: check_browser(chromium),
        "comparison": describe_engine,
        **_folder_checks(folder, project_root, images_only=images_only),
        "commit": check_commit,
        "server": check_server,
    }
    # A list, so that one failure does not prevent the other checks.
    passed = [_run_check(out, name, check) for name, check in checks.items()]
    for line in _describe_server():
        print_line(out, f"note     service: {line}")
    raise typer.Exit(0 if all(passed) else PROBLEMS)


def _folder_checks(
    folder: Path | None, project_root: Path | None, *, images_only: bool
) -> dict[str, Callable[[], str]]:
    if folder is None:
        return {}
    return {"folder": lambda: check_folder(folder, project_root, images_only=images_only)}


def _describe_server() -> list[str]:
    # The client is also installed without the server.
    if not is_server_installed():
        return []
    lines: list[str] = import_module(SERVER_PART).describe_server()
    return lines


def _run_check(out: Console, name: str, check: Callable[[], str]) -> bool:
    try:
        result = check()
    except (CaptureError, CiError, EngineError, PublishError) as error:
        print_line(out, f"missing  {name}: {' '.join(str(error).split())}")
        return False
    print_line(out, f"ok       {name}: {result}")
    return True


# Someone is waiting for the result of a check.
CHECK_RETRY_POLICY = RetryPolicy(attempts=2, first=0.2)


def check_browser(chosen: Path | None) -> str:
    """Start the browser used for captures. Raises CaptureError."""
    return asyncio.run(_start_browser(chosen))


async def _start_browser(chosen: Path | None) -> str:
    async with open_launcher(CaptureSettings(chromium=chosen), 0) as launcher:
        version = launcher.renderer.version
        return f"{launcher.path}, version {version}, {launcher.sandbox.describe()}"


def describe_facts(facts: CiFacts) -> str:
    parts = [f"{facts.branch} at {facts.commit[:12]}, according to {facts.provider}"]
    if facts.pull_request:
        base = f" into {facts.base_branch}" if facts.base_branch else ""
        parts.append(f"pull request #{facts.pull_request}{base}")
    if facts.head_repository:
        parts.append(f"from the fork {facts.head_repository}")
    return ", ".join(parts)


def check_service(url: str, credential: str | Credential, branch: str, product: str) -> str:
    """Request a capture plan; needs a correct URL and credential. Raises ServiceError."""
    with Service(
        url, credential, CHECK_RETRY_POLICY, on_retry=lambda _reason, _pause: None
    ) as service:
        plan = service.plan({"branch": branch, "productKey": product})
    baseline = f"the baseline of {plan.baseline_branch}" if plan.baseline_branch else "nothing yet"
    return f"{url} accepts the credential; {len(plan.variants)} variants, compared with {baseline}"
