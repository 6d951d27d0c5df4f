// The views of a report.

import { type Report, ReportContext } from "../data/report";
import { Frame, type Tab } from "../ui/frame";
import { useRoute } from "../ui/route";
import { CallsView } from "../views/calls/calls";
import { CoverageView } from "../views/coverage/coverage";
import { FunctionView } from "../views/function/page";
import { FunctionsView } from "../views/functions/functions";
import { OverviewView } from "../views/overview/overview";

const TABS: Tab[] = [
    ["overview", "Overview"],
    ["functions", "Functions"],
    ["calls", "Calls"],
    ["coverage", "Coverage"],
];

/** What keys do. */
const KEYS: [keys: string, does: string][] = [
    ["1 … 5", "overview, functions, calls, coverage, the last function"],
    ["n, p", "next and previous step of the chosen path"],
    ["s, g, l", "to the source, the graph, the list of paths"],
    ["+, −, 0", "in the graph: larger, smaller, all of it"],
    ["arrows", "in the graph: move it"],
];

function View({ route }: { route: ReturnType<typeof useRoute> }) {
    switch (route.view) {
        case "functions":
            return <FunctionsView parameters={route.parameters} />;
        case "function":
            return (
                <FunctionView key={route.name} name={route.name} parameters={route.parameters} />
            );
        case "calls":
            return <CallsView parameters={route.parameters} />;
        case "coverage":
            return <CoverageView name={route.name} parameters={route.parameters} />;
        default:
            return <OverviewView />;
    }
}

export function App({ report }: { report: Report }) {
    const route = useRoute();
    return (
        <ReportContext.Provider value={report}>
            <Frame
                tabs={TABS}
                shown={route.view === "function" ? "functions" : route.view}
                mode={`${report.index.mode}, ${report.index.stage}`}
                keys={KEYS}
                help={
                    <p class="soft">
                        In a function, choose a block, an edge or a line: the paths through it are
                        left. With Shift, those through both.
                    </p>
                }
            >
                <View route={route} />
            </Frame>
        </ReportContext.Provider>
    );
}
