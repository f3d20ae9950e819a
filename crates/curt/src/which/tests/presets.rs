//! The presets, each by what distinguishes it. The authorities themselves are asked in the test
//! suites called `authorities`.

use super::Ground;
use crate::sys::memory::World;
use crate::which::options::{Options, Setting};
use crate::which::policy::Policy;
use curt_paths::Flavor;

fn world(world: &mut World) {
    world.file("a/bare").file("a/x.js").file("a/s.ps1").file("a/s.exe").file("a/p3.11.exe");
    world.file("w/here.exe").file("sys/System32/cmdlike.exe").file("a/bat.bat");
}

fn ground(policy: Policy) -> Ground {
    let mut ground = Ground::new(policy, "/a", world);
    ground.options.environment = Some(vec![("systemroot".into(), "/sys".into())]);
    ground
}

#[test]
fn each_preset_answers_like_its_authority() {
    let presets: [(&str, Policy); 8] = [
        ("cmd", Policy::cmd()),
        ("powershell", Policy::powershell()),
        ("createprocess", Policy::createprocess()),
        ("libuv", Policy::libuv(false, false)),
        ("libuv-exact", Policy::libuv(true, true)),
        ("zig", Policy::zig(Flavor::Windows)),
        ("go", Policy::go(Flavor::Windows)),
        ("cpython", Policy::cpython(Flavor::Windows)),
    ];
    let none = "not-found";
    for (name, answers) in [
        ("bare", [none, "/a/bare", none, none, none, "/a/bare", none, none]),
        ("/a/bare", [none, "/a/bare", none, none, "/a/bare", "/a/bare", none, none]),
        (
            "s",
            [
                "/a/s.exe", "/a/s.ps1", "/a/s.exe", "/a/s.exe", "/a/s.exe", "/a/s.exe", "/a/s.exe",
                "/a/s.exe",
            ],
        ),
        (
            "x.js",
            ["/a/x.js", "/a/x.js", "/a/x.js", "/a/x.js", "/a/x.js", "/a/x.js", "/a/x.js", none],
        ),
        (
            "p3.11",
            [
                "/a/p3.11.exe",
                "/a/p3.11.exe",
                none,
                "/a/p3.11.exe",
                "/a/p3.11.exe",
                "/a/p3.11.exe",
                "/a/p3.11.exe",
                "/a/p3.11.exe",
            ],
        ),
        (
            "here",
            [
                "/w/here.exe",
                none,
                "/w/here.exe",
                "/w/here.exe",
                "/w/here.exe",
                "/w/here.exe",
                "relative-result",
                "/w/here.exe",
            ],
        ),
        ("cmdlike", [none, none, "/sys/System32/cmdlike.exe", none, none, none, none, none]),
        (
            "bat",
            [
                "/a/bat.bat",
                "/a/bat.bat",
                none,
                none,
                "/a/bat.bat",
                "/a/bat.bat",
                "/a/bat.bat",
                "/a/bat.bat",
            ],
        ),
    ] {
        for ((preset, policy), expected) in presets.iter().zip(answers) {
            let (answer, _) = ground(policy.clone()).find(name);
            let answer = answer.split(' ').next().unwrap();
            assert_eq!(answer, expected, "{name} as {preset}");
        }
    }
}

#[test]
fn each_preset_has_its_own_default_extensions() {
    let unset = |policy| {
        let mut ground = ground(policy);
        ground.options.pathext = Setting::Unset;
        ground
    };
    for (policy, answer) in [
        (Policy::safe(Flavor::Windows), "not-found"),
        (Policy::cmd(), "/a/x.js path:0 association"),
        (Policy::cpython(Flavor::Windows), "/a/x.js path:0 association"),
        (Policy::zig(Flavor::Windows), "not-found"),
    ] {
        unset(policy).assert_finds("x", answer);
    }
}

#[test]
fn only_go_adds_a_dot_to_extensions() {
    let items = |policy| ground(policy).pathext("JS;EXE;.;;.BAT ");
    items(Policy::go(Flavor::Windows)).assert_finds("x", "/a/x.js path:0 association");
    items(Policy::cmd()).assert_finds("x", "not-found");
    items(Policy::cmd()).assert_finds("bare", "not-found");
}

#[test]
fn presets_have_names() {
    for name in Policy::NAMES {
        assert!(Policy::named(name).is_some(), "{name}");
    }
    assert_eq!(Policy::named("posix_sh"), Some(Policy::posix_sh()));
    assert_eq!(Policy::named("node"), Some(Policy::node(Flavor::NATIVE)));
    assert_eq!(Policy::named_by("go", Flavor::Windows), Some(Policy::go(Flavor::Windows)));
    assert_eq!(Policy::named("perl"), None);
    assert_eq!(Policy::default().rules, Flavor::NATIVE);
    assert_eq!(Options::default().policy, Policy::default());
}
