"""What other programs read of a task graph: Graphviz, viewers of Chrome traces, DuckDB.

The graphs are those of kernels of examples/parallel. Each form must have the tasks and edges that
the JSON has.
"""

import json
import re
from pathlib import Path

from tests.real.packages import WHEELS, python_with
from tests.real.tools import PATHCC, PATHPROF, ROOT, CheckFailed, environment, run

KERNELS = {"lu": [], "radix": [], "fibonacci": ["-fopenmp"]}
SIZES = {"lu": "20", "radix": "100", "fibonacci": "8"}

NEEDS = ROOT / "tests/real/duckdb.txt"
TABLES = ROOT / "tests/real/duckdb_tables.py"

NODE = re.compile(rb'class="node"')
EDGE = re.compile(rb'class="edge"')


def graph_of(name: str, home: Path) -> dict[str, bytes]:
    """The task graph of a kernel's run with two threads, by form."""
    program, source = home / name, ROOT / f"examples/parallel/{name}.c"
    build = [PATHCC, "-g", "-O1", "-pthread", "-fpath-mode=trace", *KERNELS[name]]
    run([*build, source, "-o", program, "-lm"], home)
    run([program, "2", SIZES[name]], home, env=environment(PATHCC_PROFILE=str(home)))
    (trace,) = home.glob("*.pathtrace")
    command = [PATHPROF, "trace", "graph", trace, "--format"]
    run([*command, "parquet", "-o", home / "tables"], home)
    return {form: run([*command, form], home) for form in ("json", "dot", "perfetto")}


def check(name: str, home: Path) -> str:
    """Compares the forms."""
    forms = graph_of(name, home)
    graph = json.loads(forms["json"])
    tasks, edges = len(graph["tasks"]), len(graph["edges"])
    (home / "graph.dot").write_bytes(forms["dot"])
    drawn = run(["dot", "-Tsvg", "graph.dot"], home)
    found = (len(NODE.findall(drawn)), len(EDGE.findall(drawn)))
    if found != (tasks, edges):
        raise CheckFailed(f"Graphviz draws {found} of {(tasks, edges)} tasks and edges")
    events = json.loads(forms["perfetto"])["traceEvents"]
    phases = {phase: [of for of in events if of["ph"] == phase] for phase in "BEsfM"}
    between = [edge for edge in graph["edges"] if edge[2] != "program"]
    counts = [len(phases[phase]) for phase in "BEsf"]
    if counts != [tasks, tasks, len(between), len(between)]:
        raise CheckFailed(f"a Chrome trace has {counts} slices and ends of arrows")
    if len(phases["M"]) != len(graph["threads"]):
        raise CheckFailed(f"{len(phases['M'])} of {len(graph['threads'])} threads have names")
    # An arrow ends in a slice of its thread.
    slices = {(of["tid"], of["ts"]) for of in phases["B"]}
    if any((of["tid"], of["ts"]) not in slices for of in phases["f"]):
        raise CheckFailed("an arrow leads to no slice")
    # Each task that executed something says which path took most of it.
    if any(
        (of["args"]["instructions"] > 0) != (of["args"]["hottest_path"] is not None)
        for of in phases["B"]
    ):
        raise CheckFailed("a task has no path, or one that it did not execute")
    read = json.loads(run([python_with(NEEDS, *WHEELS), TABLES, home / "tables"], home))
    named = [[*task[:-1], graph["names"][task[-1]]] for task in graph["tasks"]]
    if [row[1:] for row in read["tasks"]] != named:
        raise CheckFailed("DuckDB reads other tasks")
    if [row[0] for row in read["tasks"]] != list(range(tasks)) or read["joined"] != [edges]:
        raise CheckFailed("edges do not name the rows of tasks")
    if read["edges"] != graph["edges"]:
        raise CheckFailed("DuckDB reads other edges")
    return f"{tasks} tasks and {edges} edges are drawn and read"
