//! `curt ls` beside GNU ls in the C locale: the same bytes, the same messages, the same exit
//! status.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use curt_testkit::{NOBODY, Scratch, cells, is_root, skip};

use crate::harness::Bench;
use crate::has_gnu;

/// Options that are tried on every tree.
const OPTIONS: &str = "
    '' | -l | -a | -la | -A | -lA | -1 | -d | -ld | -S | -lS | -t | -lt | -ltr | -r | -h | -lh
    -lhs | -i | -li | -ia | -s | -ls | -F | -lF | -p | --file-type | -l --file-type | -n | -nG
    -g | -o | -go | -U | -lU | -iU | -X | -rX | -rS | -rt | -f -t | -f -A | --zero | -l --zero
    --full-time | -l --time-style=iso | -l --time-style=long-iso | -l --time-style=posix-iso
    -l --time-style=+%A|%B|%#a|%e|%-d|%5d|%3N|%::z|%l|%k|%P|%w|%W|%g
    -l --time-style=+%c|%D|%F|%T|%R|%r|%s|%C|%y|%h|%E
    -l --time-style=+%s.%N | -l --time-style=+%a%_d%-m%^b%j%U%V%G%u%I%p%:z%Z%%%q | -l --time=ctime
    -lu | -lc | -c | -u | --time=atime | -lt --time=access | --sort=time | --sort=size
    --sort=none | --group-directories-first | -l --group-directories-first
    -r --group-directories-first | -lH | -H | -lL | -L | -LF | -l -1 | -1 -l | -l --width=40
";

/// Options for names that are as wide as they are long.
const COLUMNS: &str = "
    -C | -x | -C -w 40 | -x -w 33 | -C -w 1 | -C -w 0 | -C -w 100000 | -sC | -iC | -FC | -l -C
    -C -l | -x -1 | --format=across | --sort=width | --sort=width -r
    -C --sort=width --quoting-style=shell | -m | -ms | -mi | -m -w 30 | -m -w 2 | -m -w 0 | -mF
    --format=commas | -mQ | -C -T 1 | -C -T 0 | -C -T 16 | -C -T 3
";

/// Options for trees.
const RECURSIVE: &str = "
    -R | -lR | -aR | -RF | -iR | -sR | -Rr | -Rt | -R --zero | -CR | -RU | -LR | -dR
";

/// Options about names, sizes and layouts, for trees with odd names.
const OTHERS: &str = r"
    -v | -rv | -av | --sort=version | -Q | -b | -q | -N | -qC | -QC | -bC
    -q --show-control-chars | --quoting-style=literal | --quoting-style=shell
    --quoting-style=shell-always | --quoting-style=shell-escape
    --quoting-style=shell-escape-always | --quoting-style=c | --quoting-style=c-maybe
    --quoting-style=escape | --quoting-style=locale | --quoting-style=clocale
    -q --quoting-style=shell-escape | -q --quoting-style=shell | -l --quoting-style=shell-escape
    -C --quoting-style=shell-escape | -k | -ks | -lk | -B | -aB | -I *e* | -aI .*
    -a --ignore=.h* | -I [[:upper:]]* --ignore=[!a-z]* | --hide=*e* --hide=f* | -a --hide=*
    -A --hide=* | -I {a,b}* | -I a[b | -I .* | -aI \.h* | -I [!a-c]* | -I []a]* | -I [[:upper:]_]*
    -I *[[:blank:]]* | -I plai\n | -I \* | -I upper | -lh --si | -l --si | -ls --si -h
    -l --author | -g --author | -go --author | -n --author | -l --block-size=1
    -ls --block-size=K | -ls --block-size=KB | -ls --block-size=1KiB | -ls --block-size=2M
    -l --block-size=si | -ls --block-size=human | -ls -k --block-size=512 | --indicator-style=none
    -F --indicator-style=slash | --indicator-style=file-type | --indicator-style=classify
    --hyperlink | -l --hyperlink | -aC --hyperlink=always
    --hyperlink --quoting-style=shell-escape -C | --hyperlink=auto | -d --hyperlink
    --dereference-command-line-symlink-to-dir | -l --dereference-command-line-symlink-to-dir
    -H --dereference-command-line-symlink-to-dir | --color=always -l
";

/// What is run, beside each other.
struct Run<'a> {
    place: &'a Path,
    zone: Option<&'a str>,
    locale: &'a str,
    /// A copy of curt, and the user to run it and GNU ls as.
    by: Option<(&'a Path, u32)>,
    /// Variables of the environment, with their values.
    variables: &'a [(&'a str, &'a str)],
}

impl Run<'_> {
    fn output(&self, program: &Path, first: &[&str], options: &str, operands: &[&OsStr]) -> Output {
        let mut command = Command::new(program);
        command.args(first).args(options.split_whitespace()).args(operands);
        command.current_dir(self.place).env("LC_ALL", self.locale);
        for name in [
            "TIME_STYLE",
            "LS_COLORS",
            "COLUMNS",
            "TABSIZE",
            "QUOTING_STYLE",
            "BLOCK_SIZE",
            "BLOCKSIZE",
            "LS_BLOCK_SIZE",
        ] {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().copied());
        match self.zone {
            Some(zone) => command.env("TZ", zone),
            None => command.env_remove("TZ"),
        };
        if let Some((_, user)) = self.by {
            command.uid(user).gid(user);
        }
        command.output().unwrap()
    }

    /// What differs, if anything does, while GNU ls says the same before and after: others may
    /// change what is listed.
    fn difference(&self, options: &str, operands: &[&OsStr]) -> Option<String> {
        const TRIES: usize = 20;
        let mut difference = None;
        for _ in 0..TRIES {
            let gnu = self.output(Path::new("ls"), &[], options, operands);
            difference = self.difference_from(&gnu, options, operands);
            if difference.is_none() || self.output(Path::new("ls"), &[], options, operands) == gnu {
                break;
            }
        }
        difference
    }

    /// What differs from what GNU ls said.
    fn difference_from(&self, gnu: &Output, options: &str, operands: &[&OsStr]) -> Option<String> {
        let curt = self.by.map_or(Path::new(env!("CARGO_BIN_EXE_curt")), |(curt, _)| curt);
        let ours = self.output(curt, &["ls"], options, operands);
        let messages = String::from_utf8_lossy(&ours.stderr).replace("curt ls: ", "ls: ");
        let is_same = gnu.stdout == ours.stdout
            && gnu.status.code() == ours.status.code()
            && String::from_utf8_lossy(&gnu.stderr) == messages;
        (!is_same).then(|| {
            let mut gnu_lines = gnu.stdout.split(|&byte| byte == b'\n');
            let mut our_lines = ours.stdout.split(|&byte| byte == b'\n');
            let pair = std::iter::from_fn(|| match (gnu_lines.next(), our_lines.next()) {
                (None, None) => None,
                pair => Some(pair),
            });
            let text = |line: Option<&[u8]>| line.map(|line| line.escape_ascii().to_string());
            let line = pair.into_iter().find(|(gnu, ours)| gnu != ours);
            let line = line.map(|(gnu, ours)| (text(gnu), text(ours)));
            format!(
                "ls {options} {operands:?}, TZ {:?}: {line:?}, GNU {:?} {}, curt {:?} {messages}",
                self.zone,
                gnu.status.code(),
                String::from_utf8_lossy(&gnu.stderr),
                ours.status.code(),
            )
        })
    }
}

/// Compares on one place and fails with all that differs.
fn compare(run: &Run<'_>, options: &[&[&str]], operands: &[&[&str]]) {
    let mut wrong = Vec::new();
    for options in options.iter().copied().flatten() {
        for operands in operands {
            let operands: Vec<&OsStr> = operands.iter().map(OsStr::new).collect();
            wrong.extend(run.difference(options, &operands));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Sets the time of the last change of a file's content.
fn set_time(path: &Path, seconds: i64, nanoseconds: u32) {
    use std::time::{Duration, SystemTime};
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let time =
        if seconds < 0 { SystemTime::UNIX_EPOCH - whole } else { SystemTime::UNIX_EPOCH + whole };
    let time = time + Duration::from_nanos(nanoseconds.into());
    let times = fs::FileTimes::new().set_modified(time).set_accessed(time);
    fs::File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

/// Everything that a listing may have to show.
fn build(scratch: &Scratch) {
    for (at, name) in [
        &b"plain"[..],
        b"new\nline",
        b"\x1b[31mescape",
        b"invalid\xff\xfe",
        b" leading blank",
        b"-dash",
        b"--",
        b"it's",
        b"$(x)",
        b"back\\slash",
        b"UPPER",
        b".hidden",
        b".hidden.rs",
        b"a.tar.gz",
        b"b.rs",
        b"c.",
        "\u{e9}".as_bytes(),
        "\u{6f22}\u{5b57}".as_bytes(),
    ]
    .into_iter()
    .enumerate()
    {
        scratch.file_with(OsStr::from_bytes(name), &vec![b'x'; at * at * 77]);
    }
    for (name, mode) in
        [("setuid", 0o4755), ("setgid", 0o2644), ("run", 0o711), ("none", 0), ("odd", 0o7000)]
    {
        let path = scratch.file(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    for (name, mode) in [("sticky", 0o1777), ("sticky-only", 0o1770), ("folder", 0o755)] {
        let path = scratch.dir(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    scratch.file_with("folder/one", &[b'1'; 3000]);
    scratch.file("folder/below/two");
    scratch.file("folder/below/.three");
    for (name, target) in [
        ("link", "folder"),
        ("to-file", "run"),
        ("dangling", "nowhere"),
        ("round", "round"),
        ("to-odd", "new\nline"),
    ] {
        scratch.link(name, target);
    }
    scratch.hard_link("b.rs", "hard");
    scratch.fifo("pipe");
    drop(UnixListener::bind(scratch.at("socket")).unwrap());
    let sparse = fs::File::create(scratch.at("sparse")).unwrap();
    sparse.set_len(5 * (1 << 30) + 1).unwrap();
    for (name, seconds, nanoseconds) in [
        ("before-1970", -2_000_000_000, 5),
        ("just-before", -1, 999_999_999),
        ("after-2038", 4_000_000_000, 0),
        ("fraction", 1_700_000_000, 123_456_789),
        ("summer", 1_720_000_000, 0),
    ] {
        set_time(&scratch.file(name), seconds, nanoseconds);
    }
    let strange = scratch.file("strange-owner");
    if is_root() {
        std::os::unix::fs::lchown(strange, Some(1_234_567), Some(7)).unwrap();
    }
}

#[test]
fn odd_trees_look_the_same() {
    let Some(()) = has_gnu("ls") else { return };
    let scratch = Scratch::new();
    build(&scratch);
    let run = Run { place: scratch.path(), zone: None, locale: "C", by: None, variables: &[] };
    let operands: &[&[&str]] = &[
        &[],
        &["."],
        &["folder"],
        &["link", "folder", "run"],
        &["missing", "dangling", "pipe", "sticky", "it's gone"],
        &["folder//", "new\nline", "to-file"],
        &["--", "-dash", "--"],
        &["run/", ""],
        &["folder", "missing"],
        &["setuid", "setgid", "sparse"],
    ];
    compare(&run, &[&cells(OPTIONS)], operands);
    compare(&run, &[&cells(RECURSIVE)], &[&["folder"], &["folder/"], &["sticky", "folder", "run"]]);
    let not_following = &cells(RECURSIVE)[..10];
    compare(&run, &[not_following], &[&[], &["."]]);
}

/// Whether a locale is installed.
fn has_locale(name: &str) -> bool {
    let locales = Command::new("locale").arg("-a").output();
    locales.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout).lines().any(|known| known.starts_with(name))
    })
}

#[test]
fn names_sizes_and_layouts_look_the_same() {
    let Some(()) = has_gnu("ls") else { return };
    let scratch = Scratch::new();
    build(&scratch);
    for name in ["file9", "file10", "file010", "a1.tar.gz", "a1.2.tar", "old~", ".old~", "{a,b}c"] {
        scratch.file(name);
    }
    for name in ["a[b", "tab\there", "\u{2019}quote\u{2018}", "sub?dir/x y", "sub?dir/z", "\u{85}"]
    {
        scratch.file(name);
    }
    let operands: &[&[&str]] =
        &[&[], &["folder", "link", "sub?dir", "run"], &["missing", "dangling", "to-odd"], &["."]];
    for locale in ["C", "C.UTF-8"] {
        if locale != "C" && !has_locale("C.utf8") {
            skip("the locale C.UTF-8 is not installed");
            continue;
        }
        let run = Run { place: scratch.path(), zone: None, locale, by: None, variables: &[] };
        compare(&run, &[&cells(OTHERS)], operands);
    }
}

/// Options for columns with colors.
const COLORED: &[&str] = &["-C --color=always", "-x --color=always", "-m --color=always"];

#[test]
fn variables_of_the_environment_count() {
    let Some(()) = has_gnu("ls") else { return };
    let scratch = Scratch::new();
    build(&scratch);
    let colors = "no=7:ex=01;32:su=1;4:sg=2;4:tw=3;4:ow=4;5:st=4;6:mh=44:ln=36:or=31:mi=41:*.rs=1";
    for variables in [
        [("COLUMNS", "40"), ("TABSIZE", "4")],
        [("COLUMNS", "x"), ("TABSIZE", "-1")],
        [("COLUMNS", "0"), ("TABSIZE", "0")],
        [("QUOTING_STYLE", "c"), ("COLUMNS", "99999999999999999999")],
        [("QUOTING_STYLE", "shell-escape"), ("COLUMNS", "")],
        [("QUOTING_STYLE", "bad"), ("TABSIZE", "")],
        [("LS_BLOCK_SIZE", "K"), ("BLOCK_SIZE", "M")],
        [("BLOCK_SIZE", "human-readable"), ("BLOCKSIZE", "512")],
        [("BLOCKSIZE", "2K"), ("TERM", "dumb")],
        [("LS_BLOCK_SIZE", "x"), ("BLOCK_SIZE", "1")],
        [("POSIXLY_CORRECT", "1"), ("TERM", "xterm")],
        [("LS_COLORS", colors), ("TERM", "xterm")],
        [("LS_COLORS", "ln=target:or=33:mi=35:ex=32:su=0:sg=0:tw=0:ow=0:st=0"), ("TERM", "xterm")],
        [("LS_COLORS", "ln=target:or=:ex=1:su=:sg=:tw=:ow=:st="), ("TERM", "xterm")],
        [("LS_COLORS", "mi=35:ow=0:di=1:tw=0:st=0:ex=0:su=0:sg=0"), ("TERM", "xterm")],
    ] {
        let options: &[&str] = &cells(
            "
            -ls | -lsk | -ls --block-size=1 | -lsh | -s | --color=always | -l --color=always
            -F --color=always | -L --color=always | -lL --color=always | -d --color=always
            -R --color=always
        ",
        );
        // For colors by permissions, GNU ls asks about every entry, curt only if they are named.
        let has_colors = variables[0].0 == "LS_COLORS";
        let options: Vec<&str> = options
            .iter()
            .copied()
            .filter(|options| has_colors || !options.contains("--color"))
            .collect();
        let run =
            Run { place: scratch.path(), zone: None, locale: "C", by: None, variables: &variables };
        let operands: &[&[&str]] =
            &[&[], &["folder", "link"], &["run", "dangling", "setuid", "sticky"]];
        compare(&run, &[&options], operands);
        // Names with letters that the locale lacks have other widths there.
        let columns: &[&str] = if has_colors { COLORED } else { &["-C", "-x", "-m"] };
        compare(&run, &[columns], &[&["/usr/share"], &["/usr", "/etc"]]);
    }
}

#[test]
fn versions_patterns_and_scaled_sizes_look_the_same() {
    const VERSIONS: &str = ".A .Z .a~ .a .b9.x .b10.x 0 9 A a~ a a.b a. a..b a.1.gz a1 a01 \
        a9.tar.gz a10.tar.gz a99999999999999999999 a100000000000000000000 aa a-1 a_1 \u{e9}";
    let Some(()) = has_gnu("ls") else { return };
    let scratch = Scratch::new();
    for name in VERSIONS.split(' ') {
        scratch.file(format!("versions/{name}"));
    }
    let sizes = "1023 1024 1025 10137 10138 10241 1047552 1047553 1048576 5368709121";
    for size in sizes.split(' ') {
        let file = fs::File::create(scratch.dir("sizes").join(size)).unwrap();
        file.set_len(size.parse().unwrap()).unwrap();
    }
    let run = Run { place: scratch.path(), zone: None, locale: "C", by: None, variables: &[] };
    compare(&run, &[&["-av", "-avr"]], &[&["versions"]]);
    for name in ["a", "!", "~", "]", "-", "B c", "\t"] {
        scratch.file(format!("patterns/{name}"));
    }
    let patterns: &[&str] = &[
        "-I ?",
        "-I *[[:punct:]]*",
        "-I *[![:punct:]]",
        "-I [[:graph:]]*",
        "-I [[:blank:]]",
        "-I *[[:print:][:cntrl:]]*",
    ];
    compare(&run, &[patterns], &[&["patterns"]]);
    compare(&run, &[&["-lh", "-l --si", "-l --block-size=KB"]], &[&["sizes"]]);
}

#[test]
fn time_zones_are_understood() {
    let Some(()) = has_gnu("ls") else { return };
    let scratch = Scratch::new();
    build(&scratch);
    let zones = cells(
        "
        '' | UTC | :UTC | America/New_York | :Europe/Berlin | /usr/share/zoneinfo/Asia/Kolkata
        Australia/Lord_Howe | Africa/Monrovia | <+0330>-3:30 | XYZ-13:45 | /does/not/exist
    ",
    );
    for (name, seconds) in [("week-53", 1_262_304_000), ("week-1", 1_230_508_800)] {
        set_time(&scratch.file(name), seconds, 0);
    }
    let options: &[&str] = &["-l", "--full-time", "-l --time-style=+%z%c%G-%V"];
    for zone in zones {
        let run =
            Run { place: scratch.path(), zone: Some(zone), locale: "C", by: None, variables: &[] };
        compare(&run, &[options], &[&[]]);
    }
    // Before 1971 the C library takes it for winter all year long where rules are all it has.
    let later = &["after-2038", "fraction", "summer", "plain"][..];
    for zone in ["EST5EDT", "EST5EDT,M3.2.0,M11.1.0", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1"] {
        let run =
            Run { place: scratch.path(), zone: Some(zone), locale: "C", by: None, variables: &[] };
        compare(&run, &[options], &[later]);
    }
}

#[test]
fn columns_line_up() {
    let Some(()) = has_gnu("ls") else { return };
    let scratch = Scratch::new();
    for count in 0..60 {
        scratch.file(format!("{}{count}", "x".repeat(count * 7 % 23)));
    }
    scratch.dir("folder");
    let run = Run { place: scratch.path(), zone: None, locale: "C", by: None, variables: &[] };
    compare(&run, &[&cells(COLUMNS)], &[&[], &["folder", "0"]]);
    if !has_locale("C.utf8") {
        return skip("the locale C.UTF-8 is not installed");
    }
    for name in ["\u{e9}t\u{e9}", "\u{6f22}\u{5b57}", "e\u{301}", "\u{1f600}", "\u{ac00}"] {
        scratch.file(name);
    }
    let run = Run { locale: "C.UTF-8", ..run };
    compare(&run, &[&cells(COLUMNS)], &[&[]]);
}

#[test]
fn system_directories_look_the_same() {
    let Some(()) = has_gnu("ls") else { return };
    let run = Run { place: Path::new("/"), zone: None, locale: "C", by: None, variables: &[] };
    compare(&run, &[&cells(OPTIONS), &cells(COLUMNS)], &[&["/etc", "/usr", "/etc/passwd"]]);
    compare(&run, &[&cells(COLUMNS)], &[&["/usr/bin"]]);
    // Other programs use devices meanwhile, which changes times.
    let steady: &[&str] =
        &["", "-a", "-i", "-s", "-F", "-p", "-l --time-style=+", "-n --time-style=+"];
    compare(&run, &[steady], &[&["/dev"], &["/dev/null", "/dev/zero", "/dev"]]);
    let names: &[&str] = &["", "-a", "-A", "-F", "-1", "-r"];
    compare(&run, &[names], &[&["/proc/self/"], &["/proc/self/ns"], &["/proc/self/attr"]]);
}

#[test]
fn unreadable_entries_are_reported_as_by_gnu_ls() {
    let Some(()) = has_gnu("ls") else { return };
    if !is_root() {
        return skip("not root: what belongs to another user cannot be made");
    }
    let bench = Bench::new();
    let place = bench.place();
    for path in ["closed/below", "names-only/folder"] {
        fs::create_dir_all(place.join(path)).unwrap();
    }
    fs::write(place.join("names-only/file"), "text").unwrap();
    fs::write(place.join("open"), "text").unwrap();
    std::os::unix::fs::symlink("x", place.join("names-only/link")).unwrap();
    std::os::unix::fs::symlink("closed/below", place.join("denied")).unwrap();
    for (path, mode) in [("closed", 0o700), ("names-only", 0o744)] {
        fs::set_permissions(place.join(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    let by = Some((bench.curt(), NOBODY));
    let run = Run { place: &place, zone: None, locale: "C", by, variables: &[] };
    let options: &[&str] = &["", "-l", "-R", "-lR", "-s", "-i", "-la", "-lt", "-lF", "-ln"];
    let operands: &[&[&str]] =
        &[&[], &["closed"], &["names-only"], &["names-only", "closed", "open"], &["closed/below"]];
    compare(&run, &[options], operands);
    // A link that this user may not follow.
    compare(&run, &[&["", "-l", "-F", "-H", "-L", "-d"]], &[&["denied"], &["denied", "open"]]);
    bench.clear();
}
