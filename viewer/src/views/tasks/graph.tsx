// Tasks and edges around the chosen task, or all of them if they are few.

import { useEffect, useMemo, useRef } from "preact/hooks";

import { type TaskGraph, duration, useTaskGraph } from "../../data/taskGraph";
import { isTyping } from "../../ui/keys";
import { cutInto, widthOf } from "../../ui/measure";
import { brief, digits, plural } from "../../ui/numbers";
import { type Transform, usePan } from "../../ui/pan";
import { ArrowHead, ZoomButtons } from "../../ui/parts";
import { usePrinting } from "../../ui/printing";
import { change } from "../../ui/route";
import { type DrawnEdge, type Drawing, NODE, WHOLE, drawing, shownAround } from "./around";
import { Details, tipOf } from "./details";
import { LETTERS } from "./kinds";
import { LeftOut } from "./overview";

/** Of so many edges all are named, of more only those of the chosen task. */
const MOST_NAMED = 60;

export function GraphView({ parameters }: { parameters: URLSearchParams }) {
    const graph = useTaskGraph();
    const chosen = graph.place(parameters.get("task"));
    const start = useMemo(() => longestOnWay(graph), [graph]);
    const focus = chosen ?? start;
    const shown = useMemo(
        () => (graph.count === 0 ? [] : shownAround(graph, focus)),
        [graph, graph.count <= WHOLE ? 0 : focus],
    );
    const choose = (task: number | null) =>
        change({ task: task === null ? null : graph.number[task]! });
    useEffect(() => {
        const onKey = (event: KeyboardEvent) => {
            if (isTyping(event)) return;
            const by = event.key === "n" ? 1 : event.key === "p" ? -1 : 0;
            if (event.key === "Escape") choose(null);
            else if (by !== 0)
                choose(chosen === null ? focus : (graph.beside(chosen, by) ?? chosen));
            else return;
            event.preventDefault();
        };
        window.addEventListener("keydown", onKey);
        return () => window.removeEventListener("keydown", onKey);
    });
    return (
        <div class="page fill task-graph">
            <div class="timeline-head">
                <h1>Graph</h1>
                <span class="soft">
                    {shown.length === graph.count
                        ? plural(graph.count, "task")
                        : `${digits(shown.length)} of ${plural(graph.count, "task")}: those around ${graph.name(focus)}`}
                    . Solid edges are of one thread, dashed ones between threads; what is thick is
                    on the critical path.
                </span>
            </div>
            <LeftOut />
            {graph.count === 0 ? (
                <p class="empty">There is no task.</p>
            ) : (
                <Picture
                    graph={graph}
                    shown={shown}
                    focus={focus}
                    chosen={chosen}
                    choose={choose}
                />
            )}
            <Details graph={graph} task={chosen} choose={choose} />
        </div>
    );
}

/** Where the graph begins that is too large to be seen as a whole. */
function longestOnWay(graph: TaskGraph): number {
    let best = 0;
    let most = -1;
    for (let task = 0; task < graph.count; task++) {
        const length = graph.isOnWay[task] ? graph.end[task]! - graph.begin[task]! : -1;
        if (length > most) [best, most] = [task, length];
    }
    return best;
}

/** Where a drawing of this length starts in this room, so that no room is left that it could fill. */
function within(wanted: number, length: number, room: number): number {
    const margin = 16;
    if (length + 2 * margin <= room) return (room - length) / 2;
    return Math.min(margin, Math.max(room - length - margin, wanted));
}

interface Props {
    graph: TaskGraph;
    shown: number[];
    focus: number;
    chosen: number | null;
    choose: (task: number | null) => void;
}

function Picture({ graph, shown, focus, chosen, choose }: Props) {
    const layout = useMemo(() => drawing(graph, shown), [graph, shown]);
    const box = useRef<HTMLDivElement>(null);
    const isPrinting = usePrinting();
    const size = () => box.current?.getBoundingClientRect() ?? { width: 600, height: 400 };
    const centred = (scale: number) => {
        const { width, height } = size();
        const node = layout.nodes.get(focus) ?? { x: layout.width / 2, y: layout.height / 2 };
        return {
            scale,
            x: within(width / 2 - node.x * scale, layout.width * scale, width),
            y: within(height / 2 - node.y * scale, layout.height * scale, height),
        };
    };
    const whole = () => {
        const { width, height } = size();
        const scale = Math.min(width / layout.width, height / layout.height, 1);
        return {
            scale,
            x: (width - layout.width * scale) / 2,
            y: (height - layout.height * scale) / 2,
        };
    };
    const { place, setPlace, zoom, fit, handlers } = usePan(box, { least: 0.05, size, whole });
    useEffect(() => {
        const { width, height } = size();
        const scale = Math.min(width / layout.width, height / layout.height, 1);
        if (scale > 0.6) fit();
        else setPlace(() => centred(0.8));
    }, [layout]);
    useEffect(() => {
        const node = chosen === null ? undefined : layout.nodes.get(chosen);
        if (!node) return;
        const { width, height } = size();
        const [x, y] = [node.x * place.scale + place.x, node.y * place.scale + place.y];
        const isSeen = x > 80 && x < width - 80 && y > 30 && y < height - 30;
        if (!isSeen) setPlace(() => centred(Math.max(place.scale, 0.6)));
    }, [chosen]);
    return (
        <section class="pane graph" aria-labelledby="task-graph-title">
            <header>
                <h2 id="task-graph-title">What waited for what</h2>
                <span class="end">
                    <ZoomButtons zoom={zoom} fit={fit} />
                </span>
            </header>
            <div
                ref={box}
                class="canvas"
                tabIndex={0}
                role="group"
                aria-label="Task graph: arrows move it, plus and minus change its size"
                {...handlers}
            >
                <Nodes
                    graph={graph}
                    layout={layout}
                    place={isPrinting ? null : place}
                    chosen={chosen}
                    choose={choose}
                />
            </div>
        </section>
    );
}

function Nodes(props: {
    graph: TaskGraph;
    layout: Drawing;
    place: Transform | null;
    chosen: number | null;
    choose: (task: number) => void;
}) {
    const { graph, layout, place, chosen, choose } = props;
    const moved = place
        ? `translate(${place.x.toFixed(1)} ${place.y.toFixed(1)}) scale(${place.scale.toFixed(4)})`
        : undefined;
    return (
        <svg
            class="cfg"
            viewBox={place ? undefined : `0 0 ${layout.width} ${layout.height}`}
            style={{ "--graph-width": `${layout.width}px` }}
        >
            <defs>
                <ArrowHead id="task-arrow" />
            </defs>
            <g transform={moved}>
                {layout.edges.map((edge) => (
                    <Edge
                        graph={graph}
                        edge={edge}
                        chosen={chosen}
                        isNamed={layout.edges.length <= MOST_NAMED}
                    />
                ))}
                {[...layout.nodes].map(([task, { x, y }]) => (
                    <g
                        class={[
                            "task-node",
                            `kind-${graph.kindName(task)}`,
                            graph.isOnWay[task] ? "on-way" : "",
                            task === chosen ? "chosen" : "",
                        ].join(" ")}
                        transform={`translate(${(x - NODE.width / 2).toFixed(1)} ${(y - NODE.height / 2).toFixed(1)})`}
                        role="button"
                        tabindex={0}
                        aria-pressed={task === chosen}
                        data-tip={tipOf(graph, { task, count: 1, isWait: false })}
                        onClick={() => choose(task)}
                        onKeyDown={(event: KeyboardEvent) => {
                            if (event.key !== "Enter" && event.key !== " ") return;
                            event.preventDefault();
                            event.stopPropagation();
                            choose(task);
                        }}
                    >
                        <rect class="body" width={NODE.width} height={NODE.height} rx={7} />
                        <text class="title" x={10} y={19}>
                            {titleOf(graph, task)}
                        </text>{" "}
                        <text x={10} y={36}>
                            {workOf(graph, task)}
                        </text>
                    </g>
                ))}
            </g>
        </svg>
    );
}

/** The room for text in a box, and the sizes of the text of its lines, in pixels. */
const ROOM = NODE.width - 20;
const SIZES = [12, 11.5] as const;

/** The number of a task and what ended it, as far as there is room. */
function titleOf(graph: TaskGraph, task: number): string {
    const number = `${LETTERS[graph.kind[task]!]} ${graph.name(task)} `;
    const room = ROOM - widthOf(number, SIZES[0], 650);
    return number + cutInto(graph.endingInParts(task)[0], room, SIZES[0], 650);
}

/** How long a task took, and where it ended or else what it executed. */
function workOf(graph: TaskGraph, task: number): string {
    const place = graph.endingInParts(task)[1];
    const time = duration(graph.columns.duration[task]!);
    const work = `${time}, ${brief(graph.columns.instructions[task])} instr.`;
    return place ? cutInto(`${time} to ${place}`, ROOM, SIZES[1]) : work;
}

function Edge(props: {
    graph: TaskGraph;
    edge: DrawnEdge;
    chosen: number | null;
    isNamed: boolean;
}) {
    const { graph, edge, chosen, isNamed } = props;
    const isOwn = graph.link(edge.link) === "program";
    const isChosen = chosen === edge.from || chosen === edge.to;
    const [first, ...rest] = edge.points;
    // Names stand near the ends of arrows: in the middle, arrows cross.
    const [last, end] = edge.points.slice(-2);
    const middle = { x: (last!.x + end!.x) / 2, y: (last!.y + end!.y) / 2 };
    const d = `M${first!.x.toFixed(1)} ${first!.y.toFixed(1)}${rest.map(({ x, y }) => `L${x.toFixed(1)} ${y.toFixed(1)}`).join("")}`;
    const classes = [
        "task-edge",
        isOwn ? "" : "between",
        graph.isWayEdge(edge.from, edge.to) ? "on-way" : "",
        isChosen ? "chosen" : "",
    ].join(" ");
    return (
        <g class={classes}>
            <path d={d} marker-end="url(#task-arrow)" />
            {isOwn || !(isChosen || isNamed) ? null : (
                <text x={middle.x + 4} y={middle.y}>
                    {graph.link(edge.link)}
                </text>
            )}
        </g>
    );
}
