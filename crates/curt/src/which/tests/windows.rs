//! Tests Windows rules as observed in cmd.exe and others. The command's test suite covers the other
//! policies.

use super::{Fixture, build};
use crate::sys::memory::{Denied, Order};
use crate::which::Policy;
use crate::which::directories::RelativeTo;

#[test]
fn programs_are_found_as_by_windows() {
    for (tree, path, answers) in [
        // Directories come before extensions.
        (
            "a/x.cmd a/x.exe b/x.com",
            "/a;/b",
            "x /a/x.exe path:0 image | x.cmd /a/x.cmd path:0 batch",
        ),
        (
            "a/a.exe.exe b/a.exe b/python3.11.exe b/s.js",
            "/a;/b",
            "a.exe /a/a.exe.exe path:0 image | python3.11 /b/python3.11.exe path:1 image
             s.js /b/s.js path:1 association",
        ),
        ("a/x.exec a/x.ex a/x.EXE2 a/x a/Y.Exe", "/a", "x not-found | y /a/Y.Exe path:0 image"),
        // A broken symlink counts as a program.
        (
            "a/x.exe/ b/x.cmd d/ a/l.exe->/d b/n.exe/ a/k.exe->/nowhere",
            "/a;/b",
            "x /b/x.cmd path:1 batch | l not-found /a/l.exe | n not-found /b/n.exe
             k /a/k.exe path:0 image | k.exe /a/k.exe path:0 image",
        ),
        (
            "a/x.exe w/s/x.cmd w/x.bat",
            "/a",
            r".\x /w/x.bat given batch relative | s\x /w/s/x.cmd given batch relative
             /w/s/x /w/s/x.cmd given batch | /w/s/y not-found
             ..\a\x.exe /w/../a/x.exe given image relative",
        ),
        // A directory named by an absolute and a relative entry counts as absolute.
        ("a;b/x.exe", r#""/a;b""#, "x /a;b/x.exe path:0 image"),
        ("a;b/x.exe", r#";/"a;b"/"#, "x /a;b/x.exe path:1 image"),
        ("w/r/y.exe", r#"/a";/nowhere;r"#, "y /w/r/y.exe path:2 image relative"),
        ("w/r/y.exe", r".\r", "y /w/r/y.exe path:0 image relative"),
        ("w/r/y.exe", "%r%;~", "y not-found"),
        ("w/x.exe", ".;/w;/W/", "x /w/x.exe path:0 image"),
    ] {
        Fixture::windows(path, |world| build(world, tree)).assert_finds(answers);
    }
}

#[test]
fn all_programs_come_in_order() {
    let fixture = Fixture::windows("/a;/b", |world| build(world, "a/x.cmd a/x.exe b/x.com"));
    assert_eq!(
        fixture.all("x"),
        ["/a/x.exe path:0 image", "/a/x.cmd path:0 batch", "/b/x.com path:1 image"]
    );
    fixture.pathext(".cmd;.exe").assert_finds("x /a/x.cmd path:0 batch");
}

#[test]
fn the_order_of_a_listing_does_not_matter() {
    for order in [Order::Created, Order::Reversed, Order::ByName, Order::Hashed, Order::Slots] {
        for given in [usize::MAX, 1, 2, 3] {
            let fixture = Fixture::windows("/a", |world| {
                (world.rules.order, world.rules.given) = (order, given);
                build(world, "a/x.bat a/x.cmdx a/x.exe a/xx.com a/x.com.txt a/x.com");
            });
            fixture.assert_finds("x /a/x.com path:0 image | xx /a/xx.com path:0 image");
        }
    }
}

#[test]
fn short_names_find_long_names_and_an_exact_name_wins_where_case_counts() {
    let fixture = Fixture::windows("/a", |world| {
        world.file("a/A Long Name.exe").short("a/A Long Name.exe", "ALONGN~1.EXE").dir("w");
    });
    let answer = "alongn~1 /a/A Long Name.exe path:0 image";
    fixture.assert_finds(answer);
    fixture.pathext(".EXE").assert_finds(answer);
    // curt ignores the case of extensions. Of two matches, the spelling in `PATHEXT` wins.
    let fixture = Fixture::windows("/a;/b", |world| {
        build(world, "a/foo.cmd a/foo.CMD b/FOO.CMD b/foo.CMD");
        world.case_counts("a").case_counts("b");
    });
    fixture.assert_finds("foo /a/foo.CMD path:0 batch | FOO /b/FOO.CMD path:1 batch");
}

#[test]
fn unlistable_directories_are_probed() {
    let fixture = || {
        Fixture::windows("/a;/b", |world| {
            build(world, "a/x.cmd b/x.exe");
            world.deny("a", Denied { list: true, ..Denied::default() });
        })
    };
    fixture().assert_finds("x /a/x.cmd path:0 batch");
    fixture().policy(Policy::Cmd).assert_finds("x /b/x.exe path:1 image");
}

#[test]
fn the_working_directory_is_not_searched_implicitly() {
    let fixture = |cwd| Fixture::windows("/a", |world| build(world, "w/x.exe a/")).cwd(cwd);
    let by = |policy, cwd, environment| {
        let mut fixture = fixture(true).policy(policy);
        (fixture.options.cwd, fixture.options.environment) = (cwd, Some(environment));
        fixture
    };
    let forbidden = || vec![("NODEFAULTCURRENTDIRECTORYINEXEPATH".into(), "".into())];
    let found = "x /w/x.exe cwd image relative";
    fixture(false).assert_finds("x not-found /w/x.exe");
    fixture(true).assert_finds(found);
    by(Policy::Native, Some(true), forbidden()).assert_finds(found);
    by(Policy::Cmd, None, Vec::new()).assert_finds(found);
    by(Policy::Cmd, None, forbidden()).assert_finds("x not-found /w/x.exe");
    by(Policy::Zig, None, forbidden()).assert_finds(found);
    by(Policy::Go, None, Vec::new()).assert_finds("x relative-result /w/x.exe");
    by(Policy::Libuv, None, Vec::new()).assert_finds(found);
    let empty = Fixture::windows("/a;", |world| build(world, "w/x.exe a/")).cwd(false);
    empty.policy(Policy::CPython).assert_finds("x /w/x.exe path:1 image relative");
    let named = Fixture::windows(".;/w", |world| build(world, "w/x.exe"));
    named.cwd(true).policy(Policy::Go).assert_finds("x /w/x.exe cwd image");
    let mut missing = Fixture::windows("r;/a", |_| {});
    missing.options.base = RelativeTo::Directory("/gone".into());
    missing.assert_finds(r"x directory-missing /gone | .\x directory-missing /gone");
}

#[test]
fn invalid_windows_names_cost_no_call() {
    let fixture = Fixture::windows("/a", |world| build(world, "a/"));
    let names = [
        r"|.|..|a.|a |x.bat .. |a*|a?|a<|a>|a:b|ab:c|nul|CON|con.exe|COM1|lpt9.txt|d\aux|d\|d\.",
        r"\\.\x|conin$",
    ];
    let names = names.iter().flat_map(|names| names.split('|'));
    for name in names.chain(["a|b", "a\"", "a\0b", "a\u{1}", r#"\\?\":.com/x.com"#]) {
        assert_eq!(fixture.find(name), ("invalid-name".into(), 0), "{name:?}");
    }
    assert_eq!(fixture.find(&"x".repeat(256)), ("name-too-long".into(), 0));
}
