// Which parts of a source are keywords, texts, numbers and so on.

import { parser } from "@lezer/cpp";
import { classHighlighter, highlightTree } from "@lezer/highlight";

/** A part of a line with a class of its own. */
export interface Token {
    from: number;
    to: number;
    kind: string;
}

/** The parser is given so many lines at once: trees of long texts are too deep to walk. */
const PIECE = 1000;

/** The tokens of each line. The text may begin anywhere: the parser takes what it understands. */
export function tokensOf(lines: string[]): Token[][] {
    const tokens = [];
    for (let at = 0; at < lines.length; at += PIECE)
        tokens.push(...tokensOfPiece(lines.slice(at, at + PIECE)));
    return tokens;
}

function tokensOfPiece(lines: string[]): Token[][] {
    const text = lines.join("\n");
    const starts: number[] = [];
    let start = 0;
    for (const line of lines) {
        starts.push(start);
        start += line.length + 1;
    }
    const tokens: Token[][] = lines.map(() => []);
    let at = 0;
    highlightTree(parser.parse(text), classHighlighter, (from, to, kind) => {
        while (at + 1 < starts.length && starts[at + 1]! <= from) at++;
        for (let line = at; line < starts.length && starts[line]! < to; line++) {
            const first = starts[line]!;
            const length = lines[line]!.length;
            const token = {
                from: Math.max(0, from - first),
                to: Math.min(length, to - first),
                kind,
            };
            if (token.to > token.from) tokens[line]!.push(token);
        }
    });
    return tokens;
}
