// A difference as people read it: a sign and an arrow say which way it goes, a bar how far.

import { useDifference } from "../../data/difference";
import { shareOf } from "../../data/signed";
import { type Count, near } from "../../ui/numbers";

const wayOf = (number: Count) => (near(number) > 0 ? "more" : near(number) < 0 ? "less" : "same");

const ARROWS = { more: "▲", less: "▼", same: "" };

/** A difference with its sign. */
export function Delta({ number }: { number: Count }) {
    const difference = useDifference();
    const way = wayOf(number);
    return (
        <span class={`delta ${way}`}>
            <span class="delta-arrow" aria-hidden="true">
                {ARROWS[way]}
            </span>
            {difference.signed(number)}
        </span>
    );
}

/**
 * Which part of the whole difference it is, and a bar: to the right if it goes the way of the
 * whole, to the left if its share is negative.
 */
export function DeltaShare({ number, most }: { number: Count; most: number }) {
    const whole = useDifference().index.difference;
    const way = wayOf(number);
    const width = most > 0 ? (50 * Math.abs(near(number))) / most : 0;
    const size = way === "same" ? 0 : Math.max(1.5, width);
    const isAgainst = near(whole) < 0 ? near(number) > 0 : near(number) < 0;
    return (
        <span class="delta-share">
            <span class="delta-track" aria-hidden="true">
                <span
                    class={`delta-bar ${way} ${isAgainst ? "against" : "along"}`}
                    style={{ width: `${size}%`, left: `${isAgainst ? 50 - size : 50}%` }}
                />
            </span>
            <span class="number">{shareOf(number, whole)}</span>
        </span>
    );
}
