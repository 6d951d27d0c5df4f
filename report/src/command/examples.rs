//! What stands below the help of each command: examples, and what else a user has to know.

/// Below the help of the program.
pub(crate) const TOP_EXAMPLES: &str = "\
Examples:
  pathcc -g -O2 main.c && pathprof run -- ./a.out     run a program and show its hot paths
  pathprof report                                     show the last start of a program here
  pathprof coverage --missing                         what tests did not reach
  pathprof export --format json -o paths.json         everything, for other programs";

/// Below the help of `run`.
pub(crate) const RUN_EXAMPLES: &str = "\
Examples:
  pathprof run -- ./a.out input.txt
  pathprof run -o profiles --functions -- ./server --once
  pathprof run --quiet -- make check                  gather the profiles of all programs it starts

Profiles go where -o says, else where PATHCC_PROFILE says, else here; if that cannot be written, \
it says where they are. A profile that is there already gets more records.
The exit code is the program's (128 + n if signal n ended it); if that is 0, 1 if there is a \
problem with the report. A process that outlives the program writes its profile later; give it a \
place with -o.";

/// Below the help of `report`.
pub(crate) const REPORT_EXAMPLES: &str = "\
Examples:
  pathprof report                                     the last start of the programs here
  pathprof report build/app                           the last start of a program elsewhere
  pathprof report --all                               the sum of all starts of the programs here
  pathprof report --run 2                             the start before the last
  pathprof report profiles/                           all profiles in a directory and below
  pathprof report --function 'parse_*' --top 0        every executed path of some functions
  pathprof report --functions --sort count            one row for each function
  pathprof report --opcodes                           the mix of executed instructions
  pathprof report --calls=sites                       every call, and what pointers led to
  pathprof report a.out.pathprof --image build/a.out

A path is a list of source lines, each followed by the outcome of its branch, as in gcov's prime \
paths:
  loop: 13(true) 14 12(false) 18 -> return
starts at a loop's header, takes the branch in line 13, leaves the loop in line 12, and returns. \
A line of another file has the file's name before it. A share is that of all executed instructions \
of LLVM's intermediate code (phi not counted).

Exit code: 0; 1 if a profile could not be used, or no function is the one asked for; 2 for a wrong \
command line.";

/// Below the help of `export`.
pub(crate) const EXPORT_EXAMPLES: &str = "\
Examples:
  pathprof export --format json -o paths.json
  pathprof export --format json profiles/ | jq '.functions[] | {name, entries}'
  pathprof export --format lcov -o app.info profiles/ && genhtml app.info -o html

The schema of JSON is pathprof/1. Counts are exact integers; path ids are decimal strings. The \
lcov tracefile has functions, lines and branches.";

/// Below the help of `coverage`.
pub(crate) const COVERAGE_EXAMPLES: &str = "\
Examples:
  CC='pathcc -g -fpath-stage=early' make check
  pathprof coverage                                   all starts here, a row for each file
  pathprof coverage --missing --file 'src/*' build/   and what was not taken
  pathprof coverage --fail-under 80 build/            for CI: exit code 1 if fewer lines ran

A path counts as covered once it was executed to its end. Possible are those that the control-flow \
graph allows, even if no input leads there.

Exit code: 0; 1 if less was covered than asked for, or a profile could not be used; 2 for a wrong \
command line.";

/// Below the help of `merge`.
pub(crate) const MERGE_EXAMPLES: &str = "\
Examples:
  pathprof merge -o all.pathprof profiles/            every process of one image
  pathprof merge -o merged/ profiles/                 a profile for each image

A merged profile is read like any other and is shown as one run: the first, with the flags of all. \
It holds sums, and remembers which runs they are of: a run that is given twice, by itself or in \
merged profiles, counts once. A profile that is damaged is named and left out.

What is there is not lost: -o FILE replaces a file only if all runs in it are among the profiles, \
and files in DIR/ get names that are free.";

/// Below the help of `runs`.
pub(crate) const RUNS_EXAMPLES: &str = "\
Examples:
  pathprof runs                                       the starts of the programs in this directory
  pathprof runs build/app
  pathprof report --run 2 build/app

A start is what one command began: a process, those that it forked or started, and the images that \
they loaded, as far as they are counted. Starts are numbered backwards: 1 is the last. --run N of \
other commands chooses one by its number. A run is the life of one image in one process: what a \
record is of.";

/// Below the help of `compact`.
pub(crate) const COMPACT_EXAMPLES: &str = "\
Examples:
  pathprof compact                                    the profiles in this directory
  pathprof compact --keep 10 build/app

Counts stay as they are: what the older starts counted is summed into one record for each image. \
Processes that were killed, or executed another program, have left raw files, which are taken in.";

/// Below the help of `weights`.
pub(crate) const WEIGHTS_EXAMPLES: &str = "\
Examples:
  pathprof weights -o app.weights profiles/
  CC='pathcc -fpath-use=/path/to/app.weights' make

The file stands for itself: neither the profiles nor the images are needed afterwards. With it \
pathcc puts the code that counts where it runs least often. Counts are exact with any weights.";

/// Below the help of `doctor`.
pub(crate) const DOCTOR_EXAMPLES: &str = "\
Examples:
  pathprof doctor
  PATHCC_PROFILE=/var/tmp/profiles/ pathprof doctor ./server

Exit code: 0 if nothing was found, else 1.";
