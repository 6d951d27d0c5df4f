// Where the nodes and edges of a graph are drawn.
//
// What is no loop is laid out in layers, from the entry down. An edge that closes a loop is left
// out of that, so that the loop's header stands above its body. It is then drawn at the side: from
// below the last block of the body, up along its left, into the header. An edge across many layers,
// such as one to a clean-up at the end, is drawn at the right side: each layer that it crosses
// would cost as much as a box. Such edges into one box share a line.

import { Graph as Layered, layout as layered } from "@dagrejs/dagre";

import type { Graph, GraphEdge, GraphNode } from "./fold";

export interface Point {
    x: number;
    y: number;
}

export interface Placed {
    x: number;
    y: number;
    width: number;
    height: number;
    /** Whether an edge that closes a loop comes in from above it. */
    isHeader?: boolean;
}

export interface Drawn {
    edge: GraphEdge;
    points: Point[];
    /** Whether it closes a loop. */
    back: boolean;
    /** Whether it goes down at the side. */
    far?: boolean;
}

export interface Layout {
    nodes: Map<string, Placed>;
    edges: Drawn[];
    /** The nodes at which loops are entered, with the edges that lead back to them. */
    headers: Map<string, GraphEdge[]>;
    width: number;
    height: number;
}

/** A box, and what it has more for the ways to blocks that are not shown. */
export const BOX = { width: 196, height: 50, ways: 22 } as const;

const sizeOf = ({ ways }: GraphNode) => ({
    width: BOX.width,
    height: BOX.height + (ways.length > 0 ? BOX.ways : 0),
});

/** About how wide a letter is beside an edge. */
const LETTER = 6;

/** Where what stands beside an edge of this width begins. */
export function besides({ points, back, far }: Drawn, width = 7): Point {
    const start = far ? points[0] : undefined;
    if (start) return { x: start.x + 5 + width / 2, y: start.y + 9 };
    // One that closes a loop has it above its corner.
    const corner = back ? points[3] : undefined;
    if (corner) return { x: corner.x, y: corner.y - 4 - width / 2 };
    const middle = points[Math.floor(points.length / 2)]!;
    return { x: middle.x + 5 + width / 2, y: middle.y + 3 };
}

/** Between lines at the side of the same blocks. */
const LANE = 13;

/** An edge across more layers is drawn at the side. */
const LAYERS = 5;

/** With more boxes a quicker method puts them into layers. */
const QUICK = 40;

/** The edges that lead to a node on the way to them. */
function backEdges({ nodes, edges }: Graph): Set<GraphEdge> {
    const out = new Map<string, GraphEdge[]>(nodes.map(({ id }) => [id, []]));
    for (const edge of edges) out.get(edge.from)?.push(edge);
    const back = new Set<GraphEdge>();
    const state = new Map<string, "open" | "done">();
    for (const { id } of nodes) {
        if (state.has(id)) continue;
        state.set(id, "open");
        const way = [{ id, next: 0 }];
        for (let top = way.at(-1); top; top = way.at(-1)) {
            const edge = out.get(top.id)?.[top.next++];
            if (!edge) {
                state.set(top.id, "done");
                way.pop();
            } else if (state.get(edge.to) === "open") {
                back.add(edge);
            } else if (!state.has(edge.to)) {
                state.set(edge.to, "open");
                way.push({ id: edge.to, next: 0 });
            }
        }
    }
    return back;
}

/** The layer of each node, if all stand as high as they can. */
function layersOf({ nodes, edges }: Graph, back: Set<GraphEdge>): Map<string, number> {
    const layers = new Map(nodes.map(({ id }) => [id, 0]));
    const missing = new Map(nodes.map(({ id }) => [id, 0]));
    const out = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
    for (const edge of edges) {
        if (back.has(edge)) continue;
        missing.set(edge.to, missing.get(edge.to)! + 1);
        out.get(edge.from)!.push(edge.to);
    }
    const ready = nodes.map(({ id }) => id).filter((id) => missing.get(id) === 0);
    for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
        for (const to of out.get(id)!) {
            layers.set(to, Math.max(layers.get(to)!, layers.get(id)! + 1));
            missing.set(to, missing.get(to)! - 1);
            if (missing.get(to) === 0) ready.push(to);
        }
    }
    return layers;
}

/** The nodes of the loop that an edge closes. */
function bodyOf(edge: GraphEdge, edges: GraphEdge[], back: Set<GraphEdge>): Set<string> {
    const into = new Map<string, string[]>();
    for (const one of edges) {
        if (!back.has(one)) into.set(one.to, [...(into.get(one.to) ?? []), one.from]);
    }
    const body = new Set([edge.to, edge.from]);
    const pending = edge.from === edge.to ? [] : [edge.from];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
        for (const from of into.get(id) ?? []) {
            if (!body.has(from)) {
                body.add(from);
                pending.push(from);
            }
        }
    }
    return body;
}

/**
 * How much an edge wants to be short. It is a whole number: dagre's network simplex adds weights up
 * and fails if a sum that is zero comes out a little below.
 */
const weightOf = ({ count }: GraphEdge) => 1 + Math.round(2 * Math.log2(1 + (count ?? 0)));

/** The layout of a graph. */
export function place(graph: Graph): Layout {
    const back = backEdges(graph);
    const layers = layersOf(graph, back);
    const isFar = (edge: GraphEdge) => layers.get(edge.to)! - layers.get(edge.from)! > LAYERS;
    const engine = new Layered({});
    engine.setGraph({
        rankdir: "TB",
        nodesep: 26,
        edgesep: 16,
        ranksep: 36,
        marginx: 24,
        marginy: 24,
        ranker: graph.nodes.length > QUICK ? "longest-path" : "network-simplex",
    });
    for (const node of graph.nodes) engine.setNode(node.id, sizeOf(node));
    for (const edge of graph.edges) {
        if (back.has(edge) || isFar(edge)) continue;
        engine.setEdge(edge.from, edge.to, { weight: weightOf(edge) });
    }
    layered(engine);
    const nodes = new Map<string, Placed>();
    for (const node of graph.nodes) {
        const { x, y } = engine.node(node.id) as Point;
        nodes.set(node.id, { x, y, ...sizeOf(node) });
    }
    const edges: Drawn[] = [];
    const headers = new Map<string, GraphEdge[]>();
    const closing = [];
    const far = new Map<string, GraphEdge[]>();
    for (const edge of graph.edges) {
        if (!back.has(edge) && isFar(edge)) {
            far.set(edge.to, [...(far.get(edge.to) ?? []), edge]);
            continue;
        }
        if (!back.has(edge)) {
            const { points } = engine.edge(edge.from, edge.to) as { points: Point[] };
            edges.push({ edge, points, back: false });
            continue;
        }
        headers.set(edge.to, [...(headers.get(edge.to) ?? []), edge]);
        nodes.get(edge.to)!.isHeader = true;
        const body = [...bodyOf(edge, graph.edges, back)].map((id) => nodes.get(id)!);
        closing.push({ edge, left: Math.min(...body.map(({ x, width }) => x - width / 2)) });
    }
    // Inner loops are nearer to their bodies.
    const span = ({ edge }: { edge: GraphEdge }) => nodes.get(edge.from)!.y - nodes.get(edge.to)!.y;
    closing.sort((one, other) => span(one) - span(other));
    const lanes: { x: number; top: number; bottom: number }[] = [];
    for (const { edge, left } of closing) {
        const [from, to] = [nodes.get(edge.from)!, nodes.get(edge.to)!];
        const [top, bottom] = [to.y - to.height / 2 - 14, from.y + from.height / 2 + 14];
        let x = left - LANE;
        const isTaken = (lane: { x: number; top: number; bottom: number }) =>
            Math.abs(lane.x - x) < LANE - 1 && lane.top <= bottom && top <= lane.bottom;
        while (lanes.some(isTaken)) x -= LANE;
        lanes.push({ x, top, bottom });
        const start = from.x - from.width / 4;
        const end = to.x - to.width / 4;
        const points = [
            { x: start, y: from.y + from.height / 2 },
            { x: start, y: bottom },
            { x, y: bottom },
            { x, y: top },
            { x: end, y: top },
            { x: end, y: to.y - to.height / 2 },
        ];
        edges.push({ edge, points, back: true });
    }
    edges.push(...atTheRight(far, nodes));
    return shifted({ nodes, edges, headers, width: 0, height: 0 });
}

/** Edges across many layers, by the nodes into which they lead. */
function atTheRight(far: Map<string, GraphEdge[]>, nodes: Map<string, Placed>): Drawn[] {
    const all = [...nodes.values()];
    const lines = [...far].map(([id, edges]) => {
        const to = nodes.get(id)!;
        const end = to.y - to.height / 2 - 14;
        const starts = edges.map((edge) => {
            const from = nodes.get(edge.from)!;
            return { edge, x: from.x + from.width / 4, y: from.y + from.height / 2 };
        });
        const top = Math.min(end, ...starts.map(({ y }) => y));
        const bottom = Math.max(end, ...starts.map(({ y }) => y)) + 14;
        const beside = all.filter(({ y }) => top - 60 < y && y < bottom + 60);
        const right = Math.max(...beside.map(({ x, width }) => x + width / 2));
        return { to, end, starts, top, bottom, right };
    });
    lines.sort((one, other) => one.bottom - one.top - (other.bottom - other.top));
    const lanes: { x: number; top: number; bottom: number }[] = [];
    return lines.flatMap(({ to, end, starts, top, bottom, right }) => {
        let x = right + LANE;
        const isTaken = (lane: { x: number; top: number; bottom: number }) =>
            Math.abs(lane.x - x) < LANE - 1 && lane.top <= bottom && top <= lane.bottom;
        while (lanes.some(isTaken)) x += LANE;
        lanes.push({ x, top, bottom });
        const into = to.x + to.width / 4;
        return starts.map(({ edge, x: start, y }) => ({
            edge,
            points: [
                { x: start, y },
                { x: start, y: y + 14 },
                { x, y: y + 14 },
                { x, y: end },
                { x: into, y: end },
                { x: into, y: to.y - to.height / 2 },
            ],
            back: false,
            far: true,
        }));
    });
}

/** The layout from (0, 0) on, with its size. */
function shifted(layout: Layout): Layout {
    const points = [
        ...layout.edges.flatMap(({ points }) => points),
        ...[...layout.nodes.values()].flatMap(({ x, y, width, height }) => [
            { x: x - width / 2, y: y - height / 2 },
            { x: x + width / 2, y: y + height / 2 },
        ]),
        ...layout.edges.map((drawn) => {
            const { x, y } = besides(drawn);
            return { x: x + LETTER * drawn.edge.text.length, y: y - LETTER };
        }),
    ];
    const margin = 20;
    const left = points.reduce((least, { x }) => Math.min(least, x), Infinity) - margin;
    const top = points.reduce((least, { y }) => Math.min(least, y), Infinity) - margin;
    const move = (point: Point) => {
        point.x -= left;
        point.y -= top;
    };
    // Points at which edges bend may be the same object in several edges.
    new Set<Point>([
        ...layout.edges.flatMap(({ points }) => points),
        ...layout.nodes.values(),
    ]).forEach(move);
    return {
        ...layout,
        width: points.reduce((most, { x }) => Math.max(most, x), 0) + margin,
        height: points.reduce((most, { y }) => Math.max(most, y), 0) + margin,
    };
}

/** An edge as a path of SVG: straight pieces with round corners. */
export function rounded(points: Point[], radius: number): string {
    const [first, ...rest] = points;
    if (!first) return "";
    let path = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
    rest.forEach((point, at) => {
        const next = rest[at + 1];
        if (!next) {
            path += `L${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
            return;
        }
        const last = at === 0 ? first : rest[at - 1]!;
        const before = towards(point, last, radius);
        const after = towards(point, next, radius);
        path += `L${before.x.toFixed(1)} ${before.y.toFixed(1)}`;
        path += `Q${point.x.toFixed(1)} ${point.y.toFixed(1)} ${after.x.toFixed(1)} ${after.y.toFixed(1)}`;
    });
    return path;
}

function towards(from: Point, to: Point, by: number): Point {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const part = length === 0 ? 0 : Math.min(by, length / 2) / length;
    return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
