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
use trace::tasks::graph::Graph;

/// The number of rows in a group.
const ROWS: usize = 1 << 16;

/// The columns of `tasks.parquet`. `task` is the number by which edges refer to a task.
const TASKS: &str = "message tasks {
    required int64 task; required int64 thread; required int64 index;
    required binary type (UTF8);
    required int64 begin; required int64 end;
    required int64 paths; required int64 blocks; required int64 instructions;
    required int64 accesses; required int64 bytes;
}";

/// The columns of `edges.parquet`.
const EDGES: &str = "message edges {
    required int64 from; required int64 to;
    required binary edge (UTF8);
}";

/// The values of a column in a group of rows.
enum Column {
    Numbers(Vec<i64>),
    Names(Vec<&'static str>),
}

/// Writes both files into `directory`, which is created if it does not exist.
///
/// # Errors
/// Files that cannot be written.
pub fn write(graph: &Graph, directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("{}: cannot be made", directory.display()))?;
    let rows = graph.tasks().map(|(id, task)| {
        let actions = task.actions;
        let name = graph.kind(id).name();
        let numbers = [
            id.into(),
            task.thread.into(),
            task.index.into(),
            task.begin,
            task.end,
            actions.paths,
            actions.blocks,
            actions.instructions,
            actions.accesses,
            actions.bytes,
        ];
        (name, numbers)
    });
    write_table(&directory.join("tasks.parquet"), TASKS, 3, rows)?;
    let rows = graph.tasks().flat_map(|(to, _)| {
        graph.edges_to(to).map(move |(link, from)| (link.name(), [from.into(), to.into()]))
    });
    write_table(&directory.join("edges.parquet"), EDGES, 2, rows)
}

/// Writes rows of numbers and one name, which is in column `name_at`.
fn write_table<const N: usize>(
    path: &Path,
    schema: &str,
    name_at: usize,
    mut rows: impl Iterator<Item = (&'static str, [u64; N])>,
) -> Result<()> {
    let cannot = || format!("{}: cannot be written", path.display());
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let compression = Compression::GZIP(GzipLevel::default());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let file = File::create(path).with_context(cannot)?;
    let mut file = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    loop {
        let mut names = Vec::new();
        let mut numbers: [Vec<i64>; N] = std::array::from_fn(|_| Vec::new());
        for (name, values) in rows.by_ref().take(ROWS) {
            names.push(name);
            numbers.iter_mut().zip(values).for_each(|(column, of)| column.push(of as i64));
        }
        if names.is_empty() {
            break;
        }
        let mut columns: Vec<_> = numbers.into_iter().map(Column::Numbers).collect();
        columns.insert(name_at, Column::Names(names));
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

fn write_column(group: &mut SerializedRowGroupWriter<'_, File>, column: &Column) -> Result<()> {
    let mut writer = group.next_column()?.context("a column more than the schema has")?;
    match column {
        Column::Numbers(numbers) => {
            writer.typed::<Int64Type>().write_batch(numbers, None, None)?;
        }
        Column::Names(names) => {
            let names: Vec<_> = names.iter().map(|&name| ByteArray::from(name)).collect();
            writer.typed::<ByteArrayType>().write_batch(&names, None, None)?;
        }
    }
    writer.close()?;
    Ok(())
}
