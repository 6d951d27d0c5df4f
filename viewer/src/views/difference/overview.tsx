// The first page of a difference: what is compared, what explains it, how functions were matched.

import type { ComponentChildren } from "preact";

import { MATCHED, byDifference, useDifference, useParts } from "../../data/difference";
import type { List, Numbers, Side } from "../../data/differenceTypes";
import { shareOf } from "../../data/signed";
import { digits, near, plural } from "../../ui/numbers";
import { Fact, FittedName, Remark } from "../../ui/parts";
import { address } from "../../ui/route";
import { type Column, Table } from "../../ui/table";
import { Delta, DeltaShare } from "./delta";
import { FunctionCell, pathKey, pathRemark } from "./lists";

/** So many parts are on the first page. */
const TOP = 10;

const LISTS: Record<List, [title: string, what: string]> = {
    functions: ["Functions", "each function that both counted, or one of them"],
    paths: ["Paths", "each path; a function whose graph has changed is one part"],
    blocks: ["Blocks and lines", "each block; lines of functions whose graph has changed"],
    calls: ["Calls", "each edge of the call graph"],
};

export function OverviewView() {
    const difference = useDifference();
    const { index } = difference;
    const functions = difference.total("functions");
    const scale = (side: Side) => near(side.executed) / near(side.divisor);
    const sides: [string, Side][] = [
        ["A", index.a],
        ["B", index.b],
    ];
    const unknown = sides
        .filter(([, side]) => isUnknown(side))
        .map(([name]) => name)
        .join(" and ");
    const times = near(index.a.executed) > 0 ? scale(index.b) / scale(index.a) : null;
    return (
        <div class="page overview">
            <h1>{document.title}</h1>
            <div class="sides">
                <SideCard name="A" says="before" side={index.a} />
                <SideCard name="B" says="compared with it" side={index.b} />
            </div>
            <dl class="facts">
                <Fact
                    title={`Difference${difference.per}`}
                    value={unknown === "" ? <Delta number={index.difference} /> : "–"}
                    more={
                        unknown !== ""
                            ? `not known: ${unknown} counted only calls`
                            : near(index.difference) === 0
                              ? "the same number of instructions"
                              : times === null
                                ? "instructions"
                                : `instructions: B executed ${times.toFixed(3)} times as many`
                    }
                    tip="By how many LLVM instructions B executed more than A, in counted functions"
                />
                <Fact
                    title="A executed"
                    value={isUnknown(index.a) ? "–" : difference.ofA(index.a.executed)}
                    more={isUnknown(index.a) ? NOT_KNOWN : unit(difference.per)}
                />
                <Fact
                    title="B executed"
                    value={isUnknown(index.b) ? "–" : difference.ofB(index.b.executed)}
                    more={isUnknown(index.b) ? NOT_KNOWN : unit(difference.per)}
                />
                <Fact
                    title="Functions that differ"
                    value={digits(functions.differing)}
                    more={functions.equal > 0 ? `${digits(functions.equal)} ran alike` : undefined}
                />
            </dl>
            <div class="remarks">
                {index.chosen !== null ? (
                    <Remark tone="note">
                        The lists have only what concerns functions that match{" "}
                        <code>{index.chosen}</code>. Shares are parts of the whole difference.
                    </Remark>
                ) : null}
                {(["a", "b"] as const)
                    .filter((side) => index[side].incomplete > 0)
                    .map((side) => (
                        <Remark tone="warning">
                            {plural(index[side].incomplete, "record")} of {side.toUpperCase()}{" "}
                            {index[side].incomplete === 1 ? "is" : "are"} incomplete: a process was
                            killed or crashed. The paths that it had completed are counted.
                        </Remark>
                    ))}
            </div>
            <TopFunctions />
            <TopPaths />
            <Ways />
            <Matching />
        </div>
    );
}

/** Whether it is not known what a side executed. */
const isUnknown = (side: Side) => side.mode === "calls";

const NOT_KNOWN = "not known: only calls are counted";

const unit = (per: string) => `LLVM instructions${per}`;

function SideCard({ name, says, side }: { name: string; says: string; side: Side }) {
    return (
        <section class="side" aria-label={`${name}, ${says}`}>
            <h2>
                <span class="side-name">{name}</span>
                <span class="soft">{says}</span>
            </h2>
            <ul>
                {side.images.slice(0, 3).map(({ path, build_id }) => (
                    <li>
                        <code>{path}</code>
                        <small>
                            {build_id ? `build-id ${build_id.slice(0, 12)}` : "no build-id"}
                        </small>
                    </li>
                ))}
                {side.images.length > 3 ? <li>and {side.images.length - 3} more</li> : null}
            </ul>
            <ul class="commands" aria-label={`Commands of ${name}`}>
                {side.commands.map((command) => (
                    <li>
                        <code data-tip={command}>$ {command}</code>
                    </li>
                ))}
                {side.all_commands > side.commands.length ? (
                    <li class="soft">
                        and {plural(side.all_commands - side.commands.length, "other command")}
                    </li>
                ) : null}
            </ul>
            <p class="soft">
                {plural(side.runs, "run")} · {side.mode}, {side.stage}
                {String(side.divisor) !== "1" ? ` · counts divided by ${digits(side.divisor)}` : ""}
            </p>
        </section>
    );
}

/** The columns of parts that explain most: what they are, and numbers of both sides. */
function columnsOf(
    numbers: Numbers,
    most: number,
    what: string,
    cell: (row: number) => ComponentChildren,
    more: [title: string, text: (row: number) => string][],
): Column<number>[] {
    return [
        {
            key: "difference",
            title: "Difference",
            isNumber: true,
            cell: (row) => <Delta number={numbers.difference[row]!} />,
        },
        {
            key: "share",
            title: "Share",
            cell: (row) => <DeltaShare number={numbers.difference[row]!} most={most} />,
        },
        { key: "what", title: what, className: "cell-what", cell },
        ...more.map(([title, text]) => ({ key: title, title, isNumber: true, cell: text })),
    ];
}

/** The rows that explain most, and the largest of their differences. */
function top(numbers: Numbers, rows: number[]): [rows: number[], most: number] {
    const chosen = byDifference(numbers, rows).slice(0, TOP);
    return [chosen, Math.abs(near(numbers.difference[chosen[0] ?? -1]))];
}

function TopFunctions() {
    const difference = useDifference();
    const { pairs } = difference.index;
    const all = pairs.symbol
        .map((_, pair) => pair)
        .filter((pair) => pairs.chosen[pair] && near(pairs.difference[pair]) !== 0);
    const [rows, most] = top(pairs, all);
    if (rows.length === 0)
        return <p class="empty">Every function executed as many instructions in B as in A.</p>;
    return (
        <section aria-labelledby="top-functions">
            <h2 id="top-functions">Functions that explain most</h2>
            <Table
                label="Functions"
                className="deltas"
                columns={columnsOf(
                    pairs,
                    most,
                    "Function",
                    (pair) => (
                        <FunctionCell pair={pair} />
                    ),
                    [
                        ["A", (pair) => difference.ofA(pairs.a[pair])],
                        ["B", (pair) => difference.ofB(pairs.b[pair])],
                        ["Entries A", (pair) => difference.ofA(pairs.count_a[pair])],
                        ["Entries B", (pair) => difference.ofB(pairs.count_b[pair])],
                    ],
                )}
                rows={rows}
            />
            {all.length > rows.length ? (
                <p>
                    <a href="#/functions">All {digits(all.length)} functions that differ</a>
                </p>
            ) : null}
        </section>
    );
}

function TopPaths() {
    const difference = useDifference();
    const parts = useParts("paths");
    if (!parts) return null;
    const all = parts.pair.map((_, row) => row).filter((row) => parts.what[row] === "path");
    const [rows, most] = top(parts, all);
    if (rows.length === 0) return null;
    const path = (row: number) => (
        <>
            <a data-row href={difference.link(parts.pair[row]!, { path: pathKey(parts, row) })}>
                <FittedName name={difference.short(parts.pair[row]!)} />
            </a>{" "}
            <span class="cell-note">{pathRemark(difference, parts, row)}</span>
            <code class="wrapped">{parts.text[row]}</code>
        </>
    );
    return (
        <section aria-labelledby="top-paths">
            <h2 id="top-paths">Paths that explain most</h2>
            <Table
                label="Paths"
                className="deltas"
                columns={columnsOf(parts, most, "Path", path, [
                    ["Count A", (row) => difference.ofA(parts.count_a[row])],
                    ["Count B", (row) => difference.ofB(parts.count_b[row])],
                ])}
                rows={rows}
            />
            {all.length > rows.length ? (
                <p>
                    <a href="#/paths">All {digits(all.length)} paths that differ</a>
                </p>
            ) : null}
        </section>
    );
}

/** The four ways in which the difference is taken apart, each with its sum. */
function Ways() {
    const { index } = useDifference();
    return (
        <section aria-labelledby="ways">
            <h2 id="ways">Four ways to take it apart</h2>
            <p class="soft">
                Each list takes the same difference apart in another way.
                {index.chosen === null ? " Its parts add up to the whole." : ""}
            </p>
            <Table
                label="Lists"
                columns={[
                    {
                        key: "list",
                        title: "List",
                        cell: ({ list }) => (
                            <a data-row href={`#/${list}`}>
                                {LISTS[list][0]}
                            </a>
                        ),
                    },
                    {
                        key: "differ",
                        title: "Differ",
                        isNumber: true,
                        cell: ({ differing }) => digits(differing),
                    },
                    {
                        key: "alike",
                        title: "Ran alike",
                        isNumber: true,
                        cell: ({ equal }) => (index.chosen === null ? digits(equal) : "–"),
                    },
                    {
                        key: "sum",
                        title: "Sum",
                        isNumber: true,
                        cell: ({ difference }) => <Delta number={difference} />,
                    },
                    {
                        key: "share",
                        title: "Of the whole",
                        cell: ({ difference }) =>
                            String(difference) === String(index.difference)
                                ? "all of it"
                                : shareOf(difference, index.difference),
                    },
                    {
                        key: "parts",
                        title: "Its parts",
                        className: "soft",
                        cell: ({ list }) => LISTS[list][1],
                    },
                ]}
                rows={index.parts}
            />
        </section>
    );
}

function Matching() {
    const { index } = useDifference();
    return (
        <section aria-labelledby="matching">
            <h2 id="matching">How functions were matched</h2>
            <Table
                label="Matching"
                columns={[
                    {
                        key: "by",
                        title: "Matched by",
                        cell: ({ by }) => (
                            <a data-row href={address("functions", "", { show: by })}>
                                {MATCHED[by]?.[0] ?? by}
                            </a>
                        ),
                    },
                    {
                        key: "then",
                        title: "Then",
                        className: "soft",
                        cell: ({ by }) => MATCHED[by]?.[1],
                    },
                    {
                        key: "functions",
                        title: "Functions",
                        isNumber: true,
                        cell: ({ functions }) => digits(functions),
                    },
                    { key: "ran", title: "Ran", isNumber: true, cell: ({ ran }) => digits(ran) },
                    {
                        key: "difference",
                        title: "Difference",
                        isNumber: true,
                        cell: ({ difference }) => <Delta number={difference} />,
                    },
                    {
                        key: "share",
                        title: "Share",
                        cell: ({ difference }) => shareOf(difference, index.difference),
                    },
                ]}
                rows={index.matched}
            />
        </section>
    );
}
