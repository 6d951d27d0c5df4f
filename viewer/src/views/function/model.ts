// One function with what its panes ask of it.

import type { FunctionData, PathData } from "../../data/types";
import { shortened } from "../../ui/names";
import { type Count, near, sum } from "../../ui/numbers";

/** What paths are asked to go through: `b3` a block, `e7` an edge, `l2:14` a line of a file. */
export type Mark = string;

/** How the list of paths is ordered. */
export type Order = "executed" | "count" | "length";

export class FunctionModel {
    /** Edges into and out of each block. */
    readonly into: number[][];
    readonly out: number[][];
    /** The most that a block ran. */
    readonly most: number;
    /** Blocks of each line, by file and line. */
    private readonly blocksOfLine = new Map<string, number[]>();
    /** Blocks with code that was inlined at a call on each line. */
    private readonly blocksOfCalls = new Map<string, number[]>();
    /** An edge by its two blocks. */
    private readonly edgeBetween = new Map<string, number>();

    constructor(readonly data: FunctionData) {
        this.into = data.blocks.map(() => []);
        this.out = data.blocks.map(() => []);
        data.edges.forEach(([from, to], edge) => {
            this.out[from]?.push(edge);
            this.into[to]?.push(edge);
            this.edgeBetween.set(`${from}-${to}`, edge);
        });
        this.most = Math.max(1, ...data.blocks.map((block) => near(block.count)));
        const add = (known: Map<string, number[]>, key: string, block: number) => {
            const blocks = known.get(key);
            if (!blocks) known.set(key, [block]);
            else if (blocks.at(-1) !== block) blocks.push(block);
        };
        data.blocks.forEach((block, number) => {
            for (const location of block.locations) {
                let at = data.locations[location];
                if (!at || at[1] === 0) continue;
                add(this.blocksOfLine, `l${at[0]}:${at[1]}`, number);
                for (at = data.locations[at[4] ?? -1]; at; at = data.locations[at[4] ?? -1])
                    add(this.blocksOfCalls, `l${at[0]}:${at[1]}`, number);
            }
        });
    }

    /** The blocks with code of a line; without any, those with code that was inlined there. */
    private blocksAt(line: Mark): number[] {
        return this.blocksOfLine.get(line) ?? this.blocksOfCalls.get(line) ?? [];
    }

    /** The edge between two blocks. */
    edge(from: number, to: number): number | undefined {
        return this.edgeBetween.get(`${from}-${to}`);
    }

    /** The edges that a path takes, the one behind it included if only one can be that. */
    edgesOf(path: PathData): number[] {
        const edges = [];
        for (let at = 0; at + 1 < path.blocks.length; at++) {
            const edge = this.edge(path.blocks[at]!, path.blocks[at + 1]!);
            if (edge !== undefined) edges.push(edge);
        }
        if (path.last?.length === 1) edges.push(path.last[0]!);
        return edges;
    }

    /** Whether a path goes through a block, an edge or a line. */
    goesThrough(path: PathData, mark: Mark): boolean {
        const number = Number(mark.slice(1));
        if (mark.startsWith("b")) return path.blocks.includes(number);
        if (mark.startsWith("l")) {
            const blocks = this.blocksAt(mark);
            return blocks.some((block) => path.blocks.includes(block));
        }
        if (path.last?.includes(number)) return true;
        const edge = this.data.edges[number];
        return path.blocks.some(
            (block, at) => block === edge?.[0] && path.blocks[at + 1] === edge[1],
        );
    }

    /** What a mark is called. */
    nameOf(mark: Mark): string {
        const number = Number(mark.slice(1));
        if (mark.startsWith("b")) return `block bb${number}`;
        if (mark.startsWith("l")) return `line ${mark.slice(mark.indexOf(":") + 1)}`;
        const edge = this.data.edges[number];
        return edge ? `edge bb${edge[0]} → bb${edge[1]}` : "an edge";
    }

    /** The paths through all marks, in order. */
    paths(marks: Mark[], order: Order): PathData[] {
        const paths = this.data.paths.filter((path) =>
            marks.every((mark) => this.goesThrough(path, mark)),
        );
        const value = (path: PathData) => {
            if (order === "count") return near(path.count);
            if (order === "length") return path.blocks.length;
            return near(path.count) * path.instructions;
        };
        return paths.sort(
            (one, other) => value(other) - value(one) || near(other.count) - near(one.count),
        );
    }

    /** How often these paths ran. */
    runs(paths: PathData[]): Count {
        return sum(paths.map((path) => path.count));
    }

    /** The first known line of a block: its file, line and the function whose text it is. */
    head(
        block: number,
    ): { file: number | null; line: number; owner: string; inlined: boolean } | null {
        for (const location of this.data.blocks[block]?.locations ?? []) {
            const at = this.data.locations[location];
            if (at && at[1] !== 0) {
                return {
                    file: at[0],
                    line: at[1],
                    owner: this.data.texts[at[3]] ?? "",
                    inlined: at[4] !== null,
                };
            }
        }
        return null;
    }

    /** The names of the functions around a location, from the compiled one's callee inwards. */
    stack(location: number): string[] {
        const names: string[] = [];
        let at = this.data.locations[location];
        while (at && at[4] !== null) {
            names.unshift(shortened(this.data.texts[at[3]] ?? "?"));
            at = this.data.locations[at[4]];
        }
        return names;
    }
}
