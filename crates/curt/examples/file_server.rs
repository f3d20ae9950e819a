//! A small file server. However a request spells a path, the server sends no file outside its
//! folder, and no file whose name or folder begins with a dot.
//!
//! `cargo run -p curt --example file_server -- FOLDER`, then
//! `curl http://127.0.0.1:8000/page.html`, or
//! `curl --path-as-is http://127.0.0.1:8000/../secret`, which logs the refusal.
//!
//! The server decodes a request once, opens the file beneath the root, and queries the name of the
//! *opened file*. Comparing the request with forbidden names would miss symlinks, short names,
//! letter case, and concurrent changes.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use curt::beneath::OpenOptions;
use curt::paths::Aliases;
use curt::{Error, Root};

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.ok_or_else(|| io::Error::other("usage: file_server FOLDER"))?;
    let root = open_root(folder.as_ref())?;
    let listener = TcpListener::bind("127.0.0.1:8000")?;
    std::thread::scope(|scope| {
        for mut stream in listener.incoming().flatten() {
            let root = &root;
            scope.spawn(move || answer(root, &mut stream, &mut io::stderr()));
        }
    });
    Ok(())
}

/// Refuses symlinks and ambiguous spellings.
pub(crate) fn open_root(folder: &Path) -> Result<Root, Error> {
    Ok(Root::open(folder)?.aliases(Aliases::Strict))
}

pub(crate) fn answer(root: &Root, stream: &mut TcpStream, log: &mut dyn Write) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let mut request = String::new();
    let line = BufReader::new(&*stream).take(8 * 1024).read_line(&mut request);
    let (code, content, note) = match line.and_then(|_| page(root, &request)) {
        Ok(content) => (200, content, String::new()),
        Err(error) => {
            let code = match error.kind() {
                ErrorKind::InvalidData => 400,
                ErrorKind::PermissionDenied => 403,
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => 404,
                _ => 500,
            };
            (code, Vec::new(), error.to_string())
        }
    };
    // Escape the request, so that clients cannot control the terminal.
    writeln!(log, "{code} {:?} {note}", request.trim_end())?;
    write!(stream, "HTTP/1.0 {code} -\r\nContent-Length: {}\r\n\r\n", content.len())?;
    stream.write_all(&content)
}

fn page(root: &Root, request: &str) -> io::Result<Vec<u8>> {
    let target = request.strip_prefix("GET /").and_then(|rest| rest.split([' ', '?', '#']).next());
    let path = target.and_then(decoded).ok_or(ErrorKind::InvalidData)?;
    // Set `nonblocking`, because opening a FIFO would otherwise wait for a writer.
    let mut file = root.open_file(path, OpenOptions::new().read(true).nonblocking(true))?;
    let name = root.name_of(&file)?;
    if name.iter().any(|part| part.as_encoded_bytes().starts_with(b".")) {
        return Err(io::Error::new(ErrorKind::NotFound, format!("hidden: {}", name.display())));
    }
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::NotFound, "no file"));
    }
    let mut content = Vec::new();
    file.read_to_end(&mut content)?;
    Ok(content)
}

fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let digit = |at: usize| char::from(*part.as_bytes().get(at)?).to_digit(16);
        bytes.push(u8::try_from(digit(0)? * 16 + digit(1)?).ok()?);
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}
