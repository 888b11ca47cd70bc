//! The structure of a FlatBuffer, verified before any accessor follows an offset.
//!
//! The verifiers that the library has differ between languages in what they refuse. This one follows
//! the rules of `docs/artifact-format.md`, "Structure", in the order of all readers.

use std::ops::Range;

use crate::error::{refused, Refusal, Result};
use crate::generated::tailc::policy;
use crate::generated_layout::FORMS;
use crate::ladder::Rule;
use crate::layout::{Field, LAYOUTS, OFFSET_SIZE};

const SLOT_SIZE: usize = 2;
/// A list of fields begins with its own size and that of its table.
const HEAD_SIZE: usize = 4;
const LONG_SIZE: usize = 8;
const ROW_SIZE: usize = 32;
const LARGEST: i64 = (1 << 53) - 1;
/// Of `Policy`.
const FORMS_ID: usize = 8;
/// Of `FormBox`.
const FORM_TYPE: usize = 0;
const FORM: usize = 1;
const FORM_NAME: usize = 2;
/// Of `Ladder`.
const RULES: usize = 4;
const RULE_NAMES: usize = 5;
const ROWS: usize = 7;
const CLIMBS: usize = 8;
/// In a `Row`.
const FIRST_CLIMB_AT: usize = 16;
const CLIMB_COUNT_AT: usize = 20;

pub(crate) struct Structure<'a> {
    payload: &'a [u8],
    /// Vectors and strings share no bytes, so all of them together fit into the payload.
    left: usize,
}

/// Where a table begins, its size, and where its list of fields lies.
struct Table {
    at: usize,
    size: usize,
    slots: usize,
    slots_size: usize,
}

impl<'a> Structure<'a> {
    pub fn new(payload: &'a [u8]) -> Self {
        Self { payload, left: payload.len() }
    }

    /// The root and its first two fields: another major version may change all the rest.
    pub fn check_version(&mut self) -> Result<()> {
        let root = self.start(self.target(0)?)?;
        LAYOUTS["Policy"][..2]
            .iter()
            .enumerate()
            .try_for_each(|(id, field)| self.check_field(&root, id, field))
    }

    /// Everything; forms come first, so that one that is not known is refused by its name.
    pub fn check_all(&mut self) -> Result<()> {
        let root = self.start(self.target(0)?)?;
        let fields = &LAYOUTS["Policy"];
        self.check_field(&root, FORMS_ID, &fields[FORMS_ID])?;
        for (id, field) in fields.iter().enumerate().filter(|(id, _)| *id != FORMS_ID) {
            self.check_field(&root, id, field)?;
        }
        Ok(())
    }

    /// Everything from a root that is no policy.
    pub fn check_root(&mut self, name: &str) -> Result<()> {
        self.check_table(self.target(0)?, name)
    }

    fn check_table(&mut self, at: usize, name: &str) -> Result<()> {
        let table = self.start(at)?;
        for (id, field) in LAYOUTS[name].iter().enumerate() {
            self.check_field(&table, id, field)?;
        }
        match name {
            "FormBox" => self.check_form(&table),
            "Ladder" => self.check_rules(&table).and_then(|()| self.check_rows(&table)),
            _ => Ok(()),
        }
    }

    fn check_field(&mut self, table: &Table, id: usize, field: &Field) -> Result<()> {
        let Some(at) = self.field_at(table, id, field.size_in_table())? else {
            return require(!field.is_required, "a required field is missing");
        };
        if field.is_vector {
            self.check_vector(self.target(at)?, field)
        } else if field.size > 0 {
            self.check_numbers(at, 1, field.size)
        } else {
            self.check_element(self.target(at)?, field)
        }
    }

    fn check_vector(&mut self, at: usize, field: &Field) -> Result<()> {
        let count = self.count(at, if field.size > 0 { field.size } else { OFFSET_SIZE })?;
        let first = at + OFFSET_SIZE;
        if field.size > 0 {
            return self.check_numbers(first, count, field.size);
        }
        for place in 0..count {
            self.check_element(self.target(first + place * OFFSET_SIZE)?, field)?;
        }
        Ok(())
    }

    /// A form is followed once its box names one that is known.
    fn check_element(&mut self, at: usize, field: &Field) -> Result<()> {
        match field.kind {
            "text" => self.check_text(at),
            "Form" => Ok(()),
            table => self.check_table(at, table),
        }
    }

    /// UTF-8, with a 0 behind it.
    fn check_text(&mut self, at: usize) -> Result<()> {
        let end = at + OFFSET_SIZE + self.count(at, 1)?;
        require(self.payload.get(end) == Some(&0), "a string does not end with a zero byte")?;
        self.text(at).map(|_| ())
    }

    /// Scalars or structs: aligned, with whole numbers of 8 bytes within 2^53 - 1. Such numbers are
    /// the first half of every struct, and have no sign there.
    fn check_numbers(&self, at: usize, count: usize, size: usize) -> Result<()> {
        require(count == 0 || at.is_multiple_of(size.min(LONG_SIZE)), "a number is not aligned")?;
        let is_struct = size > LONG_SIZE;
        let wholes = if is_struct { size / 2 } else { size / LONG_SIZE * LONG_SIZE };
        let least = if is_struct { 0 } else { -LARGEST };
        for element in self.bytes(at, count * size)?.chunks_exact(size) {
            for word in element[..wholes].chunks_exact(LONG_SIZE) {
                let number = i64::from_le_bytes(std::array::from_fn(|byte| word[byte]));
                let is_within = (least..=LARGEST).contains(&number);
                require(is_within, "a number is outside -(2^53 - 1) to 2^53 - 1")?;
            }
        }
        Ok(())
    }

    /// Checks the form in a box whose fields have been verified, and its number and name.
    fn check_form(&mut self, table: &Table) -> Result<()> {
        let type_at = self.field_at(table, FORM_TYPE, 1)?;
        let number = type_at.map_or(0, |at| usize::from(self.payload[at]));
        let name = self.text(self.target_of(table, FORM_NAME)?)?;
        let line = number.checked_sub(1).and_then(|place| FORMS.get(place));
        match line.and_then(|line| line.split_once(' ')) {
            Some((known, form)) if known == name => {
                self.check_table(self.target_of(table, FORM)?, form)
            }
            _ => Err(refused(Refusal::UnknownForm, format!("unknown form `{name}`"))),
        }
    }

    /// Checks that the numbers of rules are known, and that each has the right name.
    fn check_rules(&self, ladder: &Table) -> Result<()> {
        let (at, names_at) = (self.target_of(ladder, RULES)?, self.target_of(ladder, RULE_NAMES)?);
        let count = self.word(at)?;
        require(
            count == self.word(names_at)?,
            "`rules` and `rule_names` must have the same number of entries",
        )?;
        for (place, number) in self.bytes(at + OFFSET_SIZE, count)?.iter().enumerate() {
            let name = self.text(self.target(names_at + OFFSET_SIZE * (place + 1))?)?;
            if Rule::of(policy::Rule(*number)).is_none_or(|rule| rule.name() != name) {
                let why = format!("unknown rule `{name}`");
                return Err(refused(Refusal::UnknownRule, why));
            }
        }
        Ok(())
    }

    /// Rows that follow each other in the climbs, to the last one.
    fn check_rows(&self, ladder: &Table) -> Result<()> {
        let at = self.target_of(ladder, ROWS)?;
        let mut next = 0;
        for place in 0..self.word(at)? {
            let row = at + OFFSET_SIZE + place * ROW_SIZE;
            let follows = self.word(row + FIRST_CLIMB_AT)? == next;
            require(follows, "climbs of successive rows are not consecutive in `climbs`")?;
            next += self.word(row + CLIMB_COUNT_AT)?;
        }
        let climbs = self.word(self.target_of(ladder, CLIMBS)?)?;
        require(next == climbs, "the rows do not have all entries of `climbs`")
    }

    /// The table there, with its list of fields; both are within the payload.
    fn start(&self, at: usize) -> Result<Table> {
        let distance = self.word(at)? as u32 as i32;
        let slots = at as i64 - i64::from(distance);
        let slots =
            usize::try_from(slots).map_err(|_| broken("a table has an invalid list of fields"))?;
        let slots_size = self.half(slots)?;
        let table = Table { at, size: self.half(slots + SLOT_SIZE)?, slots, slots_size };
        let is_list = slots.is_multiple_of(SLOT_SIZE) && slots_size.is_multiple_of(SLOT_SIZE);
        let is_whole = slots_size >= HEAD_SIZE && slots + slots_size <= self.payload.len();
        let is_there = table.size >= OFFSET_SIZE && table.size <= self.payload.len() - at;
        require(is_list && is_whole && is_there, "a table has an invalid list of fields")?;
        Ok(table)
    }

    /// Offset of the field with that id and size in bytes; none: it is absent.
    fn field_at(&self, table: &Table, id: usize, size: usize) -> Result<Option<usize>> {
        let slot = HEAD_SIZE + SLOT_SIZE * id;
        let offset = if slot < table.slots_size { self.half(table.slots + slot)? } else { 0 };
        if offset == 0 {
            return Ok(None);
        }
        let is_within = offset >= OFFSET_SIZE && offset + size <= table.size;
        require(is_within, "a field is outside its table")?;
        Ok(Some(table.at + offset))
    }

    /// Where a required field leads.
    fn target_of(&self, table: &Table, id: usize) -> Result<usize> {
        let at = self.field_at(table, id, OFFSET_SIZE)?;
        self.target(at.ok_or_else(|| broken("a required field is missing"))?)
    }

    /// Target of the offset at that place.
    fn target(&self, at: usize) -> Result<usize> {
        let offset = self.word(at)?;
        let is_aligned = at.is_multiple_of(OFFSET_SIZE) && offset.is_multiple_of(OFFSET_SIZE);
        require(is_aligned && offset > 0, "an offset has no valid target")?;
        self.bytes(at + offset, OFFSET_SIZE)?;
        Ok(at + offset)
    }

    /// How many elements of a size the vector there has; all are in the payload.
    fn count(&mut self, at: usize, size: usize) -> Result<usize> {
        let count = self.word(at)?;
        let spent = count.saturating_mul(size).saturating_add(OFFSET_SIZE);
        self.bytes(at, spent)?;
        let left = self.left.checked_sub(spent);
        self.left = left
            .ok_or_else(|| broken("vectors and strings are together larger than the FlatBuffer"))?;
        Ok(count)
    }

    fn text(&self, at: usize) -> Result<&'a str> {
        let text = self.bytes(at + OFFSET_SIZE, self.word(at)?)?;
        std::str::from_utf8(text).map_err(|_| broken("a string is not UTF-8"))
    }

    fn word(&self, at: usize) -> Result<usize> {
        let bytes = self.bytes(at, OFFSET_SIZE)?;
        Ok(bytes.iter().rev().fold(0, |word, byte| word << 8 | usize::from(*byte)))
    }

    fn half(&self, at: usize) -> Result<usize> {
        let bytes = self.bytes(at, SLOT_SIZE)?;
        Ok(usize::from(bytes[1]) << 8 | usize::from(bytes[0]))
    }

    fn bytes(&self, at: usize, size: usize) -> Result<&'a [u8]> {
        let range = Range { start: at, end: at.saturating_add(size) };
        self.payload
            .get(range)
            .ok_or_else(|| broken("an offset points beyond the end of the FlatBuffer"))
    }
}

fn require(holds: bool, otherwise: &'static str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(broken(otherwise))
    }
}

fn broken(why: &'static str) -> crate::Error {
    refused(Refusal::BadStructure, why)
}
