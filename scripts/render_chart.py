"""Print the objects of a Helm chart as JSON: ``python render_chart.py CHART < values.json``.

The program runs in the environment of ``tests/release_tools``, and exits with 1 and the reason if
Helm, its linter or the schemas of Kubernetes reject the chart or the values.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any, Final

import helm_python
import kubernetes_validate
import yaml

# The oldest version that the chart allows, and a new one.
KUBERNETES: Final = ("1.30", "1.37")


def render(chart: str, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    with helm_python.Chart.load(chart) as loaded:
        texts = loaded.render(values, name="reviews", namespace="default", is_install=True)
    for name, text in sorted(texts.items()):
        if name.endswith(".yaml"):
            yield from filter(None, yaml.safe_load_all(text))


def find_fault(chart: str, values: dict[str, Any], objects: list[dict[str, Any]]) -> str:
    """Return the faults found by Helm's linter or the schemas of Kubernetes; empty if none."""
    errors = helm_python.lint(chart, values, strict=True)["errors"]
    try:
        for version in KUBERNETES:
            for each in objects:
                kubernetes_validate.validate(each, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        errors.append(str(error))
    return "\n".join(errors)


def main(chart: str) -> int:
    values = json.load(sys.stdin)
    try:
        objects = list(render(chart, values))
    except (helm_python.HelmError, yaml.YAMLError) as error:
        fault = str(error)
    else:
        fault = find_fault(chart, values, objects)
        json.dump(objects, sys.stdout)
    print(fault, file=sys.stderr)
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
