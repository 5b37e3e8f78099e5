from urllib.parse import urlsplit

import pytest

from visual_review.config.image_origins import image_origins
from visual_review.kernel.blobs import open_store

PUBLIC = "https://reviews.example.com"


@pytest.mark.parametrize(
    "url",
    [
        "s3://bucket/prefix",
        "s3://bucket?region=eu-west-1",
        "s3://bucket?region=eu-west-1&style=virtual",
        "s3://bucket?endpoint=https://s3.example.com:9000",
        "s3://bucket?endpoint=http://s3.example.com&style=virtual",
        "s3://bucket?endpoint=https://bucket.s3.example.com&style=virtual",
    ],
)
def test_pages_may_load_images_from_signed_links(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key")
    link = urlsplit(open_store(url).link("images/one", 60))
    assert image_origins(PUBLIC, url) == [PUBLIC, f"{link.scheme}://{link.netloc}"]


def test_images_in_a_folder_are_served_by_the_service() -> None:
    assert image_origins(f"{PUBLIC}:8000/", "file:///data/blobs") == [f"{PUBLIC}:8000"]
