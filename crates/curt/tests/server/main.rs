//! Attacks the example file server over the loopback interface.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../examples/file_server.rs"]
#[allow(dead_code, reason = "its `main` is not run here")]
mod file_server;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use curt_testkit::Scratch;

fn request_page(scratch: &Scratch, request: &str) -> (u16, String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    client.write_all(format!("GET {request} HTTP/1.0\r\n\r\n").as_bytes()).unwrap();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    let root = file_server::open_root(&scratch.at("www")).unwrap();
    let mut log = Vec::new();
    let (mut stream, _) = listener.accept().unwrap();
    file_server::answer(&root, &mut stream, &mut log).unwrap();
    drop(stream);
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    let (head, content) = answer.split_once("\r\n\r\n").unwrap();
    let code = head.split(' ').nth(1).unwrap().parse().unwrap();
    (code, content.to_owned(), String::from_utf8(log).unwrap())
}

fn site() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with("www/page.html", b"a page");
    scratch.file_with("www/sub/deep/page.html", b"a deep page");
    scratch.file_with("www/.htaccess", b"hidden");
    scratch.file_with("www/.git/config", b"hidden");
    scratch.file_with("secret", b"secret");
    scratch
}

#[test]
fn pages_are_sent() {
    let scratch = site();
    for (request, content) in [
        ("/page.html", "a page"),
        ("/page.html?x=../../secret", "a page"),
        ("/sub/deep/page.html", "a deep page"),
        ("/sub/../page.html", "a page"),
        ("/%70age.html", "a page"),
        ("/./sub//deep/page.html", "a deep page"),
    ] {
        let (code, sent, log) = request_page(&scratch, request);
        assert_eq!((code, &*sent), (200, content), "{request} {log}");
    }
}

#[test]
fn requests_do_not_escape() {
    let scratch = site();
    for (request, reason) in [
        ("/../secret", "leaves the root directory"),
        ("/sub/../../secret", "leaves the root directory"),
        ("/%2e%2e/secret", "leaves the root directory"),
        ("/..%2fsecret", "leaves the root directory"),
        ("//etc/passwd", "path is absolute"),
        ("/%2fetc/passwd", "path is absolute"),
        ("/page.html%00.png", "a NUL character"),
    ] {
        let (code, sent, log) = request_page(&scratch, request);
        assert_eq!((code, &*sent), (403, ""), "{request} {log}");
        assert!(log.contains(reason), "{request} {log}");
    }
    // The server must decode only once.
    assert_eq!(request_page(&scratch, "/%252e%252e/secret").0, 404);
    assert_eq!(request_page(&scratch, "/%zz").0, 400);
    assert_eq!(request_page(&scratch, "/%ff").0, 400);
    assert_eq!(request_page(&scratch, "page.html").0, 400);
    assert_eq!(request_page(&scratch, "/").0, 404);
    assert_eq!(request_page(&scratch, "/sub").0, 404);
    assert_eq!(request_page(&scratch, "/nosuch").0, 404);
}

#[test]
fn hidden_files_are_hidden_under_every_name() {
    let scratch = site();
    let requests = "/.htaccess /./.htaccess /sub/../.htaccess /%2ehtaccess /.htaccess. \
                    /.htaccess%20 /.htaccess::$DATA /.htaccess/ /.HTACCESS /htacce~1 /HTACCE~1 \
                    /.git/config /.git::$INDEX_ALLOCATION/config /git~1/config \
                    /sub/..%5c.htaccess";
    for request in requests.split(' ') {
        let (code, sent, log) = request_page(&scratch, request);
        assert!(code >= 400 && sent.is_empty(), "{request} {log}");
    }
    assert!(request_page(&scratch, "/.htaccess").2.contains("hidden: .htaccess"));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_sent() {
    let scratch = site();
    scratch.tree("www", "out->../secret absolute->/etc/passwd alias->.htaccess");
    scratch.fifo("www/pipe");
    for (request, reason) in [
        ("/out", "leaves the root directory"),
        ("/absolute", "leaves the root directory"),
        ("/alias", "link"),
        ("/pipe", "no file"),
    ] {
        let (code, sent, log) = request_page(&scratch, request);
        assert!(code >= 400 && sent.is_empty(), "{request} {log}");
        assert!(log.contains(reason), "{request} {log}");
    }
}
