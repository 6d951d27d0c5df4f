import json
import sys

document = json.load(sys.stdin)
total = sum(function["instructions"] for function in document["functions"])
for function in sorted(document["functions"], key=lambda one: -one["instructions"]):
    print(f"{function['instructions'] / total:6.1%} {function['demangled']}")
