"""Checks whether this machine can publish; each check returns a finding or raises."""

import asyncio
from pathlib import Path

from visual_review.client.capture import CaptureSettings
from visual_review.client.capture.browser import open_launcher
from visual_review.client.ci import CiFacts
from visual_review.client.publishing import RetryPolicy, Service
from visual_review.client.transport.credentials import Credential

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
