//! What stands below the help of each command: examples, and what else a user has to know.

/// Below the help of the program.
pub(crate) const PATHPROF_EXAMPLES: &str = "\
Examples:
  pathcc -g -O2 main.c && pathprof run -- ./a.out   run it, show its hot paths
  pathprof report                                   show the last start here
  pathprof coverage --missing                       what tests did not reach
  pathprof export --format json -o paths.json       all, for other programs";

/// Below the help of `run`.
pub(crate) const RUN_EXAMPLES: &str = "\
Examples:
  pathprof run -- ./a.out input.txt
  pathprof run -o profiles --functions -- ./server --once
  pathprof run --quiet -- make check      the profiles of all programs it starts

Profiles go where -o says, else where PATHCC_PROFILE says, else here; if that cannot be written, \
it says where they are. A profile that is there already gets more records.

The exit code is the program's (128 + n if signal n ended it); if that is 0, 1 if there is a \
problem with the report. A process that outlives the program writes its profile later; give it a \
place with -o.";

/// Below the help of `report`.
pub(crate) const REPORT_EXAMPLES: &str = "\
Examples:
  pathprof report                                   the last start here
  pathprof report build/app                         that of a program elsewhere
  pathprof report --all                             the sum of all starts here
  pathprof report --run 2                           the start before the last
  pathprof report profiles/                         all profiles in a folder
  pathprof report --function 'parse_*' --top 0      every path of some functions
  pathprof report --functions --sort count          one row for each function
  pathprof report --opcodes                         the mix of instructions
  pathprof report --calls=sites                     every call, and its callees
  pathprof report --file 'src/**' --hide '*::~*'    some files, no destructors
  pathprof report --functions --format csv          a table for a spreadsheet
  pathprof report a.out.pathprof --image build/a.out

A path is a list of source lines. An arrow stands behind a line where control could go several \
ways, and the next place is where it went:
  loop: 13→14 12→18 → return
starts at a loop's header in line 13, goes on to line 14, leaves the loop in line 12, and returns. \
14–18 is a range of lines, 13:9 a column, and bb3 a block without a line. Code that was inlined has \
its function before it, as in parse › skip:26, and that of system headers is a name at its call, as \
in 26‹push_back›. `pathprof show main#2` shows the path main#2 as its source. A share is that of \
all executed instructions of LLVM's intermediate code (phi not counted).

Globs are those of .gitignore: * stands for anything but a slash, ** for anything. A glob for \
files without a slash matches the name of the file; src/ matches all that is below such a folder. \
Functions of system headers are hidden unless --system, --function or --file asks for them; what \
they executed is part of all sums.

Exit code: 0; 1 if a profile could not be used, or no function is the one asked for; 2 for a wrong \
command line.";

/// Below the help of `labels`.
pub(crate) const LABELS_EXAMPLES: &str = "\
Examples:
  pathprof labels                          which tests found paths of their own
  pathprof labels --path parse#3           which tests execute a path
  pathprof labels --file 'src/http/*'      which tests execute some files
  pathprof report --label test_login       what one of them executed
  pathprof labels --format csv --top 0     all of them, for a spreadsheet

A label is a text that a program, or who starts it, gives to what is counted from there on: \
pathcc_label() of pathcc/profile.h, the variable PATHCC_LABEL, `pathprof label`, or \
`pathprof merge --label`. A path belongs to the label under which it ends.";

/// Below the help of `label`.
pub(crate) const LABEL_EXAMPLES: &str = "\
Examples:
  pathprof label 4711 'under load'         from now on
  pathprof label build/server ''           without a label again
  test-driver | pathprof label 4711 -      a label for each line that it reads
  pathprof report --label 'under load'     what was counted meanwhile

The process takes no part: it is neither stopped nor signalled. What it has counted until now stays \
with its old label.";

/// Below the help of `export`.
pub(crate) const EXPORT_EXAMPLES: &str = "\
Examples:
  pathprof export --format json -o paths.json
  pathprof export --format json profiles/ | jq '.functions[] | {name, entries}'
  pathprof export --format lcov -o app.info profiles/
  genhtml --branch-coverage --rc derive_function_end_line=0 app.info -o html

The schema of JSON is pathprof/1. Counts are exact integers; path ids are decimal strings. The \
lcov tracefile has functions, lines and branches. It does not say where functions end, and lcov 2 \
need not guess.";

/// Below the help of `coverage`.
pub(crate) const COVERAGE_EXAMPLES: &str = "\
Examples:
  CC='pathcc -g -fpath-stage=early' make check
  pathprof coverage                                   all starts here, by file
  pathprof coverage --missing --file 'src/*' build/   and what was not taken
  pathprof coverage --fail-under 80 build/            1 if fewer lines ran

A path counts as covered once it was executed to its end. A path is possible if the control-flow \
graph allows it, even if no input leads there.

Exit code: 0; 1 if less was covered than asked for, or a profile could not be used; 2 for a wrong \
command line.";

/// How `diff` is called.
pub(crate) const DIFF_USAGE: &str = "\
pathprof diff [OPTIONS] A B
       pathprof diff [OPTIONS] --label LABEL LABEL A [B]
       pathprof diff [OPTIONS] --spectra PASSING... --against FAILING...";

/// Below the help of `diff`.
pub(crate) const DIFF_EXAMPLES: &str = "\
Examples:
  pathprof diff old/app new/app                     the last start of each
  pathprof diff --run-a 2 app app                   the last and that before
  pathprof diff --label login logout app            two labels of one program
  pathprof diff --per-run monday/ tuesday/          the average of all runs
  pathprof diff --per-entry handle old.pathprof new.pathprof
  pathprof diff old/app new/app --format html -o diff.html
  pathprof diff --spectra passed/ --against failed/  what only failing runs do

The difference in executed instructions is taken apart by functions, by paths, by blocks or lines, \
and by calls. Each list has all of it: what explains most comes first, and the parts add up to the \
whole.

A and B may be different builds. A function is found again by its name and its control-flow graph, \
or under another name by its code. If its graph has changed, its lines are compared. The last list \
says how many functions were found in which way, and how many were not.

With --spectra, each start is one run; `pathprof merge` makes one of several. What only failing \
runs executed has the highest score.

Exit code: 0; 1 if an input could not be used, or nothing matches; 2 for a wrong command line.";

/// Below the help of `merge`.
pub(crate) const MERGE_EXAMPLES: &str = "\
Examples:
  pathprof merge -o all.pathprof profiles/    every process of one image
  pathprof merge -o merged/ profiles/         a profile for each image

A merged profile is read like any other and is shown as one run: the first, with the flags of all. \
It holds sums, and remembers which runs they are of: a run that is given twice, by itself or in \
merged profiles, counts once. A profile that is damaged is named and left out.

What is there is not lost: -o FILE replaces a file only if all runs in it are among the profiles, \
and files in DIR/ get names that are free.";

/// Below the help of `snapshot`.
pub(crate) const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  pathprof snapshot 4711 -o now.pathprof      what the process has counted
  pathprof snapshot build/server -o now/      all processes of a program
  pathprof snapshot 4711 --since now.pathprof -o request.pathprof
  pathprof merge later.pathprof --since now.pathprof -o between.pathprof
  pathprof report now.pathprof

The process executes nothing for it: its counters are read in the file that it has mapped. A path \
is counted once, when it has ended. With --since, the profile holds what was counted since then, \
as a run of its own; of a process that the earlier snapshot does not know, it holds all. A \
process has a profile for each image: -o FILE is for processes with one counted image, -o DIR/ \
for all.

Exit code: 0; 1 if no such process runs, or one could not be read; 2 for a wrong command line.";

/// Below the help of `top`.
pub(crate) const TOP_EXAMPLES: &str = "\
Examples:
  pathprof top                                all processes that count
  pathprof top build/server --functions       those of a program, by functions
  pathprof top 4711 --once                    one second of one process
  pathprof top 4711 --format json             a line of JSON for each interval

Each interval has what was counted in it. The processes execute nothing for it. On a terminal, \
keys choose what is shown: ? lists them. Elsewhere, and with --once, --full or another --format, \
each interval is printed, until no process is left.

Exit code: 0; 1 if there is no such process; 2 for a wrong command line.";

/// Below the help of `runs`.
pub(crate) const RUNS_EXAMPLES: &str = "\
Examples:
  pathprof runs                           the starts of the programs here
  pathprof runs build/app
  pathprof report --run 2 build/app

A start is what one command began: a process, those that it forked or started, and the images that \
they loaded, as far as they are counted. Starts are numbered backwards: 1 is the last. --run N of \
other commands chooses one by its number. A run is the life of one image in one process: what a \
record is of.";

/// Below the help of `compact`.
pub(crate) const COMPACT_EXAMPLES: &str = "\
Examples:
  pathprof compact                        the profiles in this directory
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

pub(crate) const SHOW_EXAMPLES: &str = "\
Examples:
  pathprof show main#1                        the hottest path of main
  pathprof show 'Parser::next#3' build/app    a path in a program elsewhere
  pathprof show --asm main#1                  its machine instructions
  pathprof show --mca main#1                  its cycles, as llvm-mca predicts
  pathprof show --mca                         where the predicted cycles are

Below a line where control could go several ways stands where it went, and how often it went there \
of all the times that it came by.

--asm and --mca take programs that were compiled with -fpath-stage=machine. `counts` marks \
instructions that are not the program's. Predicted cycles are an estimate: llvm-mca repeats a path \
as if it were a loop, and knows no caches and no branches that are predicted wrong.";

pub(crate) const ANNOTATE_EXAMPLES: &str = "\
Examples:
  pathprof annotate main                  a function and its hottest paths
  pathprof annotate parse.c               a whole file

A path has a column beside the source: ● on each line that it goes through, and ◆ where something \
is decided. It ends at ▲, a back edge, or at ▼, where control leaves the function. Below a line \
whose blocks did not run equally often, the count of each block stands at its column. A line counts \
wherever its code was inlined.";
