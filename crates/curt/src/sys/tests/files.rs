use std::io::ErrorKind;
use std::path::Path;

use super::shorthand::At;
use super::testbed::Testbed;
use crate::sys::Sys;

pub(super) fn small_files_are_read<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    let long = vec![b'x'; 100_000];
    testbed.file(Path::new("short"), b"a\nb");
    testbed.file(Path::new("long"), &long);
    testbed.file(Path::new("empty"), b"");
    testbed.dir("directory");
    let is_linked = testbed.link("link", "short");
    let is_piped = testbed.fifo("pipe");
    let read_by = |text: &str, follow, most| {
        let read = base.sys.read_file(&base.dir, base.name(text).as_name(), follow, most);
        read.map_err(|error| error.kind())
    };
    let read = |text: &str, most| read_by(text, false, most);
    assert_eq!(read("missing", 9), Err(ErrorKind::NotFound));
    if testbed.differences().has_content {
        assert_eq!(read("short", 3).unwrap(), b"a\nb");
        assert_eq!(read("empty", 0).unwrap(), b"");
        assert_eq!(read("long", 100_000).unwrap(), long);
        assert_eq!(read("long", 99_999), Err(ErrorKind::FileTooLarge));
        assert!(read("directory", 9).is_err());
        assert!(!is_linked || read("link", 9).is_err());
        assert!(!is_linked || read_by("link", true, 3).unwrap() == b"a\nb");
        assert_eq!(read_by("short", true, 2), Err(ErrorKind::FileTooLarge));
        assert!(!is_piped || read("pipe", 9).unwrap_or_default().is_empty());
    }
    for is_opened in [false, true] {
        let here = base.sys.absolute(Path::new("a"), is_opened).unwrap();
        assert!(here.has_root() && here.ends_with("a"), "{here:?}");
        assert_eq!(base.sys.absolute(&here, is_opened).unwrap(), here);
    }
}
