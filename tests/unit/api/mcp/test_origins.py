"""Which Host and Origin a request may name."""

import pytest

from tests.support.case import Case
from visual_review.api.mcp.endpoint import allowed_hosts, allowed_origins

PUBLIC_HOSTS = [
    ("https://reviews.example.com", {"reviews.example.com", "reviews.example.com:443"}),
    ("http://reviews.example.com", {"reviews.example.com", "reviews.example.com:80"}),
    ("https://Reviews.Example.com:443", {"reviews.example.com", "reviews.example.com:443"}),
    ("https://reviews.example.com:8443", {"reviews.example.com:8443"}),
    ("https://[2001:DB8::1]", {"[2001:db8::1]", "[2001:db8::1]:443"}),
    ("https://10.0.0.7:8000", {"10.0.0.7:8000"}),
]


def test_the_public_name_alone_means_the_service(case: Case) -> None:
    for public_url, hosts in PUBLIC_HOSTS:
        with case(public_url):
            assert allowed_hosts(public_url) == hosts


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_a_service_on_this_machine_has_all_names_of_the_machine(name: str) -> None:
    assert allowed_hosts(f"http://{name}:8000") == {
        "localhost:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
    }


def test_without_a_port_the_default_of_the_scheme_applies() -> None:
    assert allowed_hosts("http://localhost") >= {"localhost", "localhost:80", "[::1]:80"}


def test_an_origin_has_the_scheme_of_the_public_url() -> None:
    assert allowed_origins("https://reviews.example.com") == {
        "https://reviews.example.com",
        "https://reviews.example.com:443",
    }
