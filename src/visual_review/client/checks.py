"""Looks whether this machine could publish; each check tells what it found or raises in words."""

import asyncio
from pathlib import Path

from playwright.async_api import Error as BrowserError
from playwright.async_api import async_playwright

from visual_review.client.capture import CaptureError
from visual_review.client.capture.chromium import find_chromium, local_flags, stable_flags
from visual_review.client.ci import CiFacts
from visual_review.client.publishing import RetryPolicy, Service
from visual_review.client.transport.credentials import Credential

# A check is looked at by somebody who waits for it.
IMPATIENT = RetryPolicy(attempts=2, first=0.2)


def check_browser(chosen: Path | None) -> str:
    """Start the browser that would capture. Raises CaptureError."""
    return asyncio.run(_start_browser(chosen))


async def _start_browser(chosen: Path | None) -> str:
    async with async_playwright() as playwright:
        path = find_chromium(playwright, chosen)
        try:
            browser = await playwright.chromium.launch(
                executable_path=path,
                args=[*stable_flags(), *local_flags(0, ())],
                chromium_sandbox=False,
            )
            version = browser.version
            await browser.close()
        except BrowserError as error:
            raise CaptureError(f"The browser {path} did not start: {error.message}") from error
        return f"{path}, version {version}"


def describe_facts(facts: CiFacts) -> str:
    words = [f"{facts.branch} at {facts.commit[:12]}, told by {facts.provider}"]
    if facts.pull_request:
        target = f" into {facts.base_branch}" if facts.base_branch else ""
        words.append(f"pull request #{facts.pull_request}{target}")
    if facts.head_repository:
        words.append(f"from the fork {facts.head_repository}")
    return ", ".join(words)


def check_service(url: str, credential: str | Credential, branch: str, product: str) -> str:
    """Ask for a capture plan, which takes the address and the credential. Raises ServiceError."""
    with Service(url, credential, IMPATIENT, on_retry=lambda _reason, _pause: None) as service:
        plan = service.plan({"branch": branch, "productKey": product})
    against = f"the baseline of {plan.baseline_branch}" if plan.baseline_branch else "nothing yet"
    return f"{url} takes the credential; {len(plan.variants)} variants, compared with {against}"
