use crate::which::candidates::ExtensionList;
use crate::which::directories::entries;
use crate::which::names::stem_of;
use crate::which::policy::{Policy, Rules};
use curt_paths::Flavor;

fn texts(count: usize) -> impl Iterator<Item = Vec<u8>> {
    const ALPHABET: &[u8] = b";|:|\"|.|/|\\| |a|EXE|.com|*|\0|\xff|\xc3\xbc|CON|..|C:|\\\\?\\";
    let pieces: Vec<&[u8]> = ALPHABET.split(|&byte| byte == b'|').collect();
    let mut choices = curt_testkit::Choices::new(1);
    (0..count).map(move |_| {
        let length = choices.below(12);
        (0..length).flat_map(|_| pieces[choices.below(pieces.len())].to_vec()).collect()
    })
}

/// Returns how many random texts to try. The variable `CURT_FUZZ` overrides the number.
fn count() -> usize {
    std::env::var("CURT_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000)
}

fn rules(flavor: Flavor) -> Rules {
    Policy::Native.rules(flavor)
}

fn wide(text: &[u8]) -> Vec<u16> {
    text.iter().map(|&byte| u16::from(byte)).collect()
}

#[test]
fn any_path_is_split() {
    let windows = rules(Flavor::Windows);
    let posix = rules(Flavor::Posix);
    for text in texts(count()) {
        let split = entries(&text, &windows);
        assert!(split.iter().all(|entry| !entry.contains(&b'"')), "{text:?}");
        if !text.contains(&b'"') {
            let naive: Vec<&[u8]> = text.split(|&byte| byte == b';').collect();
            assert!(split.iter().map(|entry| &entry[..]).eq(naive), "{text:?}");
        }
        let length: usize = split.iter().map(|entry| entry.len() + 1).sum();
        assert!(length <= text.len() + 1, "nothing is made up: {text:?}");
        let wide_text = wide(&text);
        let expected: Vec<Vec<u16>> = split.iter().map(|entry| wide(entry)).collect();
        let in_units = entries(&wide_text, &windows);
        assert!(in_units.iter().map(|entry| &entry[..]).eq(expected.iter()));
        let naive: Vec<&[u8]> = text.split(|&byte| byte == b':').collect();
        assert!(entries(&text, &posix).iter().map(|entry| &entry[..]).eq(naive));
    }
}

#[test]
fn any_pathext_gives_valid_extensions() {
    for text in texts(count()) {
        let list = ExtensionList::new(Some(&text[..]), &rules(Flavor::Windows));
        for (at, extension) in list.extensions.iter().enumerate() {
            assert!(extension.len() > 1 && extension[0] == b'.', "{text:?}");
            assert!(!extension.iter().any(|byte| b";:/\\*\"\0".contains(byte)), "{text:?}");
            let is_same = |other: &Vec<u8>| other.eq_ignore_ascii_case(extension);
            assert!(!list.extensions[..at].iter().any(is_same), "twice: {text:?}");
        }
        let items = text.split(|&byte| byte == b';').filter(|item| !item.is_empty()).count();
        let usual = if text.is_empty() { 4 } else { items };
        assert!(list.extensions.len() + list.dropped.len() <= usual, "{text:?}");
    }
}

#[test]
fn any_name_is_accepted_or_refused() {
    let mut accepted = 0;
    for text in texts(count()) {
        for rules in [Flavor::Posix, Flavor::Windows] {
            if stem_of(&text, rules).is_ok() {
                accepted += 1;
                assert!(!text.contains(&0) && !text.is_empty());
            }
        }
        if stem_of(&text, Flavor::Windows).is_ok() {
            assert!(!text.ends_with(b".") && !text.ends_with(b" ") && !text.ends_with(b"/"));
            assert!(!text.contains(&b'*') && !text.contains(&b'"'), "{text:?}");
        }
        let _ = stem_of(&wide(&text), Flavor::Windows);
    }
    assert!(accepted > 1000, "{accepted}");
}

/// The rows for Go and cmd.exe are from `winsplitlisttests` in Go's
/// `src/path/filepath/path_windows_test.go`, which also runs cmd.exe. Those for libuv follow
/// `search_path` in `src/win/process.c`.
#[test]
fn quotes_mean_what_the_authority_says() {
    use Policy::{CPython, Cmd, Go, Libuv, Native, Node, Zig};
    let split = |path: &str, policy: Policy| -> Vec<String> {
        let rules = policy.rules(Flavor::Windows);
        let bytes = entries(path.as_bytes(), &rules);
        let texts = bytes.iter().map(|entry| String::from_utf8(entry.to_vec()).unwrap());
        let units = wide(path.as_bytes());
        let units = entries(&units, &rules);
        let texts: Vec<String> = texts.collect();
        assert!(units.iter().map(|entry| String::from_utf16(entry).unwrap()).eq(texts.clone()));
        texts
    };
    // The columns are cmd.exe and Go, libuv, and curt if it differs from cmd.exe.
    for (path, cmd, libuv, native) in [
        ("a;b", "a|b", "a|b", None),
        (r#""a""#, "a", "a", None),
        (r#"";""#, ";", ";", None),
        (r#""a;b""#, "a;b", "a;b", None),
        (r#"";";"#, ";|", ";|", None),
        (r#";";""#, "|;", "|;", None),
        (r#"a";"b"#, "a;b", "a|b", None),
        (r#"a; ""b"#, "a| b", r#"a| ""b"#, None),
        (r#""a;b"#, "a;b", "a;b", Some("a|b")),
        (r#"""a;b"#, "a|b", r#""a|b"#, None),
        (r#""""a;b"#, "a;b", r#"""a|b"#, Some("a|b")),
        (r#"""""a;b"#, "a|b", r#""""a|b"#, None),
        (r#"a";b"#, "a;b", "a|b", Some("a|b")),
        (r#"a;b";c"#, "a|b;c", "a|b|c", Some("a|b|c")),
        (r#""a";b";c"#, "a|b;c", "a|b|c", Some("a|b|c")),
        (r#""a;b";c"d;e"#, "a;b|cd;e", r#"a;b|c"d|e"#, Some("a;b|cd|e")),
        (r#""a"b;c"#, "ab|c", r#"a"b|c"#, None),
        ("'a;b';c", "'a|b'|c", "a;b|c", None),
        ("'a;b", "'a|b", "a;b", None),
        ("b';c", "b'|c", "b|c", None),
        (r#"'a";b'"#, "'a;b'", r#"a";b"#, Some("'a|b'")),
        (r#""""#, "", ".", None),
        (r#"""#, "", "", None),
        (";;", "||", "||", None),
    ] {
        let is = |policies: &[Policy], expected: &str| {
            for &policy in policies {
                assert_eq!(split(path, policy).join("|"), expected, "{path} {policy:?}");
            }
        };
        is(&[Cmd, Go], cmd);
        is(&[Libuv, Node], libuv);
        is(&[Native], native.unwrap_or(cmd));
        is(&[CPython, Zig], &path.replace(';', "|"));
    }
}

#[test]
fn pathext_may_have_any_letters_and_each_once() {
    let wide = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let pathext = wide(".exe;.EXE;nodot;.éx;.cmd");
    let list = ExtensionList::new(Some(&pathext[..]), &rules(Flavor::Windows));
    assert_eq!(list.extensions, [wide(".exe"), wide(".éx"), wide(".cmd")]);
    assert_eq!(list.dropped, [wide("nodot")]);
    let of_go =
        ExtensionList::new(Some(&wide("JS;.;;.BAT ")[..]), &Policy::Go.rules(Flavor::Windows));
    assert_eq!(of_go.extensions, [wide(".JS")]);
    for (policy, length) in [(Policy::Native, 4), (Policy::Cmd, 8), (Policy::CPython, 8)] {
        let unset = ExtensionList::<u16>::new(None, &policy.rules(Flavor::Windows));
        assert_eq!(unset.extensions.len(), length, "{policy:?}");
    }
    let of_zig = ExtensionList::<u16>::new(None, &Policy::Zig.rules(Flavor::Windows));
    assert_eq!(of_zig.extensions, [[0; 0]; 0]);
}

#[test]
fn policies_have_rules_of_one_system_at_least() {
    assert!(Policy::Node.has_rules_of(Flavor::Posix) && !Policy::Cmd.has_rules_of(Flavor::Posix));
    assert_eq!(Policy::Cmd.rules(Flavor::Posix).flavor, Flavor::Windows);
    assert_eq!(Policy::Posix.rules(Flavor::Windows).flavor, Flavor::Posix);
}
