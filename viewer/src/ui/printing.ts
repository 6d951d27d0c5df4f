// Whether the page is being printed.

import { useLayoutEffect, useState } from "preact/hooks";

/** Draws again before the page is printed, and behind it. */
export function usePrinting(): boolean {
    const [isPrinting, set] = useState(false);
    useLayoutEffect(() => {
        const before = () => set(true);
        const after = () => set(false);
        window.addEventListener("beforeprint", before);
        window.addEventListener("afterprint", after);
        return () => {
            window.removeEventListener("beforeprint", before);
            window.removeEventListener("afterprint", after);
        };
    }, []);
    return isPrinting;
}
