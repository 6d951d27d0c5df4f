//! `pathprof html --serve`: the page of what runs now, for the browsers of this machine.
//!
//! The page is made anew whenever it is asked for. A script in it asks every two seconds if
//! something was counted since, and then loads it again: the browser stays at the same place of it.
//!
//! The server listens on the loopback interface alone, and answers only requests that name it so: a
//! page of somebody else, whose name leads to this machine, learns nothing.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use counts::select::Filter;
use pathprof::export::html::{self, Page, Written};
use profile::inputs;
use profile::records::Input;
use tiny_http::{Header, Method, Request, Response, Server};

use crate::command::arguments::{FailureMode, Sources};
use crate::command::messages::complain;
use crate::command::reading::read_inputs;

/// The name of the page in the temporary directory.
const PAGE: &str = "page.html";

/// What loads the page again. The state of the page stands in front of it.
const SCRIPT: &str = "\
addEventListener('load', () => setInterval(async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch('/state');
    if (answer.ok && (await answer.text()) !== known) location.reload();
  } catch {}
}, 2000));
";

/// A page that is served.
pub(crate) struct Served<'a> {
    pub(crate) sources: Sources,
    pub(crate) filter: Filter,
    pub(crate) page: Page<'a>,
    pub(crate) mode: FailureMode,
}

/// What is sent.
struct Answer {
    status: u16,
    kind: &'static str,
    content: Vec<u8>,
}

impl Answer {
    fn text(status: u16, text: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", content: text.into() }
    }
}

impl Served<'_> {
    /// Serves the page on a port of the loopback interface, any free one if it is 0, until the
    /// process is ended. `told` is called with its address.
    ///
    /// # Errors
    /// The port is taken.
    pub(crate) fn serve(&self, port: u16, told: impl FnOnce(&str) -> Result<()>) -> Result<u8> {
        let place = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let server = Server::http(place)
            .map_err(|error| anyhow!("cannot listen on {place}: {error}; choose another port"))?;
        let Some(own) = server.server_addr().to_ip() else { bail!("there is no address") };
        told(&format!("http://{own}/"))?;
        let folder = tempfile::tempdir()?;
        for request in server.incoming_requests() {
            let answer = self.answer(&request, own.port(), folder.path());
            let answer = answer.unwrap_or_else(|problem| {
                complain(&problem);
                Answer::text(500, &format!("{problem:#}\n"))
            });
            // The browser may be gone.
            let _ = request.respond(response(answer));
        }
        Ok(0)
    }

    fn answer(&self, request: &Request, port: u16, folder: &Path) -> Result<Answer> {
        let host = request.headers().iter().find(|header| header.field.equiv("Host"));
        let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        if !host.is_some_and(|host| names.iter().any(|name| host.value == name.as_str())) {
            return Ok(Answer::text(403, "this page is for this machine\n"));
        }
        if !matches!(request.method(), Method::Get | Method::Head) {
            return Ok(Answer::text(405, "this page is only read\n"));
        }
        let path = request.url().split(['?', '#']).next().unwrap_or_default();
        Ok(match path {
            "/" => self.page(folder)?,
            "/state" => Answer::text(200, &state(&self.inputs()?)),
            "/live.js" => {
                let script = fs::read_to_string(folder.join("live.js")).unwrap_or_default();
                Answer { status: 200, kind: "text/javascript", content: script.into() }
            }
            path => match data(path, folder) {
                Some(content) => Answer { status: 200, kind: "text/javascript", content },
                None => Answer::text(404, "there is no such page\n"),
            },
        })
    }

    fn inputs(&self) -> Result<Vec<Input>> {
        Ok(inputs::inputs(&self.sources.profiles, self.sources.choice)?.inputs)
    }

    /// Makes the page.
    fn page(&self, folder: &Path) -> Result<Answer> {
        let inputs = self.inputs()?;
        let state = state(&inputs);
        let (report, _) = read_inputs(&inputs, &self.sources, self.mode);
        let Some(report) = report else { bail!("nothing can be read; the terminal says why") };
        let _ = fs::remove_dir_all(folder.join(PAGE).with_extension(""));
        let written = html::write(report, &self.filter, &self.page, &folder.join(PAGE))?;
        fs::write(folder.join("live.js"), format!("const known = '{state}';\n{SCRIPT}"))?;
        let text = fs::read_to_string(written.start())?;
        if let Written::File(file) = written {
            fs::remove_file(file)?;
        }
        // Only this server's scripts run in it.
        let text = text.replacen("script-src ", "connect-src 'self'; script-src 'self' ", 1);
        let text = text.replacen("</head>", "<script src=\"/live.js\"></script></head>", 1);
        Ok(Answer { status: 200, kind: "text/html; charset=utf-8", content: text.into() })
    }
}

/// Returns a part of a page that is too large for one file.
fn data(path: &str, folder: &Path) -> Option<Vec<u8>> {
    let number: u32 = path.strip_prefix("/data/")?.strip_suffix(".js")?.parse().ok()?;
    let directory: PathBuf = folder.join(PAGE).with_extension("");
    fs::read(directory.join("data").join(format!("{number}.js"))).ok()
}

/// Returns what changes when something is counted.
fn state(inputs: &[Input]) -> String {
    let mut hasher = DefaultHasher::new();
    for record in inputs.iter().flat_map(Input::records) {
        (&record.path, record.file, record.range, record.run.0).hash(&mut hasher);
        let counts = record.range.is_none().then(|| record.read().ok()).flatten();
        for module in counts.iter().flat_map(|content| &content.parts).flat_map(|of| &of.modules) {
            (module.id, &module.counts).hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

fn response(answer: Answer) -> Response<std::io::Cursor<Vec<u8>>> {
    let headers = [
        ("Content-Type", answer.kind),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ];
    let headers = headers.map(|(name, value)| Header::from_bytes(name, value));
    let response = Response::from_data(answer.content).with_status_code(answer.status);
    headers.into_iter().flatten().fold(response, Response::with_header)
}
