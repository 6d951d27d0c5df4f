// What is known of one block: counts, where control came from and went, lines, opcodes, calls, IR.

import { digits, near, percent, plural } from "../data/numbers";
import { useReport } from "../data/report";
import type { FunctionModel } from "./model";
import { type Selection, toggle } from "./selection";

interface Props {
    model: FunctionModel;
    block: number;
    selection: Selection;
    close: () => void;
}

export function Details({ model, block: number, selection, close }: Props) {
    const report = useReport();
    const { data } = model;
    const block = data.blocks[number];
    if (!block) return null;
    const count = near(block.count);
    const text = (index: number) => data.texts[index] ?? "?";
    const ways = (edges: number[], other: 0 | 1) =>
        edges.map((edge) => {
            const [from, to, visits, label, cut] = data.edges[edge]!;
            const target = other === 0 ? from : to;
            const head = model.head(target);
            return (
                <tr>
                    <td>
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
                    </td>
                    <td class="number">{digits(visits)}</td>
                    <td class="number">{visits === null ? "?" : percent(near(visits), count)}</td>
                </tr>
            );
        });
    const lines = [
        ...new Set(
            block.locations.map((location) => {
                const [file, line, column, owner, inlined] = data.locations[location]!;
                const name = inlined === null ? "" : `${text(owner)} › `;
                return `${name}${report.base(file)}:${line}${column ? `:${column}` : ""}`;
            }),
        ),
    ];
    return (
        <aside class="details" aria-label={`Block bb${number}`} tabIndex={0}>
            <header>
                <h3>
                    bb{number} {block.name ? <small>{block.name}</small> : null}
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
                times, {plural(block.instructions, "instruction")}
                {block.exit ? `, leaves the function: ${block.exit}` : ""}
            </p>
            <div class="details-columns">
                <table>
                    <caption>Came from</caption>
                    <tbody>{ways(model.into[number] ?? [], 0)}</tbody>
                </table>
                <table>
                    <caption>Went to</caption>
                    <tbody>{ways(model.out[number] ?? [], 1)}</tbody>
                </table>
                <div>
                    <h4>Opcodes</h4>
                    <p class="words">
                        {block.opcodes.map(([opcode, times]) => (
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
                {block.calls.length > 0 ? (
                    <div>
                        <h4>Calls</h4>
                        <p class="words">
                            {block.calls.map((call) => (
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
                {block.ir ? (
                    <div class="wide">
                        <h4>LLVM IR</h4>
                        <pre tabIndex={0}>{block.ir}</pre>
                    </div>
                ) : null}
            </div>
        </aside>
    );
}
