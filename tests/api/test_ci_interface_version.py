"""Servers and clients that differ by more than the CI interface allows say so."""

import pytest

from visual_review.api.ci.interface import HEADER, VERSION, require_accepted_client
from visual_review.client.transport import connection
from visual_review.kernel.errors import InvalidInputError


def test_client_and_server_of_one_commit_fit() -> None:
    assert (connection.INTERFACE, connection.INTERFACE_HEADER) == (VERSION, HEADER)
    assert connection.OLDEST_SERVER <= VERSION
    require_accepted_client(str(connection.INTERFACE))


def test_a_client_that_is_too_old_learns_where_the_one_that_fits_is() -> None:
    require_accepted_client(None)
    for header in ("1", "no number"):
        with pytest.raises(InvalidInputError, match="/client/"):
            require_accepted_client(header)
