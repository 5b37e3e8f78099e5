"""What the endpoint ``/api/mcp`` checks before the protocol."""

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint
from tests.support.personas import Personas
from visual_review.repositories.models import Repository


def test_an_api_key_lists_and_calls_tools_in_both_protocol_versions(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            key = user_key(personas.alice)
            Repository.objects.create(
                organization=personas.alice.organization, full_name="acme/web"
            )

            tools = endpoint.result(key, "tools/list", version=version)["tools"]
            response = endpoint.call(key, "list_repos", {}, version)

            assert "list_repos" in {tool["name"] for tool in tools}
            assert response["structuredContent"]["repos"][0]["fullName"] == "acme/web"
            assert not response.get("isError")


def test_a_subscription_is_rejected_since_nothing_would_be_sent(
    endpoint: Endpoint, personas: Personas
) -> None:
    requested = {"notifications": {"toolsListChanged": True}}
    response = endpoint.ask(
        user_key(personas.alice), "subscriptions/listen", requested, version="2026-07-28"
    )
    assert response.status_code == 404
    assert response.json()["error"]["code"] == -32601
