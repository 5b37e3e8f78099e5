"""Signed addresses give parts of files, so that players can jump."""

from pathlib import Path

import pytest
from django.http.response import HttpResponseBase
from django.test import Client

from tests.support.pages import path_of
from visual_review.kernel.blobs import blob_store

DATA = bytes(range(256)) * 3000
KEY = "recordings/org_1/rec_1/video.webm"


@pytest.fixture
def address(blobs_folder: Path) -> str:  # noqa: ARG001 - It sets the storage.
    blob_store().put(KEY, DATA)
    return path_of(blob_store().link(KEY, 60))


def get(address: str, **headers: str) -> tuple[HttpResponseBase, bytes]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = Client().get(address, headers=named)
    return response, b"".join(response)  # type: ignore[arg-type] - Bytes come in pieces.


def test_a_part_is_given_with_its_place(address: str) -> None:
    response, body = get(address, Range="bytes=300000-600000")
    assert response.status_code == 206
    assert body == DATA[300000:600001]
    assert response["Content-Range"] == f"bytes 300000-600000/{len(DATA)}"
    assert response["Content-Length"] == str(len(body))
    assert response["Content-Type"] == "video/webm"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_the_whole_says_that_parts_may_be_asked_for(address: str) -> None:
    response, body = get(address)
    assert (response.status_code, body) == (200, DATA)
    assert response["Accept-Ranges"] == "bytes"


def test_a_part_beyond_the_end_is_refused_with_the_size(address: str) -> None:
    response, _ = get(address, Range=f"bytes={len(DATA)}-")
    assert response.status_code == 416
    assert response["Content-Range"] == f"bytes */{len(DATA)}"


def test_a_part_of_another_version_is_answered_with_the_whole(address: str) -> None:
    etag = get(address)[0]["ETag"]
    assert get(address, Range="bytes=0-9", If_Range=etag)[0].status_code == 206
    response, body = get(address, Range="bytes=0-9", If_Range='"other"')
    assert (response.status_code, body) == (200, DATA)


def test_the_signature_is_asked_of_parts_too(address: str) -> None:
    assert get(address.replace("video", "other"), Range="bytes=0-9")[0].status_code == 403
