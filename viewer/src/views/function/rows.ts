// The rows of the source pane: lines, folded lines that did not run, and inlined code below the
// line of its call.

import { type Count, near, sum } from "../../ui/numbers";
import type { FunctionModel } from "./model";

/** A line of the source, in the function itself or in code that was inlined. */
export interface LineRow {
    kind: "line";
    key: string;
    file: number;
    line: number;
    /** How deep it is inlined. */
    depth: number;
    /** The location of the call that it was inlined at. */
    inlinedAt: number | null;
    /** `undefined` for a line without code, `null` if it is not known. */
    count: Count | null | undefined;
    /** Whether the count is the code's, and the line of the source may have run otherwise. */
    isVague: boolean;
    /** How often the hottest of what was inlined at the line ran. */
    inlined: Count | undefined;
    /** Blocks by column, where the line has several. */
    columns: { column: number; block: number }[];
}

/** Lines that did not run, or have no code. */
export interface FoldRow {
    kind: "fold";
    key: string;
    depth: number;
    first: number;
    last: number;
    /** `null` for lines without code. */
    ran: false | null;
}

/** Inlined code, closed or open. */
export interface InlineRow {
    kind: "inline";
    key: string;
    /** What is open, or closed, together. */
    toggle: string;
    depth: number;
    open: boolean;
    name: string;
    file: number | null;
    first: number;
    last: number;
    count: Count;
}

export type Row = LineRow | FoldRow | InlineRow;

/** Fewer lines that did not run stay. */
const FOLD = 5;

/** A copy of a function's text: the function itself, or one place where it was inlined. */
export interface Copy {
    call: number | null;
    name: string;
    file: number | null;
    first: number;
    last: number;
    /** `null` of those that are not known. */
    lines: Map<number, Count | null>;
    /** The lines whose counts are the code's. */
    vague: Set<number>;
    columns: Map<number, { column: number; block: number }[]>;
    children: Copy[];
    /** The line of the call, in the copy around. */
    line: number;
    count: Count;
    /** For each line with calls how often the hottest of what was inlined there ran. */
    inlined: Map<number, Count>;
}

/** All copies, the function itself first. */
export function copiesOf(model: FunctionModel, file: number | null, line: number): Copy {
    const { data } = model;
    const copies = new Map<string, Copy>();
    // Two functions may be inlined at one call: one of them is called by the other's arguments.
    const keyOf = (call: number | null, owner: number) =>
        call === null ? "own" : `${call}/${owner}`;
    const copy = (call: number | null, of: number | null, owner: number): Copy => {
        const key = keyOf(call, owner);
        const name = call === null ? "" : (data.texts[owner] ?? "?");
        let found = copies.get(key);
        if (!found) {
            const empty = { lines: new Map(), columns: new Map(), children: [], count: 0 };
            const [inlined, vague] = [new Map<number, Count>(), new Set<number>()];
            const nowhere = { first: Infinity, last: 0, line: 0 };
            found = { call, name, file: of, ...nowhere, ...empty, inlined, vague };
            copies.set(key, found);
        }
        return found;
    };
    const own = copy(null, file, -1);
    const isOf = (one: Copy, of: number | null) => one.file === of;
    const owners = new Map<string, number>();
    for (const [of, at, , owner, call] of data.locations) {
        owners.set(`${of}:${at}:${call}`, owner);
        if (call !== null) copy(call, of, owner);
    }
    for (const [of, at, call, count, isVague] of data.lines) {
        const one = copies.get(keyOf(call, owners.get(`${of}:${at}:${call}`) ?? -1));
        if (!one || !isOf(one, of)) continue;
        const other = one.lines.get(at) ?? 0;
        const isKnown = count !== null && one.lines.get(at) !== null;
        one.lines.set(at, isKnown ? sum([other, count]) : null);
        if (isVague) one.vague.add(at);
        one.first = Math.min(one.first, at);
        one.last = Math.max(one.last, at);
    }
    data.blocks.forEach((block, number) => {
        for (const location of block.locations) {
            const at = data.locations[location];
            const one = at && copies.get(keyOf(at[4], at[3]));
            if (!at || !one || !isOf(one, at[0])) continue;
            const columns = one.columns.get(at[1]) ?? [];
            one.columns.set(at[1], columns);
            columns.push({ column: at[2], block: number });
        }
    });
    for (const one of copies.values()) {
        one.count = larger([...one.lines.values()], 0);
        if (one.call === null) continue;
        const call = data.locations[one.call];
        if (!call) continue;
        one.line = call[1];
        const around = copies.get(keyOf(call[4], call[3])) ?? own;
        around.children.push(one);
    }
    if (line > 0) own.first = Math.min(own.first, line);
    const hottest = new Map<Copy, Count>();
    const hottestOf = (copy: Copy): Count => {
        const known = hottest.get(copy) ?? larger(copy.children.map(hottestOf), copy.count);
        hottest.set(copy, known);
        return known;
    };
    for (const one of copies.values()) {
        for (const child of one.children) {
            if (isOf(one, data.locations[child.call!]?.[0] ?? null)) {
                one.first = Math.min(one.first, child.line);
                one.last = Math.max(one.last, child.line);
            }
        }
        one.children.sort((left, right) => left.line - right.line);
        for (const child of one.children) {
            const known = one.inlined.get(child.line) ?? 0;
            one.inlined.set(child.line, larger([hottestOf(child)], known));
        }
    }
    return own;
}

/** The largest of some counts and another one. */
function larger(counts: (Count | null)[], other: Count): Count {
    return counts.reduce<Count>(
        (most, count) => (count !== null && near(count) > near(most) ? count : most),
        other,
    );
}

/**
 * A copy without the code of system headers that was inlined in it. What that calls of the user's
 * stands at the line of the call.
 */
export function withoutSystem(copy: Copy, isSystem: (file: number | null) => boolean): Copy {
    const visible = (child: Copy): Copy[] =>
        isSystem(child.file)
            ? child.children.flatMap(visible).map((inner) => ({ ...inner, line: child.line }))
            : [withoutSystem(child, isSystem)];
    return { ...copy, children: copy.children.flatMap(visible) };
}

/** The rows of a copy; `open` has the keys of what was opened. */
export function rowsOf(copy: Copy, open: Set<string>, all: boolean, depth = 0): Row[] {
    const rows: Row[] = [];
    if (copy.file === null || copy.last === 0) return rows;
    const below = new Map<number, Copy[]>();
    for (const child of copy.children) {
        below.set(child.line, [...(below.get(child.line) ?? []), child]);
    }
    // What is not known may have run, and is not folded.
    const ran = (line: number) => copy.lines.get(line) === null || near(copy.lines.get(line)) > 0;
    const isBare = (line: number) =>
        line < copy.last && !copy.lines.has(line) && !copy.inlined.has(line);
    const isHot = (line: number) => ran(line) || near(copy.inlined.get(line)) > 0;
    for (let line = copy.first; line <= copy.last; line++) {
        let cold = 0;
        if (!all && copy.lines.has(line) && !ran(line)) {
            for (let end = line; end <= copy.last && !isHot(end); end++)
                if (copy.lines.has(end)) cold = end;
        }
        const key = `${copy.call ?? "own"}:${line}`;
        // Inlined code may have lines far apart, such as those of a constructor and of members.
        let bare = line;
        if (!all && copy.call !== null) while (isBare(bare)) bare++;
        const isFold = cold - line + 1 >= FOLD && line > copy.first;
        if ((isFold || bare - line >= FOLD) && !open.has(key)) {
            const last = isFold ? cold : bare - 1;
            rows.push({ kind: "fold", key, depth, first: line, last, ran: isFold ? false : null });
            line = last;
            continue;
        }
        const stop = open.has(key) ? Math.max(line, cold, bare - 1) : line;
        for (; line <= stop; line++) push(line);
        line = stop;
    }
    return rows;

    function push(line: number): void {
        const columns = distinct(copy.columns.get(line) ?? []);
        rows.push({
            kind: "line",
            key: `${copy.call ?? "own"}:${line}`,
            file: copy.file!,
            line,
            depth,
            inlinedAt: copy.call,
            count: copy.lines.get(line),
            isVague: copy.vague.has(line),
            inlined: copy.inlined.get(line),
            columns,
        });
        for (const child of below.get(line) ?? []) {
            if (!Number.isFinite(child.first)) continue;
            const toggle = `inline${child.call}`;
            const { name, file, first, last, count } = child;
            rows.push({
                kind: "inline",
                key: `${toggle}/${name}`,
                toggle,
                depth: depth + 1,
                open: open.has(toggle),
                name,
                file,
                first,
                last,
                count,
            });
            if (open.has(toggle)) rows.push(...rowsOf(child, open, all, depth + 1));
        }
    }
}

/** Each pair of column and block once, by column. */
function distinct(
    columns: { column: number; block: number }[],
): { column: number; block: number }[] {
    const seen = new Set<string>();
    return columns
        .filter(({ column, block }) => {
            const key = `${column}.${block}`;
            return !seen.has(key) && seen.add(key);
        })
        .sort((one, other) => one.column - other.column || one.block - other.block);
}
