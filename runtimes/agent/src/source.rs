//! Where a number of the server is read: a file, shared words, a Unix socket, or an HTTP endpoint.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::counter::{number_in, Selector};
use crate::fault::{Exit, Fault};
use crate::os::connect_unix;

/// A place and, if it has many numbers, which of them.
#[derive(Clone, Debug)]
pub struct Source {
    /// As on the command line.
    text: String,
    place: Place,
    selector: Option<Selector>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    File(PathBuf),
    /// Whole numbers of 8 bytes, which are added up.
    Words(PathBuf),
    Unix(PathBuf),
    Http {
        host: String,
        path: String,
    },
}

/// A server that takes longer is not read at this tick.
const PATIENCE: Duration = Duration::from_millis(50);
/// No exposition is larger.
const MOST_BYTES: u64 = 16 << 20;

impl Source {
    /// `PATH`, `unix:PATH` or `http://HOST:PORT/PATH`, each with `#METRIC{LABEL="VALUE"}` behind it
    /// if the text there is an exposition; or `words:PATH`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let wrong = |why: &str| {
            let help = "write `PATH`, `words:PATH`, `unix:PATH` or `http://HOST:PORT/PATH`, and behind it \
                        `#METRIC` or `#METRIC{LABEL=\"VALUE\"}` for one of several metrics";
            Fault::new(Exit::Usage, format!("`{text}` is no source of a number: {why}"), help)
        };
        let (place, metric) = match text.split_once('#') {
            Some((place, metric)) => (place, Some(metric)),
            None => (text, None),
        };
        let selector = match metric {
            Some(metric) => Some(
                Selector::parse(metric)
                    .ok_or_else(|| wrong("behind `#` is no metric of Prometheus"))?,
            ),
            None => None,
        };
        let place = if let Some(rest) = place.strip_prefix("http://") {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !host.contains(':') {
                return Err(wrong("the port is missing"));
            }
            let path = if path.is_empty() { "/metrics" } else { path };
            Place::Http { host: host.to_owned(), path: path.to_owned() }
        } else if place.starts_with("https://") {
            return Err(wrong("HTTPS is not supported; read an endpoint of this machine"));
        } else if let Some(path) = place.strip_prefix("unix:") {
            Place::Unix(path.into())
        } else if let Some(path) = place.strip_prefix("words:") {
            Place::Words(path.into())
        } else if place.is_empty() {
            return Err(wrong("it names no file"));
        } else {
            Place::File(place.into())
        };
        Ok(Self { text: text.to_owned(), place, selector })
    }
}

/// Texts of one tick: a place that several sources share is read once.
#[derive(Debug, Default)]
pub struct Texts {
    read: Vec<(Place, Result<String, String>)>,
}

impl Texts {
    /// The number of a source now, or why there is none.
    pub fn number(&mut self, source: &Source) -> Result<f64, String> {
        let known = self.read.iter().position(|(place, _)| *place == source.place);
        let at = known.unwrap_or_else(|| {
            let text = text_at(&source.place).map_err(|why| why.to_string());
            self.read.push((source.place.clone(), text));
            self.read.len() - 1
        });
        let unread = |why| format!("`{}` cannot be read: {why}", source.text);
        let text = self.read[at].1.as_ref().map_err(unread)?;
        number_in(text, source.selector.as_ref())
            .ok_or_else(|| format!("`{}` has no number of 0 or more", source.text))
    }
}

fn text_at(place: &Place) -> io::Result<String> {
    match place {
        Place::File(path) => text_of(content_of(path)?),
        Place::Words(path) => Ok(sum_of_words(&content_of(path)?).to_string()),
        Place::Unix(path) => {
            let end = Instant::now() + PATIENCE;
            let stream = connect_unix(path)?;
            text_of(received(&stream, end, |left| stream.set_read_timeout(Some(left)))?)
        }
        Place::Http { host, path } => http_text(host, path),
    }
}

/// As the threads of a server write them: each has a word of its own, in the machine's byte order.
fn sum_of_words(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks();
    words.iter().fold(0, |sum: u64, word| sum.wrapping_add(u64::from_ne_bytes(*word)))
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| invalid("it is no text in UTF-8"))
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// A pipe in the place of a file does not stop the agent.
fn content_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    checked_size(bytes)
}

/// A part of an exposition has a part of a sum.
fn checked_size(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(invalid("it is larger than 16 MiB"));
    }
    Ok(bytes)
}

/// All that a stream sends before it closes, which must be before `end`.
fn received(
    mut stream: impl Read,
    end: Instant,
    limit_read: impl Fn(Duration) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    let (mut bytes, mut part) = (Vec::new(), [0; 1 << 14]);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        limit_read(left)?;
        match stream.read(&mut part)? {
            0 => return Ok(bytes),
            count => bytes.extend_from_slice(&part[..count]),
        }
        bytes = checked_size(bytes)?;
    }
}

/// With HTTP/1.0, so that the body has no chunks and ends with the connection.
fn http_text(host: &str, path: &str) -> io::Result<String> {
    let end = Instant::now() + PATIENCE;
    let address = host.to_socket_addrs()?.next().ok_or_else(|| invalid("no address"))?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\nAccept: text/plain\r\n\r\n")?;
    let text = text_of(received(&stream, end, |left| stream.set_read_timeout(Some(left)))?)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(|| invalid("no HTTP"))?;
    match head.split_whitespace().nth(1) {
        Some("200") => Ok(body.to_owned()),
        _ => Err(invalid("not found")),
    }
}
