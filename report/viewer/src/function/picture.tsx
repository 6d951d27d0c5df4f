// The picture of a graph: blocks, folded blocks and edges.

import { useMemo } from "preact/hooks";

import { brief, digits, heat, near, percent, plural } from "../data/numbers";
import type { PathData } from "../data/types";
import { type Graph, type GraphEdge, type GraphNode, MOST_SHOWN } from "./fold";
import { type Drawn, type Layout, type Placed, rounded } from "./layout";
import { type FunctionModel, shortened } from "./model";
import { type Selection, toggle } from "./selection";
import { cameFrom } from "./source";
import { useText } from "./text";
import { usePrinting } from "../ui/printing";

/** Which part of the picture is seen, and how large. */
export interface View {
    x: number;
    y: number;
    scale: number;
}

interface PictureProps {
    model: FunctionModel;
    graph: Graph;
    layout: Layout;
    view: View;
    selection: Selection;
    path: PathData | undefined;
    current: number | null;
    open: (blocks: number[]) => void;
}

export function Picture({
    model,
    graph,
    layout,
    view,
    selection,
    path,
    current,
    open,
}: PictureProps) {
    const onPath = useMemo(() => {
        const steps = new Map<number, number>();
        path?.blocks.forEach((block, at) => steps.set(block, at + 1));
        return { blocks: steps, edges: new Set(path ? model.edgesOf(path) : []) };
    }, [model, path]);
    const heads = graph.nodes.flatMap(({ kind, blocks }) => {
        const head = kind === "block" ? model.head(blocks[0]!) : null;
        return head?.file == null ? [] : [{ file: head.file, first: head.line, last: head.line }];
    });
    const text = useText(
        useMemo(() => heads, [graph]),
        true,
    );
    const most = Math.max(1, ...graph.edges.map(({ count }) => count ?? 0));
    // On paper the whole graph stands, as large as the page allows.
    const isPrinting = usePrinting();
    const whole = { viewBox: `0 0 ${layout.width} ${layout.height}` };
    const size = { "--graph-width": `${layout.width}px` };
    const moved = `translate(${view.x.toFixed(1)} ${view.y.toFixed(1)}) scale(${view.scale.toFixed(4)})`;
    const isFar = !isPrinting && view.scale < 0.45;
    return (
        <svg
            class={`cfg ${path ? "has-path" : ""} ${isFar ? "far" : ""}`}
            style={size}
            {...(isPrinting ? whole : {})}
        >
            <defs>
                <marker
                    id="arrow"
                    viewBox="0 0 8 8"
                    refX="7"
                    refY="4"
                    markerWidth="8"
                    markerHeight="8"
                    markerUnits="userSpaceOnUse"
                    orient="auto"
                >
                    <path d="M0 0.5L8 4L0 7.5z" class="arrow" />
                </marker>
            </defs>
            <g transform={isPrinting ? undefined : moved}>
                {layout.edges.map((drawn) => (
                    <EdgePicture
                        model={model}
                        drawn={drawn}
                        most={most}
                        selection={selection}
                        isOn={drawn.edge.edges.some((edge) => onPath.edges.has(edge))}
                    />
                ))}
                {graph.nodes.map((node) =>
                    node.kind === "block" ? (
                        <BlockPicture
                            model={model}
                            block={node.blocks[0]!}
                            at={layout.nodes.get(node.id)!}
                            closing={layout.headers.get(node.id)}
                            selection={selection}
                            step={onPath.blocks.get(node.blocks[0]!)}
                            isCurrent={current === node.blocks[0]}
                            code={code(model, node.blocks[0]!, text)}
                        />
                    ) : (
                        <FoldPicture
                            model={model}
                            node={node}
                            at={layout.nodes.get(node.id)!}
                            open={open}
                        />
                    ),
                )}
            </g>
        </svg>
    );
}

function code(model: FunctionModel, block: number, text: ReturnType<typeof useText>): string {
    const head = model.head(block);
    const line = head?.file == null ? undefined : text(head.file, head.line);
    return line?.text.trim() ?? "";
}

/** Calls `act` for a click, Enter and Space. */
function press(act: (event: MouseEvent | KeyboardEvent) => void) {
    return {
        role: "button" as const,
        tabindex: 0,
        onClick: act,
        onKeyDown: (event: KeyboardEvent) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            event.stopPropagation();
            act(event);
        },
    };
}

function BlockPicture(props: {
    model: FunctionModel;
    block: number;
    at: Placed;
    closing: GraphEdge[] | undefined;
    selection: Selection;
    step: number | undefined;
    isCurrent: boolean;
    code: string;
}) {
    const { model, block: number, at, closing, selection, step, isCurrent } = props;
    const block = model.data.blocks[number]!;
    const count = near(block.count);
    const head = model.head(number);
    const mark = `b${number}`;
    const isChosen = selection.marks.includes(mark);
    const classes = [
        "block",
        block.count === null ? "unknown" : count > 0 ? `h${heat(count, model.most)}` : "cold",
        step !== undefined ? "on-path" : "",
        isChosen ? "chosen" : "",
        isCurrent ? "current" : "",
    ].join(" ");
    const turns = closing?.reduce((all, { count }) => all + (count ?? 0), 0);
    const places = block.locations.map((location) => model.data.locations[location]!);
    const lines = places
        .filter(([, line, , , call]) => line > 0 && call === null)
        .map(([, line]) => line);
    const [first, last] = [Math.min(...lines), Math.max(...lines)];
    const own = first < last ? `${first}–${last}` : `${first}`;
    const title = head
        ? head.inlined
            ? `${shortened(head.owner)}:${head.line}`
            : own
        : `bb${number}`;
    const tip = [
        `bb${number}: ${digits(block.count)} times${block.doubt ? ", may be off" : ""}`,
        `${percent(count, model.most)} of the hottest block, ${plural(block.instructions, "instruction")}`,
        ...(turns ? [`loop: ${digits(turns)} turns`] : []),
        ...cameFrom(model, number),
    ].join("\n");
    const [x, y] = [at.x - at.width / 2, at.y - at.height / 2];
    const shown = (text: string, room: number) =>
        text.length > room ? `${text.slice(0, room - 1)}…` : text;
    const times = `${block.doubt ? "~" : ""}${brief(block.count)}${block.count !== null ? "×" : ""}`;
    const room = Math.floor(24 - 1.15 * times.length) - (closing ? 2 : 0);
    const heading = `${closing ? "↻ " : ""}${shown(title, room)}`;
    const opcodes = block.opcodes.slice(0, 4).map(([text]) => model.data.texts[text]);
    const snippet = shown(props.code || opcodes.join(" "), 29);
    const more = `block ${number}, ${title}, ran ${digits(block.count)} times`;
    return (
        <g
            class={classes}
            transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
            data-tip={tip}
            aria-pressed={isChosen}
            aria-description={more}
            {...press((event) => toggle(selection, mark, event.shiftKey))}
        >
            <g>
                <rect class="body" width={at.width} height={at.height} rx={6} />
                {closing ? <path class="loop-bar" d={`M1.5 8V${at.height - 8}`} /> : null}
                <text class="title" x={10} y={19}>
                    {heading}
                </text>{" "}
                <text class="count" x={at.width - 10} y={19}>
                    {times}
                </text>{" "}
                <text class="snippet" x={10} y={37}>
                    {snippet}
                </text>{" "}
                {step !== undefined ? (
                    <g class="badge" transform={`translate(${at.width - 4} -2)`}>
                        <circle r={9} />
                        <text y={3.5}>{step}</text>
                    </g>
                ) : null}
            </g>
        </g>
    );
}

function FoldPicture(props: {
    model: FunctionModel;
    node: GraphNode;
    at: Placed;
    open: (blocks: number[]) => void;
}) {
    const { model, node, at, open } = props;
    const isCold = node.kind === "cold";
    const text = isCold
        ? `⋯ ${node.blocks.length === 1 ? "1 way" : `${node.blocks.length} ways`} not taken`
        : `⋯ ${node.blocks.length === 1 ? "1 more way" : `${node.blocks.length} more ways`}`;
    const lines = node.blocks
        .map((block) => model.head(block)?.line ?? 0)
        .filter((line) => line > 0);
    const tip =
        isCold && lines.length > 0
            ? `to line ${lines.join(", ")}\nchoose it to see them`
            : "choose it to see them";
    return (
        <g
            class={`fold-node ${node.kind}`}
            transform={`translate(${(at.x - at.width / 2).toFixed(1)} ${(at.y - at.height / 2).toFixed(1)})`}
            data-tip={tip}
            aria-label={text}
            {...press(() => open(node.blocks.slice(0, MOST_SHOWN)))}
        >
            <rect width={at.width} height={at.height} rx={at.height / 2} />
            <text x={at.width / 2} y={at.height / 2 + 4}>
                {text}
            </text>
        </g>
    );
}

function EdgePicture(props: {
    model: FunctionModel;
    drawn: Drawn;
    most: number;
    selection: Selection;
    isOn: boolean;
}) {
    const { model, drawn, most, selection, isOn } = props;
    const { edge, points, back } = drawn;
    const first = edge.edges[0]!;
    const data = model.data.edges[first]!;
    const mark = `e${first}`;
    const isChosen = edge.edges.some((one) => selection.marks.includes(`e${one}`));
    const width = edge.count === null ? 1 : 1 + 6 * Math.sqrt(edge.count / most);
    const path = rounded(points, back ? 10 : 24);
    const from = near(model.data.blocks[data[0]]?.count);
    const to = near(model.data.blocks[data[1]]?.count);
    const count = edge.count ?? 0;
    const tip = [
        `bb${data[0]} → bb${data[1]}${data[3] ? `, ${data[3]}` : ""}: ${digits(edge.count)} times`,
        edge.count === null
            ? "the counters do not tell"
            : `${percent(count, from)} of what left bb${data[0]}`,
        ...(edge.count === null ? [] : [`${percent(count, to)} of what came to bb${data[1]}`]),
        ...(data[4] === "back" ? ["closes a loop: one path ends, the next begins"] : []),
        ...(data[4] === "entry" ? ["enters a loop: one path ends, the next begins"] : []),
        ...(data[4] === "limit" ? ["cut at the path limit: one path ends, the next begins"] : []),
        ...(data[4] === "opaque" ? ["holds no code: one path ends, the next begins"] : []),
    ].join("\n");
    const label = data[3].length < 18 ? data[3] : "";
    const seen = edge.count === 0 ? "" : `${brief(edge.count)} ${label}`.trim();
    const middle = points[Math.floor(points.length / 2)]!;
    const classes = [
        "edge",
        back ? "back" : "",
        edge.count === null ? "unknown" : edge.count === 0 ? "cold" : "",
        isOn ? "on-path" : "",
        isChosen ? "chosen" : "",
    ].join(" ");
    return (
        <g
            class={classes}
            data-tip={tip}
            aria-pressed={isChosen}
            aria-label={`${seen}: edge from bb${data[0]} to bb${data[1]}, ${digits(edge.count)} times`}
            {...press((event) => toggle(selection, mark, event.shiftKey))}
        >
            <g>
                <path class="wide" d={path} />
                <path
                    class="ink"
                    d={path}
                    stroke-width={width.toFixed(1)}
                    marker-end="url(#arrow)"
                />
                <text class="edge-count" x={middle.x + 5} y={middle.y + 3}>
                    {seen}
                </text>
            </g>
        </g>
    );
}
