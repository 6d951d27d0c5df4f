// The picture of a graph: blocks, folded blocks and edges.

import { useMemo } from "preact/hooks";

import type { Cut, PathData } from "../../data/types";
import { fittedInto, widthOf } from "../../ui/measure";
import { brief, digits, heat, near, percent, plural, sum } from "../../ui/numbers";
import { ArrowHead } from "../../ui/parts";
import { usePrinting } from "../../ui/printing";
import { useText } from "../shared/text";
import type { Graph, GraphEdge, GraphNode, Ways } from "./fold";
import { BOX, type Drawn, type Layout, type Placed, besides, rounded } from "./layout";
import type { FunctionModel } from "./model";
import { type Selection, toggle } from "./selection";
import { cameFrom } from "./source";
import type { Step } from "./steps";
import type { View } from "./view";

/** The size and the weight of titles, as graph.css has them. */
const [TITLE, BOLD] = [12, 650];

interface PictureProps {
    model: FunctionModel;
    graph: Graph;
    layout: Layout;
    view: View;
    selection: Selection;
    path: PathData | undefined;
    /** The steps of that path. */
    steps: Step[];
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
    steps,
    current,
    open,
}: PictureProps) {
    const onPath = useMemo(() => {
        const blocks = new Set(path?.blocks ?? []);
        // A box has the number of its first step, as the source has it.
        const numbers = new Map<string, number>();
        for (const { block, index } of steps) {
            const box = graph.boxes.get(block);
            if (box !== undefined && !numbers.has(box)) numbers.set(box, index + 1);
        }
        return { blocks, numbers, edges: new Set(path ? model.edgesOf(path) : []) };
    }, [model, path, steps, graph]);
    const heads = graph.nodes.flatMap(({ blocks }) => {
        const head = model.head(blocks[0]!);
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
                <ArrowHead id="arrow" />
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
                {graph.nodes.map((node) => (
                    <BlockPicture
                        model={model}
                        node={node}
                        at={layout.nodes.get(node.id)!}
                        closing={layout.headers.get(node.id)}
                        selection={selection}
                        isOn={node.blocks.some((block) => onPath.blocks.has(block))}
                        step={onPath.numbers.get(node.id)}
                        isCurrent={current !== null && node.blocks.includes(current)}
                        code={code(model, node.blocks[0]!, text)}
                        open={open}
                    />
                ))}
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

interface BlockProps {
    model: FunctionModel;
    node: GraphNode;
    at: Placed;
    closing: GraphEdge[] | undefined;
    selection: Selection;
    isOn: boolean;
    step: number | undefined;
    isCurrent: boolean;
    code: string;
    open: (blocks: number[]) => void;
}

/** The text, or its beginning with as many letters as there is room for. */
const cut = (text: string, room: number) =>
    text.length > room ? `${text.slice(0, room - 1)}…` : text;

/** What a box is called, in so many pixels: the lines of its blocks, or that of inlined code. */
function titleOf(model: FunctionModel, blocks: number[], room: number): string {
    const lines = blocks
        .flatMap((block) => model.data.blocks[block]!.locations)
        .map((location) => model.data.locations[location]!)
        .filter(([, line, , , call]) => line > 0 && call === null)
        .map(([, line]) => line);
    const head = blocks.map((block) => model.head(block)).find((head) => head !== null);
    if (!head) return `bb${blocks[0]}`;
    const line = `:${head.line}`;
    if (head.inlined) {
        const rest = room - widthOf(line, TITLE, BOLD);
        return fittedInto(head.owner, rest, TITLE, BOLD) + line;
    }
    const [first, last] = [Math.min(...lines), Math.max(...lines)];
    return first < last ? `${first}–${last}` : `${first}`;
}

function BlockPicture(props: BlockProps) {
    const { model, node, at, closing, selection, isOn, step, isCurrent, open } = props;
    const [number, last] = [node.blocks[0]!, node.blocks.at(-1)!];
    const block = model.data.blocks[number]!;
    const count = near(block.count);
    const chosen = node.blocks.map((block) => `b${block}`);
    const mark = chosen.find((mark) => selection.marks.includes(mark));
    const isChosen = mark !== undefined;
    const classes = [
        "block",
        block.count === null ? "unknown" : count > 0 ? `h${heat(count, model.most)}` : "cold",
        isOn ? "on-path" : "",
        isChosen ? "chosen" : "",
        isCurrent ? "current" : "",
    ].join(" ");
    const turns = closing?.reduce((all, { count }) => all + (count ?? 0), 0);
    const instructions = sum(node.blocks.map((block) => model.data.blocks[block]!.instructions));
    const name = number === last ? `bb${number}` : `bb${number} … bb${last}`;
    const tip = [
        `${name}: ${digits(block.count)} times${block.doubt ? ", may be off" : ""}`,
        `${percent(count, model.most)} of the hottest block, ${plural(instructions, "instruction")}`,
        ...(number === last
            ? []
            : [`${plural(node.blocks.length, "block")} that always run one after the other`]),
        ...(turns ? [`loop: ${digits(turns)} turns`] : []),
        ...cameFrom(model, number),
    ].join("\n");
    const [x, y] = [at.x - at.width / 2, at.y - at.height / 2];
    const times = `${block.doubt ? "~" : ""}${brief(block.count)}${block.count !== null ? "×" : ""}`;
    const before = closing ? "↻ " : "";
    const room = at.width - 28 - widthOf(times, TITLE) - widthOf(before, TITLE, BOLD);
    const title = titleOf(model, node.blocks, room);
    const heading = `${before}${title}`;
    const opcodes = block.opcodes.slice(0, 4).map(([text]) => model.data.texts[text]);
    const snippet = cut(props.code || opcodes.join(" "), 29);
    const more = `block ${number}, ${title}, ran ${digits(block.count)} times`;
    return (
        <g
            class={classes}
            transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
            data-blocks={node.blocks.length}
        >
            <rect class="body" width={at.width} height={at.height} rx={6} />
            {closing ? <path class="loop-bar" d={`M1.5 8V${at.height - 8}`} /> : null}
            <g
                class="press"
                data-tip={tip}
                aria-pressed={isChosen}
                aria-description={more}
                {...press((event) => toggle(selection, mark ?? `b${number}`, event.shiftKey))}
            >
                <rect class="hit" width={at.width} height={BOX.height} rx={6} />
                <text class="title" x={10} y={19}>
                    {heading}
                </text>{" "}
                <text class="count" x={at.width - 10} y={19}>
                    {times}
                </text>{" "}
                <text class="snippet" x={10} y={37}>
                    {snippet}
                </text>
            </g>
            {node.ways.map((ways, index) => (
                <WaysPicture
                    model={model}
                    ways={ways}
                    x={(index * at.width) / node.ways.length}
                    width={at.width / node.ways.length}
                    open={open}
                />
            ))}
            {step !== undefined ? (
                <g class="badge" transform={`translate(${at.width - 4} -2)`}>
                    <circle r={9} />
                    <text y={3.5}>{step}</text>
                </g>
            ) : null}
        </g>
    );
}

/** So many blocks are opened at once. */
const OPENED = 8;

/** The hottest of some blocks. */
function hottest(model: FunctionModel, blocks: number[]): number[] {
    const count = (block: number) => near(model.data.blocks[block]?.count);
    return [...blocks].sort((one, other) => count(other) - count(one)).slice(0, OPENED);
}

/** The ways out of a box that are folded. */
function WaysPicture(props: {
    model: FunctionModel;
    ways: Ways;
    x: number;
    width: number;
    open: (blocks: number[]) => void;
}) {
    const { model, ways, x, width, open } = props;
    const isCold = ways.kind === "cold";
    const number = ways.blocks.length;
    const text = isCold
        ? `⋯ ${number} not taken`
        : `⋯ ${number} more${ways.count === null ? "" : `, ${brief(ways.count)}×`}`;
    const lines = [...new Set(ways.blocks.map((block) => model.head(block)?.line ?? 0))]
        .filter((line) => line > 0)
        .sort((one, other) => one - other);
    const tip = [
        isCold
            ? `${plural(number, "way")} on that ${number === 1 ? "was" : "were"} not taken`
            : `${plural(number, "way")} to blocks that are not shown` +
              (ways.count === null ? "" : `, taken ${digits(ways.count)} times`),
        ...(lines.length > 0 ? [`to line ${lines.join(", ")}`] : []),
        `choose ${number === 1 ? "it to see it" : number > OPENED ? `them to see the ${OPENED} hottest` : "them to see them"}`,
    ].join("\n");
    return (
        <g
            class={`ways ${ways.kind}`}
            transform={`translate(${x.toFixed(1)} ${BOX.height})`}
            data-tip={tip}
            aria-label={text}
            {...press(() => open(hottest(model, ways.blocks)))}
        >
            <rect x={3} y={0} width={width - 6} height={BOX.ways - 3} rx={4} />
            <text x={width / 2} y={13}>
                {text}
            </text>
        </g>
    );
}

/** What an edge that is cut says of it. */
const CUTS: Record<Exclude<Cut, "">, string> = {
    back: "closes a loop: one path ends, the next begins",
    entry: "enters a loop: one path ends, the next begins",
    limit: "cut at the path limit: one path ends, the next begins",
    register: "no register is free: one path ends, the next begins",
    call: "one path ends before the call, the next begins behind it",
    opaque: "holds no code: one path ends, the next begins",
};

function EdgePicture(props: {
    model: FunctionModel;
    drawn: Drawn;
    most: number;
    selection: Selection;
    isOn: boolean;
}) {
    const { model, drawn, most, selection, isOn } = props;
    const { edge, points, back, far } = drawn;
    const first = edge.edges[0]!;
    const data = model.data.edges[first]!;
    const mark = `e${first}`;
    const isChosen = edge.edges.some((one) => selection.marks.includes(`e${one}`));
    const width = edge.count === null ? 1 : 1 + 6 * Math.sqrt(edge.count / most);
    const path = rounded(points, back || far ? 10 : 24);
    const from = near(model.data.blocks[data[0]]?.count);
    const to = near(model.data.blocks[data[1]]?.count);
    const count = edge.count ?? 0;
    const tip = [
        `bb${data[0]} → bb${data[1]}${data[3] ? `, ${data[3]}` : ""}: ${digits(edge.count)} times`,
        edge.count === null
            ? "not known from what is counted"
            : `${percent(count, from)} of what left bb${data[0]}`,
        ...(edge.count === null ? [] : [`${percent(count, to)} of what came to bb${data[1]}`]),
        ...(data[4] ? [CUTS[data[4]]] : []),
    ].join("\n");
    const seen = edge.text;
    const beside = besides(drawn, width);
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
                <text class="edge-count" x={beside.x} y={beside.y}>
                    {seen}
                </text>
            </g>
        </g>
    );
}
