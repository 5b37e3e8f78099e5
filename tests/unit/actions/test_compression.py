"""The encoding of a sent body."""

from tests.support.case import Case
from visual_review.actions.compression import choose_encoding

CHOICES = (
    ("", None),
    ("identity", None),
    ("gzip", "gzip"),
    ("GZIP", "gzip"),
    ("zstd", "zstd"),
    ("gzip, deflate, br, zstd", "zstd"),
    ("gzip;q=1.0, zstd;q=0.5", "gzip"),
    ("zstd;q=0, gzip", "gzip"),
    ("gzip; q=0", None),
    ("gzip;q=0.000, *", "zstd"),
    ("*", "zstd"),
    ("*;q=0", None),
    ("*;q=0, gzip", "gzip"),
    ("identity, gzip;q=0.5", None),
    ("identity;q=0.5, gzip;q=0.5", "gzip"),
    ("br, deflate", None),
    ("gzip;q=much, zstd;q=2", None),
    ("gzip;level=9", "gzip"),
    (";;q=,,", None),
)


def test_a_client_gets_what_it_prefers(case: Case) -> None:
    for accepted, expected in CHOICES:
        with case(accepted):
            assert choose_encoding(accepted) == expected
