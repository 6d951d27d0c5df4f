// The source pane: counts per line and per column, heat, folds, inlined code, the chosen path.

import { useMemo, useState } from "preact/hooks";

import { useReport } from "../../data/report";
import { fitted } from "../../ui/names";
import { brief, digits, heat, near, percent, plural } from "../../ui/numbers";
import { Plain } from "../../ui/parts";
import { VirtualList } from "../../ui/virtual";
import { type Range, type TextOf, useText } from "../shared/text";
import type { FunctionModel } from "./model";
import { type Copy, type LineRow, type Row, copiesOf, rowsOf, withoutSystem } from "./rows";
import { type Selection, toggle } from "./selection";
import type { Step } from "./steps";

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

/** The hottest inlined code that there is room for, level by level. */
function openAtFirst(copy: Copy): string[] {
    const open = [];
    let room = OPEN_LINES;
    for (let level = copy.children; level.length > 0;) {
        const next: Copy[] = [];
        for (const child of [...level].sort((one, other) => near(other.count) - near(one.count))) {
            const lines = child.last - child.first + 1;
            if (child.file === null || near(child.count) === 0 || !(lines <= room)) continue;
            room -= lines;
            open.push(`inline${child.call}`);
            next.push(...child.children);
        }
        level = next;
    }
    return open;
}

/** Whether anything of some files is inlined in a copy. */
function hasCopy(copy: Copy, isOf: (file: number | null) => boolean): boolean {
    return copy.children.some((child) => isOf(child.file) || hasCopy(child, isOf));
}

/** The key of the row on which a step stands: of code that is not shown, that of the call. */
function keyOf(
    { data }: FunctionModel,
    step: Step,
    isSystem: (file: number | null) => boolean,
    isAllShown: boolean,
): string {
    let { file, line, inlinedAt } = step;
    while (inlinedAt !== null && !isAllShown && isSystem(file)) {
        const call = data.locations[inlinedAt];
        if (!call) break;
        [file, line, , , inlinedAt] = call;
    }
    return `${inlinedAt ?? "own"}:${line}`;
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
    const [withSystem, setWithSystem] = useState(false);
    const isSystem = (of: number | null) =>
        of !== null && (report.index.files[of]?.system ?? false);
    const every = useMemo(() => copiesOf(model, file, line), [model]);
    const own = useMemo(() => withoutSystem(every, isSystem), [every]);
    const hasSystem = useMemo(() => hasCopy(every, isSystem), [every]);
    // A function of a system header is shown with what is inlined in it.
    const copy = withSystem || isSystem(file) ? every : own;
    const [opened, setOpened] = useState<Set<string>>(() => new Set(openAtFirst(own)));
    const current = selection.step === null ? undefined : steps[selection.step];
    const target = current ?? steps[0];
    const open = new Set([...opened, ...(target ? wayTo(model, target.inlinedAt) : [])]);
    const text = useText(ranges(copy, open));
    const rows = rowsOf(copy, open, all);
    const most = Math.max(1, ...[...every.lines.values(), ...every.inlined.values()].map(near));
    const onPath = new Map<string, number[]>();
    for (const step of steps) {
        const key = keyOf(model, step, isSystem, copy === every);
        onPath.set(key, [...(onPath.get(key) ?? []), step.index + 1]);
    }
    const currentKey = current && keyOf(model, current, isSystem, copy === every);
    // The row of the current step, or those of the whole path.
    const wanted = rows.flatMap(({ key }, at) =>
        (currentKey === undefined ? onPath.has(key) : key === currentKey) ? [at] : [],
    );
    const firstKey = currentKey ?? (target && keyOf(model, target, isSystem, copy === every));
    const show =
        wanted.length === 0
            ? null
            : {
                  key: `${selection.path} ${selection.step}`,
                  first: wanted[0]!,
                  last: wanted.at(-1)!,
                  most: Math.max(
                      wanted[0]!,
                      rows.findIndex(({ key }) => key === firstKey),
                  ),
              };
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
                    <bdi dir="ltr">{entry?.name ?? "no debug information"}</bdi>
                </span>
                <span class="end">
                    {hasSystem && !isSystem(file) ? (
                        <label data-tip="Show what was inlined of system headers">
                            <input
                                type="checkbox"
                                checked={withSystem}
                                onChange={() => setWithSystem(!withSystem)}
                            />{" "}
                            system headers
                        </label>
                    ) : null}
                    {folds || all ? (
                        <button type="button" class="quiet" onClick={() => setAll(!all)}>
                            {all ? "fold what did not run" : "unfold all"}
                        </button>
                    ) : null}
                </span>
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
                                isCurrent={row.key === currentKey}
                                hasPath={steps.length > 0}
                            />
                        ) : (
                            <Fold
                                key={row.key}
                                row={row}
                                most={most}
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
    most,
    change,
    base,
}: {
    row: Exclude<Row, LineRow>;
    most: number;
    change: (key: string) => void;
    base: (file: number | null) => string;
}) {
    const depth = `depth${Math.min(row.depth, 6)}`;
    if (row.kind === "fold")
        return (
            <div class={`line fold ${depth}`}>
                <button type="button" onClick={() => change(row.key)} aria-expanded={false}>
                    ⋯ {plural(row.last - row.first + 1, "line")}{" "}
                    {row.ran === false ? "not run" : "without code"} ({row.first}–{row.last})
                </button>
            </div>
        );
    const ran = near(row.count) > 0;
    return (
        <div
            class={`line fold inline ${depth} ${ran ? `h${heat(near(row.count), most)}` : "cold"}`}
        >
            <span class="line-steps" />
            <span
                class="line-count"
                data-tip={`the hottest line of what was inlined ran ${digits(row.count)} times`}
            >
                {brief(row.count)}
            </span>
            <span class="line-number" />
            <button type="button" onClick={() => change(row.toggle)} aria-expanded={row.open}>
                {row.open ? "▾" : "▸"} inlined <b>{fitted(row.name, 60)}</b> {base(row.file)}:
                {row.first}
                {row.last > row.first ? `–${row.last}` : ""}
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
    const chosen = `l${row.file}:${row.line}`;
    const isChosen = selection.marks.includes(chosen);
    // Of a line none of whose own code ran, what was inlined there says whether it ran.
    const isInlined = isOfInlined(row);
    const known = isInlined ? row.inlined : row.count;
    const hasCode = known !== undefined;
    const count = near(known);
    const classes = [
        "line",
        `depth${Math.min(row.depth, 6)}`,
        !hasCode ? "bare" : known === null ? "" : count > 0 ? `h${heat(count, most)}` : "cold",
        numbers ? "on-path" : hasPath ? "off-path" : "",
        isChosen ? "chosen" : "",
        isCurrent ? "current" : "",
    ].join(" ");
    const choose = (event: MouseEvent | KeyboardEvent) => {
        if (hasCode && !getSelection()?.toString()) toggle(selection, chosen, event.shiftKey);
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
                    aria-label={
                        isInlined
                            ? `↳ ${brief(known)}: the hottest line of what was inlined at line ${row.line} ran ${digits(known)} times`
                            : `${mark(row)}${brief(known)}: line ${row.line} ran ${digits(known)} times`
                    }
                    data-tip={tip(row, model)}
                >
                    {isInlined ? "↳ " : mark(row)}
                    {brief(known)}
                </button>
            ) : (
                <span class="line-count" />
            )}
            <span class="line-number">{row.line}</span>
            <Code row={row} model={model} text={text} />
        </div>
    );
}

/** Whether nothing but what was inlined there says how often a line ran. */
const isOfInlined = ({ count, inlined }: LineRow) =>
    near(count) === 0 && inlined !== undefined && (count == null || near(inlined) > 0);

/** What stands before a count that is the code's, as in the terminal. */
const mark = ({ isVague }: LineRow) => (isVague ? "~" : "");

function tip(row: LineRow, model: FunctionModel): string {
    const lines = isOfInlined(row)
        ? [
              `line ${row.line}: what ran of it was inlined`,
              `the hottest line of that ran ${digits(row.inlined)} times`,
          ]
        : [`line ${row.line}: ${mark(row)}${digits(row.count)} times`];
    if (row.count === null) lines.push("not known: only calls are counted");
    if (row.isVague) {
        lines.push("~: the count is that of its optimised code; the source may differ");
    }
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
    // Where a block of the line is not known, its columns cannot be compared.
    const isKnown = row.columns.every(({ block }) => model.data.blocks[block]?.count !== null);
    for (const { column, block } of isKnown ? row.columns : []) {
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
