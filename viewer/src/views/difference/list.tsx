// A list of parts: searched, sorted, filtered; its last line is their sum.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import { useDifference } from "../../data/difference";
import type { List, Numbers } from "../../data/differenceTypes";
import { shareOf, signedSum } from "../../data/signed";
import { digits, near, plural } from "../../ui/numbers";
import { Search } from "../../ui/parts";
import { change, go } from "../../ui/route";
import { VirtualList, one } from "../../ui/virtual";
import { Delta, DeltaShare } from "./delta";

const ROW = 48;

/** A way to choose among the rows. */
export interface Filter {
    key: string;
    title: string;
    has: (row: number) => boolean;
}

interface Props {
    list: List;
    /** What a row is. */
    what: string;
    /** What its count counts. */
    counted: string;
    numbers: Numbers;
    /** The rows to choose from. */
    rows: number[];
    /** What is searched. */
    textOf: (row: number) => string;
    /** Where a row leads. */
    linkOf: (row: number) => string | null;
    cell: (row: number) => ComponentChildren;
    filters?: Filter[];
    parameters: URLSearchParams;
    /** On the page of a function, where there is no search. */
    isPart?: boolean | undefined;
    chosen?: number | null | undefined;
}

const SORTS = ["difference", "share", "what", "a", "b", "count_a", "count_b"] as const;
type Sort = (typeof SORTS)[number];

/** The rows that are shown, in order. */
function select(props: Props, sort: Sort, isDown: boolean): number[] {
    const { numbers, parameters, filters, isPart } = props;
    const words = isPart ? [] : (parameters.get("q") ?? "").toLowerCase().split(/\s+/);
    const filter = filters?.find(({ key }) => key === (parameters.get("show") ?? ""));
    const rows = props.rows.filter((row) => {
        if (filter && !filter.has(row)) return false;
        const text = words.some(Boolean) ? props.textOf(row).toLowerCase() : "";
        return words.every((word) => text.includes(word));
    });
    const value = (row: number): number | string => {
        if (sort === "what") return props.textOf(row).toLowerCase();
        if (sort === "difference") return Math.abs(near(numbers.difference[row]));
        return near(numbers[sort === "share" ? "difference" : sort][row]);
    };
    const values = new Map(rows.map((row) => [row, value(row)]));
    const way = isDown ? -1 : 1;
    return rows.sort((one, other) => {
        const [left, right] = [values.get(one)!, values.get(other)!];
        return left === right ? one - other : left < right ? -way : way;
    });
}

export function PartList(props: Props) {
    const difference = useDifference();
    const { list, numbers, parameters, isPart } = props;
    const asked = isPart ? null : parameters.get("sort");
    const sort = SORTS.find((key) => key === asked) ?? "difference";
    const isDown = isPart || !parameters.has("up");
    const rows = useMemo(
        () => select(props, sort, isDown),
        [numbers, props.rows, parameters.toString()],
    );
    const chosen = props.chosen == null ? -1 : rows.indexOf(props.chosen);
    const most = useMemo(
        () =>
            props.rows.reduce(
                (most, row) => Math.max(most, Math.abs(near(numbers.difference[row]))),
                0,
            ),
        [numbers, props.rows],
    );
    const sum = useMemo(() => signedSum(rows.map((row) => numbers.difference[row]!)), [rows]);
    const columns: [key: Sort, title: string, tip: string][] = [
        ["difference", "Difference", "How many more instructions B executed; sorted by size"],
        [
            "share",
            "Share",
            "Part of the whole difference; what goes the other way is negative, with a bar to the left",
        ],
        ["what", props.what, "What it is"],
        ["a", "A", `Instructions that A executed${difference.per}`],
        ["b", "B", `Instructions that B executed${difference.per}`],
        ["count_a", `${props.counted} A`, `How often in A${difference.per}`],
        ["count_b", `${props.counted} B`, `How often in B${difference.per}`],
    ];
    const sortBy = (key: Sort) => {
        const isUp = sort === key ? isDown : key === "what";
        change({ sort: key, up: isUp ? 1 : null });
    };
    const all = difference.total(list);
    const isAll = !isPart && rows.length >= all.differing && String(sum) === String(all.difference);
    const ordered = (key: Sort) => (sort !== key ? "none" : isDown ? "descending" : "ascending");
    return (
        <>
            {isPart ? null : (
                <div class="toolbar">
                    <Search
                        label={`Search ${list}`}
                        value={parameters.get("q") ?? ""}
                        onInput={(text) => change({ q: text })}
                    />
                    {props.filters ? (
                        <label>
                            Show
                            <select
                                value={parameters.get("show") ?? ""}
                                onChange={(event) => change({ show: event.currentTarget.value })}
                            >
                                {props.filters.map(({ key, title }) => (
                                    <option value={key}>{title}</option>
                                ))}
                            </select>
                        </label>
                    ) : null}
                    <span class="soft" role="status">
                        {digits(rows.length)} of {digits(props.rows.length)}
                        {all.equal > 0 ? `; ${digits(all.equal)} more ran alike` : ""}
                    </span>
                </div>
            )}
            <div
                class={`grid parts ${isPart ? "short" : ""}`}
                role="table"
                aria-label={props.what}
                aria-rowcount={rows.length + 2}
                style={isPart ? { height: `${Math.min(rows.length, 9) * ROW + 84}px` } : undefined}
            >
                <div class="grid-head" role="rowgroup">
                    <div class="grid-row" role="row">
                        {columns.map(([key, title, tip]) => (
                            <div role="columnheader" aria-sort={isPart ? undefined : ordered(key)}>
                                {isPart ? (
                                    <span data-tip={tip}>{title}</span>
                                ) : (
                                    <button
                                        type="button"
                                        data-tip={tip}
                                        onClick={() => sortBy(key)}
                                    >
                                        {title}
                                        <span aria-hidden="true">
                                            {sort === key ? (isDown ? " ↓" : " ↑") : ""}
                                        </span>
                                    </button>
                                )}
                            </div>
                        ))}
                    </div>
                </div>
                <VirtualList
                    role="rowgroup"
                    label={props.what}
                    count={rows.length}
                    height={ROW}
                    show={chosen < 0 ? null : one(chosen)}
                    row={(at) => (
                        <Row key={rows[at]} props={props} row={rows[at]!} at={at} most={most} />
                    )}
                />
                <div class="grid-foot" role="rowgroup">
                    <div class="grid-row" role="row" aria-rowindex={rows.length + 2}>
                        <div role="cell" class="number">
                            <Delta number={sum} />
                        </div>
                        <div role="cell" class="number sum-share">
                            {shareOf(sum, difference.index.difference)}
                        </div>
                        <div role="cell" class="cell-sum">
                            {isAll && difference.index.chosen === null
                                ? `in all: ${list} add up to the whole difference`
                                : `in all ${plural(rows.length, "row")} that ${rows.length === 1 ? "is" : "are"} shown`}
                        </div>
                    </div>
                </div>
            </div>
        </>
    );
}

function Row({ props, row, at, most }: { props: Props; row: number; at: number; most: number }) {
    const difference = useDifference();
    const { numbers } = props;
    const link = props.linkOf(row);
    return (
        <div
            class={`grid-row ${props.chosen === row ? "chosen" : ""} ${link ? "leads" : ""}`}
            role="row"
            aria-rowindex={at + 2}
            onClick={(event) => {
                const isOther =
                    (event.target as Element).closest("a") || getSelection()?.toString();
                if (link && !isOther) go(link);
            }}
        >
            <div role="cell" class="number">
                <Delta number={numbers.difference[row]!} />
            </div>
            <div role="cell">
                <DeltaShare number={numbers.difference[row]!} most={most} />
            </div>
            <div role="cell" class="cell-what">
                {props.cell(row)}
            </div>
            <div role="cell" class="number">
                {difference.ofA(numbers.a[row])}
            </div>
            <div role="cell" class="number">
                {difference.ofB(numbers.b[row])}
            </div>
            <div role="cell" class="number">
                {difference.ofA(numbers.count_a[row])}
            </div>
            <div role="cell" class="number">
                {difference.ofB(numbers.count_b[row])}
            </div>
        </div>
    );
}
