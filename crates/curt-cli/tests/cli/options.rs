//! Options: what a command does not have it refuses, in the same words everywhere.

#[cfg(unix)]
use std::process::Command;

use curt_testkit::Scratch;

use crate::{command_line, said};

/// What a command line answers.
fn answer(scratch: &Scratch, line: &str) -> (Option<i32>, String, String) {
    said(&command_line(scratch, line).output().unwrap())
}

/// A missing option that is the beginning of another one, or whose beginning one is.
#[test]
fn options_of_gnu_that_are_missing_are_no_abbreviations() {
    let scratch = Scratch::new();
    scratch.file("d/f");
    let labels = "it would take one more call for each entry; use --fields label,name";
    for (line, option, instead) in [
        ("ls -lZ d", "-Z", labels),
        ("ls --cont d", "--context", labels),
        ("stat --cached=never d", "--cached", "the system decides what it keeps"),
        ("stat --cach=never d", "--cached", "the system decides what it keeps"),
    ] {
        let (code, out, messages) = answer(&scratch, line);
        let tool = line.split(' ').next().unwrap();
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}");
        let expected = format!(
            "curt {tool}: option '{option}' of GNU {tool} is not supported; {instead}\n\
             Try 'curt {tool} --help' for more information.\n"
        );
        assert_eq!(messages, expected, "{line}");
    }
}

/// The tables are right where GNU's own help is at hand.
#[cfg(unix)]
#[test]
fn every_option_of_gnu_is_known() {
    let scratch = Scratch::new();
    for tool in ["rm", "ls", "du", "stat"] {
        let help = Command::new(tool).arg("--help").env("LC_ALL", "C").output();
        let help = help.map(|help| String::from_utf8_lossy(&help.stdout).into_owned());
        let help = help.unwrap_or_default();
        if !help.contains("GNU coreutils") {
            curt_testkit::skip(&format!("GNU {tool} is not installed"));
            continue;
        }
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '-';
        let words = help.lines().filter(|line| line.starts_with("  ")).flat_map(|line| {
            let line = line.trim_start();
            let options = line.split("  ").next().unwrap_or_default();
            options.split(", ").map(|word| word.split(|c| !is_part(c)).next().unwrap_or_default())
        });
        let options: Vec<&str> = words.filter(|word| word.starts_with('-')).collect();
        assert!(options.len() > 8, "{tool}: {options:?}");
        for option in options {
            let (_, _, messages) = answer(&scratch, &format!("{tool} {option}"));
            let is_unknown =
                messages.contains("unrecognized option") || messages.contains("invalid option");
            assert!(!is_unknown, "{tool} {option}: {messages}");
        }
    }
}

#[test]
fn abbreviations_are_those_of_gnu() {
    let scratch = Scratch::new();
    for option in ["--r", "--re", "--rec"] {
        scratch.file("d/f");
        assert_eq!(answer(&scratch, &format!("rm {option} d")).0, Some(0), "{option}");
        assert!(!scratch.exists("d"));
    }
    scratch.dir("e");
    assert_eq!(answer(&scratch, "rm --d e").0, Some(0));
    assert_eq!(answer(&scratch, "rm --f missing").0, Some(0));
    scratch.file("f");
    assert_eq!(answer(&scratch, "du --to -b f").1, "0\tf\n0\ttotal\n");
    assert_eq!(answer(&scratch, "du --th=1 -b f").1, "");
    assert_eq!(answer(&scratch, "du --thre=-0x10 -b f").1, "0\tf\n");
    assert_eq!(answer(&scratch, "du --dereference -b f").1, "0\tf\n");
    assert_eq!(answer(&scratch, "stat --form=%s f").1, "0\n");
    assert_eq!(answer(&scratch, "ls --fi f").1, "f\n");
    for (abbreviation, option) in [("--g", "--group-directories-first"), ("--he", "--help")] {
        let answers = [abbreviation, option].map(|it| answer(&scratch, &format!("ls {it} f")));
        assert!(answers[0].0 == Some(0) && answers[0] == answers[1], "{answers:?}");
    }
    let (code, _, messages) = answer(&scratch, "rm --v f");
    assert_eq!(code, Some(2));
    let words = "curt rm: option '--v' is ambiguous; possibilities: '--verbose' '--version'\n";
    assert!(messages.starts_with(words), "{messages}");
    assert!(scratch.exists("f"));
    // Options of GNU that curt lacks make an abbreviation ambiguous, and are not proposed.
    for (line, said) in [
        ("ls --di", "curt ls: unrecognized option '--di'; did you mean '--directory'?\n"),
        ("ls --c", "curt ls: option '--c' is ambiguous; possibilities: '--classify' '--color'\n"),
        ("run --ti=x true", "curt run: invalid value 'x' for '--timeout': expected a number of"),
    ] {
        let (code, out, messages) = answer(&scratch, line);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}");
        assert!(messages.starts_with(said), "{messages}");
    }
}

#[test]
fn the_version_follows_the_name_of_the_command() {
    let scratch = Scratch::new();
    let version = env!("CARGO_PKG_VERSION");
    let commands = "rm find ls stat du which run realpath readlink expand beneath completions man";
    for name in commands.split(' ') {
        for option in ["--version", "-V"] {
            let (code, out, messages) = answer(&scratch, &format!("{name} {option}"));
            assert_eq!((code, messages.as_str()), (Some(0), ""), "{name} {option}");
            assert_eq!(out, format!("curt {name} {version}\n"));
        }
    }
    for option in ["--version", "-V", "--version more"] {
        assert_eq!(answer(&scratch, option), (Some(0), format!("curt {version}\n"), String::new()));
    }
}

#[test]
fn a_missing_file_for_newer_is_named_with_its_cause() {
    let scratch = Scratch::new();
    for option in ["--changed-within", "--changed-before"] {
        let (code, _, messages) = answer(&scratch, &format!("find {option} nofile"));
        assert_eq!(code, Some(2));
        let expected = format!(
            "curt find: invalid time 'nofile' for {option}: neither a date such as 2026-01-31, \
             '2026-01-31 10:00', today or yesterday, nor an age such as 90s, 10min, 36h, 7d or '2 \
             weeks', and cannot access a file of that name: {}\n",
            crate::missing()
        );
        assert!(messages.starts_with(&expected), "{messages}");
    }
}

#[test]
fn a_file_cannot_change_what_an_age_means() {
    let scratch = Scratch::new();
    scratch.file("kept");
    // If it were asked, nothing would be newer.
    let file = std::fs::File::create(scratch.at("7d")).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(86_400);
    file.set_modified(later).unwrap();
    let (code, out, _) = answer(&scratch, "find --type f --newer 7d");
    assert_eq!(code, Some(0));
    assert!(out.contains("kept"), "{out}");
}

/// Each line is refused with a message that begins with these words.
fn check_refusals(refusals: &[(&str, &str)]) {
    let scratch = Scratch::new();
    for &(line, words) in refusals {
        let (code, out, messages) = answer(&scratch, line);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}");
        assert!(messages.starts_with(words), "{line}: {messages}");
        let program = messages.split(": ").next().unwrap();
        let last = format!("\nTry '{program} --help' for more information.\n");
        assert!(messages.ends_with(&last), "{line}: {messages}");
        assert!(!messages.contains("Usage:"), "{line}: {messages}");
    }
}

/// What is in the trash has its own tools.
#[cfg(unix)]
#[test]
fn who_looks_for_the_trash_is_told_what_has_it() {
    let scratch = Scratch::new();
    let tools = "; 'trash-restore' of trash-cli or 'gio trash --restore' restores what 'curt rm \
                 --trash' moved; 'trash-list' or 'gio trash --list' lists it, 'trash-empty' or 'gio \
                 trash --empty' deletes it";
    for (line, start) in [
        ("restore f", "curt: unknown command 'restore'"),
        ("trash-list", "curt: unknown command 'trash-list'"),
        ("empty-trash", "curt: unknown command 'empty-trash'"),
        ("help undelete", "curt: unknown command 'undelete'"),
        ("rm --restore f", "curt rm: unrecognized option '--restore'"),
        ("rm --untrash f", "curt rm: unrecognized option '--untrash'"),
    ] {
        let (code, out, messages) = said(&command_line(&scratch, line).output().unwrap());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}");
        assert_eq!(messages.lines().next(), Some(&*format!("{start}{tools}")), "{line}");
    }
    let (_, _, messages) = said(&command_line(&scratch, "trash f").output().unwrap());
    assert!(messages.contains("'curt rm -r --trash PATH' moves") && messages.contains("gio trash"));
    let (_, _, messages) = said(&command_line(&scratch, "rm --trahs f").output().unwrap());
    assert!(messages.contains("did you mean '--trash'?"), "{messages}");
}

#[test]
fn wrong_command_lines_are_answered_in_one_form() {
    check_refusals(&[
        ("rm --bogus x", "curt rm: unrecognized option '--bogus'\n"),
        ("rm -z x", "curt rm: invalid option -- 'z'\n"),
        ("ls --color=x", "curt ls: invalid value 'x' for '--color': expected one of always"),
        ("ls -l --time-style=x", "curt ls: invalid argument 'x' for 'time style'\nValid arguments"),
        (
            "ls -w -5",
            "curt ls: invalid value '-5' for '--width': expected a number of columns, 0 or more\n",
        ),
        (
            "ls -T -1 x",
            "curt ls: invalid value '-1' for '--tabsize': expected a number of columns, 0 or",
        ),
        ("du --threads 0", "curt du: invalid value '0' for '--threads': expected a number of"),
        ("which", "curt which: missing operand\n"),
        ("which --cwd x y", "curt which: invalid value 'x' for '--cwd': expected one of never, "),
        ("du --top x", "curt du: invalid value 'x' for '--top': expected a whole number\n"),
        ("du --top -1", "curt du: invalid value '-1' for '--top': it must not be negative\n"),
        ("du -d -1", "curt du: invalid value '-1' for '--max-depth': it must not be negative\n"),
        (
            "rm --retries -1 x",
            "curt rm: invalid value '-1' for '--retries': it must not be negative\n",
        ),
        ("rm --retries x", "curt rm: invalid value 'x' for '--retries': expected a whole number\n"),
        (
            "expand --cwd rel y",
            "curt expand: invalid directory 'rel' for --cwd: it must be absolute\n",
        ),
        (
            "expand --flavor windows --cwd /rel y",
            "curt expand: invalid directory '/rel' for --cwd: it must be absolute\n",
        ),
        ("expand --drive x y", "curt expand: invalid drive 'x': expected X=PATH\n"),
        ("ls --tree -L 2", "curt ls: -L follows links; use '--tree --depth 2' for a depth\n"),
        ("run --env X -- true", "curt run: invalid variable 'X': expected NAME=VALUE\n"),
        ("du -s -d1 x", "curt du: --summarize conflicts with --max-depth=1\n"),
        ("rm --json=x f", "curt rm: option '--json' doesn't allow an argument\n"),
        ("run --chdir a --chdir b x", "curt run: option '--chdir' can be given only once\n"),
        (
            "run --timeout -1 x",
            "curt run: invalid value '-1' for '--timeout': expected a number of",
        ),
        ("r x", "curt: unknown command 'r'; did you mean 'rm' or 'run'?\n"),
        ("realpat x", "curt: unknown command 'realpat'; did you mean 'realpath'?\n"),
        ("fd x", "curt: unknown command 'fd'; 'curt find PATTERN' finds entries by name\n"),
        (
            "walk t --name x",
            "curt: unknown command 'walk'; use 'curt find'; 'curt find --help' shows how\n",
        ),
        ("colours", "curt: unknown command 'colours'; did you mean 'curt help colours'?\n"),
        ("help colour", "curt: unknown command 'colour'; did you mean 'curt help colours'?\n"),
        ("help json fields", "curt help: extra operand 'fields'; only one can be explained\n"),
        ("help rm ls", "curt help: extra operand 'ls'; only one can be explained\n"),
        ("ls --tree --depth -1", "curt ls: invalid value '-1' for '--depth': it must not be neg"),
        ("ls --depth 2", "curt ls: --depth needs --tree\n"),
        ("run -s TERM x", "curt run: --signal needs --timeout\n"),
        ("run -v x", "curt run: --verbose needs --timeout\n"),
        ("beneath x", "curt beneath: missing option '--root'\n"),
        ("man rm ls", "curt man: extra operand 'ls'\n"),
        ("man rmm", "curt man: unknown command 'rmm'\n"),
        ("man help", "curt man: help has no manual page; see 'curt help'\n"),
        (
            "which --policy cmd --rules posix x",
            "curt which: --policy cmd has only the rules of windows\n",
        ),
        ("version", "curt: unknown command 'version'; 'curt --version' prints the version\n"),
        ("ncdu", "curt: unknown command 'ncdu'; 'curt du' measures trees\n"),
        ("man json", "curt man: json has no manual page; see 'curt help json'\n"),
        ("remove x", "curt: unknown command 'remove'; did you mean 'rm'?\n"),
    ]);
}

#[test]
fn proposals_are_near_and_not_hidden() {
    check_refusals(&[
        ("find --user x", "curt find: unrecognized option '--user'; did you mean '--owner'?\n"),
        (
            "find -group x",
            "curt find: unrecognized option '-group'; did you mean '--owner :GROUP'?",
        ),
        ("find -not", "curt find: unrecognized option '-not'; no test is reversed; -E GLOB skips"),
        (
            "find --mtime -7",
            "curt find: unrecognized option '--mtime'; use --newer or --older, as in --newer 7d\n",
        ),
        ("find -perm 644", "curt find: unrecognized option '-perm'; did you mean '--perm'?\n"),
        (
            "find -name x",
            "curt find: unrecognized option '-name'; the glob comes before PATH: curt \
             find -g '*.rs' PATH\n",
        ),
        (
            "find --iname x",
            "curt find: unrecognized option '--iname'; the glob comes before PATH: curt \
             find -i -g '*.rs' PATH\n",
        ),
        (
            "find -ipath x",
            "curt find: unrecognized option '-ipath'; paths are full, and '*' stops at a \
             slash: curt find -i -p -g '**/src/*' PATH\n",
        ),
        (
            "find -path x",
            "curt find: unrecognized option '-path'; paths are full, and '*' stops at a \
             slash: curt find -p -g '**/src/*' PATH\n",
        ),
        (
            "find -ok rm",
            "curt find: unrecognized option '-ok'; use -x, which does not prompt or \
             change directories\n",
        ),
        (
            "find -or -e rs",
            "curt find: unrecognized option '-or'; PATTERN may have alternatives, as \
             in 'one|other'\n",
        ),
        ("find -uid 0", "curt find: unrecognized option '-uid'; use -o UID\n"),
        ("find -gid 0", "curt find: unrecognized option '-gid'; use -o :GID\n"),
        (
            "find -executable",
            "curt find: unrecognized option '-executable'; use -t x, which finds files only\n",
        ),
        ("find -context x", "curt find: unrecognized option '-context'; use --fields label,path\n"),
        ("find -O3", "curt find: unrecognized option '-O3'; cheap tests always come first\n"),
        ("find -P", "curt find: unrecognized option '-P'; links are not followed without -L\n"),
        ("find -D help", "curt find: unrecognized option '-D'; find's -D has no equivalent\n"),
        (
            "find -depth",
            "curt find: unrecognized option '-depth'; did you mean '--contents-first'?\n",
        ),
        ("find --ls", "curt find: unrecognized option '--ls'; did you mean '--list-details'?\n"),
        ("find --printf x", "curt find: unrecognized option '--printf'; what is found is printed;"),
        ("find -maxdepth 1", "curt find: unrecognized option '-maxdepth'; did you mean '--max-de"),
        // Options of one letter with a value, or several, that nobody means.
        ("find . -type f", "curt find: unrecognized option '-type'; did you mean '--type'?\n"),
        ("find . -empty", "curt find: unrecognized option '-empty'; did you mean '--empty'?\n"),
        ("find . -exec rm {} ;", "curt find: unrecognized option '-exec'; use -x COMMAND, or -X"),
        ("find . -user root", "curt find: unrecognized option '-user'; did you mean '--owner'?\n"),
        ("find . -xdev", "curt find: unrecognized option '-xdev'; did you mean '--one-file-sys"),
        // Those of other tools.
        ("rm -n x", "curt rm: invalid option -- 'n'; did you mean '--dry-run'?\n"),
        ("rm --glob x", "curt rm: unrecognized option '--glob'; 'curt find -u -g GLOB --prune -X"),
        ("rm --to-trash x", "curt rm: unrecognized option '--to-trash'; did you mean '--trash'?\n"),
        ("rm --recycle x", "curt rm: unrecognized option '--recycle'; did you mean '--trash'?\n"),
        ("rm --keep a x", "curt rm: unrecognized option '--keep'; did you mean '--exclude'?\n"),
        ("du -n 5", "curt du: invalid option -- 'n'; did you mean '--top'?\n"),
        ("du -r", "curt du: invalid option -- 'r'; lines are in the order of paths, or with"),
        ("du --sort=size", "curt du: unrecognized option '--sort'; lines are in the order of"),
        ("find -n 5", "curt find: invalid option -- 'n'; did you mean '--max-results'?\n"),
        ("find -v x", "curt find: invalid option -- 'v'; no test is reversed; -E GLOB skips"),
        ("find --count", "curt find: unrecognized option '--count'; what is found is counted by"),
        ("find --no-hidden", "curt find: unrecognized option '--no-hidden'; hidden entries are"),
        ("find -o !root", "curt find: invalid owner '!root': no test is reversed; print owners"),
        (
            "find --sort date",
            "curt find: invalid value 'date' for '--sort': expected one of name, ",
        ),
        ("run -e A=b env", "curt run: invalid option -- 'e'; did you mean '--env'?\n"),
        (
            "run --cwd d ls",
            "curt run: invalid value 'd' for '--cwd': expected one of never, auto, always, \
             report; did you mean '--chdir'?\n",
        ),
        ("ls --hidden", "curt ls: unrecognized option '--hidden'; did you mean '-A'?\n"),
        (
            "ls --time=modified",
            "curt ls: invalid value 'modified' for '--time': expected one of atime, access, use, \
             ctime, status, mtime, modification, birth, creation; did you mean 'mtime'?\n",
        ),
        (
            "ls --fields name,git",
            "curt ls: unknown field 'git'; use --git, whose column is first\n",
        ),
        ("ls --header", "curt ls: --header needs -l or --fields\n"),
        ("ls --header -l --tree", "curt ls: option '--header' cannot be used with '--tree'\n"),
        (
            "find . x --sort size -r",
            "curt find: invalid option -- 'r'; did you mean '--reverse'?\n",
        ),
        ("find --sort=size -lr x", "curt find: invalid option -- 'r'; did you mean '--reverse'?\n"),
        ("ls --zero --sort time -z", "curt ls: invalid option -- 'z'\n"),
        ("ls --icons", "curt ls: unrecognized option '--icons'; there are no icons; --color"),
        ("ls --git-ignore", "curt ls: unrecognized option '--git-ignore'; 'curt find' leaves out"),
        ("ls --tree --level=2", "curt ls: unrecognized option '--level'; did you mean '--depth'?"),
        // Nothing is near, or only what is hidden.
        ("find --bogus", "curt find: unrecognized option '--bogus'\n"),
        ("find --sotr", "curt find: unrecognized option '--sotr'; did you mean '--sort'?\n"),
        ("du --witout", "curt du: unrecognized option '--witout'\n"),
        ("ls --colour", "curt ls: unrecognized option '--colour'; did you mean '--color'?\n"),
    ]);
}

#[test]
fn what_only_find_has_is_named() {
    let names = "readable writable nouser nogroup true false daystart regextype noleaf used fstype \
                 files0-from lname ilname fprint";
    for name in names.split_whitespace() {
        let expected =
            format!("curt find: unrecognized option '-{name}'; find's -{name} has no equivalent\n");
        check_refusals(&[(&format!("find . -{name} x"), &expected)]);
    }
}

#[test]
fn a_file_that_looks_like_options_has_a_hint() {
    let scratch = Scratch::new();
    scratch.file("-foo");
    let (code, _, messages) = answer(&scratch, "rm -foo");
    assert_eq!(code, Some(2));
    assert_eq!(
        messages,
        "curt rm: invalid option -- 'o'\n\
         Try 'curt rm ./-foo' to remove the file '-foo'.\n\
         Try 'curt rm --help' for more information.\n"
    );
    assert!(scratch.exists("-foo"));
    scratch.remove("-foo");
    assert!(!answer(&scratch, "rm -foo").2.contains("./-foo"));
}

#[test]
fn headings_name_the_tool_that_they_are_about() {
    let scratch = Scratch::new();
    for tool in ["rm", "ls", "du"] {
        let (_, out, _) = answer(&scratch, &format!("{tool} --help"));
        let heading = format!("Options that GNU {tool} does not have:");
        assert_eq!(out.matches("Options that GNU").count(), 1, "{out}");
        assert!(out.contains(&heading), "{out}");
    }
}

#[test]
fn counts_agree_with_their_nouns() {
    let scratch = Scratch::new();
    scratch.file("d/f");
    let (_, _, messages) = answer(&scratch, "ls --stats d");
    assert!(messages.starts_with("curt ls: 1 entry, 1 directory, "), "{messages}");
}
