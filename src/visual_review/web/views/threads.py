"""The threads of a build as JSON, and the review page's endpoints for writing in them."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.deciders import name_person
from visual_review.builds.models import Comment
from visual_review.builds.queries import build_of
from visual_review.builds.reviewers import people_of
from visual_review.builds.threads.reading import ShownThread, threads_of_build
from visual_review.web.build_facts import format_time
from visual_review.web.json_responses import json_member_required, json_response, read_json
from visual_review.web.requests import caller_of, run_action

# Comments as a tree of elements; the page builds the elements without any markup.
#
# A comment is small Markdown (CommonMark without images and HTML), and a line break is one.

TAGS: Final = {
    "paragraph": "p",
    "strong": "strong",
    "em": "em",
    "link": "a",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    # Headings would be louder than the page.
    "heading": "strong",
}
BREAKS: Final = frozenset({"softbreak", "hardbreak", "hr"})
# Deeper nesting is a joke, or an attack on the reader.
DEEPEST: Final = 12
_PARSER: Final = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).disable(
    ["html_block", "html_inline", "image", "reference"]
)


def encode_markdown(text: str) -> list[Any]:
    """Return strings and elements: ``{"tag": "p", "children": [...]}``, links with ``href``."""
    return _encode_all(SyntaxTreeNode(_PARSER.parse(show_bidi_controls(text))))


def _encode_all(node: SyntaxTreeNode) -> list[Any]:
    return [part for child in node.children for part in _encode(child)]


def _encode(node: SyntaxTreeNode) -> list[Any]:
    if node.type == "text":
        return [node.content] if node.content else []
    if node.type in BREAKS:
        return [{"tag": "br", "children": []}]
    if node.type == "code_inline":
        return [{"tag": "code", "children": [node.content]}]
    if node.type in {"fence", "code_block"}:
        return [{"tag": "pre", "children": [node.content]}]
    tag = TAGS.get(node.type)
    if tag is None:
        return _encode_all(node)
    href = {"href": str(node.attrs["href"])} if "href" in node.attrs else {}
    return [{"tag": tag, "children": _encode_all(node), **href}]


@require_safe
@json_member_required
def build_threads(request: HttpRequest, build_id: str) -> HttpResponse:
    """Return the threads shown by the build, and the people who can be mentioned."""
    caller = caller_of(request)
    build = build_of(caller.organization_id, build_id)
    value = {
        "threads": [_encode_thread(shown, caller.id) for shown in threads_of_build(build)],
        "people": [each.name for each in people_of(caller.organization_id)],
    }
    return json_response(request, value)


@require_POST
@json_member_required
def write_comment(request: HttpRequest) -> HttpResponse:
    """Begin a thread, or reply in one."""
    return json_response(
        request, run_action(request, "write_comment", read_json(request)).model_dump()
    )


@require_POST
@json_member_required
def edit_comment(request: HttpRequest, comment_id: str) -> HttpResponse:
    """Replace the text of an own comment; an empty text deletes the comment."""
    payload = read_json(request) | {"commentId": comment_id}
    return json_response(request, run_action(request, "edit_comment", payload).model_dump())


@require_POST
@json_member_required
def resolve_thread(request: HttpRequest, thread_id: str) -> HttpResponse:
    payload = read_json(request) | {"threadId": thread_id}
    return json_response(request, run_action(request, "resolve_thread", payload).model_dump())


def _encode_thread(shown: ShownThread, reader_id: str) -> dict[str, Any]:
    thread = shown.thread
    return {
        "id": thread.pk,
        "screenshotId": shown.screenshot_id,
        "title": show_bidi_controls(thread.title or thread.story_id),
        "variant": f"{thread.theme}, {thread.device}",
        "place": thread.place,
        "more": thread.more,
        "build": thread.build.number if thread.build else None,
        "isEarlier": shown.is_earlier,
        "rejection": shown.rejection,
        "resolvedBy": show_bidi_controls(thread.resolved_by_name),
        "resolvedAt": format_time(thread.resolved_at),
        "comments": [_encode_comment(each, reader_id) for each in shown.comments],
    }


def _encode_comment(comment: Comment, reader_id: str) -> dict[str, Any]:
    is_own = comment.author_id == reader_id and comment.deleted_at is None
    return {
        "id": comment.pk,
        "by": show_bidi_controls(name_person(comment.author_name)),
        "client": show_bidi_controls(comment.client),
        "at": format_time(comment.created_at),
        "isEdited": comment.edited_at is not None,
        "isDeleted": comment.deleted_at is not None,
        "isRejection": comment.rejection_id is not None,
        "mayEdit": is_own and comment.rejection_id is None,
        "text": comment.text if is_own else "",
        "content": encode_markdown(comment.text),
    }
