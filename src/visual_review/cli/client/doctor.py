"""``visual-review doctor``: whether this machine could publish, and what is missing."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import typer
from rich.console import Console

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.console import console, say
from visual_review.cli.client.uploading import checked_url, credential_for
from visual_review.client.capture import CaptureError
from visual_review.client.checks import check_browser, check_service, describe_facts
from visual_review.client.ci import Checkout, CiError, Overrides, read_facts
from visual_review.client.publishing import PublishError

PROBLEMS: Final = 2
# The plan of any branch shows whether address and token are right.
ANY_BRANCH: Final = "main"


def doctor(
    *,
    url: options.Url = "",
    token: options.Token = "",
    product: options.Product = "default",
    branch: options.Branch = None,
    chromium: options.Browser = None,
) -> None:
    """Check browser, commit, server and token without publishing anything.

    Exits with 0 if all is well, 2 if anything is missing.
    """
    out = console()

    def commit() -> str:
        return describe_facts(
            read_facts(os.environ, Checkout(Path.cwd()), Overrides(branch=branch))
        )

    def server() -> str:
        address = checked_url(url)
        return check_service(address, credential_for(token, address), branch or ANY_BRANCH, product)

    checks: dict[str, Callable[[], str]] = {
        "browser": lambda: check_browser(chromium),
        "commit": commit,
        "server": server,
    }
    # A list, so that one failure does not keep the other checks from being made.
    well = [_told(out, name, check) for name, check in checks.items()]
    raise typer.Exit(0 if all(well) else PROBLEMS)


def _told(out: Console, name: str, check: Callable[[], str]) -> bool:
    try:
        found = check()
    except (CaptureError, CiError, PublishError) as error:
        say(out, f"missing  {name}: {' '.join(str(error).split())}")
        return False
    say(out, f"ok       {name}: {found}")
    return True
