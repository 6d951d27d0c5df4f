// What `pathprof trace graph --format html` writes: see report/src/export/html/tasks.

import type { Count } from "../ui/numbers";

export interface TasksIndex {
    schema: "pathprof-html-tasks/1";
    trace: string;
    pid: number;
    threads: { stream: number; thread: number }[];
    kinds: { name: string; count: number }[];
    links: string[];
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
    parallelism: { length: Count; levels: Count[]; parts: Count[] };
    functions: HeatRow[];
    paths: (HeatRow & { path: Count })[];
    locks: LockRow[];
    waits: WaitRow[];
    barriers: BarrierRow[];
    episodes: EpisodeRow[];
}

export interface SpanData {
    work: Count;
    span: Count;
    tasks: number;
}

export interface HeatRow {
    function: string;
    count: Count;
    instructions: Count;
    time: Count;
}

/** Where a path ended. */
export type PlaceData = { function: string; line: string | null } | null;

export interface LockRow {
    object: string;
    taken: Count;
    failed: Count;
    waited: Count;
    wait: Count;
    held: Count;
    place: PlaceData;
}

export interface WaitRow {
    object: string;
    wait: Count;
    thread: number;
    place: PlaceData;
    holder: number;
    holder_place: PlaceData;
}

export interface BarrierRow {
    object: string;
    episodes: Count;
    lost: Count;
    /** Threads, and how often each came last. */
    last: [number, number][];
}

export interface EpisodeRow {
    object: string;
    number: number;
    members: number;
    lost: Count;
    spread: Count;
    last: number;
    place: PlaceData;
}

/** Columns with an entry for each task. */
export interface TaskColumns {
    /** Less that of the task before. */
    number: number[];
    thread: number[];
    index: number[];
    kind: number[];
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
