"""Compares pairs with blazediff in this process: one JSON request and one response per line."""

import json
import sys

import blazediff  # type: ignore[import-not-found] # installed by the benchmark, in a folder of its own


def compare(request: dict[str, str]) -> int:
    result = blazediff.compare(
        request["before"],
        request["after"],
        request["output"] or None,
        threshold=0.1,
        # In blazediff, ``antialiasing`` means ignoring anti-aliased pixels.
        antialiasing=True,
    )
    return result.diff_count or 0


def main() -> None:
    print("{}", flush=True)
    for line in sys.stdin:
        print(json.dumps({"different": compare(json.loads(line))}), flush=True)


if __name__ == "__main__":
    main()
