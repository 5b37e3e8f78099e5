"""Generate the reference, and the npm package's devices: ``python -m scripts.generate_docs``."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import django

from scripts.reference_tables import (
    Schema,
    component_name,
    describe_type,
    input_table,
    references_in,
    result_table,
)
from scripts.reference_terms import read_terms, section_of_values, term_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "visual_review.config.settings")
django.setup()

# The registry needs Django's models, and the models exist only after the set-up.
from visual_review.actions.registry import published_actions  # noqa: E402 - As above.
from visual_review.api.openapi import EXTENSION_MARK, build_document  # noqa: E402 - As above.
from visual_review.variants import DEVICES, THEMES  # noqa: E402 - As above.

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = "docs/reference"
# Pages of `docs` with sections that explain all values of an enumeration.
EXPLANATIONS = ("glossary.md", "explanation/what-changed.md")

HEAD = """# Actions

Generated from the registry by `python -m scripts.generate_docs`; do not edit.

Every action is called as `POST {base}/api/rest/actions/{action}` with
`Authorization: Bearer <API key>` and a JSON object, and returns `{"result": ...}`. [rest.md](rest.md)
describes calls and errors. The same as an OpenAPI 3.1 document:
[openapi.json](openapi.json), served at `/api/openapi.json`.
"""
EXTENSIONS_HEAD = """# Extension actions

Generated from the registry by `python -m scripts.generate_docs`; do not edit.

Actions beyond the published [actions](actions.md), called in the same way: over REST as
`POST {base}/api/rest/actions/{action}`, over MCP as tools. They are made for agents that review a
build in few calls: over MCP they return text only (and images), never more than 10,000 tokens, and
what does not fit comes with `nextCursor`. In [openapi.json](openapi.json) they have the tag
`extensions` and `x-visual-review-extension: true`.

`VISUAL_REVIEW_EXTENSIONS=off` leaves exactly the published actions; so does
`/api/mcp?tools=published` for one connection. [mcp.md](mcp.md#toolsets) has more about this choice.
"""

VARIANTS_HEAD = """// The variants of screenshots, as the service knows them. Generated from the service's variants.py
// by `python -m scripts.generate_docs`; do not edit.

/** The viewports in which stories are captured, in CSS pixels. */
export const VIEWPORTS = """


def pages() -> dict[str, str]:
    """Return the text of every generated file by its path in the checkout."""
    found, published = build_document(), build_document(published_actions())
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    return {
        f"{REFERENCE}/openapi.json": json.dumps(found, indent=2, ensure_ascii=False) + "\n",
        f"{REFERENCE}/actions.md": ActionsPage(published, glossary, HEAD).text(),
        f"{REFERENCE}/extension-actions.md": ActionsPage(
            _extensions_in(found), glossary, EXTENSIONS_HEAD
        ).text(),
        "packages/node/src/variants.ts": _variants_module(),
    }


def _variants_module() -> str:
    """Return the module of the npm package with the themes and devices of the service."""
    themes = " | ".join(f'"{theme}"' for theme in THEMES)
    sizes = {device: size._asdict() for device, size in DEVICES.items()}
    return f"{VARIANTS_HEAD}{json.dumps(sizes, indent=2)} as const;\n\nexport type Theme = {themes};\nexport type Device = keyof typeof VIEWPORTS;\n"


def _extensions_in(document: Schema) -> Schema:
    marked = {
        path: item for path, item in document["paths"].items() if EXTENSION_MARK in item["post"]
    }
    return {**document, "paths": marked}


class ActionsPage:
    """A page of actions, made of their OpenAPI document and the glossary's terms."""

    def __init__(self, document: Schema, glossary: str, head: str) -> None:
        self._head = head
        self._schemas: dict[str, Schema] = document["components"]["schemas"]
        self._operations = [path["post"] for path in document["paths"].values()]
        self._terms = read_terms(glossary)

    def text(self) -> str:
        parts = [self._head, self._contents()]
        parts += [self._action(operation) for operation in self._operations]
        parts.append("## Shared parts\n")
        parts += [self._component(name) for name in sorted(self._shared())]
        return "\n".join(parts)

    def _contents(self) -> str:
        rows = ["| action | permission | |", "|---|---|---|"]
        for operation in self._operations:
            name, needed = operation["operationId"], _permission(operation)
            rows.append(f"| [{name}](#{name}) | {needed} | {operation['summary']} |")
        return "\n".join(rows) + "\n"

    def _action(self, operation: Schema) -> str:
        body, success = _contents_of(operation)
        taken, result = self._schemas[component_name(body["schema"])], self._result(operation)
        return _joined(
            f"## {operation['operationId']}\n",
            operation["description"] + "\n",
            self._term_line(operation["description"], taken, result),
            input_table(taken, self._schemas),
            _example("Example", body),
            "Result:\n",
            _about(result),
            result_table(result),
            _example("Example of a response", success),
        )

    def _result(self, operation: Schema) -> Schema:
        _, success = _contents_of(operation)
        response = self._schemas[component_name(success["schema"])]
        return self._schemas[component_name(response["properties"]["result"])]

    def _component(self, name: str) -> str:
        schema = self._schemas[name]
        if "enum" in schema:
            link = _link_to_explanation(schema["enum"])
            values = describe_type(schema) + "\n"
            terms = term_line([_about(schema)], self._terms)
            return _joined(f"### {name}\n", _about(schema), terms, values, link)
        terms = self._term_line("", schema)
        return _joined(f"### {name}\n", _about(schema), terms, result_table(schema))

    def _term_line(self, text: str, *schemas: Schema) -> str:
        texts = [
            part.get("description", "")
            for schema in schemas
            for part in (schema, *schema["properties"].values())
        ]
        return term_line([text, *texts], self._terms)

    def _shared(self) -> set[str]:
        """Return the names of the components used in the tables of actions."""
        bodies = [
            self._schemas[component_name(_contents_of(one)[0]["schema"])]
            for one in self._operations
        ]
        results = [self._result(operation) for operation in self._operations]
        waiting = [*bodies, *results]
        found: set[str] = set()
        while waiting:
            new = references_in(waiting.pop()) - found
            found |= new
            waiting += [self._schemas[name] for name in new]
        return found


def _link_to_explanation(values: Sequence[str]) -> str:
    for page in EXPLANATIONS:
        section = section_of_values(values, (ROOT / "docs" / page).read_text(encoding="utf-8"))
        if section:
            return f"Explained in [{section}](../{page}#{_anchor(section)}).\n"
    return ""


def _contents_of(operation: Schema) -> tuple[Schema, Schema]:
    """Return the input and the result of an operation."""
    taken: Schema = operation["requestBody"]["content"]["application/json"]
    returned: Schema = operation["responses"]["200"]["content"]["application/json"]
    return taken, returned


def _permission(operation: Schema) -> str:
    return str(operation["description"].rsplit("`", 2)[1])


def _example(title: str, content: Schema) -> str:
    text = json.dumps(content["example"], indent=2, ensure_ascii=False)
    return f"{title}:\n\n```json\n{text}\n```\n"


def _about(schema: Schema) -> str:
    text = schema.get("description", "")
    return f"{text}\n" if text else ""


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def main() -> int:
    for name, text in pages().items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"{name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
