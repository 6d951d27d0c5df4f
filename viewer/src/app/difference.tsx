// The views of a difference.

import { type Difference, DifferenceContext } from "../data/difference";
import { Frame, type Tab } from "../ui/frame";
import { useRoute } from "../ui/route";
import { BlocksView, CallsView, FunctionsView, PathsView } from "../views/difference/lists";
import { OverviewView } from "../views/difference/overview";
import { PairView } from "../views/difference/pair";

const TABS: Tab[] = [
    ["overview", "Overview"],
    ["functions", "Functions"],
    ["paths", "Paths"],
    ["blocks", "Blocks and lines"],
    ["calls", "Calls"],
];

/** What keys do. */
const KEYS: [keys: string, does: string][] = [
    ["1 … 6", "overview, functions, paths, blocks and lines, calls, the last function"],
];

function View({ route }: { route: ReturnType<typeof useRoute> }) {
    switch (route.view) {
        case "functions":
            return <FunctionsView parameters={route.parameters} />;
        case "paths":
            return <PathsView parameters={route.parameters} />;
        case "blocks":
            return <BlocksView parameters={route.parameters} />;
        case "calls":
            return <CallsView parameters={route.parameters} />;
        case "function":
            return <PairView key={route.name} name={route.name} parameters={route.parameters} />;
        default:
            return <OverviewView />;
    }
}

export function DifferenceApp({ difference }: { difference: Difference }) {
    const route = useRoute();
    const { a, b } = difference.index;
    const [modes, stages] = [new Set([a.mode, b.mode]), new Set([a.stage, b.stage])];
    return (
        <DifferenceContext.Provider value={difference}>
            <Frame
                tabs={TABS}
                shown={route.view === "function" ? "functions" : route.view}
                mode={`${[...modes].join(" → ")}, ${[...stages].join(" → ")}`}
                keys={KEYS}
                help={
                    <p class="soft">
                        A difference is how many more instructions B executed. Its sign and its
                        arrow say which way: + ▲ is more in B, − ▼ is less.
                    </p>
                }
            >
                <View route={route} />
            </Frame>
        </DifferenceContext.Provider>
    );
}
