// A table: columns that say how a row's cells look, and rows.
//
// With a height for its rows it scrolls inside itself and makes only the rows that are seen.
// Without one all rows stand on the page.

import type { ComponentChildren } from "preact";

import { digits } from "./numbers";
import { change, go } from "./route";
import { VirtualList, one } from "./virtual";

/** A column of a table of such rows. */
export interface Column<Row> {
    /** Its name in addresses. */
    key: string;
    title: string;
    /** What the title says when the pointer is on it. */
    tip?: string;
    /** Whether its cells and its title stand at the right. */
    isNumber?: boolean;
    /** A class of its cells. */
    className?: string;
    cell: (row: Row) => ComponentChildren;
    /** What rows are sorted by; without it they cannot be sorted by this column. */
    value?: (row: Row) => number | string;
    /** Whether the first choice of it sorts upwards. */
    startsUp?: boolean;
}

/** By which column rows are sorted, and which way. */
export interface Order {
    key: string;
    isDown: boolean;
}

interface Props<Row> {
    label: string;
    className?: string;
    columns: Column<Row>[];
    rows: ArrayLike<Row>;
    /** What tells a row from the others, where it is no number. */
    keyOf?: (row: Row) => string;
    /** The order that the rows have; titles choose another one. */
    order?: Order;
    /** Where a click on a row leads, wherever in the row it is. */
    linkOf?: (row: Row) => string | null;
    /** What a click on a row does, if it leads nowhere. */
    onChoose?: (row: Row) => void;
    /** What is said of a row when the pointer is on it. */
    tipOf?: (row: Row) => string;
    /** The row that is chosen: it is marked, and scrolled to. */
    chosen?: Row | null;
    /** What stands in a row in place of all cells but the first; `null` if these do. */
    instead?: (row: Row) => ComponentChildren;
    /** Cells below the rows. */
    foot?: { className?: string; content: ComponentChildren }[];
    /** How high each row is. */
    rowHeight?: number;
    /** How high the table is, where it does not take the room that is left. */
    height?: number;
    /** So many rows are seen at once; the others can be unfolded. */
    most?: number;
    /** Whether its label stands above it in place of the titles. */
    isSmall?: boolean;
}

/** The order that an address asks for. */
export function orderOf<Row>(
    parameters: URLSearchParams,
    columns: Column<Row>[],
    usual: string,
): Order {
    const asked = parameters.get("sort");
    const key = columns.find((column) => column.key === asked && column.value)?.key ?? usual;
    return { key, isDown: !parameters.has("up") };
}

/** Rows in an order; those that are alike in it keep the one they have. */
export function sorted<Row>(rows: Row[], columns: Column<Row>[], order: Order): Row[] {
    const value = columns.find(({ key }) => key === order.key)?.value;
    if (!value) return rows;
    const way = order.isDown ? -1 : 1;
    return rows
        .map((row) => ({ row, value: value(row) }))
        .sort((one, other) =>
            one.value === other.value ? 0 : one.value < other.value ? -way : way,
        )
        .map(({ row }) => row);
}

/** Sorts by a column; again, the other way. */
function choose<Row>(order: Order, { key, startsUp }: Column<Row>): void {
    const isUp = order.key === key ? order.isDown : startsUp;
    change({ sort: key, up: isUp ? 1 : null });
}

export function Table<Row>(props: Props<Row>) {
    if (props.rowHeight !== undefined) return <Scrolled {...props} rowHeight={props.rowHeight} />;
    const { label, rows, most = Infinity, isSmall } = props;
    const all = Array.from(rows);
    if (isSmall) return <Whole {...props} rows={all} />;
    const rest = all.slice(most);
    return (
        <>
            <div class="table-scroll" tabIndex={0} role="group" aria-label={label}>
                <Whole {...props} rows={all.slice(0, most)} />
            </div>
            {rest.length > 0 ? (
                <details>
                    <summary>{digits(rest.length)} more</summary>
                    <Table {...props} label={`${label}, the rest`} rows={rest} most={Infinity} />
                </details>
            ) : null}
        </>
    );
}

/** The class of a cell. */
const classOf = <Row,>({ isNumber, className }: Column<Row>) =>
    [isNumber ? "number" : "", className ?? ""].filter(Boolean).join(" ") || undefined;

/** All rows of a table. */
function Whole<Row>({ label, columns, rows, className, isSmall }: Props<Row> & { rows: Row[] }) {
    return (
        <table class={isSmall ? undefined : `plain ${className ?? ""}`.trim()}>
            {isSmall ? (
                <caption>{label}</caption>
            ) : (
                <thead>
                    <tr>
                        {columns.map(({ title, tip, isNumber }) => (
                            <th scope="col" class={isNumber ? "number" : undefined} data-tip={tip}>
                                {title}
                            </th>
                        ))}
                    </tr>
                </thead>
            )}
            <tbody>
                {rows.map((row) => (
                    <tr>
                        {columns.map((column) => (
                            <td class={classOf(column)}>{column.cell(row)}</td>
                        ))}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

/** The rows of a table that are seen. */
function Scrolled<Row>(props: Props<Row> & { rowHeight: number }) {
    const { label, columns, rows, foot, chosen, height, rowHeight } = props;
    const at = chosen == null ? -1 : Array.prototype.indexOf.call(rows, chosen);
    return (
        <div
            class={`grid ${props.className ?? ""}`}
            role="table"
            aria-label={label}
            aria-rowcount={rows.length + (foot ? 2 : 1)}
            style={height === undefined ? undefined : { height: `${height}px` }}
        >
            <div class="grid-head" role="rowgroup">
                <div class="grid-row" role="row">
                    {columns.map((column) => (
                        <Title column={column} order={props.order} />
                    ))}
                </div>
            </div>
            <VirtualList
                role="rowgroup"
                label={label}
                count={rows.length}
                height={rowHeight}
                show={at < 0 ? null : one(at)}
                row={(at) => {
                    const row = rows[at]!;
                    const key = props.keyOf?.(row) ?? (typeof row === "number" ? row : at);
                    return <GridRow key={key} table={props} row={row} at={at} />;
                }}
            />
            {foot ? (
                <div class="grid-foot" role="rowgroup">
                    <div class="grid-row" role="row" aria-rowindex={rows.length + 2}>
                        {foot.map(({ className, content }) => (
                            <div role="cell" class={className}>
                                {content}
                            </div>
                        ))}
                    </div>
                </div>
            ) : null}
        </div>
    );
}

/** The title of a column, by which rows are sorted if it has values. */
function Title<Row>({ column, order }: { column: Column<Row>; order: Order | undefined }) {
    const { title, tip, key, value, isNumber } = column;
    const className = isNumber ? "number" : undefined;
    if (!order || !value)
        return (
            <div role="columnheader" class={className}>
                {tip ? <span data-tip={tip}>{title}</span> : title}
            </div>
        );
    const isBy = order.key === key;
    const sort = !isBy ? "none" : order.isDown ? "descending" : "ascending";
    return (
        <div role="columnheader" class={className} aria-sort={sort}>
            <button type="button" data-tip={tip} onClick={() => choose(order, column)}>
                {title}
                <span aria-hidden="true">{isBy ? (order.isDown ? " ↓" : " ↑") : ""}</span>
            </button>
        </div>
    );
}

interface RowProps<Row> {
    table: Props<Row>;
    row: Row;
    at: number;
}

function GridRow<Row>({ table, row, at }: RowProps<Row>) {
    const { columns, chosen, linkOf, onChoose, instead } = table;
    const link = linkOf?.(row) ?? null;
    const doesSomething = link !== null || onChoose;
    const classes = ["grid-row", chosen === row ? "chosen" : "", doesSomething ? "leads" : ""];
    const other = instead?.(row) ?? null;
    const onKey = (event: KeyboardEvent) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        onChoose?.(row);
    };
    const onClick = (event: MouseEvent) => {
        // What can be clicked itself does what it does, and text can be marked.
        if ((event.target as Element).closest("a, button") || getSelection()?.toString()) return;
        if (link !== null) go(link);
        else onChoose?.(row);
    };
    return (
        <div
            class={classes.filter(Boolean).join(" ")}
            role="row"
            aria-rowindex={at + 2}
            onClick={doesSomething ? onClick : undefined}
            data-tip={table.tipOf?.(row)}
            {...(onChoose && {
                tabIndex: 0,
                "data-row": true,
                "aria-selected": chosen === row,
                onKeyDown: onKey,
            })}
        >
            {(other === null ? columns : columns.slice(0, 1)).map((column) => (
                <div role="cell" class={classOf(column)}>
                    {column.cell(row)}
                </div>
            ))}
            {other === null ? null : (
                <div role="cell" class="cell-wide soft">
                    {other}
                </div>
            )}
        </div>
    );
}
