//! The page of what runs now: it is made anew each time, says when something was counted, and
//! answers only browsers of this machine.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use pathtests::shell::shell;
use pathtests::tree::bin;

const PROGRAM: &str = "#include <stdio.h>\n\
                       __attribute__((noinline)) int step(int x) { return x + 1; }\n\
                       int main(void) {\n\
                         int sum = 0;\n\
                         while (getchar() == 's') { sum = step(sum); puts(\"done\"); fflush(stdout); }\n\
                         return sum == 0;\n\
                       }\n";

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn line(from: &mut Child) -> String {
    let mut line = String::new();
    let mut out = BufReader::new(from.stdout.as_mut().expect("a pipe"));
    out.read_line(&mut line).expect("it says something");
    line.trim_end().to_owned()
}

/// What the server answers: the status, and the content.
fn answer(address: &str, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut text = Vec::new();
    stream.read_to_end(&mut text).expect("it answers");
    let text = String::from_utf8_lossy(&text).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let content = text.split_once("\r\n\r\n").map(|(_, content)| content).unwrap_or_default();
    (status, content.to_owned())
}

fn get(address: &str, path: &str) -> (u16, String) {
    answer(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

fn serve(folder: &Path) -> (Running, String) {
    let mut command = Command::new(bin("pathprof"));
    command.args(["html", "--serve", "prog"]).current_dir(folder).stdout(Stdio::piped());
    let mut server = Running(command.spawn().expect("it starts"));
    let url = line(&mut server.0);
    let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
    (server, address.expect("an address").to_owned())
}

#[test]
fn the_page_of_what_runs_now() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("prog.c"), PROGRAM).expect("writable");
    shell(folder, "pathcc -g -O0 -fpath-stage=early prog.c -o prog");
    let mut command = Command::new(folder.join("prog"));
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut program = Running(command.spawn().expect("it starts"));
    let mut step = || {
        program.0.stdin.as_mut().expect("a pipe").write_all(b"s").expect("it reads");
        assert_eq!(line(&mut program.0), "done");
    };
    step();
    let (_server, address) = serve(folder);
    let (status, page) = get(&address, "/");
    assert_eq!(status, 200);
    assert!(page.contains("id=\"index\"") && page.contains("src=\"/live.js\""), "the viewer");
    let (_, first) = get(&address, "/state");
    let (_, script) = get(&address, "/live.js");
    assert!(script.contains(&format!("known = '{first}'")), "{script}");
    assert_eq!(get(&address, "/state").1, first, "nothing was counted");
    step();
    assert_ne!(get(&address, "/state").1, first);
    assert_ne!(get(&address, "/").1, page);
    // It goes on when the program ends.
    drop(program);
    assert_eq!(get(&address, "/").0, 200);
    // What is not for others.
    let foreign = "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n";
    assert_eq!(answer(&address, foreign).0, 403);
    let none = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
    assert!(matches!(answer(&address, none).0, 400 | 403));
    let write = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(answer(&address, &write).0, 405);
    for path in ["/etc/passwd", "/../prog.c", "/data/../prog.c.js", "/data/0.js", "//"] {
        assert_eq!(get(&address, path).0, 404, "{path}");
    }
    let port = address.rsplit_once(':').map(|(_, port)| port).expect("a port");
    let taken = shell(folder, &format!("pathprof html --serve={port} prog 2>&1 || true"));
    assert!(taken.contains("choose another port"), "{taken}");
}
