"""A compiler in front of a compiler, which writes down what each call costs.

    timed_cc.py LOG COMPILER ARGUMENT…

Appends a line of JSON to LOG: whether the call compiled, linked or both, its user time, its peak
memory and the size of the object. Behaves like the compiler in everything else.
"""

import json
import os
import sys

SOURCES = (".c", ".cc", ".cpp", ".cxx", ".S", ".s")


def kind(arguments: list[str]) -> str:
    if any(
        flag in arguments
        for flag in ("-E", "-M", "-MM", "-print-prog-name=ld", "--version", "-v", "-V")
    ):
        return "other"
    if "-c" in arguments or "-S" in arguments:
        return "compile"
    return "both" if any(argument.endswith(SOURCES) for argument in arguments) else "link"


def object_size(arguments: list[str]) -> int:
    if "-o" not in arguments[:-1]:
        return 0
    output = arguments[arguments.index("-o") + 1]
    return (
        os.path.getsize(output) if output.endswith((".o", ".lo")) and os.path.exists(output) else 0
    )


def main() -> int:
    log, *command = sys.argv[1:]
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    record = {
        "kind": kind(command),
        "user": usage.ru_utime,
        "memory": usage.ru_maxrss * 1024,
        "object": object_size(command) if kind(command) == "compile" else 0,
    }
    with open(log, "a") as file:
        file.write(json.dumps(record) + "\n")
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
