//! Writes the model as tables for people.
//!
//! * [`report`] is a report: `heading`, one table, `remarks`. [`options`] selects the table and its
//!   form.
//! * The tables of a report are `hot_paths`, [`hot_blocks`], `functions`, `skipped`, [`opcodes`]
//!   with `instruction_class`, [`calls`] and [`branches`].
//! * [`coverage`] is the table of coverage, [`missing`] the list of code that was not covered.
//! * [`diff`] shows the differences between two reports, [`spectra`] those between failing and
//!   passing runs.
//! * [`starts`] is the table of starts, [`labels`] that of labels, [`notices`] has the messages
//!   while profiles are read.
//! * [`trace_info`] shows the contents of a trace, [`trace_steps`] the steps of its threads,
//!   [`trace_graph`] its tasks, [`trace_races`] accesses without order, [`trace_cache`] accesses
//!   that miss, and [`trace_memory`] the owners of the memory that is touched. `traced_paths`
//!   writes the paths of a trace, and [`durations`] times.
//! * [`path_layout`] fits paths into a width, `path_flow` into cells of a table.
//! * [`path_page`] is one path as its source, [`annotated`] is source with its counts. Both write
//!   [`code`] by lines. [`assembly`] is one path as its instructions.
//! * [`machine_totals`] is the table of executed machine instructions, [`machine_cycles`] shows
//!   what is predicted of them.
//! * [`notation`] writes places and outcomes.
//! * Each of these is a value, a [`table`]. The output of a command is a [`document`] of tables.
//! * [`forms`] writes documents: `text_table`, `table_layout`, `cell_text` and `fitted_names` write
//!   tables as text, `markdown`, `comma_separated` and `json_tables` in other forms.
//!   [`command_line`] breaks command lines so that they can be pasted.
//! * `rows` and [`style`] have the form of names and numbers.
//! * [`printable`] is a report whose names are safe to show.

pub mod annotated;
pub mod assembly;
pub mod branches;
pub mod calls;
pub(crate) mod cell_text;
pub mod code;
pub(crate) mod comma_separated;
pub mod command_line;
pub mod coverage;
pub mod diff;
pub mod document;
pub mod durations;
pub(crate) mod fitted_names;
pub mod forms;
pub(crate) mod functions;
pub(crate) mod heading;
pub mod hot_blocks;
pub(crate) mod hot_paths;
mod instruction_class;
pub(crate) mod json_tables;
pub mod labels;
pub mod machine_cycles;
pub mod machine_totals;
pub(crate) mod markdown;
pub mod missing;
pub mod notation;
pub mod notices;
pub mod opcodes;
pub mod options;
pub(crate) mod path_flow;
pub mod path_layout;
pub mod path_page;
pub mod printable;
pub(crate) mod remarks;
pub mod report;
pub(crate) mod rows;
pub(crate) mod skipped;
pub mod spectra;
pub mod starts;
pub mod style;
pub mod table;
pub(crate) mod table_layout;
pub mod text_table;
pub mod trace_cache;
pub mod trace_graph;
pub mod trace_info;
pub mod trace_memory;
pub mod trace_races;
pub mod trace_steps;
pub(crate) mod traced_paths;
