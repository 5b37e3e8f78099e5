"""Schemas as tables of Markdown: properties with their types and descriptions."""

from typing import Any

Schema = dict[str, Any]


def input_table(schema: Schema, known: dict[str, Schema]) -> str:
    """Return a table of the properties of an input, with the required ones marked."""
    if not schema.get("properties"):
        return "Takes an empty object.\n"
    rows = ["| property | type | | |", "|---|---|---|---|"]
    for name, field in schema["properties"].items():
        need = "required" if name in schema.get("required", ()) else "optional"
        rows.append(
            f"| `{name}` | {describe_type(field, known)} | {need} | {_description(field)} |"
        )
    return "\n".join(rows) + "\n"


def result_table(schema: Schema) -> str:
    rows = ["| property | type | |", "|---|---|---|"]
    for name, field in schema["properties"].items():
        rows.append(f"| `{name}` | {describe_type(field)} | {_description(field)} |")
    return "\n".join(rows) + "\n"


def describe_type(field: Schema, known: dict[str, Schema] | None = None) -> str:
    """Describe a type; with ``known``, the values of enumerations stand in their place."""
    if "$ref" in field:
        return _referred_type(component_name(field), known or {})
    if "anyOf" in field:
        return " or ".join(describe_type(choice, known) for choice in field["anyOf"])
    if field.get("type") == "array":
        return f"array of {describe_type(field['items'], known)}{_bounds(field)}"
    if "enum" in field or "const" in field:
        return " / ".join(_value(value) for value in field.get("enum", [field.get("const")]))
    form = f", {field['format']}" if "format" in field else ""
    return f"{field['type']}{form}{_bounds(field)}"


def component_name(reference: Schema) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def references_in(value: object) -> set[str]:
    """Return the names of the components used by a schema."""
    if isinstance(value, dict):
        own = {component_name(value)} if "$ref" in value else set()
        return own.union(*(references_in(item) for item in value.values()))
    if isinstance(value, list):
        return set().union(*(references_in(item) for item in value))
    return set()


def _referred_type(name: str, known: dict[str, Schema]) -> str:
    if "enum" in known.get(name, {}):
        return describe_type(known[name])
    return f"[{name}](#{name.lower()})"


def _value(value: object) -> str:
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"


def _description(field: Schema) -> str:
    return str(field.get("description", "")).replace("\n", " ").replace("|", "\\|")


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
