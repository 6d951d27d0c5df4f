// The tasks of a page with what its views ask of them. A task is known by its place on the page;
// in addresses stands its number, which is its index in the JSON of the same graph.

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import { type Count, near } from "../ui/numbers";
import type { TaskColumns, TaskEdges, TasksIndex } from "./tasksTypes";

/** An edge as one of its tasks sees it. */
export interface Neighbour {
    task: number;
    link: number;
}

/** The tasks of a thread, which follow each other. */
export interface Lane {
    thread: number;
    tasks: Uint32Array;
    /** How long the tasks before each took together, and how many are on the critical path. */
    busy: Float64Array;
    onWay: Uint32Array;
}

export class TaskGraph {
    readonly count: number;
    readonly number: Uint32Array;
    readonly thread: Uint32Array;
    readonly kind: Uint8Array;
    /** From the start of the run, in nanoseconds. */
    readonly begin: Float64Array;
    readonly end: Float64Array;
    readonly isOnWay: Uint8Array;
    /** The critical path, from its first task to its last. */
    readonly way: Uint32Array;
    readonly lanes: Lane[];
    readonly length: number;
    private readonly firstEdge: Uint32Array;
    private readonly from: Uint32Array;
    private readonly firstOut: Uint32Array;
    private readonly out: Uint32Array;
    private readonly to: Uint32Array;

    constructor(
        readonly index: TasksIndex,
        readonly columns: TaskColumns,
        private readonly edges: TaskEdges,
    ) {
        const count = columns.thread.length;
        this.count = count;
        this.number = sums(columns.number);
        this.thread = Uint32Array.from(columns.thread);
        this.kind = Uint8Array.from(columns.kind);
        this.begin = new Float64Array(count);
        this.end = new Float64Array(count);
        let last = 0;
        for (let task = 0; task < count; task++) {
            last += near(columns.begin[task]);
            this.begin[task] = last;
            this.end[task] = last + near(columns.duration[task]);
        }
        this.isOnWay = new Uint8Array(count);
        this.way = sums(columns.way);
        for (const task of this.way) this.isOnWay[task] = 1;
        // What took no time is not in the length that the index has.
        this.length = this.end.reduce((most, end) => Math.max(most, end), 1);
        this.lanes = this.makeLanes();
        this.firstEdge = starts(edges.count);
        this.from = new Uint32Array(edges.back.length);
        this.to = new Uint32Array(edges.back.length);
        const leaving = new Uint32Array(count);
        for (let task = 0; task < count; task++) {
            for (let edge = this.firstEdge[task]!; edge < this.firstEdge[task + 1]!; edge++) {
                this.from[edge] = task - edges.back[edge]!;
                this.to[edge] = task;
                leaving[this.from[edge]!]!++;
            }
        }
        this.firstOut = starts(leaving);
        const next = this.firstOut.slice();
        this.out = new Uint32Array(this.from.length);
        this.from.forEach((from, edge) => (this.out[next[from]!++] = edge));
    }

    private makeLanes(): Lane[] {
        const sizes = new Uint32Array(this.index.threads.length);
        for (const thread of this.thread) sizes[thread]!++;
        const lanes = this.index.threads.map((_, thread) => ({
            thread,
            tasks: new Uint32Array(sizes[thread]!),
            busy: new Float64Array(sizes[thread]! + 1),
            onWay: new Uint32Array(sizes[thread]! + 1),
        }));
        sizes.fill(0);
        for (let task = 0; task < this.count; task++) {
            const lane = lanes[this.thread[task]!]!;
            const at = sizes[this.thread[task]!]!++;
            lane.tasks[at] = task;
            lane.busy[at + 1] = lane.busy[at]! + this.end[task]! - this.begin[task]!;
            lane.onWay[at + 1] = lane.onWay[at]! + this.isOnWay[task]!;
        }
        return lanes;
    }

    /** The place of a task on the page by its number. */
    place(number: string | null): number | null {
        if (number === null || !/^\d+$/.test(number)) return null;
        const wanted = Number(number);
        const place = lowest(this.count, (at) => this.number[at]! >= wanted);
        return this.number[place] === wanted ? place : null;
    }

    /** The place in a lane of the first task that ends behind a time. */
    firstEndingBehind(lane: Lane, time: number, from = 0): number {
        return lowest(lane.tasks.length, (at) => this.end[lane.tasks[at]!]! > time, from);
    }

    /** The place in a lane of the first task that begins at a time or behind it. */
    firstFrom(lane: Lane, time: number, from = 0): number {
        return lowest(lane.tasks.length, (at) => this.begin[lane.tasks[at]!]! >= time, from);
    }

    /** The task before (-1) or behind (1) another one of its thread. */
    beside(task: number, by: -1 | 1): number | null {
        const { tasks } = this.lanes[this.thread[task]!]!;
        return tasks[lowest(tasks.length, (at) => tasks[at]! >= task) + by] ?? null;
    }

    /** Whether an edge is of the critical path: its tasks follow each other there. */
    isWayEdge(from: number, to: number): boolean {
        if (!this.isOnWay[from] || !this.isOnWay[to]) return false;
        const at = lowest(this.way.length, (place) => this.way[place]! >= to);
        return this.way[at - 1] === from;
    }

    /** What a task waited for. */
    before(task: number): Neighbour[] {
        const found = [];
        for (let edge = this.firstEdge[task]!; edge < this.firstEdge[task + 1]!; edge++)
            found.push({ task: this.from[edge]!, link: this.edges.link[edge]! });
        return found;
    }

    /** What waited for a task. */
    behind(task: number): Neighbour[] {
        const found = [];
        for (let at = this.firstOut[task]!; at < this.firstOut[task + 1]!; at++) {
            const edge = this.out[at]!;
            found.push({ task: this.to[edge]!, link: this.edges.link[edge]! });
        }
        return found;
    }

    /** Whether a task of a thread follows another one: none between them is left out of the page. */
    isNext(last: number, task: number): boolean {
        return this.columns.index[task] === this.columns.index[last]! + 1;
    }

    /** How long the thread did nothing before a task: it waited, or began to be. */
    waited(task: number): number {
        const last = this.beside(task, -1);
        return last === null || !this.isNext(last, task)
            ? 0
            : Math.max(0, this.begin[task]! - this.end[last]!);
    }

    /** Of what a task waited for in other threads, what came last. */
    wokenBy(task: number): Neighbour | null {
        const others = this.before(task).filter((one) => this.link(one.link) !== "program");
        return others.reduce<Neighbour | null>(
            (last, one) => (!last || this.end[one.task]! > this.end[last.task]! ? one : last),
            null,
        );
    }

    kindName(task: number): string {
        return this.index.kinds[this.kind[task]!]?.name ?? "?";
    }

    /** What ended a task, in words. */
    ending(task: number): string {
        return this.index.names[this.columns.name[task]!] ?? "?";
    }

    /** The operation that ended a task with its object, and the line, empty if it is unknown. */
    endingInParts(task: number): [operation: string, line: string] {
        const ending = this.ending(task);
        const at = ending.lastIndexOf(" at ");
        if (at < 0) return [ending, ""];
        return [ending.slice(0, at), ending.slice(ending.lastIndexOf(" ") + 1)];
    }

    link(link: number): string {
        return this.index.links[link] ?? "?";
    }

    /** A thread as people read it: by its stream, as the text does. */
    threadName(thread: number): string {
        return `thread ${this.index.threads[thread]?.stream ?? "?"}`;
    }

    /** The name of a task: its thread and which task of it. */
    name(task: number): string {
        const stream = this.index.threads[this.thread[task]!]?.stream ?? "?";
        return `${stream}.${this.columns.index[task]}`;
    }
}

/** The first of so many places from which on something holds. */
export function lowest(length: number, holds: (place: number) => boolean, from = 0): number {
    let [low, high] = [from, length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (holds(middle)) high = middle;
        else low = middle + 1;
    }
    return low;
}

/** Numbers of which each stands less the one before. */
function sums(differences: number[]): Uint32Array {
    const all = new Uint32Array(differences.length);
    let last = 0;
    for (let at = 0; at < all.length; at++) all[at] = last += differences[at]!;
    return all;
}

/** Where the parts begin that are so long. */
function starts(lengths: ArrayLike<number>): Uint32Array {
    const all = new Uint32Array(lengths.length + 1);
    for (let at = 0; at < lengths.length; at++) all[at + 1] = all[at]! + lengths[at]!;
    return all;
}

const UNITS: [number, string][] = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
];

/** A time in nanoseconds, rounded to three digits, as in the text. */
export function duration(nanoseconds: Count): string {
    const value = near(nanoseconds);
    // What is rounded up to 1,000 has the next larger unit.
    const unit = UNITS.find(([least]) => Math.round(Math.abs(value)) >= least * 0.9995);
    if (!unit) return `${Math.round(value)} ns`;
    const [of, name] = unit;
    const places = value >= 99.95 * of ? 0 : value >= 9.995 * of ? 1 : 2;
    // Whole numbers, so that a half is one.
    const rounded = Math.round(value / (of / 10 ** places)) / 10 ** places;
    return `${rounded.toFixed(places)} ${name}`;
}

/** How many times as fast: work by span, rounded down as the text has it. */
export function speed(work: Count, span: Count): string {
    if (BigInt(span) === 0n) return "–";
    const tenths = (BigInt(work) * 10n) / BigInt(span);
    return `${tenths / 10n}.${tenths % 10n}`;
}

export const TaskGraphContext = createContext<TaskGraph | null>(null);

/** The task graph that is shown. */
export function useTaskGraph(): TaskGraph {
    const graph = useContext(TaskGraphContext);
    if (!graph) throw new Error("no task graph");
    return graph;
}
