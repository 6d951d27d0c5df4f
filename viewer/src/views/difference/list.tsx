// A list of parts: searched, sorted, filtered; its last line is their sum.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import { type Difference, useDifference } from "../../data/difference";
import type { List, Numbers } from "../../data/differenceTypes";
import { shareOf, signedSum } from "../../data/signed";
import { type Count, digits, near, plural } from "../../ui/numbers";
import { Search } from "../../ui/parts";
import { change } from "../../ui/route";
import { type Column, type Order, Table, orderOf, sorted } from "../../ui/table";
import { Delta, DeltaShare } from "./delta";

const ROW = 48;

/** What explains most comes first. */
const USUAL: Order = { key: "difference", isDown: true };

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

/** The rows that are searched for, of those that a filter lets through. */
function select({ parameters, filters, isPart, rows, textOf }: Props): number[] {
    const words = isPart ? [] : (parameters.get("q") ?? "").toLowerCase().split(/\s+/);
    const filter = filters?.find(({ key }) => key === (parameters.get("show") ?? ""));
    return rows.filter((row) => {
        if (filter && !filter.has(row)) return false;
        const text = words.some(Boolean) ? textOf(row).toLowerCase() : "";
        return words.every((word) => text.includes(word));
    });
}

/** The columns of a list, in which bars are parts of the largest difference. */
function columnsOf(props: Props, difference: Difference, most: number): Column<number>[] {
    const { numbers } = props;
    const count = (
        key: "a" | "b" | "count_a" | "count_b",
        title: string,
        tip: string,
        text: (number: Count | undefined) => string,
    ): Column<number> => ({
        key,
        title,
        tip: tip + difference.per,
        isNumber: true,
        value: (row) => near(numbers[key][row]),
        cell: (row) => text(numbers[key][row]),
    });
    const ofA = (number: Count | undefined) => difference.ofA(number);
    const ofB = (number: Count | undefined) => difference.ofB(number);
    return [
        {
            key: "difference",
            title: "Difference",
            tip: "How many more instructions B executed; sorted by size",
            isNumber: true,
            value: (row) => Math.abs(near(numbers.difference[row])),
            cell: (row) => <Delta number={numbers.difference[row]!} />,
        },
        {
            key: "share",
            title: "Share",
            tip: "Part of the whole difference; what goes the other way is negative, with a bar to the left",
            value: (row) => near(numbers.difference[row]),
            cell: (row) => <DeltaShare number={numbers.difference[row]!} most={most} />,
        },
        {
            key: "what",
            title: props.what,
            tip: "What it is",
            className: "cell-what",
            value: (row) => props.textOf(row).toLowerCase(),
            startsUp: true,
            cell: props.cell,
        },
        count("a", "A", "Instructions that A executed", ofA),
        count("b", "B", "Instructions that B executed", ofB),
        count("count_a", `${props.counted} A`, "How often in A", ofA),
        count("count_b", `${props.counted} B`, "How often in B", ofB),
    ];
}

export function PartList(props: Props) {
    const difference = useDifference();
    const { list, numbers, parameters, isPart } = props;
    const most = useMemo(
        () =>
            props.rows.reduce(
                (most, row) => Math.max(most, Math.abs(near(numbers.difference[row]))),
                0,
            ),
        [numbers, props.rows],
    );
    const columns = columnsOf(props, difference, most);
    const order = isPart ? USUAL : orderOf(parameters, columns, USUAL.key);
    const rows = useMemo(
        () => sorted(select(props), columns, order),
        [numbers, props.rows, parameters.toString()],
    );
    const sum = useMemo(() => signedSum(rows.map((row) => numbers.difference[row]!)), [rows]);
    const all = difference.total(list);
    const isAll = !isPart && rows.length >= all.differing && String(sum) === String(all.difference);
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
            <Table
                label={props.what}
                className={isPart ? "parts short" : "parts"}
                columns={columns}
                rows={rows}
                {...(isPart ? { height: Math.min(rows.length, 9) * ROW + 84 } : { order })}
                rowHeight={ROW}
                linkOf={props.linkOf}
                chosen={props.chosen ?? null}
                foot={[
                    { className: "number", content: <Delta number={sum} /> },
                    {
                        className: "number sum-share",
                        content: shareOf(sum, difference.index.difference),
                    },
                    {
                        className: "cell-sum",
                        content:
                            isAll && difference.index.chosen === null
                                ? `in all: ${list} add up to the whole difference`
                                : `in all ${plural(rows.length, "row")} that ${rows.length === 1 ? "is" : "are"} shown`,
                    },
                ]}
            />
        </>
    );
}
