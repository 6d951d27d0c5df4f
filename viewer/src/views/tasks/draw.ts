// Draws the timeline: a lane for each thread. What is narrower than a pixel is merged, so that the
// work is bounded by the pixels, however many tasks there are.

import { type Lane, type TaskGraph, duration, lowest } from "../../data/taskGraph";
import { LETTERS } from "./kinds";

/** Heights, and the width of the names of threads. */
export const LANE = 38;
export const AXIS = 26;
export const GUTTER = 92;
const [BAR_TOP, BAR] = [7, 22];

/** From when to when is seen, in nanoseconds, and how far down the lanes are moved, in pixels. */
export interface Viewport {
    from: number;
    to: number;
    top: number;
}

export interface Size {
    width: number;
    height: number;
}

export interface Scene {
    graph: TaskGraph;
    seen: Viewport;
    size: Size;
    chosen: number | null;
    hovered: number | null;
}

/** Where a time is drawn. */
export function xOf({ seen, size }: Scene, time: number): number {
    return GUTTER + ((time - seen.from) / (seen.to - seen.from)) * (size.width - GUTTER);
}

/** The time at a place. */
export function timeAt(seen: Viewport, size: Size, x: number): number {
    return seen.from + ((x - GUTTER) / (size.width - GUTTER)) * (seen.to - seen.from);
}

const laneTop = (seen: Viewport, thread: number) => AXIS + thread * LANE - seen.top;

/** The colours of the page as it is now. */
function colours(): (name: string) => string {
    const style = getComputedStyle(document.documentElement);
    return (name) => style.getPropertyValue(`--${name}`).trim();
}

/** The hatch of a kind: lines on its colour. */
function hatch(context: CanvasRenderingContext2D, kind: number, ground: string, ink: string) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const brush = tile.getContext("2d")!;
    brush.fillStyle = ground;
    brush.fillRect(0, 0, 8, 8);
    brush.strokeStyle = ink;
    brush.globalAlpha = 0.45;
    brush.lineWidth = 1.2;
    const lines: [number, number, number, number][][] = [
        [],
        [
            [-2, 10, 10, -2],
            [-2, 2, 2, -2],
            [6, 10, 10, 6],
        ],
        [
            [-2, -2, 10, 10],
            [6, -2, 10, 2],
            [-2, 6, 2, 10],
        ],
        [[4, 0, 4, 8]],
        [[0, 4, 8, 4]],
    ];
    for (const [x, y, toX, toY] of lines[kind] ?? []) {
        brush.beginPath();
        brush.moveTo(x, y);
        brush.lineTo(toX, toY);
        brush.stroke();
    }
    return context.createPattern(tile, "repeat") ?? ground;
}

interface Brush {
    context: CanvasRenderingContext2D;
    scene: Scene;
    colour: (name: string) => string;
    fills: (CanvasPattern | string)[];
}

/** Draws all of it. */
export function draw(context: CanvasRenderingContext2D, scene: Scene): void {
    const { graph, seen, size } = scene;
    const colour = colours();
    const fills = graph.index.kinds.map(({ name }, kind) =>
        hatch(context, kind, colour(`task-${name}`), colour("ink")),
    );
    const brush = { context, scene, colour, fills };
    // Not left to the page below, whose colour is another one on paper.
    context.fillStyle = colour("paper");
    context.fillRect(0, 0, size.width, size.height);
    axis(brush);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, size.width, size.height - AXIS);
    context.clip();
    for (const lane of graph.lanes) {
        const top = laneTop(seen, lane.thread);
        if (top + LANE < AXIS || top > size.height) continue;
        context.fillStyle = colour("line");
        context.fillRect(0, top + LANE - 1, size.width, 1);
        context.save();
        context.beginPath();
        context.rect(GUTTER, AXIS, size.width - GUTTER, size.height - AXIS);
        context.clip();
        drawLane(brush, lane, top);
        context.restore();
        context.fillStyle = colour("ink");
        context.font = "12px system-ui, sans-serif";
        context.textBaseline = "middle";
        context.textAlign = "left";
        context.fillText(graph.threadName(lane.thread), 12, top + BAR_TOP + BAR / 2, GUTTER - 18);
    }
    context.beginPath();
    context.rect(GUTTER, AXIS, size.width - GUTTER, size.height - AXIS);
    context.clip();
    way(brush);
    if (scene.chosen !== null) edges(brush, scene.chosen);
    for (const task of [scene.hovered, scene.chosen]) if (task !== null) outline(brush, task);
    context.restore();
}

/** The distance between two times on the axis: 1, 2 or 5 times a power of ten. */
function step(length: number, most: number): number {
    const least = length / Math.max(most, 1);
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-3)));
    return power * ([1, 2, 5].find((times) => power * times >= least) ?? 10);
}

function axis({ context, scene, colour }: Brush): void {
    const { seen, size } = scene;
    const by = step(seen.to - seen.from, (size.width - GUTTER) / 110);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (let time = Math.ceil(seen.from / by) * by; time <= seen.to; time += by) {
        const x = xOf(scene, time);
        context.fillStyle = colour("line");
        context.fillRect(x, AXIS - 6, 1, size.height);
        context.fillStyle = colour("soft");
        context.fillText(label(time, by), x + 4, AXIS / 2);
    }
    context.fillStyle = colour("line");
    context.fillRect(0, AXIS - 1, size.width, 1);
}

/** A time on the axis, with as many digits as the distance to the next one needs. */
function label(time: number, by: number): string {
    const [unit, name] = by >= 1e8 ? [1e9, "s"] : by >= 1e5 ? [1e6, "ms"] : [1e3, "µs"];
    const places = Math.max(0, Math.ceil(-Math.log10(by / unit) - 1e-9));
    return `${(time / unit).toFixed(Math.min(places, 6))} ${name}`;
}

function drawLane(brush: Brush, lane: Lane, top: number): void {
    const { context, scene, colour } = brush;
    const { graph, seen, size } = scene;
    const { tasks } = lane;
    const pixel = (seen.to - seen.from) / (size.width - GUTTER);
    const first = graph.firstEndingBehind(lane, seen.from - pixel);
    for (let at = first; at < tasks.length;) {
        const task = tasks[at]!;
        const [begin, end] = [graph.begin[task]!, graph.end[task]!];
        const last = tasks[at - 1];
        const isNext = last !== undefined && graph.isNext(last, task);
        const before = isNext ? graph.end[last]! : begin;
        if (begin - before > 2 * pixel)
            wait(brush, Math.max(before, seen.from - 50 * pixel), Math.min(begin, seen.to), top);
        if (begin > seen.to) break;
        if (end - begin >= 1.5 * pixel) {
            bar(brush, task, top);
            at++;
            continue;
        }
        // All that begin in this pixel; the last of them may be long.
        const column = Math.floor(xOf(scene, begin));
        const limit = timeAt(seen, size, column + 1);
        let next = Math.max(graph.firstFrom(lane, limit, at), at + 1);
        const final = tasks[next - 1]!;
        if (next - 1 > at && graph.end[final]! - graph.begin[final]! >= 1.5 * pixel) next--;
        const share = Math.min(1, (lane.busy[next]! - lane.busy[at]!) / pixel);
        const height = Math.max(3, share * BAR);
        context.fillStyle =
            next - at === 1 ? colour(`task-${graph.kindName(task)}`) : colour("task-many");
        if (next - at === 1) context.fillRect(column, top + BAR_TOP, 1.2, BAR);
        else context.fillRect(column, top + BAR_TOP + BAR - height, 1.2, height);
        if (lane.onWay[next]! > lane.onWay[at]!) {
            context.fillStyle = colour("task-way");
            context.fillRect(column, top + BAR_TOP + BAR + 1, 1.6, 4);
        }
        at = next;
    }
}

/** What lies between two tasks. */
function wait({ context, scene, colour }: Brush, from: number, to: number, top: number): void {
    const [x, end] = [xOf(scene, from), xOf(scene, to)];
    const middle = top + BAR_TOP + BAR / 2;
    context.strokeStyle = colour("soft");
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(x, middle);
    context.lineTo(end, middle);
    context.stroke();
    context.setLineDash([]);
}

function bar({ context, scene, colour, fills }: Brush, task: number, top: number): void {
    const { graph, size } = scene;
    const x = Math.max(xOf(scene, graph.begin[task]!), GUTTER - 4);
    const end = Math.min(xOf(scene, graph.end[task]!), size.width + 4);
    const width = Math.max(end - x, 1);
    context.fillStyle = fills[graph.kind[task]!] ?? colour("task-basic");
    context.fillRect(x, top + BAR_TOP, width, BAR);
    if (width > 4) {
        context.strokeStyle = colour("task-border");
        context.lineWidth = 1;
        context.strokeRect(x + 0.5, top + BAR_TOP + 0.5, width - 1, BAR - 1);
    }
    if (graph.isOnWay[task]) {
        context.fillStyle = colour("task-way");
        context.fillRect(x, top + BAR_TOP + BAR + 1, width, 4);
    }
    if (width > 20) letter({ context, colour }, task, graph, x, width, top);
}

function letter(
    { context, colour }: Pick<Brush, "context" | "colour">,
    task: number,
    graph: TaskGraph,
    x: number,
    width: number,
    top: number,
): void {
    const mark = LETTERS[graph.kind[task]!] ?? "";
    const length = duration(graph.end[task]! - graph.begin[task]!);
    const texts = [
        `${mark} ${graph.name(task)}  ${length}  ${graph.ending(task)}`,
        `${mark} ${graph.name(task)}  ${length}`,
    ];
    context.font = "600 11px system-ui, sans-serif";
    const text = texts.find((text) => context.measureText(text).width + 14 < width) ?? mark;
    const room = context.measureText(text).width + 8;
    context.fillStyle = colour("paper");
    context.globalAlpha = 0.82;
    context.fillRect(x + 4, top + BAR_TOP + 4, room, BAR - 8);
    context.globalAlpha = 1;
    context.fillStyle = colour("ink");
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillText(text, x + 8, top + BAR_TOP + BAR / 2 + 0.5);
}

function outline({ context, scene, colour }: Brush, task: number): void {
    const { graph, seen } = scene;
    const x = xOf(scene, graph.begin[task]!);
    const width = Math.max(xOf(scene, graph.end[task]!) - x, 3);
    const top = laneTop(seen, graph.thread[task]!) + BAR_TOP;
    context.strokeStyle = colour("accent");
    context.lineWidth = task === scene.chosen ? 3 : 2;
    context.strokeRect(x - 1, top - 1, width + 2, BAR + 2);
}

/** The critical path goes from thread to thread so often at most in a picture. */
const MOST_TURNS = 300;

/** Where the critical path goes on in another thread. */
function way({ context, scene, colour }: Brush): void {
    const { graph, seen } = scene;
    const first = lowest(graph.way.length, (at) => graph.end[graph.way[at]!]! >= seen.from);
    const last = lowest(graph.way.length, (at) => graph.begin[graph.way[at]!]! > seen.to);
    if (last - first > MOST_TURNS) return;
    context.strokeStyle = colour("task-way");
    context.lineWidth = 1.5;
    for (let at = Math.max(first, 1); at <= last && at < graph.way.length; at++) {
        const [from, to] = [graph.way[at - 1]!, graph.way[at]!];
        if (graph.thread[from] === graph.thread[to]) continue;
        const y = (task: number) => laneTop(seen, graph.thread[task]!) + BAR_TOP + BAR + 3;
        context.beginPath();
        context.moveTo(xOf(scene, graph.end[from]!), y(from));
        context.lineTo(xOf(scene, graph.begin[to]!), y(to));
        context.stroke();
    }
}

/** So many edges of a task are drawn. */
const MOST_EDGES = 200;

/** The edges to a task and from it, those of its own thread left out. */
function edges(brush: Brush, task: number): void {
    const { graph } = brush.scene;
    const isOther = ({ link }: { link: number }) => graph.link(link) !== "program";
    for (const { task: from } of graph.before(task).filter(isOther).slice(0, MOST_EDGES))
        arrow(brush, from, task, []);
    for (const { task: to } of graph.behind(task).filter(isOther).slice(0, MOST_EDGES))
        arrow(brush, task, to, [6, 4]);
}

/** From the end of a task to the begin of another one. */
function arrow({ context, scene, colour }: Brush, from: number, to: number, dash: number[]): void {
    const { graph, seen } = scene;
    const middle = (task: number) => laneTop(seen, graph.thread[task]!) + BAR_TOP + BAR / 2;
    const [x, y] = [xOf(scene, graph.end[from]!), middle(from)];
    const [toX, toY] = [xOf(scene, graph.begin[to]!), middle(to)];
    const bend = Math.max(12, Math.min(60, Math.abs(toX - x) / 2));
    context.strokeStyle = context.fillStyle = colour("accent-ink");
    context.lineWidth = 1.6;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(x, y);
    context.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(toX, toY);
    context.lineTo(toX - 7, toY - 4);
    context.lineTo(toX - 7, toY + 4);
    context.fill();
}

/** What is at a place: a task, how many are in that pixel, or the task that was waited for there. */
export interface Hit {
    task: number;
    count: number;
    isWait: boolean;
}

/** What is at a place of the timeline. */
export function hit({ graph, seen, size }: Scene, x: number, y: number): Hit | null {
    if (x < GUTTER || y < AXIS) return null;
    const lane = graph.lanes[Math.floor((y - AXIS + seen.top) / LANE)];
    if (!lane) return null;
    const pixel = (seen.to - seen.from) / (size.width - GUTTER);
    const time = timeAt(seen, size, x);
    const at = graph.firstEndingBehind(lane, time - 2 * pixel);
    const task = lane.tasks[at];
    if (task === undefined) return null;
    const begin = graph.begin[task]!;
    if (begin > time + 2 * pixel)
        return graph.waited(task) > 0 ? { task, count: 1, isWait: true } : null;
    if (graph.end[task]! - begin >= 1.5 * pixel) return { task, count: 1, isWait: false };
    const column = timeAt(seen, size, Math.floor(x));
    const [first, last] = [graph.firstFrom(lane, column), graph.firstFrom(lane, column + pixel)];
    return { task: lane.tasks[first] ?? task, count: Math.max(1, last - first), isWait: false };
}
