"""What a browser that has just started can do, seen in a page of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from visual_review.client.capture import frames
from visual_review.client.capture.devtools import BrowserProcess, ProtocolError, Session
from visual_review.client.capture.sandbox import is_confined

PROCESSES: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Examination:
    """``frame_control`` is whether pages render frames on request."""

    confined: bool
    frame_control: bool


async def examine(browser: BrowserProcess, *, frame_control: bool) -> Examination:
    """Raises ``BrowserError``."""
    session = browser.connection.browser
    page = await session.send(
        "Target.createTarget", url="about:blank", **frames.target_parameters(frame_control)
    )
    target = await browser.connection.attach(page["targetId"])
    # A renderer that has only just been started filters nothing yet.
    await target.send("Runtime.evaluate", expression="0")
    examination = Examination(
        confined=await _is_confined(session),
        frame_control=frame_control and await _renders_on_request(target),
    )
    await session.send("Target.closeTarget", targetId=page["targetId"])
    return examination


async def _renders_on_request(target: Session) -> bool:
    try:
        await target.send(frames.COMMAND)
    except ProtocolError:
        # Chrome with its windows, which the headless shell does not have.
        return False
    return True


async def _is_confined(session: Session) -> bool:
    """Return what the processes themselves show: a wrapper may have turned the sandbox off."""
    listed = await session.send("SystemInfo.getProcessInfo")
    renderers = [each["id"] for each in listed["processInfo"] if each["type"] == "renderer"]
    try:
        own = (PROCESSES / "self/status").read_text(encoding="utf-8")
        states = [
            (PROCESSES / str(each) / "status").read_text(encoding="utf-8") for each in renderers
        ]
    except OSError:
        # Not Linux, or a renderer that has ended: Chromium itself refused nothing.
        return True
    # Another one may still be starting.
    return not states or any(is_confined(state, own) for state in states)
