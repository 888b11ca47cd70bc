//! JSON of whole numbers: a parser, and the canonical text of RFC 8785.

use std::collections::HashSet;
use std::fmt::Write;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// The largest whole number that every reader of JSON reads exactly.
const LARGEST: i64 = (1 << 53) - 1;

impl Json {
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(0)?;
        match parser.blank() {
            None => Ok(value),
            Some(_) => Err(parser.fault("text after the end of the document")),
        }
    }

    /// Canonical text: members sorted by UTF-16 code units, no white space, least escapes.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Json::Number(number) => write!(text, "{number}").expect("a String takes any text"),
            Json::Text(value) => write_text(value, text),
            Json::List(items) => {
                text.push('[');
                for (place, item) in items.iter().enumerate() {
                    separate(place, text);
                    item.write(text);
                }
                text.push(']');
            }
            Json::Object(members) => {
                let mut sorted: Vec<_> = members.iter().collect();
                sorted.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
                text.push('{');
                for (place, (name, value)) in sorted.into_iter().enumerate() {
                    separate(place, text);
                    write_text(name, text);
                    text.push(':');
                    value.write(text);
                }
                text.push('}');
            }
        }
    }

    pub fn member(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The names of the members; none if this is no object.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let members = match self {
            Json::Object(members) => members.as_slice(),
            _ => &[],
        };
        members.iter().map(|(name, _)| name.as_str())
    }

    pub fn number(&self, name: &str) -> Result<i128, String> {
        match self.member(name) {
            Some(Json::Number(number)) => Ok(i128::from(*number)),
            _ => Err(format!("`{name}` is not a whole number in the policy")),
        }
    }

    pub fn number_or_none(&self, name: &str) -> Result<Option<i128>, String> {
        self.member(name).map(|_| self.number(name)).transpose()
    }

    pub fn text(&self, name: &str) -> Result<&str, String> {
        match self.member(name) {
            Some(Json::Text(text)) => Ok(text),
            _ => Err(format!("`{name}` is not a text in the policy")),
        }
    }

    pub fn list(&self, name: &str) -> Result<&[Json], String> {
        match self.member(name) {
            Some(Json::List(items)) => Ok(items),
            _ => Err(format!("`{name}` is not a list in the policy")),
        }
    }

    pub fn numbers(&self, name: &str) -> Result<Vec<i128>, String> {
        let of = |item: &Json| match item {
            Json::Number(number) => Ok(i128::from(*number)),
            _ => Err(format!("`{name}` has an element that is not a whole number")),
        };
        self.list(name)?.iter().map(of).collect()
    }

    /// The second of the pair whose first is `name`, in a list of pairs; fails if there are several.
    pub fn paired(pairs: &[Json], name: &str) -> Result<Option<Json>, String> {
        let mut seconds = pairs.iter().filter_map(|pair| match pair {
            Json::List(two) if two.len() == 2 && two[0] == Json::Text(name.into()) => {
                Some(two[1].clone())
            }
            _ => None,
        });
        match (seconds.next(), seconds.next()) {
            (_, Some(_)) => Err(format!("the evidence states `{name}` more than once")),
            (second, None) => Ok(second),
        }
    }
}

fn separate(place: usize, text: &mut String) {
    if place > 0 {
        text.push(',');
    }
}

fn write_text(value: &str, text: &mut String) {
    text.push('"');
    for letter in value.chars() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            control if control < ' ' => {
                write!(text, "\\u{:04x}", control as u32).expect("a String takes any text");
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

const DEEPEST: usize = 64;

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn fault(&self, what: &str) -> String {
        format!("not JSON of a policy at byte {}: {what}", self.at)
    }

    /// The next character that is not white space.
    fn blank(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err(self.fault("nested too deeply"));
        }
        match self.blank() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.items(depth),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.whole_number(),
            _ => Err(self.fault("expected an object, a list, a text or a whole number")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut known = HashSet::new();
        self.at += 1;
        if self.blank() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(members));
        }
        loop {
            if self.blank() != Some(b'"') {
                return Err(self.fault("expected the name of a member"));
            }
            let name = self.string()?;
            if !known.insert(name.clone()) {
                return Err(self.fault("a member appears twice"));
            }
            if self.blank() != Some(b':') {
                return Err(self.fault("expected `:`"));
            }
            self.at += 1;
            members.push((name, self.value(depth + 1)?));
            if self.ends(b'}')? {
                return Ok(Json::Object(members));
            }
        }
    }

    fn items(&mut self, depth: usize) -> Result<Json, String> {
        let mut items = Vec::new();
        self.at += 1;
        if self.blank() == Some(b']') {
            self.at += 1;
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                return Ok(Json::List(items));
            }
        }
    }

    /// Whether the list or object ends here; otherwise a comma follows.
    fn ends(&mut self, with: u8) -> Result<bool, String> {
        let next = self.blank();
        if next != Some(with) && next != Some(b',') {
            return Err(self.fault("expected a comma or the end of a list or object"));
        }
        self.at += 1;
        Ok(next == Some(with))
    }

    fn whole_number(&mut self) -> Result<Json, String> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !"+-.eE0123456789".contains(c)).unwrap_or(rest.len());
        match rest[..length].parse::<i64>() {
            Ok(number) if number.abs() <= LARGEST => {
                self.at += length;
                Ok(Json::Number(number))
            }
            _ => Err(self.fault("a number that is not whole or too large")),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(letter) = rest.chars().next() else {
                return Err(self.fault("a text without an end"));
            };
            self.at += letter.len_utf8();
            match letter {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                control if control < ' ' => return Err(self.fault("a control character")),
                other => text.push(other),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let letter = self.text.as_bytes().get(self.at).copied();
        self.at += 1;
        match letter {
            Some(b'"') => Ok('"'),
            Some(b'\\') => Ok('\\'),
            Some(b'/') => Ok('/'),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => self.code_point(),
            _ => {
                self.at -= 1;
                Err(self.fault("an unknown escape"))
            }
        }
    }

    fn code_point(&mut self) -> Result<char, String> {
        let mut units = vec![self.code_unit()?];
        if (0xd800..0xdc00).contains(&units[0]) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            units.push(self.code_unit()?);
        }
        let mut decoded = char::decode_utf16(units);
        match (decoded.next(), decoded.next()) {
            (Some(Ok(letter)), None) => Ok(letter),
            _ => Err(self.fault("half of a surrogate pair")),
        }
    }

    fn code_unit(&mut self) -> Result<u16, String> {
        let digits = self.text.get(self.at..self.at + 4);
        match digits.map(|four| u16::from_str_radix(four, 16)) {
            Some(Ok(unit)) => {
                self.at += 4;
                Ok(unit)
            }
            _ => Err(self.fault("expected four hexadecimal digits")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn members_are_sorted_by_utf_16_code_units() {
        let text = "{\"\u{ffee}\": 1, \"\u{1f600}\" : [ -2, \"a\\n\\u0001\\/\" ], \"b\":{}}";
        let canonical = Json::parse(text).unwrap().canonical();
        assert_eq!(canonical, "{\"b\":{},\"\u{1f600}\":[-2,\"a\\n\\u0001/\"],\"\u{ffee}\":1}");
    }

    #[test]
    fn what_is_not_a_document_of_whole_numbers_is_refused() {
        for text in ["", "{", "[1,]", "1.5", "1e3", "{\"a\":1,\"a\":2}", "\"\\ud800\"", "[1] 2"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        assert!(Json::parse("9007199254740991").is_ok());
        assert!(Json::parse("9007199254740992").is_err());
        assert!(Json::parse(&"[".repeat(1000)).is_err());
    }
}
