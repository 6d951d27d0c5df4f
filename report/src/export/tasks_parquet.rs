//! Writes a task graph as two tables in Parquet files: `tasks.parquet` and `edges.parquet`.
//!
//! Rows are written in groups, so that memory is bounded for any number of rows.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use parquet::basic::{Compression, GzipLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::task_graph::{EndNames, TaskGraphReport};

/// The number of rows in a group.
const ROWS: usize = 1 << 16;

/// The columns of `tasks.parquet`. `task` is the number by which edges refer to a task, `name` says
/// what ended it.
const TASKS: &str = "message tasks {
    required int64 task; required int64 thread; required int64 index;
    required binary type (UTF8);
    required int64 begin; required int64 end;
    required int64 paths; required int64 blocks; required int64 instructions;
    required int64 accesses; required int64 bytes;
    required binary name (UTF8);
}";

/// The columns of `edges.parquet`.
const EDGES: &str = "message edges {
    required int64 from; required int64 to;
    required binary edge (UTF8);
}";

/// The values of a column in a group of rows.
enum Column {
    Numbers(Vec<i64>),
    Names(Vec<ByteArray>),
}

/// A value of a row.
enum Cell<'a> {
    Number(u64),
    Name(&'a str),
}

/// Writes both files into `directory`, which is created if it does not exist.
///
/// # Errors
/// Files that cannot be written.
pub fn write(report: &TaskGraphReport<'_>, directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("{}: cannot be made", directory.display()))?;
    let graph = &report.analysis.tasks.graph;
    let names = EndNames::of(report);
    let rows = graph.tasks().map(|(id, task)| {
        let actions = task.actions;
        [
            Cell::Number(id.into()),
            Cell::Number(task.thread.into()),
            Cell::Number(task.index.into()),
            Cell::Name(graph.kind(id).name()),
            Cell::Number(task.begin),
            Cell::Number(task.end),
            Cell::Number(actions.paths),
            Cell::Number(actions.blocks),
            Cell::Number(actions.instructions),
            Cell::Number(actions.accesses),
            Cell::Number(actions.bytes),
            Cell::Name(names.name(graph, id)),
        ]
    });
    write_table(&directory.join("tasks.parquet"), TASKS, rows)?;
    let rows = graph.tasks().flat_map(|(to, _)| {
        graph.edges_to(to).map(move |(link, from)| {
            [Cell::Number(from.into()), Cell::Number(to.into()), Cell::Name(link.name())]
        })
    });
    write_table(&directory.join("edges.parquet"), EDGES, rows)
}

/// Writes rows of the columns of a schema.
#[expect(single_use_lifetimes, reason = "`impl Trait` cannot do without")]
fn write_table<'a, const N: usize>(
    path: &Path,
    schema: &str,
    mut rows: impl Iterator<Item = [Cell<'a>; N]>,
) -> Result<()> {
    let cannot = || format!("{}: cannot be written", path.display());
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let compression = Compression::GZIP(GzipLevel::default());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let file = File::create(path).with_context(cannot)?;
    let mut file = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    while let Some(first) = rows.next() {
        let mut columns = first.map(Column::of);
        for row in rows.by_ref().take(ROWS - 1) {
            columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
        }
        let mut group = file.next_row_group().with_context(cannot)?;
        columns
            .iter()
            .try_for_each(|column| write_column(&mut group, column))
            .with_context(cannot)?;
        group.close().with_context(cannot)?;
    }
    file.close().with_context(cannot)?;
    Ok(())
}

impl Column {
    /// Returns a column with its first value.
    fn of(first: Cell<'_>) -> Self {
        let mut column = match first {
            Cell::Number(_) => Self::Numbers(Vec::new()),
            Cell::Name(_) => Self::Names(Vec::new()),
        };
        column.push(first);
        column
    }

    /// Adds a value. All values of a column are of one kind.
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Numbers(column), Cell::Number(number)) => column.push(number as i64),
            (Self::Names(column), Cell::Name(name)) => column.push(ByteArray::from(name)),
            _ => unreachable!("rows have one schema"),
        }
    }
}

fn write_column(group: &mut SerializedRowGroupWriter<'_, File>, column: &Column) -> Result<()> {
    let mut writer = group.next_column()?.context("a column more than the schema has")?;
    match column {
        Column::Numbers(numbers) => {
            writer.typed::<Int64Type>().write_batch(numbers, None, None)?;
        }
        Column::Names(names) => {
            writer.typed::<ByteArrayType>().write_batch(names, None, None)?;
        }
    }
    writer.close()?;
    Ok(())
}
