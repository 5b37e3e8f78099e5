"""The result of posting a message."""

from dataclasses import dataclass
from typing import Any, Final

from visual_review.builds.models import HostMessage

NO_BUILD: Final = "The build that this is about was deleted."


@dataclass(frozen=True)
class PostedMessage:
    """The content shown at the provider. ``reference`` is its id there, empty for statuses."""

    content: dict[str, Any]
    reference: str = ""


@dataclass(frozen=True)
class SkippedMessage:
    reason: str


def mark_doubtful(message: HostMessage) -> None:
    """Record that the provider may show other content from now on.

    The response may be lost or the worker killed: then a change back is still posted.
    """
    if message.sent_content is not None:
        content = {**message.sent_content, "doubtful": True}
        HostMessage.objects.filter(pk=message.pk).update(sent_content=content)
