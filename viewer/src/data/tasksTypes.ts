// What `pathprof trace graph --format html` writes: see report/src/export/html/tasks.

import type { Count } from "../ui/numbers";
import type { SCHEMAS } from "./schemas";

export interface TasksIndex {
    schema: typeof SCHEMAS.tasks;
    trace: string;
    pid: number;
    threads: { stream: number; thread: number }[];
    kinds: { name: string; count: number }[];
    links: string[];
    /** What ends tasks, in words. */
    names: string[];
    /** Of the whole graph; `shown` of them are on the page. */
    tasks: number;
    edges: number;
    shown: number;
    missing: Count;
    left_out: Count;
    done: Record<"paths" | "blocks" | "instructions" | "accesses" | "bytes", Count>;
    time: SpanData;
    instructions: SpanData;
    /** `parts`: the time of all tasks in equal parts of the run. */
    parallelism: { length: Count; parts: Count[] };
    /** Those of the text. */
    tables: TableData[];
}

export interface SpanData {
    work: Count;
    span: Count;
    tasks: number;
}

/** A table of the text: see report/src/export/html/tasks/tables.rs. */
export interface TableData {
    name: string;
    columns: ColumnData[];
    /** For each column what its kind says; `null` if that is nothing, or not known. */
    rows: (CellData | null)[][];
    /** What stands in its place if it has no rows. */
    empty: string;
}

export interface ColumnData {
    key: string;
    title: string;
    kind: keyof Cells;
    is_number: boolean;
    /** Whether its cells stand below those of the column before. */
    stacks: boolean;
}

/** What cells of each kind are. */
export interface Cells {
    count: Count;
    nanoseconds: Count;
    share: [part: Count, whole: Count];
    stream: number;
    /** The most frequent first. */
    streams: [stream: number | null, times: Count][];
    name: [short: string, whole: string];
    path_end: [function: string, line: string | null];
    path: string;
    text: string;
}

export type CellData = Cells[keyof Cells];

/** Columns with an entry for each task. */
export interface TaskColumns {
    /** Less that of the task before. */
    number: number[];
    thread: number[];
    index: number[];
    kind: number[];
    /** Index among the names of what ends tasks. */
    name: number[];
    /** Less that of the task before; the first is from the begin of the run. */
    begin: Count[];
    duration: Count[];
    paths: Count[];
    instructions: Count[];
    accesses: Count[];
    bytes: Count[];
    /** Less the place before. */
    way: number[];
}

/** The edges to each task, one task behind the other. */
export interface TaskEdges {
    count: number[];
    back: number[];
    link: number[];
}
