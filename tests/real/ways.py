"""The ways to count a program: what is counted, at which stage, at which level."""

# The techniques that pathcc can be told to do without, by the names that the pass has for them.
# `order` is not among them: it acts only with the weights of an earlier run.
TECHNIQUES = [
    "weights",
    "constants",
    "above",
    "joins",
    "speculation",
    "tail-calls",
    "reading-again",
    "loop-entries",
    "folding",
]

# Those that make traces smaller, without which everything is recorded that could be computed.
ELISIONS = ["variables", "offsets", "loops", "repeats"]

# The block log, which only the plugin knows.
LOG = "-Xclang -mllvm -Xclang -pathcc-mode=log"

# The same of the graph that is traced.
TRACE_LOG = f"{LOG} -Xclang -mllvm -Xclang -pathcc-trace=memory"


def without(*techniques: str) -> str:
    """The flags that tell pathcc to do without some techniques; nothing if there are none."""
    return f"-Xclang -mllvm -Xclang -pathcc-without={','.join(techniques)}" if techniques else ""


# What is counted, with flags.
MODES = {
    "paths": "",
    "whole-loops": without("loop-entries"),
    "promoted": "-fpath-promotion=yes",
    "in-memory": "-fpath-promotion=no",
    "limit": "-fpath-limit=4",
    "hash": "-fpath-overflow=hash -fpath-limit=4",
    "blocks": "-fpath-mode=blocks",
    "patterns": "-fpath-mode=blocks -fpath-placement=patterns",
    "every-block": "-fpath-mode=blocks -fpath-placement=every-block",
    "edges": "-fpath-mode=edges",
    "calls": "-fpath-mode=calls",
}
STAGES = ["late", "early", "machine"]
# Those of traces.
TRACE_STAGES = ["late", "early"]
# What is counted in machine code. What else is asked for there is counted at the stage `late`.
MACHINE_MODES = ("paths", "whole-loops", "in-memory", "limit")
LEVELS = ["-O0", "-O1", "-O2", "-O3"]


def modes_of(stage: str) -> list[str]:
    """What can be counted at a stage. Elsewhere counters are in memory unless that is asked for."""
    if stage == "machine":
        return list(MACHINE_MODES)
    return [mode for mode in MODES if mode != "in-memory"]


def log_flags(stage: str) -> str:
    """How the block log is had of the code that is counted."""
    return f"{LOG} -fpath-stage={stage}"
