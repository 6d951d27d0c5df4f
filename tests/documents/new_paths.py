import json
import sys


def paths(name: str) -> set[tuple[str, str]]:
    with open(name) as file:
        functions = json.load(file)["functions"]
    return {(one["name"], path["id"]) for one in functions for path in one["paths"]}


first, second = map(paths, sys.argv[1:])
for function, path in sorted(second - first):
    print(f"{function}: path {path}")
