//! Recorded inputs: a table that takes the place of the machine's clock and of its counters.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fault::{Exit, Fault};

/// A CSV file with a header, whose rows come in groups of one time.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
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
        let text = fs::read_to_string(path).map_err(|why| Fault::unreadable(path, &why))?;
        let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect();
        let mut lines = text.lines();
        let columns: Vec<String> = lines.next().map(cells).unwrap_or_default();
        let rows: Vec<Vec<String>> = lines.map(cells).collect();
        let table = Self { path: path.to_owned(), columns, rows };
        for (at, row) in table.rows.iter().enumerate() {
            if row.len() != table.columns.len() {
                let what = format!(
                    "{}: {} cells, but {} columns",
                    table.place(at),
                    row.len(),
                    table.columns.len()
                );
                return Err(Fault::new(
                    Exit::BadContent,
                    what,
                    "give each row one cell per column",
                ));
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

impl Row<'_> {
    /// The text of a cell.
    pub fn text(&self, column: usize) -> &str {
        &self.table.rows[self.at][column]
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
