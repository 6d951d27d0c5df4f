// What marks of runs mean for their counts.

/** Whether counts are missing or may be wrong, and why. */
export const MARKS: Record<string, [tone: "warning" | "note", text: string]> = {
    incomplete: [
        "warning",
        "The process ended without writing a profile: it was killed or crashed, or left by exec or " +
            "quick_exit, or it is still running. The paths that it had completed are counted.",
    ],
    "unregistered threads": [
        "warning",
        "Threads ran that the runtime did not know. Their counts were added without " +
            "synchronisation and may be too low.",
    ],
    partial: [
        "warning",
        "There was no room on the disk, or no descriptor, to keep what all threads counted. Their " +
            "counts are missing.",
    ],
    cut: [
        "warning",
        "The file that kept the counters was cut or damaged while the program ran. What it had " +
            "counted before is missing.",
    ],
    unsure: [
        "warning",
        "A program without counters loaded this library after it had overwritten its environment " +
            "or changed its directory. PATHCC_PROFILE may not have been obeyed.",
    ],
    "other runtime": [
        "warning",
        "The executable was linked by another version of pathcc than this image, which cannot tell " +
            "threads apart for that. Link both again.",
    ],
    running: [
        "note",
        "Other threads were running when the process ended. What they were in the middle of is " +
            "counted up to their last call, or up to their last path that ended.",
    ],
    unwritten: [
        "note",
        "The process ended well and could not write a profile, or it counted behind its record. Its " +
            "raw file has all of that.",
    ],
    denied: [
        "note",
        "The process ended well and was not permitted to write a profile there. Its raw file has " +
            "all that it counted.",
    ],
    forked: ["note", "The process is a fork of one that is counted, too."],
};
