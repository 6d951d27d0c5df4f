// The timeline: what each thread did when. What is seen of it and the chosen task stand in the
// address.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { type TaskGraph, duration, useTaskGraph } from "../../data/taskGraph";
import { isTyping } from "../../ui/keys";
import { plural } from "../../ui/numbers";
import { usePrinting } from "../../ui/printing";
import { change, parameter } from "../../ui/route";
import { Details, tipOf } from "./details";
import {
    AXIS,
    GUTTER,
    LANE,
    type Scene,
    type Viewport,
    type Size,
    draw,
    hit,
    timeAt,
} from "./draw";
import { Legend } from "./kinds";
import { LeftOut } from "./overview";
import { TaskList } from "./taskList";

/** The address follows what is seen when it has not moved for so long: a browser bounds the rate. */
const PAUSE = 250;

/** No less than so many nanoseconds are seen. */
const LEAST = 20;

export function TimelineView({ parameters }: { parameters: URLSearchParams }) {
    const graph = useTaskGraph();
    const chosen = graph.place(parameters.get("task"));
    const [seen, setSeen] = useSeen(graph, parameters);
    const choose = (task: number | null) =>
        change({ task: task === null ? null : graph.number[task]! });
    const show = (task: number) => setSeen((last) => around(graph, last, task));
    const step = (task: number | null) => {
        if (task === null) return;
        choose(task);
        show(task);
    };
    useKeys(graph, { choose, step, setSeen });
    return (
        <div class="page fill timeline">
            <div class="timeline-head">
                <h1>Timeline</h1>
                <Legend kinds={graph.index.kinds} />
            </div>
            <LeftOut />
            <Chart graph={graph} seen={seen} setSeen={setSeen} chosen={chosen} choose={choose} />
            <div class="timeline-below">
                <TaskList graph={graph} seen={seen} chosen={chosen} choose={choose} />
                <Details graph={graph} task={chosen} choose={step} />
            </div>
        </div>
    );
}

type SetSeen = (change: (last: Viewport) => Viewport) => void;

/** What is seen: from the address, then as the reader moves it. */
function useSeen(graph: TaskGraph, parameters: URLSearchParams): [Viewport, SetSeen] {
    const number = (key: string, usual: number) => {
        const text = parameters.get(key);
        const value = text === null ? NaN : Number(text);
        return Number.isFinite(value) ? value : usual;
    };
    const [seen, set] = useState<Viewport>(() =>
        bounded(graph, { from: number("from", 0), to: number("to", graph.length), top: 0 }),
    );
    useEffect(() => {
        const timer = setTimeout(() => {
            const isAll = seen.from <= 0 && seen.to >= graph.length;
            const [from, to] = [Math.round(seen.from), Math.round(seen.to)];
            change(isAll ? { from: null, to: null } : { from, to });
        }, PAUSE);
        return () => clearTimeout(timer);
    }, [seen.from, seen.to]);
    return [seen, (change) => set((last) => bounded(graph, change(last)))];
}

/** What can be seen. */
function bounded(graph: TaskGraph, { from, to, top }: Viewport): Viewport {
    const length = Math.max(LEAST, Math.min(to - from, graph.length));
    const begin = Math.max(0, Math.min(from, graph.length - length));
    return { from: begin, to: begin + length, top: Math.max(0, top) };
}

/** Moved so that a task is seen. */
function around(graph: TaskGraph, seen: Viewport, task: number): Viewport {
    const [begin, end] = [graph.begin[task]!, graph.end[task]!];
    const length = seen.to - seen.from;
    const lane = graph.thread[task]! * LANE;
    const top = lane < seen.top || lane > seen.top + 3 * LANE ? lane - LANE : seen.top;
    if (begin < seen.to && end > seen.from) return { ...seen, top };
    const from = (begin + end - length) / 2;
    return { from, to: from + length, top };
}

/** Larger or smaller around a time. */
export function zoomed(seen: Viewport, by: number, time = (seen.from + seen.to) / 2): Viewport {
    const scale = 1 / by;
    return {
        ...seen,
        from: time - (time - seen.from) * scale,
        to: time + (seen.to - time) * scale,
    };
}

function moved(seen: Viewport, share: number): Viewport {
    const by = (seen.to - seen.from) * share;
    return { ...seen, from: seen.from + by, to: seen.to + by };
}

/** The task of the nearest thread above or below that ran nearest to the time of another one. */
function inLane(graph: TaskGraph, task: number, by: -1 | 1): number | null {
    const time = (graph.begin[task]! + graph.end[task]!) / 2;
    for (let at = graph.thread[task]! + by; at >= 0 && at < graph.lanes.length; at += by) {
        const lane = graph.lanes[at]!;
        const place = Math.min(graph.firstEndingBehind(lane, time), lane.tasks.length - 1);
        if (place >= 0) return lane.tasks[place]!;
    }
    return null;
}

interface Acts {
    choose: (task: number | null) => void;
    step: (task: number | null) => void;
    setSeen: SetSeen;
}

function useKeys(graph: TaskGraph, { choose, step, setSeen }: Acts) {
    useEffect(() => {
        const onKey = (event: KeyboardEvent) => {
            if (isTyping(event)) return;
            // Keys may come faster than what they choose is drawn.
            const chosen = graph.place(parameter("task"));
            const isInChart = (event.target as Element).closest?.("[data-chart]") !== null;
            const first = graph.lanes.find(({ tasks }) => tasks.length > 0)?.tasks[0] ?? null;
            const or = (next: (task: number) => number | null) =>
                step(chosen === null ? first : next(chosen));
            if (event.key === "Escape") choose(null);
            else if (event.key === "n") or((task) => graph.beside(task, 1));
            else if (event.key === "p") or((task) => graph.beside(task, -1));
            else if (event.key === "f" && chosen !== null)
                setSeen((last) => filled(graph, last, chosen));
            else if (event.key === "+" || event.key === "=") setSeen((last) => zoomed(last, 1.5));
            else if (event.key === "-") setSeen((last) => zoomed(last, 1 / 1.5));
            else if (event.key === "0") setSeen(() => ({ from: 0, to: graph.length, top: 0 }));
            else if (!isInChart) return;
            else if (event.key === "ArrowLeft") setSeen((last) => moved(last, -0.15));
            else if (event.key === "ArrowRight") setSeen((last) => moved(last, 0.15));
            else if (event.key === "ArrowUp") or((task) => inLane(graph, task, -1));
            else if (event.key === "ArrowDown") or((task) => inLane(graph, task, 1));
            else return;
            event.preventDefault();
        };
        window.addEventListener("keydown", onKey);
        return () => window.removeEventListener("keydown", onKey);
    });
}

/** A task with some room around it. */
function filled(graph: TaskGraph, seen: Viewport, task: number): Viewport {
    const [begin, end] = [graph.begin[task]!, graph.end[task]!];
    const room = Math.max((end - begin) / 6, LEAST);
    return { ...seen, from: begin - room, to: end + room };
}

interface ChartProps {
    graph: TaskGraph;
    seen: Viewport;
    setSeen: SetSeen;
    chosen: number | null;
    choose: (task: number | null) => void;
}

function Chart({ graph, seen, setSeen, chosen, choose }: ChartProps) {
    const box = useRef<HTMLDivElement>(null);
    const canvas = useRef<HTMLCanvasElement>(null);
    const size = useSize(box);
    const theme = useTheme();
    const [hovered, hover] = useState<number | null>(null);
    const isPrinting = usePrinting();
    const whole = AXIS + graph.lanes.length * LANE;
    const top = Math.max(0, Math.min(seen.top, whole - size.height));
    const scene: Scene = { graph, seen: { ...seen, top }, size, chosen, hovered };
    useLayoutEffect(() => {
        const context = canvas.current?.getContext("2d");
        if (!canvas.current || !context || size.width < GUTTER + 20) return;
        const scale = window.devicePixelRatio || 1;
        canvas.current.width = Math.round(size.width * scale);
        canvas.current.height = Math.round(size.height * scale);
        context.setTransform(scale, 0, 0, scale, 0, 0);
        draw(context, scene);
    }, [seen, size, chosen, hovered, theme, isPrinting, top]);
    const now = useRef(scene);
    now.current = scene;
    useWheel(canvas, now, whole, setSeen);
    const pointer = usePointer(canvas, now, { setSeen, choose, hover });
    return (
        <section class="pane chart" aria-labelledby="chart-title">
            <header>
                <h2 id="chart-title">{plural(graph.lanes.length, "thread")}</h2>
                <span class="soft number">
                    {duration(seen.from)} to {duration(seen.to)} of {duration(graph.length)}
                </span>
                <span class="end">
                    <button
                        type="button"
                        onClick={() => setSeen((last) => moved(last, -0.3))}
                        aria-label="earlier"
                    >
                        ←
                    </button>
                    <button
                        type="button"
                        onClick={() => setSeen((last) => moved(last, 0.3))}
                        aria-label="later"
                    >
                        →
                    </button>
                    <button
                        type="button"
                        onClick={() => setSeen((last) => zoomed(last, 1 / 1.5))}
                        aria-label="smaller"
                    >
                        −
                    </button>
                    <button
                        type="button"
                        onClick={() => setSeen((last) => zoomed(last, 1.5))}
                        aria-label="larger"
                    >
                        +
                    </button>
                    <button
                        type="button"
                        onClick={() => setSeen(() => ({ from: 0, to: graph.length, top: 0 }))}
                        aria-label="all of it"
                    >
                        ⤢
                    </button>
                </span>
            </header>
            <div
                ref={box}
                class="chart-box"
                data-chart
                tabIndex={0}
                role="group"
                aria-label="Timeline: arrows move it and choose threads, n and p choose tasks, plus and minus change its size. The list below has the tasks in view."
                style={{ height: `${whole}px` }}
            >
                <canvas ref={canvas} aria-hidden="true" {...pointer} />
            </div>
        </section>
    );
}

function useSize(box: { current: HTMLElement | null }): Size {
    const [size, set] = useState<Size>({ width: 0, height: 0 });
    useLayoutEffect(() => {
        const measure = () => {
            const { clientWidth: width, clientHeight: height } = box.current!;
            set((last) =>
                last.width === width && last.height === height ? last : { width, height },
            );
        };
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(box.current!);
        return () => observer.disconnect();
    }, []);
    return size;
}

/** Changes when the page becomes dark or light. */
function useTheme(): number {
    const [turn, set] = useState(0);
    useEffect(() => {
        const update = () => set((last) => last + 1);
        const query = matchMedia("(prefers-color-scheme: dark)");
        query.addEventListener("change", update);
        const observer = new MutationObserver(update);
        observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
        return () => {
            query.removeEventListener("change", update);
            observer.disconnect();
        };
    }, []);
    return turn;
}

type Now = { current: Scene };

/** The wheel moves; with Ctrl, or by two fingers, it changes the size. */
function useWheel(
    canvas: { current: HTMLCanvasElement | null },
    now: Now,
    whole: number,
    setSeen: SetSeen,
) {
    useEffect(() => {
        const element = canvas.current;
        const onWheel = (event: WheelEvent) => {
            event.preventDefault();
            const { seen, size } = now.current;
            const x = event.clientX - element!.getBoundingClientRect().left;
            const isHigher = whole > size.height;
            if (event.ctrlKey || (!isHigher && !event.shiftKey && event.deltaX === 0)) {
                const time = timeAt(seen, size, Math.max(x, GUTTER));
                setSeen((last) => zoomed(last, Math.exp(-event.deltaY / 300), time));
                return;
            }
            const across = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
            const down = event.shiftKey ? 0 : event.deltaY;
            setSeen((last) => ({
                ...moved(last, across / (size.width - GUTTER)),
                top: Math.min(last.top + down, Math.max(0, whole - size.height)),
            }));
        };
        element?.addEventListener("wheel", onWheel, { passive: false });
        return () => element?.removeEventListener("wheel", onWheel);
    }, [whole]);
}

interface PointerActs {
    setSeen: SetSeen;
    choose: (task: number | null) => void;
    hover: (task: number | null) => void;
}

/** The pointer tells what is below it, drags the picture, and chooses. */
function usePointer(
    canvas: { current: HTMLCanvasElement | null },
    now: Now,
    { setSeen, choose, hover }: PointerActs,
) {
    const drag = useRef<{ x: number; y: number; far: boolean } | null>(null);
    const place = (event: PointerEvent) => {
        const own = canvas.current!.getBoundingClientRect();
        return { x: event.clientX - own.left, y: event.clientY - own.top };
    };
    return {
        onPointerDown: (event: PointerEvent) => {
            if (event.button === 0) drag.current = { ...place(event), far: false };
        },
        onPointerMove: (event: PointerEvent) => {
            const at = place(event);
            const from = drag.current;
            if (!from) {
                const found = hit(now.current, at.x, at.y);
                hover(found && !found.isWait ? found.task : null);
                canvas.current!.dataset["tip"] = found ? tipOf(now.current.graph, found) : "";
                return;
            }
            const [x, y] = [at.x - from.x, at.y - from.y];
            if (!from.far && Math.hypot(x, y) < 4) return;
            drag.current = { ...at, far: true };
            const { size } = now.current;
            setSeen((last) => ({
                ...moved(last, -x / (size.width - GUTTER)),
                top: last.top - y,
            }));
        },
        onPointerUp: (event: PointerEvent) => {
            const was = drag.current;
            drag.current = null;
            if (!was || was.far) return;
            const at = place(event);
            const found = hit(now.current, at.x, at.y);
            choose(found && !found.isWait ? found.task : null);
        },
        onPointerLeave: () => {
            drag.current = null;
            hover(null);
        },
    };
}
