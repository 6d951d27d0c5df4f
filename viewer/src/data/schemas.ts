// What the index of a page is of: report/src/schema.rs has the same names.

export const SCHEMAS = {
    report: "pathprof-html/1",
    difference: "pathprof-html-diff/1",
    tasks: "pathprof-html-tasks/1",
} as const;
