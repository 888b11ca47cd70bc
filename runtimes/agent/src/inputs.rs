//! Recorded inputs: a table that takes the place of the machine's clock and of its counters.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::fault::{Exit, Fault};

/// A CSV file with a header, whose rows come in groups of one time.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    text: String,
    columns: Vec<String>,
    /// Where each is in the text.
    rows: Vec<Range<usize>>,
}

/// One row, with its place for messages.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    table: &'a Table,
    at: usize,
}

impl Table {
    /// Reads a file; every row has a cell for each column.
    pub fn read(path: &Path) -> Result<Self, Fault> {
        let text = Fault::text_of(path)?;
        let mut end = 0;
        let mut lines = text.split_inclusive('\n').map(|line| {
            end += line.len();
            end - line.len()..end
        });
        let header = lines.next().unwrap_or(0..0);
        let columns = cells(&text[header]).map(str::to_owned).collect();
        let rows = lines.collect();
        let table = Self { path: path.to_owned(), text, columns, rows };
        for (at, row) in table.rows.iter().enumerate() {
            let (count, columns) = (cells(&table.text[row.clone()]).count(), table.columns.len());
            if count != columns {
                let what = format!("{}: {count} cells, but {columns} columns", table.place(at));
                let help = "give each row one cell per column";
                return Err(Fault::new(Exit::BadContent, what, help));
            }
        }
        Ok(table)
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.rows.len()).map(|at| Row { table: self, at })
    }

    /// The number of a column; its absence is an error that lists the columns.
    pub fn column(&self, name: &str) -> Result<usize, Fault> {
        self.optional_column(name).ok_or_else(|| {
            let what = format!("{}:1: no column `{name}`", self.path.display());
            let help = format!("the columns are: {}", self.columns.join(", "));
            Fault::new(Exit::BadContent, what, help)
        })
    }

    /// The number of a column, if the table has it.
    pub fn optional_column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// An error for a table without rows.
    pub fn empty(&self, help: &str) -> Fault {
        let what = format!("`{}` has no rows", self.path.display());
        Fault::new(Exit::BadContent, what, help)
    }

    fn place(&self, at: usize) -> String {
        // The header is line 1.
        format!("{}:{}", self.path.display(), at + 2)
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(str::trim)
}

impl<'a> Row<'a> {
    /// The text of a cell.
    pub fn text(&self, column: usize) -> &'a str {
        let line = &self.table.text[self.table.rows[self.at].clone()];
        // Every row has a cell for each column.
        cells(line).nth(column).unwrap_or("")
    }

    /// A number, 0 or more; an empty cell is an error.
    pub fn number(&self, column: usize) -> Result<f64, Fault> {
        let parsed = self.text(column).parse().ok();
        parsed
            .filter(|number: &f64| number.is_finite() && *number >= 0.0)
            .ok_or_else(|| self.wrong(column, "is no number of 0 or more"))
    }

    /// A whole number, 0 or more.
    pub fn whole(&self, column: usize) -> Result<u64, Fault> {
        self.text(column).parse().map_err(|_| self.wrong(column, "is no whole number of 0 or more"))
    }

    /// A time in nanoseconds; the cell has whole microseconds.
    pub fn time_ns(&self, column: usize) -> Result<u64, Fault> {
        const NS_PER_US: u64 = 1_000;
        let time_ns = self.whole(column)?.checked_mul(NS_PER_US);
        time_ns.ok_or_else(|| self.wrong(column, "is too large for a time"))
    }

    /// An error at this cell.
    pub fn wrong(&self, column: usize, why: &str) -> Fault {
        let name = &self.table.columns[column];
        let what = format!(
            "{}: `{}` in column `{name}` {why}",
            self.table.place(self.at),
            self.text(column)
        );
        Fault::new(Exit::BadContent, what, "see `docs/agent.md` for the columns of `--inputs`")
    }
}
