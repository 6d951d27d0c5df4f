"""The collector `pathcc`: instructions, blocks and paths that a program executed, exactly."""

COLLECTOR_TYPE = "mixed"
COLLECTOR_DEFAULT_UNITS = {"mixed(instructions)": "instructions"}
