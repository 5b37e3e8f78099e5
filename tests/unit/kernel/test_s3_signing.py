"""Our signatures equal the storage library's, and Amazon's published example."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import obstore
import pytest
from django.core.signing import Signer
from hypothesis import given
from hypothesis import strategies as st
from obstore.store import S3Store
from pytest_django.fixtures import Settings

from tests.support.case import Case
from visual_review.kernel.blobs import AccessKey, S3Signer, access_key_in, open_store, sign_values

KEY = AccessKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
MOMENT = datetime(2013, 5, 24, tzinfo=UTC)


def test_amazons_example() -> None:
    signer = S3Signer("https://examplebucket.s3.amazonaws.com", "us-east-1", KEY)
    [url] = signer.sign("GET", ["test.txt"], 86400, MOMENT, {})
    expected = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    assert parse_qs(urlsplit(url).query)["X-Amz-Signature"] == [expected]


def test_signatures_equal_those_of_the_storage_library(case: Case) -> None:
    for endpoint, prefix, token in (
        ("http://127.0.0.1:9000", "", ""),
        ("https://s3.eu-central-1.amazonaws.com", "visual-review", ""),
        ("https://storage.example:8443", "a b/ü~(1)", "token/with+signs=="),
    ):
        with case(endpoint):
            store = S3Store(
                "bucket",
                prefix=prefix or None,
                endpoint=endpoint,
                region="eu-central-1",
                access_key_id=KEY.id,
                secret_access_key=KEY.secret,
                client_options={"allow_http": True},
                config={"session_token": token} if token else {},
            )
            keys = ["incoming/org_1/key", "images/a b/ü~(1).png"]
            theirs = obstore.sign(store, "GET", keys, timedelta(seconds=60))
            time = parse_qs(urlsplit(theirs[0]).query)["X-Amz-Date"][0]
            moment = datetime.strptime(time, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            base = "/".join(filter(None, (endpoint, "bucket", prefix)))
            signer = S3Signer(base, "eu-central-1", AccessKey(KEY.id, KEY.secret, token))
            ours = signer.read_links(keys, 60, moment)
            for our, their in zip(ours, theirs, strict=True):
                assert urlsplit(our)[:3] == urlsplit(their)[:3]
                assert parse_qs(urlsplit(our).query) == parse_qs(urlsplit(their).query)


def test_the_size_is_part_of_the_signature() -> None:
    signer = S3Signer("https://storage.example/bucket", "us-east-1", KEY)
    one, other = (signer.upload_link("key", size, 60, MOMENT) for size in (10, 11))
    assert "X-Amz-SignedHeaders=content-length%3Bhost" in one
    assert one != other


def test_without_an_access_key_uploads_go_to_the_service(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """The storage library may know a role's credentials, but signs no size."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert access_key_in({"AWS_ACCESS_KEY_ID": "id"}) is None
    store = open_store("s3://bucket/of-a-role?endpoint=https://storage.example")
    link = store.upload_link("incoming/key", 10, 60)
    assert link.startswith(f"{settings.PUBLIC_URL}/blobs/incoming/key?")


def test_no_secret_is_shown() -> None:
    assert KEY.secret not in repr(S3Signer("https://storage.example", "us-east-1", KEY))


values = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=100), max_size=5)


@given(values, st.text(min_size=1, max_size=80), st.sampled_from(["", "GET 1795422300 "]))
def test_they_equal_those_of_django(keys: list[str], secret: str, prefix: str) -> None:
    signer = Signer(key=secret, salt="visual_review.blobs")
    expected = [signer.signature(prefix + key) for key in keys]
    assert sign_values(signer, prefix, keys) == expected
