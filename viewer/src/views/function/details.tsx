// What is known of one block: counts, where control came from and went, lines, opcodes, calls, IR.

import { useReport } from "../../data/report";
import { digits, near, percent, plural, sum } from "../../ui/numbers";
import { type Column, Table } from "../../ui/table";
import type { FunctionModel } from "./model";
import { type Selection, toggle } from "./selection";

interface Props {
    model: FunctionModel;
    /** One after the other: those of a box. */
    blocks: number[];
    selection: Selection;
    close: () => void;
}

export function Details({ model, blocks, selection, close }: Props) {
    const report = useReport();
    const { data } = model;
    const [first, last] = [blocks[0]!, blocks.at(-1)!];
    const all = blocks.flatMap((block) => data.blocks[block] ?? []);
    const [block, end] = [all[0], all.at(-1)];
    if (!block || !end) return null;
    const name = first === last ? `bb${first}` : `bb${first} … bb${last}`;
    const count = near(block.count);
    const text = (index: number) => data.texts[index] ?? "?";
    const isInside = (edge: number) => {
        const [from, to] = data.edges[edge]!;
        return to !== first && blocks.includes(from) && blocks.includes(to);
    };
    const out = blocks.flatMap((block) => model.out[block] ?? []).filter((of) => !isInside(of));
    const opcodes = new Map<number, number>();
    for (const [opcode, times] of all.flatMap(({ opcodes }) => opcodes))
        opcodes.set(opcode, (opcodes.get(opcode) ?? 0) + times);
    const calls = all.flatMap(({ calls }) => calls);
    const ir = all.flatMap(({ ir }) => ir || []).join("\n\n");
    const instructions = sum(all.map(({ instructions }) => instructions));
    /** Edges, by the block at their other end. */
    const ways = (other: 0 | 1): Column<number>[] => [
        {
            key: "block",
            title: "Block",
            cell: (edge) => {
                const [from, to, , label, cut] = data.edges[edge]!;
                const target = other === 0 ? from : to;
                const head = model.head(target);
                return (
                    <>
                        <button
                            type="button"
                            onClick={(event) => toggle(selection, `e${edge}`, event.shiftKey)}
                        >
                            bb{target}
                            {head ? ` · line ${head.line}` : ""}
                        </button>{" "}
                        <small>
                            {label}
                            {cut === "back" ? " loop" : ""}
                        </small>
                    </>
                );
            },
        },
        {
            key: "visits",
            title: "Times",
            isNumber: true,
            cell: (edge) => digits(data.edges[edge]![2]),
        },
        {
            key: "share",
            title: "Share",
            isNumber: true,
            cell: (edge) => {
                const visits = data.edges[edge]![2];
                return visits === null ? "?" : percent(near(visits), count);
            },
        },
    ];
    const lines = [
        ...new Set(
            all
                .flatMap(({ locations }) => locations)
                .map((location) => {
                    const [file, line, column, owner, inlined] = data.locations[location]!;
                    const name = inlined === null ? "" : `${text(owner)} › `;
                    return `${name}${report.base(file)}:${line}${column ? `:${column}` : ""}`;
                }),
        ),
    ];
    return (
        <aside class="details" aria-label={`Block ${name}`} tabIndex={0}>
            <header>
                <h3>
                    {name} {block.name ? <small>{block.name}</small> : null}
                </h3>
                <button
                    type="button"
                    class="quiet"
                    onClick={close}
                    aria-label="close the block's details"
                >
                    ×
                </button>
            </header>
            <p>
                ran{" "}
                <b>
                    {block.doubt ? "~" : ""}
                    {digits(block.count)}
                </b>{" "}
                times, {plural(instructions, "instruction")}
                {blocks.length > 1 ? ` in ${blocks.length} blocks, one after the other` : ""}
                {end.exit ? `, leaves the function: ${end.exit}` : ""}
            </p>
            <div class="details-columns">
                <Table label="Came from" isSmall columns={ways(0)} rows={model.into[first] ?? []} />
                <Table label="Went to" isSmall columns={ways(1)} rows={out} />
                <div>
                    <h4>Opcodes</h4>
                    <p class="words">
                        {[...opcodes].map(([opcode, times]) => (
                            <code>
                                {times > 1 ? `${times} ` : ""}
                                {text(opcode)}
                            </code>
                        ))}
                    </p>
                </div>
                <div>
                    <h4>Lines</h4>
                    <p class="words">
                        {lines.map((line) => (
                            <code>{line}</code>
                        ))}
                        {lines.length === 0 ? "none" : null}
                    </p>
                </div>
                {calls.length > 0 ? (
                    <div>
                        <h4>Calls</h4>
                        <p class="words">
                            {calls.map((call) => (
                                <code>
                                    {text(call.callee) === "*"
                                        ? "through a pointer"
                                        : text(call.callee)}
                                    {(call.targets ?? [])
                                        .map(([name, times]) => ` → ${text(name)} ${digits(times)}`)
                                        .join("")}
                                </code>
                            ))}
                        </p>
                    </div>
                ) : null}
                {ir ? (
                    <div class="wide">
                        <h4>LLVM IR</h4>
                        <pre tabIndex={0}>{ir}</pre>
                    </div>
                ) : null}
            </div>
        </aside>
    );
}
