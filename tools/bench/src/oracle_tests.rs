//! Answers in the forms in which programs give them.

use super::*;

fn known(size: u64, is_file: bool) -> Known {
    Known { size, is_file }
}

fn truth() -> Truth {
    let entries = [("a", known(7, true)), ("b", known(40, false)), ("b/c", known(1234, true))];
    let entries = entries.map(|(path, known)| (path.to_owned(), known));
    Truth { entries: entries.into(), allocated: Some(5_000), ..Truth::default() }
}

fn refute(question: Question, output: &str) -> Option<String> {
    truth().refute(question, 2, Path::new("/x/tree"), output.as_bytes())
}

#[test]
fn paths_in_any_order_and_form() {
    for right in [
        "/x/tree\n/x/tree/a\n/x/tree/b\n/x/tree/b/c\n",
        "/x/tree/b/c\n/x/tree/b/\n/x/tree/a",
        ".\n./a\n./b\n./b/c\n",
        &format!("a\nb\nb{MAIN_SEPARATOR}c\n"),
    ] {
        assert_eq!(refute(Question::Paths, right), None, "{right}");
    }
    let wrong = |output| refute(Question::Paths, output).unwrap();
    assert_eq!(wrong(""), "3 missing, such as a");
    assert_eq!(wrong("a\nb\n"), "1 missing, such as b/c");
    assert_eq!(wrong("a\nb\nb/c\nb/c\n"), "1 too many, such as b/c");
    assert_eq!(wrong("a\nb\nb/c\nd\n"), "1 too many, such as d");
}

#[test]
fn sizes_of_files_must_be_right() {
    assert_eq!(refute(Question::Sizes, "4096 /x/tree\n7 a\n40 b\n1234 b/c\n"), None);
    // A directory's size is the file system's affair.
    assert_eq!(refute(Question::Sizes, "7 a\n0 b\n1234 b/c\n"), None);
    let wrong = refute(Question::Sizes, "7 a\n40 b\n123 b/c\n").unwrap();
    assert_eq!(wrong, "another size for b/c");
}

#[test]
fn long_lines_end_with_the_name() {
    let entries = [("a", known(7, true)), ("l", known(3, false)), ("big", known(1234, true))];
    let entries = entries.map(|(path, known)| (path.to_owned(), known));
    let truth = Truth { entries: entries.into(), allocated: None, ..Truth::default() };
    let refute = |output: &str| truth.refute(Question::Long, 2, Path::new("/x"), output.as_bytes());
    let right = "total 8\n-rw-r--r-- 1 root root 7 Nov 21 05:00 a\n\
        lrwxrwxrwx 1 root root 3 Nov 21 05:00 l -> gone\n-rw-r--r-- 1 root root 1,234 now big\n";
    assert_eq!(refute(right), None);
    assert_eq!(refute("7 a\n1234 big\nlink l ⇒ gone\n"), None);
    assert_eq!(refute(&right.replace(" 7 ", " 8 ")), Some("another size for a".to_owned()));
}

#[test]
fn totals_and_counts() {
    assert_eq!(refute(Question::Total, "5\t/x/tree\n"), None);
    assert_eq!(refute(Question::Total, "5000\n"), None);
    assert_eq!(refute(Question::Total, "5000B tree\n"), None);
    assert_eq!(refute(Question::Total, "\x1b[32m  5000 b\x1b[39m tree\n"), None);
    assert_eq!(refute(Question::Total, "4\n"), Some("4 instead of 5".to_owned()));
    assert_eq!(refute(Question::Total, ""), Some("no number but ''".to_owned()));
    assert_eq!(refute(Question::Opened, "3\n"), None);
    assert_eq!(refute(Question::Opened, "2\n"), Some("2 instead of 3".to_owned()));
    let unknown = Truth::default().refute(Question::Total, 2, Path::new("/x"), b"9\n");
    assert_eq!(unknown, None);
}

#[test]
fn the_truth_is_what_is_there() {
    let sandbox = crate::place::sandbox::Sandbox::create(&std::env::temp_dir()).unwrap();
    let truth = Truth::of(&sandbox.canary()).unwrap();
    let output = "file\nbelow\nbelow/file\n";
    assert_eq!(truth.refute(Question::Paths, 2, &sandbox.canary(), output.as_bytes()), None);
    let sizes = "6 file\n0 below\n5 below/file\n";
    assert_eq!(truth.refute(Question::Sizes, 2, &sandbox.canary(), sizes.as_bytes()), None);
}

#[test]
fn records_of_fields_and_of_lines_say_the_same() {
    let entries = [("a", known(7, true)), ("b c", known(40, true))];
    let entries = entries.map(|(path, known)| (path.to_owned(), known));
    let truth = Truth { entries: entries.into(), allocated: None, ..Truth::default() };
    let refute =
        |output: &str| truth.refute(Question::Stats, 2, Path::new("/x"), output.as_bytes());
    assert_eq!(refute("7 a\n40 b c\n"), None);
    assert_eq!(refute("path: b c\nsize: 40\npath: a\nsize: 7\n"), None);
    assert_eq!(refute("7 a\n41 b c\n"), Some("another size for b c".to_owned()));
    assert_eq!(refute("7 a\n"), Some("1 missing, such as b c".to_owned()));
}

#[test]
fn found_programs_and_expanded_paths_come_in_order() {
    let found = "/x/tree/package-00196/hello\n/x/tree/package-00196/hello-1\n";
    let look = LookUp { place: 196, extensions: 0, repeats: false };
    assert_eq!(refute(Question::Found(look), found), None);
    assert!(refute(Question::Found(look), "/x/tree/package-00196/hello\n").is_some());
    let look = LookUp { place: 1, extensions: 4, repeats: true };
    let found = "/x/tree/package-00001/hello.exe\n".repeat(2);
    assert_eq!(refute(Question::Found(look), &found), None);
    let full = "/usr/share/doc/package-0/examples/main.rb\n/x/tree/lib/http/response-1.rb\n";
    assert_eq!(refute(Question::Expanded, full), None);
    assert_eq!(
        refute(Question::Expanded, &full.replace("-1.rb", "-2.rb")),
        Some("/x/tree/lib/http/response-2.rb instead of /x/tree/lib/http/response-1.rb".to_owned())
    );
}
