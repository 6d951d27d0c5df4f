// The text of those parts of files that a pane shows, and its tokens.

import { useEffect, useState } from "preact/hooks";

import { readLines } from "../../data/store";
import { type Token, tokensOf } from "./highlight";

export interface Part {
    first: number;
    lines: string[];
    tokens: Token[][];
}

/** Parts by file and first line. */
const known = new Map<string, Part>();

/** A range of lines of a file. */
export interface Range {
    file: number;
    first: number;
    last: number;
}

const keyOf = ({ file, first, last }: Range) => `${file}:${first}-${last}`;

/** A line with its tokens. */
export type TextOf = (file: number, line: number) => { text: string; tokens: Token[] } | undefined;

/** So many lines of a whole file are read at once. */
const PIECE = 1000;

/** The text of a file, of which those pieces are read that are asked for. */
export function useFile(file: number, lines: number): TextOf {
    const [asked, ask] = useState<number[]>([]);
    const range = (piece: number) => ({
        file,
        first: piece * PIECE + 1,
        last: Math.min(lines, (piece + 1) * PIECE),
    });
    const text = useText(asked.map(range));
    return (file, line) => {
        if (line > lines) return undefined;
        const piece = Math.floor((line - 1) / PIECE);
        // After this turn: what is being drawn must not change.
        if (!asked.includes(piece))
            queueMicrotask(() =>
                ask((pieces) => (pieces.includes(piece) ? pieces : [...pieces, piece])),
            );
        return text(file, line);
    };
}

/** The text of ranges, as soon as it is there; first without tokens, which take longer. */
export function useText(ranges: Range[], plain = false): TextOf {
    const [, draw] = useState(0);
    const nameOf = (range: Range) => keyOf(range) + (plain ? " plain" : "");
    useEffect(() => {
        let isGone = false;
        const update = () => !isGone && draw((turn) => turn + 1);
        const missing = ranges.filter((range) => !known.has(nameOf(range)));
        if (missing.length === 0) return;
        const read = missing.map(async (range): Promise<Part> => {
            const lines = await readLines(range.file, range.first, range.last);
            const part = { first: range.first, lines, tokens: [] };
            known.set(nameOf(range), part);
            return part;
        });
        void Promise.all(read).then((parts) => {
            update();
            if (plain) return;
            setTimeout(() => {
                for (const part of parts) part.tokens = tokensOf(part.lines);
                update();
            }, 30);
        });
        return () => {
            isGone = true;
        };
    }, [ranges.map(keyOf).join()]);
    return (file, line) => {
        for (const range of ranges) {
            if (range.file !== file || line < range.first || line > range.last) continue;
            const part = known.get(nameOf(range));
            const text = part?.lines[line - range.first];
            if (part && text !== undefined)
                return { text, tokens: part.tokens[line - range.first] ?? [] };
        }
        return undefined;
    };
}
