//! A small file server: it sends nothing from outside its folder, and no file whose name or folder
//! begins with a dot, under whatever name a request asks for it.
//!
//! `cargo run --example file_server -- FOLDER [ADDRESS]`, then `curl
//! http://127.0.0.1:8000/page.html`. For what curl would tidy up itself, `curl --path-as-is
//! http://127.0.0.1:8000/../secret`: the log says `403 "GET /../secret HTTP/1.1" the path leaves
//! the root directory`. Folders and links are not sent.
//!
//! It takes three steps: decode the request once; open it beneath the root; ask the *opened file*
//! for its name before anything is sent. To compare the request with a list of forbidden names
//! instead would miss links, short names, other cases of letters, and changes in between.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use curt::beneath::OpenOptions;
use curt::paths::Aliases;
use curt::{Cause, Error, Root};

/// The longest line of a request that is read.
const LONGEST: u64 = 8 * 1024;

/// How long a client may be silent.
const TIMEOUT: Duration = Duration::from_secs(5);

fn main() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let Some(folder) = arguments.next() else {
        return Err(io::Error::other("say which folder: file_server FOLDER [ADDRESS]"));
    };
    let address = arguments.next().and_then(|address| address.into_string().ok());
    let listener = TcpListener::bind(address.as_deref().unwrap_or("127.0.0.1:8000"))?;
    let root = open_root(Path::new(&folder))?;
    let (shown, address) = (Path::new(&folder).display(), listener.local_addr()?);
    writeln!(io::stderr(), "serving {shown} on http://{address}")?;
    // A thread for each connection: they share the root by reference.
    std::thread::scope(|scope| {
        for mut stream in listener.incoming().flatten() {
            let root = &root;
            scope.spawn(move || {
                stream.set_read_timeout(Some(TIMEOUT))?;
                stream.set_write_timeout(Some(TIMEOUT))?;
                answer(root, &mut stream, &mut io::stderr())
            });
        }
    });
    Ok(())
}

/// The folder, kept open. Links and spellings with a second meaning are refused.
pub(crate) fn open_root(folder: &Path) -> Result<Root, Error> {
    Ok(Root::open(folder)?.aliases(Aliases::Strict))
}

/// The answer to a request: the code, the content, and a note for the log.
struct Answer {
    code: u16,
    content: Vec<u8>,
    note: String,
}

impl Answer {
    fn refused(code: u16, note: impl Into<String>) -> Answer {
        Answer { code, content: Vec::new(), note: note.into() }
    }
}

/// Reads one request, answers it, and logs the answer. A client that disconnects early does not end
/// the server.
pub(crate) fn answer(root: &Root, stream: &mut TcpStream, log: &mut dyn Write) -> io::Result<()> {
    let mut request = String::new();
    let read = BufReader::new(&*stream).take(LONGEST).read_line(&mut request);
    let answer = match (read, wanted(&request)) {
        (Ok(_), Some(path)) => find(root, &path),
        _ => Answer::refused(400, "not the GET of a path"),
    };
    let Answer { code, content, note } = answer;
    let head = format!("HTTP/1.0 {code} -\r\nContent-Length: {}\r\n\r\n", content.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&content));
    // What a client sends reaches no terminal as it is.
    writeln!(log, "{code} {:?} {note}", request.trim_end())
}

/// The path that a request asks for, decoded exactly once.
fn wanted(request: &str) -> Option<Vec<u8>> {
    let mut words = request.split_whitespace();
    let (method, target) = (words.next()?, words.next()?);
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    if method == "GET" { decoded(path.as_bytes()) } else { None }
}

/// Percent signs and the two digits behind them are bytes.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first == b'%' {
            let (digits, behind) = rest.split_first_chunk::<2>()?;
            bytes.push((digit(digits[0])? * 16 + digit(digits[1])?) as u8);
            rest = behind;
        } else {
            bytes.push(first);
        }
    }
    Some(bytes)
}

/// Finds what is asked for, beneath the root.
fn find(root: &Root, path: &[u8]) -> Answer {
    // Requests are UTF-8; a name that is none cannot be asked for here.
    let Ok(path) = std::str::from_utf8(path) else {
        return Answer::refused(400, "the path is not UTF-8");
    };
    match read(root, path) {
        Ok(answer) => answer,
        Err(error) => match error.cause() {
            Cause::Refused(refusal) => Answer::refused(403, refusal.to_string()),
            cause => Answer::refused(404, cause.to_string()),
        },
    }
}

fn read(root: &Root, path: &str) -> Result<Answer, Error> {
    // A pipe in the folder must not make the server wait for a writer.
    let options = OpenOptions::new().read(true).nonblocking(true);
    let mut file = root.open_file(path, &options)?;
    let name = root.name_of(&file)?;
    let is_hidden = name.iter().any(|part| part.as_encoded_bytes().first() == Some(&b'.'));
    if is_hidden {
        return Ok(Answer::refused(404, format!("hidden: {}", name.display())));
    }
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Ok(Answer::refused(404, "no file"));
    }
    let mut content = Vec::new();
    Ok(match file.read_to_end(&mut content) {
        Ok(_) => Answer { code: 200, content, note: name.display().to_string() },
        Err(error) => Answer::refused(500, error.to_string()),
    })
}
