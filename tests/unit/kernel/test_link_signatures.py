"""Signatures made together equal those of Django's signer, which checks them."""

from django.core.signing import Signer
from hypothesis import given
from hypothesis import strategies as st

from visual_review.kernel.blobs import sign_values

values = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=100), max_size=5)


@given(values, st.text(min_size=1, max_size=80), st.sampled_from(["", "GET 1795422300 "]))
def test_they_equal_those_of_django(keys: list[str], secret: str, prefix: str) -> None:
    signer = Signer(key=secret, salt="visual_review.blobs")
    expected = [signer.signature(prefix + key) for key in keys]
    assert sign_values(signer, prefix, keys) == expected
