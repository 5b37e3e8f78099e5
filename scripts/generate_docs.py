"""Generate the reference from the registry: ``python -m scripts.generate_docs``."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "visual_review.config.settings")
django.setup()

# The registry needs Django's models, which exist only after the set-up.
from visual_review.api.openapi import build_document  # noqa: E402 - As above.

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"

HEAD = """# Actions

Generated from the registry by `python -m scripts.generate_docs`; do not edit.

Every action is called as `POST {base}/api/rest/actions/{action}` with
`Authorization: Bearer <API key>` and a JSON object, and returns `{"result": ...}`. [rest.md](rest.md)
describes calls and errors. The same as an OpenAPI 3.1 document:
[openapi.json](openapi.json), served at `/api/openapi.json`.
"""

Schema = dict[str, Any]


def pages() -> dict[str, str]:
    """Return the text of every generated page by file name."""
    found = build_document()
    return {
        "openapi.json": json.dumps(found, indent=2, ensure_ascii=False) + "\n",
        "actions.md": actions_page(found),
    }


def actions_page(document: Schema) -> str:
    schemas: dict[str, Schema] = document["components"]["schemas"]
    operations = [path["post"] for path in document["paths"].values()]
    parts = [HEAD, _contents(operations)]
    parts += [_action(operation, schemas) for operation in operations]
    named = sorted(_named_results(operations, schemas))
    parts.append("## Shared parts of results\n")
    parts += [_named(name, schemas) for name in named]
    return "\n".join(parts)


def _contents(operations: list[Schema]) -> str:
    rows = ["| action | permission | |", "|---|---|---|"]
    for operation in operations:
        name = operation["operationId"]
        rows.append(f"| [{name}](#{name}) | {_permission(operation)} | {operation['summary']} |")
    return "\n".join(rows) + "\n"


def _permission(operation: Schema) -> str:
    return str(operation["description"].rsplit("`", 2)[1])


def _action(operation: Schema, schemas: dict[str, Schema]) -> str:
    body = operation["requestBody"]["content"]["application/json"]
    result = _result(operation, schemas)
    return "\n".join(
        part
        for part in (
            f"## {operation['operationId']}\n",
            operation["description"] + "\n",
            _input_table(schemas[_name(body["schema"])], schemas),
            _example("Example", body),
            "Result:\n",
            _about(schemas[result]),
            _result_table(schemas[result]),
            _example("Example of a response", _success(operation)),
        )
        if part
    )


def _example(title: str, content: Schema) -> str:
    text = json.dumps(content["example"], indent=2, ensure_ascii=False)
    return f"{title}:\n\n```json\n{text}\n```\n"


def _result(operation: Schema, schemas: dict[str, Schema]) -> str:
    return _name(schemas[_name(_success(operation)["schema"])]["properties"]["result"])


def _success(operation: Schema) -> Schema:
    content: Schema = operation["responses"]["200"]["content"]["application/json"]
    return content


def _name(reference: Schema) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _about(schema: Schema) -> str:
    text = schema.get("description", "")
    return f"{text}\n" if text else ""


def _input_table(schema: Schema, schemas: dict[str, Schema]) -> str:
    if not schema.get("properties"):
        return "Takes an empty object.\n"
    rows = ["| property | type | | |", "|---|---|---|---|"]
    for name, field in schema["properties"].items():
        need = "required" if name in schema.get("required", ()) else "optional"
        rows.append(f"| `{name}` | {_type(field, schemas)} | {need} | {_description(field)} |")
    return "\n".join(rows) + "\n"


def _description(field: Schema) -> str:
    return str(field.get("description", "")).replace("\n", " ")


def _result_table(schema: Schema) -> str:
    rows = ["| property | type | |", "|---|---|---|"]
    for name, field in schema["properties"].items():
        rows.append(f"| `{name}` | {_type(field)} | {_description(field)} |")
    return "\n".join(rows) + "\n"


def _type(field: Schema, inline: dict[str, Schema] | None = None) -> str:
    """Describe a type; ``inline`` spells out the objects of inputs."""
    if "$ref" in field:
        return _referred_type(_name(field), inline)
    if "anyOf" in field:
        return " or ".join(_type(choice, inline) for choice in field["anyOf"])
    if field.get("type") == "array":
        return f"array of {_type(field['items'], inline)}{_bounds(field)}"
    if "enum" in field or "const" in field:
        return " / ".join(f"`{value}`" for value in field.get("enum", [field.get("const")]))
    return f"{field['type']}{_bounds(field)}"


def _referred_type(name: str, inline: dict[str, Schema] | None) -> str:
    if inline is None:
        return f"[{name}](#{name.lower()})"
    if "enum" in inline[name]:
        return _type(inline[name])
    return "object of " + ", ".join(
        f"`{part}` {_type(value)}" for part, value in inline[name]["properties"].items()
    )


def _bounds(field: Schema) -> str:
    found = []
    for low, high, unit in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", ""),
    ):
        if low in field or high in field:
            found.append(f"{field.get(low, '')}..{field.get(high, '')}{unit}")
    return f" ({', '.join(found)})" if found else ""


def _named_results(operations: list[Schema], schemas: dict[str, Schema]) -> set[str]:
    tops = {_result(operation, schemas) for operation in operations}
    found: set[str] = set()
    waiting = list(tops)
    while waiting:
        for name in _references(schemas[waiting.pop()]):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found - tops


def _references(value: object) -> set[str]:
    if isinstance(value, dict):
        own = {_name(value)} if "$ref" in value else set()
        return own.union(*(_references(item) for item in value.values()))
    if isinstance(value, list):
        return set().union(*(_references(item) for item in value))
    return set()


def _named(name: str, schemas: dict[str, Schema]) -> str:
    schema = schemas[name]
    content = f"{_type(schema)}\n" if "enum" in schema else _result_table(schema)
    return f"### {name}\n\n{_about(schema)}\n{content}"


def main() -> int:
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
        print(f"docs/reference/{name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
