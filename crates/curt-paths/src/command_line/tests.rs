//! Command lines, and what programs split them into.

use super::*;

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fn narrow(units: &[u16]) -> String {
    String::from_utf16(units).unwrap()
}

fn words(arguments: &[&str]) -> Vec<Vec<u16>> {
    arguments.iter().map(|word| wide(word)).collect()
}

/// Random words from a seed, made of the characters that have a meaning to some program.
fn random_words(seed: u64) -> Vec<Vec<u16>> {
    const UNITS: &[u16] = &[
        0x25, 0x21, 0x5e, 0x26, 0x7c, 0x3c, 0x3e, 0x22, 0x27, 0x5c, 0x20, 0x09, 0x61, 0x42, 0x3d,
        0x2c, 0x3b, 0x28, 0x29, 0x5c, 0x22, 0xe9, 0xd83d,
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let count = next(5);
    let mut word = || (0..next(9)).map(|_| UNITS[next(UNITS.len())]).collect::<Vec<u16>>();
    (0..count).map(|_| word()).collect()
}

#[test]
fn arguments_are_quoted_as_documented() {
    for (arguments, line) in [
        (&["a"][..], r#""p" a"#),
        (&["a b", ""], r#""p" "a b" """#),
        (&[r"a\b", r"a\"], r#""p" a\b a\"#),
        (&[r#"a"b"#], r#""p" "a\"b""#),
        (&[r#"a\"b"#, r"a b\"], r#""p" "a\\\"b" "a b\\""#),
        (&["a\tb"], "\"p\" \"a\tb\""),
    ] {
        assert_eq!(narrow(&image(&wide("p"), words(arguments)).unwrap()), line);
    }
}

#[test]
fn split_reverses_image() {
    for seed in 0..20_000 {
        let given = random_words(seed);
        let line = image(&wide(r"C:\a b\p.exe"), &given).unwrap();
        let all = split(&line);
        assert_eq!(all[0], wide(r"C:\a b\p.exe"));
        assert_eq!(all[1..], given, "{seed}");
    }
}

/// The examples of "Parsing C command-line arguments".
#[test]
fn lines_are_split_as_documented() {
    for (line, expected) in [
        (r#"p "a b c" d e"#, &["a b c", "d", "e"][..]),
        (r#"p "ab\"c" "\\" d"#, &[r#"ab"c"#, r"\", "d"]),
        (r#"p a\\\b d"e f"g h"#, &[r"a\\\b", "de fg", "h"]),
        (r#"p a\\\"b c d"#, &[r#"a\"b"#, "c", "d"]),
        (r#"p a\\\\"b c" d e"#, &[r"a\\b c", "d", "e"]),
        (r#"p a"b"" c d"#, &[r#"ab" c d"#]),
        ("p   ", &[]),
    ] {
        assert_eq!(split(&wide(line))[1..], words(expected), "{line}");
    }
    assert_eq!(split(&[]), [Vec::<u16>::new()]);
}

#[test]
fn split_lines_are_stable() {
    for seed in 0..20_000 {
        let line: Vec<u16> = random_words(seed).concat();
        let all = split(&line);
        // Writing the words again and splitting them gives the same words.
        if !all[0].contains(&QUOTE) {
            assert_eq!(split(&image(&all[0], &all[1..]).unwrap()), all);
        }
    }
}

#[test]
fn batch_lines_are_quoted_for_cmd() {
    let line = |script: &str, arguments: &[&str]| {
        batch(&wide(script), words(arguments)).map(|line| narrow(&line))
    };
    let begin = r#"cmd.exe /d /e:ON /v:OFF /c ""#;
    for (arguments, end) in [
        (&["a", "-x=1"][..], r#""C:\x.bat" a "-x=1"""#),
        (&["", "a b"], r#""C:\x.bat" "" "a b"""#),
        (&[r"a\", "&calc"], r#""C:\x.bat" "a\\" "&calc"""#),
        (&[r#"a"b"#, r#"\""#], r#""C:\x.bat" "a""b" "\\"""""#),
        (&["%PATH%"], r#""C:\x.bat" "%%cd:~,%PATH%%cd:~,%"""#),
        (&["é"], r#""C:\x.bat" "é"""#),
    ] {
        assert_eq!(line(r"C:\x.bat", arguments).unwrap(), format!("{begin}{end}"));
    }
    let script = line(r"C:\100%TEMP%\x.bat", &[]).unwrap();
    assert_eq!(script, format!("{begin}\"C:\\100%%cd:~,%TEMP%%cd:~,%\\x.bat\"\""));
    assert_eq!(line(r"C:\x.bat", &["a\nb"]), Err(CommandLineError::EndOfLine));
    assert_eq!(line(r"C:\x.bat", &["a\rb"]), Err(CommandLineError::EndOfLine));
    assert_eq!(line(r"C:\x.bat", &["a\0b"]), Err(CommandLineError::Nul));
    assert_eq!(line(r"\\?\C:\x.bat", &[]), Err(CommandLineError::ScriptPath));
    assert_eq!(line("x.bat", &[]), Err(CommandLineError::ScriptPath));
}

/// Within quotes cmd.exe acts on `%` and the quote only. So outside of quotes all characters must
/// be plain, and no `%` may begin a variable.
#[test]
fn batch_lines_have_no_special_character_outside_of_quotes() {
    for seed in 0..20_000 {
        let given = random_words(seed);
        let line = narrow_lossy(&batch(&wide(r"C:\x.bat"), &given).unwrap());
        let inner = line.strip_prefix(r#"cmd.exe /d /e:ON /v:OFF /c ""#).unwrap();
        let inner = inner.strip_suffix('"').unwrap();
        let is_safe =
            |c: char| c == ' ' || c.is_ascii_alphanumeric() || r"#$*+-./:?@\_".contains(c);
        let mut is_quoted = false;
        for character in inner.chars() {
            match character {
                '"' => is_quoted = !is_quoted,
                other => assert!(is_quoted || is_safe(other), "{seed}: {line}"),
            }
        }
        assert!(!is_quoted, "{seed}: {line}");
        let rest = inner.replace("%%cd:~,%", "");
        assert!(!rest.contains('%'), "{seed}: {line}");
    }
}

fn narrow_lossy(units: &[u16]) -> String {
    String::from_utf16_lossy(units)
}

#[test]
fn limits_are_exact() {
    let long = |units: usize| vec![u16::from(b'a'); units];
    // `"p" ` and the argument, and the NUL that is added later.
    let most = LONGEST_LINE - 1 - 4;
    assert!(image(&wide("p"), [long(most)]).is_ok());
    let error = image(&wide("p"), [long(most + 1)]).unwrap_err();
    assert_eq!(error, CommandLineError::TooLong { units: LONGEST_LINE, most: LONGEST_LINE - 1 });
    let shortest = batch(&wide(r"C:\x.bat"), [[]; 0] as [[u16; 0]; 0]).unwrap().len();
    assert!(batch(&wide(r"C:\x.bat"), [long(LONGEST_BATCH_LINE - shortest - 1)]).is_ok());
    assert!(batch(&wide(r"C:\x.bat"), [long(LONGEST_BATCH_LINE - shortest)]).is_err());
    assert_eq!(image(&wide("a\"b"), words(&[])), Err(CommandLineError::QuoteInProgram));
    assert_eq!(image(&wide("p"), words(&["\0"])), Err(CommandLineError::Nul));
}

#[test]
fn batch_files_are_recognised_by_name() {
    for name in ["a.bat", "A.CMD", r"C:\x\y.Bat", "a.bat. .", ".cmd"] {
        assert!(is_batch(&wide(name)), "{name}");
    }
    for name in ["a.exe", "bat", "a.bat.exe", "a.batx", "", ".", "a.cm"] {
        assert!(!is_batch(&wide(name)), "{name}");
    }
}

#[test]
fn variables_are_sorted_and_compared_without_case() {
    let block = |variables: &[(&str, &str)]| {
        let variables = variables.iter().map(|(name, value)| (wide(name), wide(value)));
        environment_block(variables).map(|block| narrow(&block))
    };
    assert_eq!(block(&[]).unwrap(), "\0\0");
    let some = [("b", "1"), ("A", "2"), ("a_", "3"), ("B", "4"), ("=C:", r"C:\"), ("é", "5")];
    assert_eq!(block(&some).unwrap(), "=C:=C:\\\0A=2\0a_=3\0B=4\0é=5\0\0");
    assert_eq!(block(&[("É", "1"), ("é", "2")]).unwrap(), "é=2\0\0");
    // Windows takes neither for an I.
    assert_eq!(block(&[("ı", "1"), ("I", "2")]).unwrap(), "I=2\0ı=1\0\0");
    for name in ["", "a=b"] {
        assert_eq!(block(&[(name, "")]), Err(CommandLineError::VariableName));
    }
    assert_eq!(block(&[("a", "\0")]), Err(CommandLineError::Nul));
}
