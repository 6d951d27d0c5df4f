// The source pane: counts per line and per column, heat, folds, inlined code, the chosen path.

import { useMemo, useState } from "preact/hooks";

import { brief, digits, heat, near, percent, plural } from "../data/numbers";
import { useReport } from "../data/report";
import { Plain } from "../ui/parts";
import { VirtualList } from "../ui/virtual";
import { type FunctionModel, shortened } from "./model";
import { type Copy, type LineRow, type Row, copiesOf, rowsOf } from "./rows";
import { type Selection, toggle } from "./selection";
import type { Step } from "./steps";
import { type Range, type TextOf, useText } from "./text";

const ROW = 21;

interface Props {
    model: FunctionModel;
    file: number | null;
    line: number;
    selection: Selection;
    /** The steps of the chosen path. */
    steps: Step[];
}

/** The ranges of all copies that are open. */
function ranges(copy: Copy, open: Set<string>): Range[] {
    const own =
        copy.file !== null && copy.last > 0
            ? [{ file: copy.file, first: copy.first, last: copy.last }]
            : [];
    const inner = copy.children.filter((child) => open.has(`inline${child.call}`));
    return [...own, ...inner.flatMap((child) => ranges(child, open))];
}

/** So many lines of inlined code are open at first. */
const OPEN_LINES = 80;

/** The hottest inlined code of the user's that there is room for, level by level. */
function openAtFirst(copy: Copy, isSystem: (file: number) => boolean): string[] {
    const open = [];
    let room = OPEN_LINES;
    for (let level = copy.children; level.length > 0;) {
        const next: Copy[] = [];
        for (const child of [...level].sort((one, other) => near(other.count) - near(one.count))) {
            const lines = child.last - child.first + 1;
            const isOwn = child.file !== null && !isSystem(child.file);
            if (!isOwn || near(child.count) === 0 || !(lines <= room)) continue;
            room -= lines;
            open.push(`inline${child.call}`);
            next.push(...child.children);
        }
        level = next;
    }
    return open;
}

/** What has to be open so that a place in inlined code is seen. */
function wayTo(model: FunctionModel, call: number | null): string[] {
    const way = [];
    for (let at = call; at !== null; at = model.data.locations[at]?.[4] ?? null)
        way.push(`inline${at}`);
    return way;
}

export function SourcePane({ model, file, line, selection, steps }: Props) {
    const report = useReport();
    const [all, setAll] = useState(false);
    const copy = useMemo(() => copiesOf(model, file, line), [model]);
    const [opened, setOpened] = useState<Set<string>>(
        () => new Set(openAtFirst(copy, (file) => report.index.files[file]?.system ?? false)),
    );
    const current = selection.step === null ? undefined : steps[selection.step];
    const open = new Set([...opened, ...(current ? wayTo(model, current.inlinedAt) : [])]);
    const text = useText(ranges(copy, open));
    const rows = rowsOf(copy, open, all);
    const most = Math.max(1, ...[...copy.lines.values()].map(near));
    const onPath = new Map<string, number[]>();
    for (const step of steps) {
        const key = `${step.inlinedAt ?? "own"}:${step.line}`;
        onPath.set(key, [...(onPath.get(key) ?? []), step.index + 1]);
    }
    const target = current ?? steps[0];
    const show = target
        ? rows.findIndex((row) => row.key === `${target.inlinedAt ?? "own"}:${target.line}`)
        : null;
    const change = (key: string) => {
        const next = new Set(opened);
        if (!next.delete(key)) next.add(key);
        setOpened(next);
    };
    const entry = file === null ? undefined : report.index.files[file];
    const folds = rows.some((row) => row.kind === "fold");
    return (
        <section
            class={`pane source ${steps.length > 0 ? "has-path" : ""}`}
            aria-labelledby="pane-source"
            data-pane="source"
        >
            <header>
                <h2 id="pane-source">Source</h2>
                <span class="soft pane-note" data-tip={entry?.path}>
                    {entry?.name ?? "no debug information"}
                </span>
                {folds || all ? (
                    <button type="button" class="quiet" onClick={() => setAll(!all)}>
                        {all ? "fold what did not run" : "unfold all"}
                    </button>
                ) : null}
            </header>
            {entry?.state === "missing" ? (
                <p class="remark note">
                    <b>Note</b> <code>{entry.path}</code> could not be read, so only its counts are
                    shown.
                </p>
            ) : null}
            {entry?.state === "newer" ? (
                <p class="remark warning">
                    <b>⚠ Warning</b> The file changed after the program was built. Lines may have
                    moved.
                </p>
            ) : null}
            {rows.length === 0 ? (
                <p class="empty">
                    No line of this function is known. Compile with <code>-g</code>.
                </p>
            ) : (
                <VirtualList
                    label="Source"
                    count={rows.length}
                    height={ROW}
                    show={show}
                    row={(at) => {
                        const row = rows[at]!;
                        return row.kind === "line" ? (
                            <Line
                                key={row.key}
                                row={row}
                                model={model}
                                most={most}
                                selection={selection}
                                text={text}
                                numbers={onPath.get(row.key)}
                                isCurrent={
                                    current !== undefined &&
                                    row.key === `${current.inlinedAt ?? "own"}:${current.line}`
                                }
                                hasPath={steps.length > 0}
                            />
                        ) : (
                            <Fold
                                key={row.key}
                                row={row}
                                change={change}
                                base={(of) => report.base(of)}
                            />
                        );
                    }}
                />
            )}
        </section>
    );
}

function Fold({
    row,
    change,
    base,
}: {
    row: Exclude<Row, LineRow>;
    change: (key: string) => void;
    base: (file: number | null) => string;
}) {
    const lines = row.last - row.first + 1;
    return (
        <div class={`line fold depth${Math.min(row.depth, 6)}`}>
            <button
                type="button"
                onClick={() => change(row.kind === "fold" ? row.key : row.toggle)}
                aria-expanded={row.kind === "inline" && row.open}
            >
                {row.kind === "fold" ? (
                    <>
                        ⋯ {plural(lines, "line")} {row.ran === false ? "not run" : "without code"} (
                        {row.first}–{row.last})
                    </>
                ) : (
                    <>
                        {row.open ? "▾" : "▸"} inlined <b>{shortened(row.name)}</b> {base(row.file)}
                        :{row.first}
                        {row.last > row.first ? `–${row.last}` : ""}{" "}
                        <span class="number">{brief(row.count)}×</span>
                    </>
                )}
            </button>
        </div>
    );
}

interface LineProps {
    row: LineRow;
    model: FunctionModel;
    most: number;
    selection: Selection;
    text: TextOf;
    numbers: number[] | undefined;
    isCurrent: boolean;
    hasPath: boolean;
}

function Line({ row, model, most, selection, text, numbers, isCurrent, hasPath }: LineProps) {
    const mark = `l${row.file}:${row.line}`;
    const isChosen = selection.marks.includes(mark);
    const hasCode = row.count !== undefined;
    const count = near(row.count);
    const classes = [
        "line",
        `depth${Math.min(row.depth, 6)}`,
        hasCode ? (count > 0 ? `h${heat(count, most)}` : "cold") : "bare",
        numbers ? "on-path" : hasPath ? "off-path" : "",
        isChosen ? "chosen" : "",
        isCurrent ? "current" : "",
    ].join(" ");
    const choose = (event: MouseEvent | KeyboardEvent) => {
        if (hasCode && !getSelection()?.toString()) toggle(selection, mark, event.shiftKey);
    };
    return (
        <div class={classes} onClick={choose}>
            <span
                class="line-steps"
                data-tip={numbers ? `steps ${numbers.join(", ")} of the path` : undefined}
            >
                {numbers ? numbers[0] : ""}
            </span>
            {hasCode ? (
                <button
                    type="button"
                    class="line-count"
                    aria-pressed={isChosen}
                    aria-label={`${brief(row.count)}: line ${row.line} ran ${digits(row.count)} times`}
                    data-tip={tip(row, model)}
                >
                    {count === 0 ? "0" : brief(row.count)}
                </button>
            ) : (
                <span class="line-count" />
            )}
            <span class="line-number">{row.line}</span>
            <Code row={row} model={model} text={text} />
        </div>
    );
}

function tip(row: LineRow, model: FunctionModel): string {
    const lines = [`line ${row.line}: ${digits(row.count)} times`];
    const blocks = [...new Set(row.columns.map(({ block }) => block))];
    for (const { column, block } of row.columns.slice(0, 12)) {
        lines.push(`column ${column}: ${digits(model.data.blocks[block]?.count)} (bb${block})`);
    }
    if (row.columns.length > 12) lines.push(`and ${row.columns.length - 12} more`);
    if (blocks.length === 1) lines.push(...cameFrom(model, blocks[0]!));
    lines.push("choose it: the paths through it");
    return lines.join("\n");
}

/** What share of the visits of a block came from where. */
export function cameFrom(model: FunctionModel, block: number): string[] {
    const count = near(model.data.blocks[block]?.count);
    const edges = (model.into[block] ?? []).map((edge) => model.data.edges[edge]!);
    return edges
        .sort((one, other) => near(other[2]) - near(one[2]))
        .slice(0, 6)
        .map(([from, , visits]) => {
            const head = model.head(from);
            const place = head ? `line ${head.line} (bb${from})` : `bb${from}`;
            const share = visits === null ? "?" : percent(near(visits), count);
            return `from ${place}: ${digits(visits)}, ${share}`;
        });
}

/** The code of a line. Where its columns ran differently often, each has its heat. */
function Code({ row, model, text }: { row: LineRow; model: FunctionModel; text: TextOf }) {
    const known = text(row.file, row.line);
    if (!known) return <code class="line-code" />;
    const counts = new Map<number, number>();
    for (const { column, block } of row.columns) {
        const count = near(model.data.blocks[block]?.count);
        counts.set(column, Math.max(counts.get(column) ?? 0, count));
    }
    const columns = [...counts.keys()]
        .filter((column) => column > 0)
        .sort((one, other) => one - other);
    const most = Math.max(1, ...counts.values());
    const differ = new Set(columns.map((column) => counts.get(column))).size > 1;
    const cuts = differ ? columns.map((column) => column - 1) : [];
    const edges = [
        0,
        ...known.tokens.flatMap(({ from, to }) => [from, to]),
        ...cuts,
        known.text.length,
    ];
    const sorted = [...new Set(edges)]
        .filter((at) => at <= known.text.length)
        .sort((one, other) => one - other);
    const pieces = [];
    for (let at = 0; at + 1 < sorted.length; at++) {
        const [from, to] = [sorted[at]!, sorted[at + 1]!];
        const token = known.tokens.find((token) => token.from <= from && to <= token.to);
        const cut = differ ? cuts.findLast((cut) => cut <= from) : undefined;
        const count = cut === undefined ? undefined : counts.get(cut + 1);
        const heated =
            count === undefined ? "" : count === 0 ? " part-cold" : ` part-h${heat(count, most)}`;
        const first = cut === from ? " part-first" : "";
        pieces.push(
            <span
                class={`${token?.kind ?? ""}${heated}${first}`}
                data-tip={
                    count === undefined ? undefined : `from column ${cut! + 1}: ${digits(count)}`
                }
            >
                <Plain text={known.text.slice(from, to)} />
            </span>,
        );
    }
    return <code class="line-code">{pieces}</code>;
}
