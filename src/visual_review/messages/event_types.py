"""The types of events, in the words of pages."""

from typing import Final

BUILD_NEEDS_REVIEW: Final = "build.needs_review"
BUILD_DECIDED: Final = "build.decided"
CAPTURE_UNSTABLE: Final = "capture.unstable"
COMMENT_CREATED: Final = "comment.created"
REVIEW_REQUESTED: Final = "review.requested"
STORAGE_LOW: Final = "storage.low"
TYPES: Final = {
    BUILD_NEEDS_REVIEW: "A build needs a review",
    BUILD_DECIDED: "A build was approved or rejected",
    CAPTURE_UNSTABLE: "Screenshots of a build were unstable",
    COMMENT_CREATED: "Someone commented on a screenshot",
    REVIEW_REQUESTED: "Someone was asked for a review",
    STORAGE_LOW: "The storage of this service is nearly full",
}
# Chats get events for people to act on, never each decision.
CHAT_TYPES: Final = (BUILD_NEEDS_REVIEW, BUILD_DECIDED)
# Members get mail about their own affairs. A mention is a comment, but a kind of its own.
MENTIONED: Final = "mentioned"
MAIL_TYPES: Final = {
    REVIEW_REQUESTED: "Someone asks you for a review",
    BUILD_NEEDS_REVIEW: "A later build needs your review",
    MENTIONED: "Someone mentions you",
    COMMENT_CREATED: "Someone replies where you commented",
    BUILD_DECIDED: "Someone else approves or rejects a build that you are asked to review",
    STORAGE_LOW: "The storage is nearly full (for admins)",
}
