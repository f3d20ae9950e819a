//! The rules of Windows: cases in which cmd.exe and others were observed.

use super::Ground;
use crate::sys::memory::{Denied, Order};
use crate::which::{Cwd, Policy};
use curt_paths::Flavor;

#[test]
fn directories_come_before_extensions() {
    let ground = Ground::windows("/a;/b", |world| {
        world.file("a/x.cmd").file("a/x.exe").file("b/x.com").dir("w");
    });
    ground.assert_finds("x", "/a/x.exe path:0 image");
    ground.assert_finds("x.cmd", "/a/x.cmd path:0 batch");
    assert_eq!(
        ground.all("x"),
        ["/a/x.exe path:0 image", "/a/x.cmd path:0 batch", "/b/x.com path:1 image"]
    );
    ground.pathext(".cmd;.exe").assert_finds("x", "/a/x.cmd path:0 batch");
}

#[test]
fn the_order_of_a_listing_does_not_matter() {
    for order in [Order::Created, Order::Reversed, Order::ByName, Order::Hashed, Order::Slots] {
        for given in [usize::MAX, 1, 2, 3] {
            let ground = Ground::windows("/a", |world| {
                (world.rules.order, world.rules.given) = (order, given);
                for name in ["x.bat", "x.cmdx", "x.exe", "xx.com", "x.com.txt", "x.com"] {
                    world.file(format!("a/{name}"));
                }
            });
            ground.assert_finds("x", "/a/x.com path:0 image");
            ground.assert_finds("xx", "/a/xx.com path:0 image");
        }
    }
}

#[test]
fn a_dotted_name_is_tried_as_it_is_first() {
    let ground = Ground::windows("/a;/b", |world| {
        world.file("a/a.exe.exe").file("b/a.exe").file("b/python3.11.exe").file("b/s.js");
        world.dir("w");
    });
    ground.assert_finds("a.exe", "/a/a.exe.exe path:0 image");
    ground.assert_finds("python3.11", "/b/python3.11.exe path:1 image");
    ground.assert_finds("s.js", "/b/s.js path:1 association");
}

#[test]
fn a_file_without_an_extension_is_a_program_only_by_policy() {
    let ground = || {
        Ground::windows("/a", |world| {
            world.file("a/x").file("a/x.exe").file("a/only").dir("w");
        })
    };
    ground().assert_finds("only", "not-found");
    ground().assert_finds("x", "/a/x.exe path:0 image");
    ground().policy(Policy::Zig).assert_finds("x", "/a/x path:0 executable");
    ground().policy(Policy::LibuvExact).assert_finds("x", "/a/x.exe path:0 image");
    ground().policy(Policy::LibuvExact).assert_finds("/a/only", "/a/only given executable");
}

#[test]
fn extensions_match_as_a_whole_in_any_case() {
    let ground = Ground::windows("/a", |world| {
        world.file("a/x.exec").file("a/x.ex").file("a/x.EXE2").file("a/Y.Exe").dir("w");
    });
    ground.assert_finds("x", "not-found");
    ground.assert_finds("y", "/a/Y.Exe path:0 image");
}

#[test]
fn directories_are_skipped() {
    let ground = Ground::windows("/a;/b", |world| {
        world.dir("a/x.exe").file("b/x.cmd").dir("d").link("a/l.exe", "/d").dir("b/n.exe").dir("w");
    });
    ground.assert_finds("x", "/b/x.cmd path:1 batch");
    ground.assert_finds("l", "not-found /a/l.exe");
    ground.assert_finds("n", "not-found /b/n.exe");
}

#[test]
fn broken_links_are_found() {
    let ground = Ground::windows("/a", |world| {
        world.link("a/x.exe", "/nowhere").dir("w");
    });
    ground.assert_finds("x", "/a/x.exe path:0 image");
    ground.assert_finds("x.exe", "/a/x.exe path:0 image");
}

#[test]
fn short_names_find_long_names() {
    let ground = Ground::windows("/a", |world| {
        world.file("a/A Long Name.exe").short("a/A Long Name.exe", "ALONGN~1.EXE").dir("w");
    });
    ground.assert_finds("alongn~1", "/a/A Long Name.exe path:0 image");
    ground.pathext(".EXE").assert_finds("alongn~1", "/a/A Long Name.exe path:0 image");
}

#[test]
fn an_exact_name_wins_in_a_case_sensitive_directory() {
    let ground = Ground::windows("/a;/b", |world| {
        world.file("a/foo.cmd").case_counts("a").file("b/FOO.CMD").file("b/foo.CMD");
        world.case_counts("b").dir("w");
    });
    // There the case of the stem matters, but not that of the extension, which curt compares.
    ground.assert_finds("foo", "/a/foo.cmd path:0 batch");
    ground.assert_finds("FOO", "/b/FOO.CMD path:1 batch");
}

#[test]
fn unlistable_directories_are_probed() {
    let ground = || {
        Ground::windows("/a;/b", |world| {
            world.file("a/x.cmd").file("b/x.exe").dir("w");
            world.deny("a", Denied { list: true, ..Denied::default() });
        })
    };
    ground().assert_finds("x", "/a/x.cmd path:0 batch");
    ground().policy(Policy::Cmd).assert_finds("x", "/b/x.exe path:1 image");
}

#[test]
fn the_working_directory_is_not_searched_implicitly() {
    let ground = |cwd| {
        Ground::windows("/a", |world| {
            world.file("w/x.exe").dir("a");
        })
        .cwd(cwd)
    };
    ground(Cwd::Never).assert_finds("x", "not-found /w/x.exe");
    ground(Cwd::Always).assert_finds("x", "/w/x.exe cwd image relative");
    ground(Cwd::Auto).assert_finds("x", "/w/x.exe cwd image relative");
    ground(Cwd::Report).assert_finds("x", "relative-result /w/x.exe");
    let mut forbidden = ground(Cwd::Auto);
    let name = "NODEFAULTCURRENTDIRECTORYINEXEPATH";
    forbidden.options.environment = Some(vec![(name.into(), "".into())]);
    forbidden.assert_finds("x", "not-found /w/x.exe");
}

#[test]
fn an_absolute_entry_makes_a_relative_one_absolute() {
    let ground = Ground::windows(".;/w;/W/", |world| {
        world.file("w/x.exe");
    });
    ground.assert_finds("x", "/w/x.exe path:0 image");
    ground.cwd(Cwd::Report).assert_finds("x", "/w/x.exe cwd image");
}

#[test]
fn path_entries_may_be_quoted_and_relative() {
    let ground = |path: &str| {
        Ground::windows(path, |world| {
            world.file("a;b/x.exe").file("w/r/y.exe").dir("a");
        })
    };
    ground(r#""/a;b""#).assert_finds("x", "/a;b/x.exe path:0 image");
    ground(r#";/"a;b"/"#).assert_finds("x", "/a;b/x.exe path:1 image");
    ground(r#"/a";/nowhere;r"#).assert_finds("y", "/w/r/y.exe path:2 image relative");
    ground(r".\r").assert_finds("y", "/w/r/y.exe path:0 image relative");
    ground("%r%;~").assert_finds("y", "not-found");
}

#[test]
fn names_that_are_paths_search_no_entry() {
    let ground = Ground::windows("/a", |world| {
        world.file("a/x.exe").file("w/s/x.cmd").file("w/x.bat");
    });
    ground.assert_finds(r".\x", "/w/x.bat given batch relative");
    ground.assert_finds(r"s\x", "/w/s/x.cmd given batch relative");
    ground.assert_finds("/w/s/x", "/w/s/x.cmd given batch");
    ground.assert_finds("/w/s/y", "not-found");
    ground.assert_finds(r"..\a\x.exe", "/w/../a/x.exe given image relative");
}

#[test]
fn invalid_windows_names_cost_no_call() {
    let ground = Ground::windows("/a", |world| {
        world.dir("a");
    });
    let names = [
        r"|.|..|a.|a |x.bat .. |a*|a?|a<|a>|a:b|ab:c|nul|CON|con.exe|COM1|lpt9.txt|d\aux|d\|d\.",
        r"\\.\x|conin$",
    ];
    let names = names.iter().flat_map(|names| names.split('|'));
    for name in names.chain(["a|b", "a\"", "a\0b", "a\u{1}", r#"\\?\":.com/x.com"#]) {
        assert_eq!(ground.find(name), ("invalid-name".into(), 0), "{name:?}");
    }
    assert_eq!(ground.find(&"x".repeat(256)), ("name-too-long".into(), 0));
}

#[test]
fn a_missing_base_directory_is_reported() {
    let mut ground = Ground::windows("r;/a", |_| {});
    ground.options.base = Some("/gone".into());
    ground.assert_finds("x", "directory-missing /gone");
    ground.assert_finds(r".\x", "directory-missing /gone");
}

#[test]
fn the_policy_decides_whether_the_next_candidate_is_started() {
    use crate::which::{LaunchFailure, Program};
    let rules = Policy::Cmd.rules(Flavor::Windows);
    for (failure, program, continues) in [
        (LaunchFailure::BadImage, Program::Image, false),
        (LaunchFailure::BadImage, Program::Executable, true),
        (LaunchFailure::BadImage, Program::Batch, true),
        (LaunchFailure::NotFound, Program::Image, true),
        (LaunchFailure::Denied, Program::Image, true),
        (LaunchFailure::Other, Program::Image, false),
    ] {
        assert_eq!(rules.continues_after(failure, program), continues, "{failure:?} {program:?}");
    }
    let execvp = Policy::Posix.rules(Flavor::Posix);
    assert!(execvp.continues_after(LaunchFailure::NotFound, Program::Executable));
    assert!(!execvp.continues_after(LaunchFailure::Busy, Program::Executable));
}
