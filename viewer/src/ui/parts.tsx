// Small pieces that several views have.

import type { ComponentChildren } from "preact";

import { divided, shortened } from "./names";
import { digits, percent } from "./numbers";
import { change } from "./route";

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

/** A longer name is shown without what its template is made of. */
const LONGEST = 64;

/** A name of which, where there is no room, what it is in is cut: what it is itself is seen. */
export function FittedName({ name, most = LONGEST }: { name: string; most?: number }) {
    const [whole, last] = divided(name);
    const own = last.length > most ? shortened(last) : last;
    const around = name.length > most ? shortened(whole) : whole;
    return (
        <span class="fitted">
            {around ? <span class="fitted-around">{around}</span> : null}
            <span class="fitted-own">{own}</span>
        </span>
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

/** Functions that a reader may have meant. */
export function Meant({ list }: { list: { link: string; name: string; place: string }[] }) {
    if (list.length === 0) return null;
    return (
        <section aria-labelledby="meant">
            <h2 id="meant">Did you mean …</h2>
            <ul class="meant">
                {list.map(({ link, name, place }) => (
                    <li>
                        <a data-row href={link}>
                            {name}
                        </a>{" "}
                        <small>{place}</small>
                    </li>
                ))}
            </ul>
        </section>
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

/** Buttons that change the size of a picture, as its keys do. */
export function ZoomButtons({ zoom, fit }: { zoom: (by: number) => void; fit: () => void }) {
    return (
        <>
            <button type="button" onClick={() => zoom(0.8)} aria-label="smaller">
                −
            </button>
            <button type="button" onClick={() => zoom(1.25)} aria-label="larger">
                +
            </button>
            <button type="button" onClick={fit} aria-label="all of it">
                ⤢
            </button>
        </>
    );
}

/** The head of an arrow, for `marker-end`. */
export function ArrowHead({ id }: { id: string }) {
    return (
        <marker
            id={id}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
        >
            <path d="M0 0.5L8 4L0 7.5z" class="arrow" />
        </marker>
    );
}

/** The switch that shows the code of system headers, too. */
export function SystemHeaders(props: { isOn: boolean; hidden?: number; tip?: string }) {
    const { isOn, hidden = 0, tip } = props;
    return (
        <label data-tip={tip}>
            <input
                type="checkbox"
                checked={isOn}
                onChange={() => change({ system: isOn ? null : 1 })}
            />{" "}
            system headers
            {hidden > 0 ? ` (${digits(hidden)} hidden)` : ""}
        </label>
    );
}
