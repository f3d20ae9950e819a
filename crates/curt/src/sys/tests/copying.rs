use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::shorthand::{At, kind, kind_of};
use super::testbed::Testbed;
use crate::error::Operation;
use crate::fields::{Facts, Fields, Kind, Time};
use crate::sys::Sys;
use crate::sys::beneath::{Beneath, Create, How, Open, Step};
use crate::sys::copying::{COPIED, Copying, End, Kept, Target};
use crate::sys::fault::Faults;

type Handle<G> = <<G as Testbed>::S as Beneath>::Handle;

fn source<G: Testbed>(base: &At<'_, G>, path: &str, follow: bool) -> Result<Handle<G>, String> {
    match base.sys.open_source(&base.dir, base.name(path).as_name(), follow) {
        Step::Done(file) => Ok(file),
        Step::Other => Err("otherwise".into()),
        Step::Failed(error) => Err(format!("{:?}", kind_of(&error))),
    }
}

fn create<G: Testbed>(base: &At<'_, G>, name: &str) -> Handle<G> {
    let how = How { write: true, create: Create::New, mode: 0o600, ..How::default() };
    match base.sys.open(&base.dir, base.name(name).as_name(), &how) {
        Step::Done(file) => file,
        _ => panic!("{name} cannot be created"),
    }
}

pub(super) fn sources_are_opened_without_a_link<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.file(Path::new("dir/file"), b"four");
    let has_links = testbed.link("link", "dir/file") && testbed.link("broken", "nothing");
    let has_pipes = testbed.fifo("pipe");
    let opened = |path: &str, follow| {
        source::<G>(base, path, follow).map(|file| {
            let Facts { kind, size, .. } = base.sys.query_file(&file).unwrap();
            base.sys.close_handle(file);
            (kind, if kind == Kind::File { size } else { 0 })
        })
    };
    for follow in [false, true] {
        assert_eq!(opened("dir/file", follow), Ok((Kind::File, 4)));
        assert_eq!(opened("dir", follow), Ok((Kind::Directory, 0)));
        assert_eq!(opened("nothing", follow), Err("NotFound".into()));
        assert!(!has_pipes || opened("pipe", follow) == Ok((Kind::Fifo, 0)));
    }
    if has_links {
        assert_eq!(opened("link", false), Err("otherwise".into()));
        assert_eq!(opened("link", true), Ok((Kind::File, 4)));
        assert_eq!(opened("broken", false), Err("otherwise".into()));
        assert_eq!(opened("broken", true), Err("NotFound".into()));
    }
}

/// Copies a file to `new` by a method. Returns the answer, and the pieces.
fn copied<G: Testbed>(
    base: &At<'_, G>,
    path: &str,
    goes_on: bool,
) -> (Result<u64, (End, io::Error)>, Vec<u64>) {
    let (from, to) = (source::<G>(base, path, false).unwrap(), create::<G>(base, "new"));
    let (facts, mut pieces) = (base.sys.query_file(&from).unwrap(), Vec::new());
    let copied = base.sys.copy_data(&from, &to, &facts, &mut |piece| {
        pieces.push(piece);
        goes_on
    });
    base.sys.close_handle(from);
    base.sys.finish_file(to).unwrap();
    (copied, pieces)
}

pub(super) fn content_is_copied_whole_or_stopped<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    const PIECE: usize = 16 << 20;
    for size in [0, 1, 5_000, (256 << 10) + 1, 2 * PIECE + 3] {
        let content: Vec<u8> = (0..size).map(|at| (at / 7 + at / 1_000) as u8).collect();
        testbed.file(Path::new("old"), &content);
        let (done, pieces) = copied::<G>(base, "old", true);
        assert_eq!(done.map_err(|(_, error)| error.kind()), Ok(size as u64));
        assert_eq!(pieces.iter().sum::<u64>(), size as u64, "{pieces:?}");
        assert!(pieces.iter().all(|piece| (1..=PIECE as u64).contains(piece)), "{pieces:?}");
        assert_eq!(testbed.content("new"), testbed.content("old"), "{size}");
        base.remove("new", Kind::File);
        if size > 0 {
            let (stopped, pieces) = copied::<G>(base, "old", false);
            assert_eq!(stopped.unwrap_err().1.kind(), ErrorKind::Interrupted);
            assert_eq!(pieces.len(), 1, "{pieces:?}");
            base.remove("new", Kind::File);
        }
        base.remove("old", Kind::File);
    }
}

pub(super) fn a_reflink_shares_all_or_nothing<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.file(Path::new("old"), &[7; 10_000]);
    let (from, to) = (source::<G>(base, "old", false).unwrap(), create::<G>(base, "new"));
    let shared = kind(base.sys.reflink(&from, &to, 10_000));
    base.sys.close_handle(from);
    base.sys.finish_file(to).unwrap();
    match shared {
        Ok(()) => assert_eq!(testbed.content("new"), testbed.content("old")),
        Err(error) => {
            assert_eq!(error, ErrorKind::Unsupported);
            assert_eq!(base.stat("new").unwrap().size, 0);
        }
    }
}

pub(super) fn a_link_is_copied_as_it_is<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["dir/file"]);
    if !(testbed.link("link", "dir/file") && testbed.link("broken", "nothing")) {
        return curt_testkit::skip("making symbolic links may need a privilege here");
    }
    let dir = base.open("dir");
    let copy = |name: &str, fresh: &str| {
        let (name, fresh) = (base.name(name), base.name(fresh));
        let (name, fresh) = (name.as_name(), fresh.as_name());
        let copied = base.sys.copy_link(&base.dir, name, &dir.dir, fresh, None);
        copied.map_err(|(operation, error)| (operation, kind_of(&error)))
    };
    for link in ["link", "broken"] {
        assert_eq!(copy(link, link), Ok(()));
        assert_eq!(base.target(link).unwrap(), dir.target(link).unwrap());
    }
    assert_eq!(copy("link", "file"), Err((Operation::CreateLink, ErrorKind::AlreadyExists)));
    assert_eq!(copy("link", "broken"), Err((Operation::CreateLink, ErrorKind::AlreadyExists)));
    assert_eq!(copy("nothing", "new"), Err((Operation::ReadLink, ErrorKind::NotFound)));
    assert_eq!(copy("dir", "new").unwrap_err().0, Operation::ReadLink);
    dir.close();
}

pub(super) fn special_files_are_created_anew<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    let make = |name: &str, kind: Kind| {
        let facts = Facts { kind, ..Facts::default() };
        let made = base.sys.create_special(&base.dir, base.name(name).as_name(), &facts, 0o600);
        made.map_err(|error| kind_of(&error))
    };
    assert_eq!(make("file", Kind::File), Err(ErrorKind::Unsupported));
    if !testbed.fifo("pipe") {
        return;
    }
    for (name, kind) in [("fifo", Kind::Fifo), ("socket", Kind::Socket)] {
        assert_eq!(make(name, kind), Ok(()));
        assert_eq!(base.stat(name).unwrap().kind, kind);
        assert_eq!(make(name, kind), Err(ErrorKind::AlreadyExists));
    }
}

pub(super) fn metadata_is_kept_on_request<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["other"]);
    testbed.dir("dir");
    let (has_pipe, has_link) = (testbed.fifo("pipe"), testbed.link("link", "other"));
    let other = base.query("other", false).unwrap();
    let (file, dir) = (create::<G>(base, "file"), base.open("dir"));
    let names = ["pipe", "link"].map(|child| base.name(child));
    let [pipe, link] = names.each_ref().map(|name| Target::Named(&base.dir, name.as_name()));
    let keep = |target: &Target<'_, G::S>, facts: &Facts, kept: Kept| {
        let failed = Cell::new(0);
        base.sys.keep(target, facts, &Vec::new(), kept, &mut |_, _| failed.set(failed.get() + 1));
        failed.get()
    };
    let only = Kept::default();
    let time = |seconds| Time { seconds, nanoseconds: 500 };
    for (child, exists, target) in [
        ("file", true, &Target::Open(Open::File(&file))),
        ("dir", true, &Target::Open(Open::Dir(&dir.dir))),
        ("pipe", has_pipe, &pipe),
        ("link", has_link, &link),
    ] {
        if !exists {
            continue;
        }
        let before = base.query(child, false).unwrap();
        let facts = Facts { mode: 0o500, accessed: time(1_000), modified: time(2_000), ..before };
        for (kept, mode, modified) in [
            (only, before.mode, before.modified),
            (Kept { mode: true, owner: cfg!(unix), ..only }, 0o500, before.modified),
            (Kept { times: true, ..only }, 0o500, facts.modified),
        ] {
            assert_eq!(keep(target, &facts, kept), 0, "{child} {kept:?}");
            let after = base.query(child, false).unwrap();
            let has_mode = child != "link" && after.known.contains(Fields::MODE);
            assert!(!has_mode || after.mode & 0o7777 == mode & 0o7777, "{child} {kept:?}");
            assert_eq!(after.modified, modified, "{child} {kept:?}");
            let has_accessed = kept.times && after.known.contains(Fields::ACCESSED);
            assert!(!has_accessed || after.accessed == facts.accessed, "{child}");
        }
    }
    base.sys.close_handle(file);
    dir.close();
    if has_link && has_pipe {
        let facts = Facts { kind: Kind::Fifo, mode: 0o777, ..Facts::default() };
        keep(&link, &facts, Kept { mode: true, ..only });
    }
    let after = base.query("other", false).unwrap();
    assert_eq!((after.mode, after.modified), (other.mode, other.modified), "through a link");
}

pub(super) fn a_failure_to_close_a_written_file_is_told<G: Testbed>(testbed: &G, _: &At<'_, G>) {
    if cfg!(windows) {
        return;
    }
    let sys = G::S::start(&testbed.setup_with(Faults::default().fail("close", 0, 5)));
    let base = super::shorthand::base(testbed, &sys);
    let failed = sys.finish_file(create::<G>(&base, "new"));
    assert_eq!(failed.unwrap_err().raw_os_error(), Some(5));
    let file = source::<G>(&base, "new", false).unwrap();
    assert!(sys.query_file(&file).unwrap().known.contains(COPIED.intersection(Fields::KIND)));
    let none = sys.attributes(Open::File(&file), Kept::default()).unwrap();
    assert!(none.is_empty());
    sys.close_handle(file);
    base.close();
}
