"""Prints as JSON what DuckDB reads of a task graph's tables: `duckdb_tables.py DIRECTORY`."""

import json
import sys
from pathlib import Path

import duckdb


def rows(name: str) -> list[tuple[object, ...]]:
    """The rows of a table, in their order."""
    file = Path(sys.argv[1]) / f"{name}.parquet"
    return duckdb.sql(f"select * from read_parquet('{file}')").fetchall()


JOINED = """select count(*) from read_parquet('{0}/edges.parquet') e
join read_parquet('{0}/tasks.parquet') a on a.task = e.from
join read_parquet('{0}/tasks.parquet') b on b.task = e.to"""

joined = duckdb.sql(JOINED.format(sys.argv[1])).fetchone()
print(json.dumps({"tasks": rows("tasks"), "edges": rows("edges"), "joined": joined}))
