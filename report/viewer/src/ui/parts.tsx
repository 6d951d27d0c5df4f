// Small pieces that several views have.

import type { ComponentChildren } from "preact";

import { percent } from "../data/numbers";

/** What cannot be seen, or turns the direction of writing, in the text of a source. */
const HIDDEN =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

/** Text of a source: hidden characters as their codes. */
export function Plain({ text }: { text: string }) {
    if (!HIDDEN.test(text)) return <>{text}</>;
    const pieces = text.split(new RegExp(`(${HIDDEN.source})`, "u"));
    return (
        <>
            {pieces.map((piece) =>
                HIDDEN.test(piece) ? (
                    <span class="hidden-character">
                        {`U+${(piece.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`}
                    </span>
                ) : (
                    piece
                ),
            )}
        </>
    );
}

/** A share as a bar with its number. */
export function Share({ part, whole }: { part: number; whole: number }) {
    return (
        <span class="share">
            <span class="share-track" aria-hidden="true">
                <span
                    class="share-bar"
                    style={{
                        width: `${whole > 0 ? Math.max((100 * part) / whole, part > 0 ? 1 : 0) : 0}%`,
                    }}
                />
            </span>
            <span class="number">{percent(part, whole)}</span>
        </span>
    );
}

/** A number with what it is of. */
export function Fact({
    title,
    value,
    more,
    tip,
}: {
    title: string;
    value: ComponentChildren;
    more?: ComponentChildren;
    tip?: string;
}) {
    return (
        <div class="fact" data-tip={tip}>
            <dt>{title}</dt>
            <dd>
                <strong>{value}</strong>
                {more ? <small>{more}</small> : null}
            </dd>
        </div>
    );
}

/** A search field; `/` goes there. */
export function Search({
    value,
    label,
    onInput,
}: {
    value: string;
    label: string;
    onInput: (text: string) => void;
}) {
    return (
        <input
            type="search"
            class="search"
            data-search
            spellcheck={false}
            value={value}
            aria-label={label}
            placeholder={label}
            onInput={(event) => onInput(event.currentTarget.value)}
        />
    );
}

/** A remark about the counts. */
export function Remark({
    tone,
    children,
}: {
    tone: "warning" | "note";
    children: ComponentChildren;
}) {
    return (
        <p class={`remark ${tone}`}>
            <b>{tone === "warning" ? "⚠ Warning" : "Note"}</b> {children}
        </p>
    );
}
