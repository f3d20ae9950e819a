//! Questions about what files hold, and where relative paths begin.

use std::io::ErrorKind;
use std::path::Path;

use super::asked::{base, name, units};
use super::ground::Ground;
use crate::sys::Sys;

pub(super) fn small_files_are_read<G: Ground>(ground: &G) {
    let long = vec![b'x'; 100_000];
    ground.file(Path::new("short"), b"a\nb");
    ground.file(Path::new("long"), &long);
    ground.file(Path::new("empty"), b"");
    ground.dir("directory");
    let is_linked = ground.link("link", "short");
    let is_piped = ground.fifo("pipe");
    let sys = ground.start();
    let at = base(ground, &sys);
    let read_by =
        |text: &str, follow, most| sys.read_file(&at.dir, name(&units::<G::S>(text)), follow, most);
    let read = |text: &str, most| read_by(text, false, most);
    assert_eq!(read("missing", 9).unwrap_err().kind(), ErrorKind::NotFound);
    // Files have no content in memory.
    if !std::any::type_name::<G::S>().contains("Memory") {
        assert_eq!(read("short", 3).unwrap(), b"a\nb");
        assert_eq!(read("empty", 0).unwrap(), b"");
        assert_eq!(read("long", 100_000).unwrap(), long);
        assert_eq!(read("long", 99_999).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert!(read("directory", 9).is_err());
        assert!(!is_linked || read("link", 9).is_err());
        assert!(!is_linked || read_by("link", true, 3).unwrap() == b"a\nb");
        assert_eq!(read_by("short", true, 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        // Nothing is waited for.
        assert!(
            !is_piped
                || read("pipe", 9).is_ok_and(|text| text.is_empty())
                || read("pipe", 9).is_err()
        );
    }
    let here = sys.absolute(Path::new("a")).unwrap();
    assert!(here.has_root() && here.ends_with("a"), "{here:?}");
    assert_eq!(sys.absolute(&here).unwrap(), here);
}
