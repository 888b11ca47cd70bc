//! The fields of each table of a FlatBuffer (`policy.fbs`), written by `schemas/layout.py`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::generated_layout::TABLES;

pub(crate) const OFFSET_SIZE: usize = 4;

/// A field of a table; `size` is in bytes, of a scalar or a struct, 0 of what an offset leads to.
pub(crate) struct Field {
    pub kind: &'static str,
    pub size: usize,
    pub is_vector: bool,
    pub is_required: bool,
}

impl Field {
    fn of(word: &'static str) -> Self {
        let kind = word.trim_matches(['[', ']', '!']);
        let size = kind.parse().unwrap_or(0);
        Self { kind, size, is_vector: word.starts_with('['), is_required: word.ends_with('!') }
    }

    pub fn size_in_table(&self) -> usize {
        if self.size > 0 && !self.is_vector {
            self.size
        } else {
            OFFSET_SIZE
        }
    }
}

/// The fields of each table in the order of their ids.
pub(crate) static LAYOUTS: LazyLock<HashMap<&'static str, Vec<Field>>> = LazyLock::new(|| {
    let lines = TABLES.iter().filter_map(|line| line.split_once(' '));
    lines.map(|(name, words)| (name, words.split(' ').map(Field::of).collect())).collect()
});
