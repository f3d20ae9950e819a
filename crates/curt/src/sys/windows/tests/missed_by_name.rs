//! Tests queries by name that miss existing entries, as under profile containers. The affected
//! folders are on their parent's volume.

use std::io::ErrorKind;

use windows_sys::Win32::Foundation::{STATUS_OBJECT_NAME_NOT_FOUND, STATUS_SHARING_VIOLATION};

use super::queries::{BY_HANDLE, BY_NAME, query_all_by_name, request, tried};
use super::*;
use crate::fields::Fields;
use crate::remove::DirectoryOperands;
use crate::sys::Request;
use crate::sys::windows::Dir;

by_name!(miss_all, |_, _, _, _, _| STATUS_OBJECT_NAME_NOT_FOUND);

/// In a folder named by this prefix and a hexadecimal status, queries by name fail with that
/// status.
const MISSED: &str = "missed-";

by_name!(miss_some, |attributes, block, buffer, length, class| {
    // SAFETY: the caller passes valid attributes.
    let root = unsafe { (*attributes).RootDirectory };
    let parent = if root.is_null() { String::new() } else { name_of(root) };
    // SAFETY: the caller passes valid attributes.
    let path = format!("{parent}\\{}", unsafe { object_name(attributes) });
    match path.rsplit('\\').skip(1).find_map(|folder| folder.strip_prefix(MISSED)) {
        Some(status) => u32::from_str_radix(status, 16).unwrap() as i32,
        // SAFETY: the arguments are passed on unchanged.
        None => unsafe { query_all_by_name(attributes, block, buffer, length, class) },
    }
});

fn missing_some() -> Setup {
    static MADE: OnceLock<Native> = OnceLock::new();
    table(&MADE, |native| native.query_by_name = Some(miss_some))
}

const STATUSES: [&str; 6] =
    ["C0000034", "C000003A", "C000000F", "C0000123", "C0000103", "C0000022"];

fn addresses(sys: &Windows, scratch: &Scratch, folder: &str) -> [(Dir, String); 3] {
    let (from, path) = sys.locate(&scratch.at(folder).join("file")).unwrap();
    [
        (from, String::from_utf16(path.as_name().units()).unwrap()),
        (sys.open_for_lookup(&scratch.at(folder)).unwrap(), "file".to_owned()),
        (sys.open_for_lookup(scratch.path()).unwrap(), format!(r"{folder}\file")),
    ]
}

#[test]
fn what_is_missed_by_name_is_found_by_opening_in_every_form() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let missing = Windows::start(&missing_some());
    let opening = Windows::start(&table(&MADE, |native| native.query_by_name = None));
    let scratch = Scratch::new();
    for status in STATUSES {
        let folder = format!("{MISSED}{status}");
        scratch.file_with(format!("{folder}/file"), b"hello");
        let everything = Windows::SOURCES.query;
        for fields in [Fields::KIND, Fields::LINKS, Fields::DEVICE, Fields::MODE, everything] {
            for follow in [false, true] {
                let answers = [&missing, &opening].map(|sys| {
                    addresses(sys, &scratch, &folder).map(|(parent, child)| {
                        let (facts, calls) =
                            tried(sys, &parent, &child, Request { fields, follow });
                        sys.close(parent);
                        assert_eq!(
                            calls.contains(&BY_NAME[0]),
                            std::ptr::eq(sys, &raw const missing)
                        );
                        facts.unwrap_or_else(|error| panic!("{status}, {fields:?}: {error}"))
                    })
                });
                assert_eq!((answers[0][0].kind, answers[0][0].size), (Kind::File, 5), "{status}");
                assert_eq!(answers[0], answers[1], "{status}, {fields:?}");
            }
        }
    }
}

#[test]
fn only_a_directory_whose_entries_are_missed_stops_being_queried_by_name() {
    let scratch = Scratch::new();
    let folder = format!("{MISSED}{}", STATUSES[0]);
    scratch.tree("", &format!("file {folder}/file {folder}/other"));
    let sys = Windows::start(&missing_some());
    let outer = sys.open_for_lookup(scratch.path()).unwrap();
    let inner = sys.open_for_lookup(&scratch.at(&folder)).unwrap();
    let (root, path) = sys.locate(scratch.path()).unwrap();
    let path = String::from_utf16(path.as_name().units()).unwrap();
    let calls = |parent: &Dir, child: &str| {
        let (answer, calls) = tried(&sys, parent, child, request(Fields::KIND));
        (answer.map_err(|error| error.kind()).map(|facts| facts.kind), calls)
    };
    let found = |calls: &[&[(&'static str, u64)]]| (Ok(Kind::File), calls.concat());
    let missing = |calls: &[&[(&'static str, u64)]]| (Err(ErrorKind::NotFound), calls.concat());
    let open = [("NtOpenFile", 1)];
    let [within, nothing] = [format!(r"{path}\{folder}\file"), format!(r"{path}\{folder}\nothing")];
    for is_known in [false, true] {
        for (parent, prefix) in [(&outer, String::new()), (&root, format!(r"{path}\"))] {
            assert_eq!(calls(parent, &format!("{prefix}file")), found(&[&BY_NAME]));
            assert_eq!(calls(parent, &format!("{prefix}nothing")), missing(&[&open, &BY_NAME]));
        }
        let by_name = if is_known { &[][..] } else { &BY_NAME };
        assert_eq!(calls(&inner, "nothing"), missing(&[&open, by_name]));
        assert_eq!(calls(&inner, "file"), found(&[&BY_HANDLE, by_name]));
        assert_eq!(calls(&inner, "other"), found(&[&BY_HANDLE]));
        assert_eq!(calls(&root, &within), found(&[&BY_HANDLE, &BY_NAME]));
        assert_eq!(calls(&root, &nothing), missing(&[&open, &BY_NAME]));
        let within = format!(r"{folder}\file");
        assert_eq!(calls(&outer, &within), found(&[&BY_HANDLE, &BY_NAME]));
    }
    for dir in [outer, inner, root] {
        sys.close(dir);
    }
}

#[test]
fn what_is_missed_and_cannot_be_opened_is_a_failure() {
    let scratch = Scratch::new();
    let folder = format!("{MISSED}{}", STATUSES[0]);
    scratch.tree("", &format!("{folder}/file"));
    let options = Remove::new().directories(DirectoryOperands::OnlyEmpty).missing_is_fine(true);
    let options = options.dry_run(true);
    let path = scratch.at(&folder).join("file");
    let report = remove(&missing_some(), &options, &path);
    assert_eq!((report.files, report.error_count), (1, 0), "{report:?}");
    for status in [STATUS_ACCESS_DENIED, STATUS_SHARING_VIOLATION] {
        let denied = Arc::new(Faults::default().fail("NtOpenFile", 1, status));
        let setup = Setup { faults: Some(denied), ..missing_some() };
        let report = remove(&setup, &options, &path);
        assert_eq!((report.files, report.error_count), (0, 1), "{report:?}");
        assert_ne!(report.errors[0].kind(), ErrorKind::NotFound, "{report:?}");
    }
}
