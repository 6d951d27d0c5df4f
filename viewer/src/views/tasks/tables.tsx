// The tables of the text, as their data says what each cell means.

import type { ComponentChildren } from "preact";

import { duration } from "../../data/taskGraph";
import type { CellData, Cells, ColumnData, TableData } from "../../data/tasksTypes";
import { digits, near } from "../../ui/numbers";
import { Share } from "../../ui/parts";
import { type Column, Table } from "../../ui/table";

/** So many rows are seen at once. */
const TOP = 15;

/** A stream stands for its thread. */
const thread = (stream: number | null) => `thread ${stream ?? "?"}`;

/** Which threads it was most often. */
function threads(streams: Cells["streams"]): string {
    const most = streams.slice(0, 3).map(([of, times]) => `${thread(of)} (${digits(times)}×)`);
    return most.join(", ") + (streams.length > 3 ? `, ${streams.length - 3} more` : "");
}

/** Kinds that are numbers in the text, and stand at the left here: they have bars or words. */
const LEFT: (keyof Cells)[] = ["share", "stream", "streams"];

/** What each kind of cell is shown as. */
const RENDERERS: { [Kind in keyof Cells]: (cell: Cells[Kind]) => ComponentChildren } = {
    count: digits,
    nanoseconds: duration,
    share: ([part, whole]) => <Share part={near(part)} whole={near(whole)} />,
    stream: thread,
    streams: threads,
    name: ([short, whole]) => <code data-tip={whole}>{short}</code>,
    path_end: ([name, line]) => (
        <>
            <code>{name}</code>
            {line ? <small>{line}</small> : null}
        </>
    ),
    path: (text) => <code data-tip={text}>{text}</code>,
    text: (text) => <code>{text}</code>,
};

function rendered({ kind }: ColumnData, cell: CellData | null | undefined): ComponentChildren {
    if (cell == null) return <span class="soft">–</span>;
    return (RENDERERS[kind] as (cell: CellData) => ComponentChildren)(cell);
}

type Row = (CellData | null)[];

/** The columns; what stacks stands below the one before. */
function columnsOf({ columns }: TableData): Column<Row>[] {
    const made: Column<Row>[] = [];
    columns.forEach((column, at) => {
        const above = made.at(-1);
        const cell = (row: Row) => rendered(column, row[at]);
        if (!column.stacks || !above) {
            made.push({
                key: column.key,
                title: column.title,
                isNumber: column.is_number && !LEFT.includes(column.kind),
                ...(column.kind === "path" ? { className: "path-text" } : {}),
                cell,
            });
            return;
        }
        const first = above.cell;
        above.cell = (row) => (
            <>
                {first(row)}
                {row[at] == null ? null : <small class="stacked">{cell(row)}</small>}
            </>
        );
    });
    return made;
}

/** A table, or what it says if it has no rows. */
export function DataTable({ label, table }: { label: string; table: TableData }) {
    if (table.rows.length === 0) return <p class="soft">{table.empty}</p>;
    return <Table label={label} most={TOP} columns={columnsOf(table)} rows={table.rows} />;
}
