//! Metrics as OpenMetrics text, in a file or by HTTP.

use std::fmt::{Display, Write as _};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::fault::{warn, Exit, Fault};

/// A text under construction.
#[derive(Debug, Default)]
pub struct Exposition(String);

impl Exposition {
    /// A metric that only grows; its name has no `_total`.
    pub fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, "counter", help);
        self.sample(&format!("{name}_total"), "", value);
    }

    /// A metric with one value.
    pub fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "gauge", help);
        self.sample(name, "", value);
    }

    /// A metric with one value for each value of a label.
    pub fn gauges<V: Display>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (String, V)>,
    ) {
        self.head(name, "gauge", help);
        for (of, value) in values {
            self.sample(name, &format!("{{{label}=\"{}\"}}", escaped(&of)), value);
        }
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text never fails.
        let _ = writeln!(self.0, "# TYPE {name} {kind}\n# HELP {name} {help}");
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    /// The whole text.
    pub fn end(mut self) -> String {
        self.0.push_str("# EOF\n");
        self.0
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Where the text goes.
#[derive(Debug)]
pub struct Publisher {
    file: Option<PathBuf>,
    served: Option<Arc<Mutex<String>>>,
}

impl Publisher {
    /// To a file, and by HTTP at an address.
    pub fn new(file: Option<&Path>, address: Option<&str>) -> Result<Self, Fault> {
        let served = address.map(served_at).transpose()?;
        Ok(Self { file: file.map(Path::to_owned), served })
    }

    /// Whether there is neither.
    pub fn is_idle(&self) -> bool {
        self.file.is_none() && self.served.is_none()
    }

    /// Replaces the text. A file that cannot be written is a warning: limits matter more.
    pub fn publish(&self, text: String) {
        if let Some(path) = &self.file {
            let next = path.with_extension("next");
            if let Err(why) = fs::write(&next, &text).and_then(|()| fs::rename(&next, path)) {
                warn(Fault::unwritable(path, &why));
            }
        }
        if let Some(served) = &self.served {
            *served.lock().unwrap_or_else(PoisonError::into_inner) = text;
        }
    }
}

fn served_at(address: &str) -> Result<Arc<Mutex<String>>, Fault> {
    let listener = TcpListener::bind(address).map_err(|why| {
        let what = format!("metrics cannot be served at `{address}`: {why}");
        Fault::new(Exit::CannotWrite, what, "give a free address such as `127.0.0.1:9465`")
    })?;
    let text = Arc::new(Mutex::new(String::from("# EOF\n")));
    let served = Arc::clone(&text);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let body = served.lock().unwrap_or_else(PoisonError::into_inner).clone();
            // A client that closes the connection is no error of the agent.
            let _ = answer(stream, &body);
        }
    });
    Ok(text)
}

fn answer(mut stream: std::net::TcpStream, body: &str) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    let mut request = [0; 1024];
    let _ = stream.read(&mut request)?;
    let length = body.len();
    write!(
        stream,
        "HTTP/1.0 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0; \
         charset=utf-8\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
