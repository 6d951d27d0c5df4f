// The source of a function with the counts of both sides.

import { useEffect, useMemo, useState } from "preact/hooks";

import { useDifference } from "../../data/difference";
import type { PairSource } from "../../data/differenceTypes";
import { readSource } from "../../data/store";
import { Plain } from "../../ui/parts";
import { VirtualList } from "../../ui/virtual";
import { tokensOf } from "../shared/highlight";
import { Delta } from "./delta";

const ROW = 21;

/** So many lines stand without scrolling. */
const SEEN = 28;

export function SourceSection({ pair }: { pair: number }) {
    const [source, set] = useState<PairSource | null>(null);
    useEffect(() => {
        let isGone = false;
        void readSource(pair).then((read) => !isGone && set(read));
        return () => {
            isGone = true;
        };
    }, [pair]);
    return source && <Source source={source} />;
}

function Source({ source }: { source: PairSource }) {
    const difference = useDifference();
    const tokens = useMemo(() => tokensOf(source.text), [source]);
    const rows = useMemo(() => new Map(source.line.map((line, row) => [line, row])), [source]);
    return (
        <section aria-labelledby="section-source">
            <h2 id="section-source">Source</h2>
            <p class="soft">
                How often each line ran{difference.per}; inlined code is not shown. {source.path}
            </p>
            {source.newer ? (
                <p class="remark warning">
                    <b>⚠ Warning</b> The file changed after the program was built. Lines may have
                    moved.
                </p>
            ) : null}
            <div
                class="both-source"
                style={{ height: `${Math.min(source.text.length, SEEN) * ROW + 44}px` }}
            >
                <VirtualList
                    label="Source with the counts of A and B"
                    count={source.text.length}
                    height={ROW}
                    header={
                        <div class="line both-head">
                            <span class="both-delta">Difference</span>
                            <span class="both-count">A</span>
                            <span class="both-count">B</span>
                            <span class="line-number">Line</span>
                        </div>
                    }
                    row={(at) => (
                        <Line
                            key={at}
                            source={source}
                            at={at}
                            row={rows.get(source.first + at)}
                            tokens={tokens[at] ?? []}
                        />
                    )}
                />
            </div>
        </section>
    );
}

interface LineProps {
    source: PairSource;
    at: number;
    row: number | undefined;
    tokens: ReturnType<typeof tokensOf>[number];
}

function Line({ source, at, row, tokens }: LineProps) {
    const difference = useDifference();
    const [a, b] = row === undefined ? [null, null] : [source.a[row], source.b[row]];
    const text = source.text[at] ?? "";
    const edges = [0, ...tokens.flatMap(({ from, to }) => [from, to]), text.length];
    const cuts = [...new Set(edges)].sort((one, other) => one - other);
    const pieces = cuts.slice(1).map((to, number) => {
        const from = cuts[number]!;
        const token = tokens.find((token) => token.from <= from && to <= token.to);
        return (
            <span class={token?.kind ?? ""}>
                <Plain text={text.slice(from, to)} />
            </span>
        );
    });
    const isSame = row === undefined || String(source.difference[row]) === "0";
    return (
        <div class={`line ${isSame ? "" : "differs"}`}>
            <span class="both-delta">
                {row === undefined || isSame ? null : <Delta number={source.difference[row]!} />}
            </span>
            <span class="both-count">{a == null ? "" : difference.ofA(a)}</span>
            <span class="both-count">{b == null ? "" : difference.ofB(b)}</span>
            <span class="line-number">{source.first + at}</span>
            <code class="line-code">{pieces}</code>
        </div>
    );
}
