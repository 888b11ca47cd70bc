//! A number in a text: the only one, or the samples of a metric in the text format of Prometheus.

/// Which samples of an exposition are added up: those of a metric that have these labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    name: String,
    labels: Vec<(String, String)>,
}

impl Selector {
    /// Such as `requests_total` or `requests_total{service="web"}`; none where it is no such text.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, labels, rest) = sample_head(text)?;
        (rest.is_empty() && !name.is_empty()).then(|| Self { name: name.to_owned(), labels })
    }

    fn has(&self, name: &str, labels: &[(String, String)]) -> bool {
        self.name == name && self.labels.iter().all(|wanted| labels.contains(wanted))
    }
}

/// The sum of the samples that are selected, or the one number of the text without a selector.
/// None: there is none, or it is negative or no number.
pub fn number_in(text: &str, selector: Option<&Selector>) -> Option<f64> {
    let Some(selector) = selector else { return valid(text.trim()) };
    let mut sum = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, labels, rest)) = sample_head(line) else { continue };
        if selector.has(name, &labels) {
            let value = valid(rest.split_whitespace().next()?)?;
            sum = Some(sum.unwrap_or(0.0) + value);
        }
    }
    sum
}

fn valid(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

type Head<'a> = (&'a str, Vec<(String, String)>, &'a str);

/// The name and the labels of a sample, and what follows.
fn sample_head(line: &str) -> Option<Head<'_>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let end = line.find(|c| !is_name(c)).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let Some(mut rest) = rest.strip_prefix('{') else { return Some((name, Vec::new(), rest)) };
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((name, labels, rest));
        }
        let (label, after) = rest.split_once("=\"")?;
        let (value, after) = quoted(after)?;
        labels.push((label.trim().to_owned(), value));
        rest = after;
    }
}

/// A label's value up to its closing quote, with `\\`, `\"` and `\n` resolved.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                escaped => value.push(escaped),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPOSITION: &str = "# HELP done_total Requests.\n# TYPE done_total counter\n\
        done_total{service=\"web\",code=\"200\"} 7 1700000000\n\
        done_total{service=\"web\",code=\"500\"} 2\n\
        done_total{service=\"a\\\"b}\"} 40\ndone_total_other 9\nwaiting 3.5\n";

    fn number(selector: &str) -> Option<f64> {
        number_in(EXPOSITION, Some(&Selector::parse(selector).unwrap()))
    }

    #[test]
    fn samples_with_the_labels_are_added_up() {
        assert_eq!(number("done_total{service=\"web\"}"), Some(9.0));
        assert_eq!(number("done_total{code=\"500\", service=\"web\"}"), Some(2.0));
        assert_eq!(number("done_total{service=\"a\\\"b}\"}"), Some(40.0));
        assert_eq!(number("done_total"), Some(49.0));
        assert_eq!(number("waiting"), Some(3.5));
    }

    #[test]
    fn a_metric_that_is_not_there_has_no_number() {
        assert_eq!(number("done"), None);
        assert_eq!(number("done_total{code=\"404\"}"), None);
    }

    #[test]
    fn a_text_without_a_metric_is_one_number() {
        assert_eq!(number_in(" 12.5\n", None), Some(12.5));
        for text in ["", "-1", "NaN", "inf", "1 2", "x"] {
            assert_eq!(number_in(text, None), None, "{text}");
        }
    }

    #[test]
    fn a_selector_has_a_name_and_closed_labels() {
        for text in ["", "{a=\"b\"}", "n{a=\"b\"", "n{a=b}", "n x"] {
            assert_eq!(Selector::parse(text), None, "{text}");
        }
    }
}
