"""Checks JSON documents against a schema: `validate.py SCHEMA DOCUMENT…`.

Runs in the environment of `tests/real/schema.py`, which has jsonschema. Prints each difference;
exit status 1 if there are any.
"""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator


def main() -> int:
    schema, *documents = [json.loads(Path(name).read_text()) for name in sys.argv[1:]]
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    differences = 0
    for name, document in zip(sys.argv[2:], documents, strict=True):
        for error in validator.iter_errors(document):
            print(f"{name}: {error.json_path}: {error.message[:200]}")
            differences += 1
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
