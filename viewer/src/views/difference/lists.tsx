// The lists of parts: each takes the whole difference apart in another way.

import { useMemo } from "preact/hooks";

import { MATCHED, type Difference, useDifference, useParts } from "../../data/difference";
import type { BlockParts, CallParts, PathParts } from "../../data/differenceTypes";
import { withoutParameters } from "../../ui/names";
import { near, plural } from "../../ui/numbers";
import { FittedName } from "../../ui/parts";
import { type Filter, PartList } from "./list";

interface ViewProps {
    parameters: URLSearchParams;
}

interface ListProps<T> extends ViewProps {
    parts: T;
    rows: number[];
    isPart?: boolean | undefined;
    chosen?: number | null | undefined;
}

const range = (length: number) => Array.from({ length }, (_, at) => at);

/** A view with one list. */
function Whole({ title, children }: { title: string; children: preact.ComponentChildren }) {
    return (
        <div class="page fill">
            <h1 class="unseen">{title}</h1>
            {children ?? (
                <p class="empty" role="status">
                    reading …
                </p>
            )}
        </div>
    );
}

export function FunctionsView({ parameters }: ViewProps) {
    const difference = useDifference();
    const { pairs } = difference.index;
    const rows = useMemo(
        () => range(pairs.symbol.length).filter((pair) => pairs.chosen[pair]),
        [difference],
    );
    const differs = (pair: number) =>
        near(pairs.difference[pair]) !== 0 ||
        difference.ofA(pairs.count_a[pair]) !== difference.ofB(pairs.count_b[pair]);
    const filters: Filter[] = [
        { key: "", title: "those that differ", has: differs },
        { key: "all", title: "all", has: () => true },
        ...Object.entries(MATCHED).map(([key, [how]]) => ({
            key,
            title: how,
            has: (pair: number) => pairs.matched[pair] === key,
        })),
    ];
    return (
        <Whole title="Functions">
            <PartList
                list="functions"
                what="Function"
                counted="Entries"
                numbers={pairs}
                rows={rows}
                textOf={(pair) =>
                    `${pairs.short[pair]} ${pairs.name[pair]} ${pairs.symbol[pair]} ${pairs.place[pair]}`
                }
                linkOf={(pair) => difference.link(pair)}
                cell={(pair) => <FunctionCell pair={pair} />}
                filters={filters}
                parameters={parameters}
            />
        </Whole>
    );
}

/** A function, where it is, and what is to be known of it. */
export function FunctionCell({ pair }: { pair: number }) {
    const difference = useDifference();
    const { pairs } = difference.index;
    const remarks = difference.remarks(pair);
    return (
        <>
            <a data-row href={difference.link(pair)} data-tip={pairs.name[pair]}>
                <FittedName name={difference.short(pair)} />
            </a>
            <small>{[pairs.place[pair], ...remarks].filter(Boolean).join(" · ")}</small>
        </>
    );
}

/** What stands for the steps of a part that is no path. */
const NO_PATH = {
    path: "",
    rest: "executed beside its uncut paths",
    changed: "changed: its lines are compared",
    not_counted: "no paths are counted: its blocks are compared",
};

/** The name of a path in addresses: its id in B, or in A. */
export function pathKey(parts: PathParts, row: number): string | null {
    const [a, b] = [parts.id_a[row], parts.id_b[row]];
    return b != null ? `b${b}` : a != null ? `a${a}` : null;
}

/** Whether only one side ran it, and what it costs each time. */
export function pathRemark(difference: Difference, parts: PathParts, row: number): string {
    const [a, b] = [parts.size_a[row], parts.size_b[row]];
    const matched = difference.index.pairs.matched[parts.pair[row]!];
    const side =
        matched === "only_a" || matched === "only_b"
            ? MATCHED[matched]![0]
            : near(parts.count_a[row]) === 0
              ? "new in B"
              : near(parts.count_b[row]) === 0
                ? "no longer in B"
                : "";
    const size =
        a != null && b != null && a !== b
            ? `${a} → ${plural(b, "instruction")} each`
            : (b ?? a) != null
              ? `${plural((b ?? a)!, "instruction")} each`
              : "";
    return [side, size].filter(Boolean).join(", ");
}

export function PathsView({ parameters }: ViewProps) {
    const parts = useParts("paths");
    const rows = useMemo(() => range(parts?.pair.length ?? 0), [parts]);
    return (
        <Whole title="Paths">
            {parts ? <PathList parts={parts} rows={rows} parameters={parameters} /> : null}
        </Whole>
    );
}

export function PathList({ parts, rows, parameters, isPart, chosen }: ListProps<PathParts>) {
    const difference = useDifference();
    const link = (row: number) => difference.link(parts.pair[row]!, { path: pathKey(parts, row) });
    const isNew = (row: number) => near(parts.count_a[row]) === 0;
    const isGone = (row: number) => near(parts.count_b[row]) === 0;
    return (
        <PartList
            list="paths"
            what="Path"
            counted="Count"
            numbers={parts}
            rows={rows}
            textOf={(row) => `${difference.short(parts.pair[row]!)} ${parts.text[row]}`}
            linkOf={link}
            cell={(row) => (
                <>
                    {isPart ? null : (
                        <a data-row href={link(row)}>
                            <FittedName name={difference.short(parts.pair[row]!)} />
                        </a>
                    )}{" "}
                    <span class="cell-note">{pathRemark(difference, parts, row)}</span>
                    <PathText
                        text={parts.text[row] ?? ""}
                        what={parts.what[row]!}
                        link={isPart ? link(row) : null}
                    />
                </>
            )}
            filters={[
                { key: "", title: "all", has: () => true },
                { key: "both", title: "those of both", has: (row) => !isNew(row) && !isGone(row) },
                { key: "new", title: "those that only B ran", has: isNew },
                { key: "gone", title: "those that only A ran", has: isGone },
            ]}
            parameters={parameters}
            isPart={isPart}
            chosen={chosen}
        />
    );
}

/** The text of a path, or what stands for it; a link where the function's name is none. */
function PathText(props: { text: string; what: keyof typeof NO_PATH; link: string | null }) {
    const { text, what, link } = props;
    if (what !== "path") return <small>{NO_PATH[what]}</small>;
    const code = <code data-tip={text}>{text}</code>;
    return link === null ? (
        code
    ) : (
        <a data-row class="path-link" href={link}>
            {code}
        </a>
    );
}

/** A block or a line in words. */
function placeOf(parts: BlockParts, row: number): string {
    const block = parts.block[row];
    if (block != null)
        return parts.place[row] ? `line ${parts.place[row]}, bb${block}` : `bb${block}`;
    const [a, b] = [parts.line_a[row], parts.line_b[row]];
    if (a == null && b == null) return "no line";
    if (a == null) return `line ${b} of B, not in A`;
    if (b == null) return `line ${a} of A, not in B`;
    return a === b ? `line ${b}` : `line ${b}, in A line ${a}`;
}

export function BlocksView({ parameters }: ViewProps) {
    const parts = useParts("blocks");
    const rows = useMemo(() => range(parts?.pair.length ?? 0), [parts]);
    return (
        <Whole title="Blocks and lines">
            {parts ? <BlockList parts={parts} rows={rows} parameters={parameters} /> : null}
        </Whole>
    );
}

export function BlockList({ parts, rows, parameters, isPart }: ListProps<BlockParts>) {
    const difference = useDifference();
    const link = (row: number) => difference.link(parts.pair[row]!);
    const text = (row: number) =>
        [placeOf(parts, row), parts.inlined[row]].filter(Boolean).join(" of inlined ");
    return (
        <PartList
            list="blocks"
            what="Block or line"
            counted="Count"
            numbers={parts}
            rows={rows}
            textOf={(row) => `${difference.short(parts.pair[row]!)} ${text(row)}`}
            linkOf={(row) => (isPart ? null : link(row))}
            cell={(row) =>
                isPart ? (
                    text(row)
                ) : (
                    <>
                        <a data-row href={link(row)}>
                            <FittedName name={difference.short(parts.pair[row]!)} />
                        </a>
                        <small>{text(row)}</small>
                    </>
                )
            }
            filters={[
                { key: "", title: "all", has: () => true },
                { key: "blocks", title: "blocks", has: (row) => parts.block[row] != null },
                {
                    key: "lines",
                    title: "lines of changed functions",
                    has: (row) => parts.block[row] == null,
                },
            ]}
            parameters={parameters}
            isPart={isPart}
        />
    );
}

export function CallsView({ parameters }: ViewProps) {
    const parts = useParts("calls");
    const rows = useMemo(() => range(parts?.caller.length ?? 0), [parts]);
    return (
        <Whole title="Calls">
            {parts ? (
                <>
                    <CallList parts={parts} rows={rows} parameters={parameters} />
                    <CallNote />
                </>
            ) : null}
        </Whole>
    );
}

/** How the difference is divided among calls. */
export function CallNote() {
    return (
        <p class="soft">
            What a function executed, without what it called, is divided among its callers in
            proportion to their calls. Elsewhere is code that is not counted, and calls through
            pointers whose callees are not recorded.
        </p>
    );
}

export function CallList({ parts, rows, parameters, isPart }: ListProps<CallParts>) {
    const difference = useDifference();
    const caller = (row: number) => parts.caller[row] ?? null;
    const callee = (row: number) => parts.callee[row] ?? null;
    const link = (row: number) => {
        const to = callee(row);
        const pair = to !== null && to >= 0 ? to : caller(row);
        return pair === null ? null : difference.link(pair);
    };
    return (
        <PartList
            list="calls"
            what="Caller → callee"
            counted="Calls"
            numbers={parts}
            rows={rows}
            textOf={(row) =>
                `${difference.caller(caller(row))} → ${difference.callee(callee(row), parts.others)}`
            }
            linkOf={(row) => (isPart ? null : link(row))}
            cell={(row) => (
                <span class="call">
                    <One pair={caller(row)} name={difference.caller(caller(row))} isRow />
                    <span class="soft"> → </span>
                    <One pair={callee(row)} name={difference.callee(callee(row), parts.others)} />
                </span>
            )}
            parameters={parameters}
            isPart={isPart}
        />
    );
}

function One({ pair, name, isRow }: { pair: number | null; name: string; isRow?: boolean }) {
    const difference = useDifference();
    if (pair === null || pair < 0)
        return (
            <span class="soft" data-tip={name}>
                <FittedName name={withoutParameters(name)} />
            </span>
        );
    return (
        <a data-row={isRow ? true : undefined} href={difference.link(pair)} data-tip={name}>
            <FittedName name={name} />
        </a>
    );
}
