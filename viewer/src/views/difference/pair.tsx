// The page of a pair of functions: which of its paths, blocks and calls differ.

import { useEffect, useMemo, useState } from "preact/hooks";

import { MATCHED, useDifference, useParts } from "../../data/difference";
import type { PairPaths, PathParts } from "../../data/differenceTypes";
import { shareOf } from "../../data/signed";
import { readPair } from "../../data/store";
import { isTyping, remember } from "../../ui/keys";
import { digits } from "../../ui/numbers";
import { FittedName, Meant, Remark } from "../../ui/parts";
import { change } from "../../ui/route";
import { PathLine } from "../shared/pathLine";
import { Delta } from "./delta";
import { BlockList, CallList, CallNote, PathList, pathKey, pathRemark } from "./lists";
import { SourceSection } from "./source";

interface Props {
    name: string;
    parameters: URLSearchParams;
}

export function PairView({ name, parameters }: Props) {
    const difference = useDifference();
    const pair = difference.number(name);
    if (pair === undefined) {
        return (
            <div class="page">
                <h1>No such function</h1>
                <p>
                    Neither A nor B has a function <code>{name}</code>.{" "}
                    <a href="#/functions">All functions</a>
                </p>
                <Meant
                    list={difference.meant(name).map((pair) => ({
                        link: difference.link(pair),
                        name: difference.short(pair),
                        place: difference.index.pairs.place[pair] ?? "",
                    }))}
                />
            </div>
        );
    }
    return <Pair pair={pair} parameters={parameters} />;
}

/** The rows of a list that are of a pair. */
function rowsOf(pairs: (number | null)[] | undefined, pair: number): number[] {
    return (pairs ?? []).flatMap((of, row) => (of === pair ? [row] : []));
}

function Pair({ pair, parameters }: { pair: number; parameters: URLSearchParams }) {
    const [paths, blocks, calls] = [useParts("paths"), useParts("blocks"), useParts("calls")];
    const pathRows = useMemo(() => rowsOf(paths?.pair, pair), [paths, pair]);
    const blockRows = useMemo(() => rowsOf(blocks?.pair, pair), [blocks, pair]);
    const callRows = useMemo(() => {
        const is = (row: number) => calls?.caller[row] === pair || calls?.callee[row] === pair;
        return (calls?.caller ?? []).flatMap((_, row) => (is(row) ? [row] : []));
    }, [calls, pair]);
    const asked = parameters.get("path");
    const chosen = paths ? (pathRows.find((row) => pathKey(paths, row) === asked) ?? null) : null;
    remember(location.hash);
    useEffect(() => {
        const onKey = (event: KeyboardEvent) => {
            if (isTyping(event) || event.key !== "Escape" || !asked) return;
            if (document.querySelector("dialog[open]")) return;
            change({ path: null });
        };
        window.addEventListener("keydown", onKey);
        return () => window.removeEventListener("keydown", onKey);
    }, [asked]);
    const part = { parameters, isPart: true };
    return (
        <div class="page pair">
            <Heading pair={pair} />
            {chosen !== null && paths ? <Chosen pair={pair} parts={paths} row={chosen} /> : null}
            {paths ? (
                <Section id="paths" title="Paths that differ" count={pathRows.length}>
                    <PathList {...part} parts={paths} rows={pathRows} chosen={chosen} />
                </Section>
            ) : null}
            {blocks ? (
                <Section id="blocks" title="Blocks or lines that differ" count={blockRows.length}>
                    <BlockList {...part} parts={blocks} rows={blockRows} />
                </Section>
            ) : null}
            <SourceSection pair={pair} />
            {calls ? (
                <Section
                    id="calls"
                    title="Calls that differ, from it and to it"
                    count={callRows.length}
                >
                    <CallList {...part} parts={calls} rows={callRows} />
                    <CallNote />
                </Section>
            ) : null}
        </div>
    );
}

function Heading({ pair }: { pair: number }) {
    const difference = useDifference();
    const { index } = difference;
    const { pairs } = index;
    const [how, what] = MATCHED[pairs.matched[pair] ?? ""] ?? ["", ""];
    return (
        <>
            <div class="function-head">
                <div class="function-name">
                    <h1 data-tip={pairs.name[pair]}>
                        <FittedName name={difference.short(pair)} />
                    </h1>
                    <p class="soft">{[pairs.place[pair], how, what].filter(Boolean).join(" · ")}</p>
                </div>
                <dl class="facts small">
                    <div>
                        <dt>Difference{difference.per}</dt>
                        <dd>
                            <Delta number={pairs.difference[pair]!} />{" "}
                            <small>{shareOf(pairs.difference[pair]!, index.difference)}</small>
                        </dd>
                    </div>
                    <Both title="Instructions" a={pairs.a[pair]!} b={pairs.b[pair]!} />
                    <Both title="Entries" a={pairs.count_a[pair]!} b={pairs.count_b[pair]!} />
                    <div>
                        <dt>Blocks</dt>
                        <dd>
                            {[pairs.blocks_a[pair], pairs.blocks_b[pair]]
                                .map((blocks) => (blocks == null ? "none" : digits(blocks)))
                                .join(" → ")}
                        </dd>
                    </div>
                </dl>
            </div>
            <div class="remarks">
                {difference.remarks(pair).map((remark) => (
                    <Remark tone="note">{remark}</Remark>
                ))}
            </div>
        </>
    );
}

/** A number of A and of B. */
function Both({ title, a, b }: { title: string; a: number | string; b: number | string }) {
    const difference = useDifference();
    return (
        <div>
            <dt>{title}</dt>
            <dd>
                {difference.ofA(a)} → {difference.ofB(b)}
            </dd>
        </div>
    );
}

function Section(props: {
    id: string;
    title: string;
    count: number;
    children: preact.ComponentChildren;
}) {
    return (
        <section aria-labelledby={`section-${props.id}`}>
            <h2 id={`section-${props.id}`}>
                {props.title} <span class="soft">{digits(props.count)}</span>
            </h2>
            {props.count === 0 ? <p class="soft">None.</p> : props.children}
        </section>
    );
}

/** The chosen path, step by step. */
function Chosen({ pair, parts, row }: { pair: number; parts: PathParts; row: number }) {
    const difference = useDifference();
    const [known, set] = useState<PairPaths | null>(null);
    useEffect(() => {
        let isGone = false;
        void readPair(pair).then((read) => !isGone && set(read));
        return () => {
            isGone = true;
        };
    }, [pair]);
    const path = known?.paths[known.rows.indexOf(row)];
    return (
        <div class="steps chosen-path" role="region" aria-label="The chosen path">
            <div class="steps-head">
                <Delta number={parts.difference[row]!} />
                <span class="soft">
                    {difference.ofA(parts.count_a[row])} → {difference.ofB(parts.count_b[row])}{" "}
                    times
                    {", "}
                    {pathRemark(difference, parts, row)}, path {parts.id_b[row] ?? parts.id_a[row]}
                </span>
                <span class="end">
                    <button
                        type="button"
                        onClick={() => change({ path: null })}
                        aria-label="choose no path"
                    >
                        ×
                    </button>
                </span>
            </div>
            <div class="steps-list" tabIndex={0} role="group" aria-label="Steps of the path">
                {path && known ? <PathLine steps={known.steps} path={path} /> : "reading …"}
            </div>
        </div>
    );
}
