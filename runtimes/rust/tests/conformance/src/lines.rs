//! Vector files: sentences that begin with #, a header, and lines of fields between commas.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::str::FromStr;

pub type AnyResult<T> = Result<T, Box<dyn Error>>;

/// One line by the names in the header.
pub struct Row(BTreeMap<String, String>);

impl Row {
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The field, or empty where the file has no such column.
    pub fn at(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    pub fn number<T: FromStr>(&self, name: &str) -> AnyResult<T> {
        number(self.at(name))
    }

    /// A number, or nothing where the field is empty.
    pub fn optional<T: FromStr>(&self, name: &str) -> AnyResult<Option<T>> {
        Some(self.at(name)).filter(|text| !text.is_empty()).map(number).transpose()
    }

    /// Numbers between blanks.
    pub fn numbers<T: FromStr>(&self, name: &str) -> AnyResult<Vec<T>> {
        self.at(name).split_whitespace().map(number).collect()
    }

    pub fn text(&self) -> String {
        self.0.iter().map(|(name, value)| format!(" {name}={value}")).collect()
    }
}

pub fn number<T: FromStr>(text: &str) -> AnyResult<T> {
    text.parse().map_err(|_| format!("`{text}` is no such number").into())
}

/// What stands before and after a colon.
pub fn pair<T: FromStr>(text: &str) -> AnyResult<(T, T)> {
    let (first, second) = text.split_once(':').ok_or_else(|| format!("`{text}` is no pair"))?;
    Ok((number(first)?, number(second)?))
}

pub fn rows_of(path: &Path) -> AnyResult<Vec<Row>> {
    let text = fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines.map(|line| row_of(&header, line)).collect()
}

fn row_of(header: &[&str], line: &str) -> AnyResult<Row> {
    // What a file is about comes last, and may hold commas.
    let fields: Vec<&str> = line.splitn(header.len(), ',').collect();
    if fields.len() != header.len() {
        return Err(format!("`{line}` has too few fields").into());
    }
    let named =
        header.iter().zip(fields).map(|(name, field)| (name.to_string(), field.to_string()));
    Ok(Row(named.collect()))
}
