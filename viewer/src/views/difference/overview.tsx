// The first page of a difference: what is compared, what explains it, how functions were matched.

import { MATCHED, byDifference, useDifference, useParts } from "../../data/difference";
import type { List, Numbers, Side } from "../../data/differenceTypes";
import { shareOf } from "../../data/signed";
import { digits, near, plural } from "../../ui/numbers";
import { Fact, FittedName, Remark } from "../../ui/parts";
import { address } from "../../ui/route";
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

function Head({ what, columns }: { what: string; columns: string[] }) {
    return (
        <thead>
            <tr>
                <th scope="col" class="number">
                    Difference
                </th>
                <th scope="col">Share</th>
                <th scope="col">{what}</th>
                {columns.map((title) => (
                    <th scope="col" class="number">
                        {title}
                    </th>
                ))}
            </tr>
        </thead>
    );
}

function Cells({ numbers, row, most }: { numbers: Numbers; row: number; most: number }) {
    return (
        <>
            <td class="number">
                <Delta number={numbers.difference[row]!} />
            </td>
            <td>
                <DeltaShare number={numbers.difference[row]!} most={most} />
            </td>
        </>
    );
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
            <div class="table-scroll" tabIndex={0} role="group" aria-label="Functions">
                <table class="plain deltas">
                    <Head what="Function" columns={["A", "B", "Entries A", "Entries B"]} />
                    <tbody>
                        {rows.map((pair) => (
                            <tr>
                                <Cells numbers={pairs} row={pair} most={most} />
                                <td class="cell-what">
                                    <FunctionCell pair={pair} />
                                </td>
                                <td class="number">{difference.ofA(pairs.a[pair])}</td>
                                <td class="number">{difference.ofB(pairs.b[pair])}</td>
                                <td class="number">{difference.ofA(pairs.count_a[pair])}</td>
                                <td class="number">{difference.ofB(pairs.count_b[pair])}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
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
    return (
        <section aria-labelledby="top-paths">
            <h2 id="top-paths">Paths that explain most</h2>
            <div class="table-scroll" tabIndex={0} role="group" aria-label="Paths">
                <table class="plain deltas">
                    <Head what="Path" columns={["Count A", "Count B"]} />
                    <tbody>
                        {rows.map((row) => (
                            <tr>
                                <Cells numbers={parts} row={row} most={most} />
                                <td class="cell-what">
                                    <a
                                        data-row
                                        href={difference.link(parts.pair[row]!, {
                                            path: pathKey(parts, row),
                                        })}
                                    >
                                        <FittedName name={difference.short(parts.pair[row]!)} />
                                    </a>{" "}
                                    <span class="cell-note">
                                        {pathRemark(difference, parts, row)}
                                    </span>
                                    <code class="wrapped">{parts.text[row]}</code>
                                </td>
                                <td class="number">{difference.ofA(parts.count_a[row])}</td>
                                <td class="number">{difference.ofB(parts.count_b[row])}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
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
            <div class="table-scroll" tabIndex={0} role="group" aria-label="Lists">
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col">List</th>
                            <th scope="col" class="number">
                                Differ
                            </th>
                            <th scope="col" class="number">
                                Ran alike
                            </th>
                            <th scope="col" class="number">
                                Sum
                            </th>
                            <th scope="col">Of the whole</th>
                            <th scope="col">Its parts</th>
                        </tr>
                    </thead>
                    <tbody>
                        {index.parts.map(({ list, differing, equal, difference }) => (
                            <tr>
                                <td>
                                    <a data-row href={`#/${list}`}>
                                        {LISTS[list][0]}
                                    </a>
                                </td>
                                <td class="number">{digits(differing)}</td>
                                <td class="number">
                                    {index.chosen === null ? digits(equal) : "–"}
                                </td>
                                <td class="number">
                                    <Delta number={difference} />
                                </td>
                                <td>
                                    {String(difference) === String(index.difference)
                                        ? "all of it"
                                        : shareOf(difference, index.difference)}
                                </td>
                                <td class="soft">{LISTS[list][1]}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}

function Matching() {
    const { index } = useDifference();
    return (
        <section aria-labelledby="matching">
            <h2 id="matching">How functions were matched</h2>
            <div class="table-scroll" tabIndex={0} role="group" aria-label="Matching">
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col">Matched by</th>
                            <th scope="col">Then</th>
                            <th scope="col" class="number">
                                Functions
                            </th>
                            <th scope="col" class="number">
                                Ran
                            </th>
                            <th scope="col" class="number">
                                Difference
                            </th>
                            <th scope="col">Share</th>
                        </tr>
                    </thead>
                    <tbody>
                        {index.matched.map(({ by, functions, ran, difference }) => (
                            <tr>
                                <td>
                                    <a data-row href={address("functions", "", { show: by })}>
                                        {MATCHED[by]?.[0] ?? by}
                                    </a>
                                </td>
                                <td class="soft">{MATCHED[by]?.[1]}</td>
                                <td class="number">{digits(functions)}</td>
                                <td class="number">{digits(ran)}</td>
                                <td class="number">
                                    <Delta number={difference} />
                                </td>
                                <td>{shareOf(difference, index.difference)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}
