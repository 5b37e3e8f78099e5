"""An excerpt of a provider's published API description, to validate data with."""

import copy
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator


class Description:
    """``file`` holds ``operations`` (schema and example of each), ``webhooks`` and ``schemas``."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._validators: dict[str, Draft202012Validator] = {}

    def example(self, operation: str) -> Any:  # noqa: ANN401 - What JSON can say.
        """Return the provider's own example of the response, to be filled in."""
        return copy.deepcopy(self._content["operations"][operation]["example"])

    def status(self, operation: str) -> int:
        return int(self._content["operations"][operation]["status"])

    def require_response(self, operation: str, data: object) -> None:
        """Raise AssertionError unless ``data`` is a valid response by the description."""
        self._require(operation, self._content["operations"][operation]["schema"], data)

    def require_delivery(self, webhook: str, data: object) -> None:
        self._require(webhook, self._content["webhooks"][webhook], data)

    def _require(self, name: str, schema: object, data: object) -> None:
        if name not in self._validators:
            whole = {"schemas": self._content["schemas"], "allOf": [schema]}
            self._validators[name] = Draft202012Validator(to_json_schema(whole))
        faults = [fault.message for fault in self._validators[name].iter_errors(data)]
        assert not faults, f"{name}: {faults[0][:500]}"

    @cached_property
    def _content(self) -> Any:  # noqa: ANN401 - What JSON can say.
        return json.loads(self._file.read_text())


def to_json_schema(schema: Any) -> Any:  # noqa: ANN401 - What JSON can say.
    """Convert a schema of OpenAPI 3.0 to JSON Schema, which has no ``nullable``."""
    if isinstance(schema, list):
        return [to_json_schema(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: to_json_schema(part) for key, part in schema.items() if key != "nullable"}
    # A property may have this name; then it is a schema, not a keyword.
    if schema.get("nullable") is True:
        return {"anyOf": [plain, {"type": "null"}]}
    if isinstance(schema.get("nullable"), Mapping):
        plain["nullable"] = to_json_schema(schema["nullable"])
    return plain
