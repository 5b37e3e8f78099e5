"""What the door of ``/api/mcp`` settles before the protocol begins."""

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import ERAS, Endpoint
from tests.support.personas import Personas
from visual_review.repositories.models import Repository


def test_a_key_lists_and_calls_tools_in_both_eras(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    for era in ERAS:
        with case(era):
            key = user_key(personas.alice)
            Repository.objects.create(
                organization=personas.alice.organization, full_name="acme/web"
            )

            tools = endpoint.result(key, "tools/list", era=era)["tools"]
            answer = endpoint.call(key, "list_repos", {}, era)

            assert "list_repos" in {tool["name"] for tool in tools}
            assert answer["structuredContent"]["repos"][0]["fullName"] == "acme/web"
            assert not answer.get("isError")


def test_a_subscription_which_nothing_would_answer_is_refused(
    endpoint: Endpoint, personas: Personas
) -> None:
    asked = {"notifications": {"toolsListChanged": True}}
    answer = endpoint.ask(user_key(personas.alice), "subscriptions/listen", asked, era="2026-07-28")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == -32601
