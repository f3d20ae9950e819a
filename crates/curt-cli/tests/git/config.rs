use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use curt_testkit::{Choices, NOBODY, Scratch, cells, is_root, skip};

/// Variables, and a script that configures the work tree `w`. In the scratch directory `$S`, the
/// file `rules` ignores `*.sql`, and `others` ignores `*.log`.
const ROWS: &[[&str; 2]] = &[
    ["", "git config core.excludesFile $S/rules"],
    ["", "git config core.excludesFile sub/rules; cp $S/rules sub"],
    ["", "echo '[core]excludesFile = sub/rules' >$S/home/.gitconfig; cp $S/rules sub"],
    ["", "git config core.excludesFile '~/../rules'"],
    ["", "git config core.excludesFile \"~root/..$S/rules\""],
    ["", "git config core.excludesFile \"%(prefix)/..$S/rules\""],
    ["", "git config core.excludesFile $S/missing; cp $S/rules $S/home/.config/git/ignore"],
    ["", "git config core.excludesFile $S/rules/"],
    ["", "cp $S/rules sub; git config core.excludesFile sub/rules/."],
    ["", "file w/.git/one; git config include.path one/"],
    ["", "git config core.excludesFile ''; cp $S/rules $S/home/.config/git/ignore"],
    ["", "cp $S/rules $S/home/.config/git/ignore"],
    ["", "ln -s $S/rules $S/link; git config core.excludesFile $S/link"],
    ["", "git config core.excludesFile $S/rules; mv .git/config $S/c; ln -s $S/c .git/config"],
    ["", "git config core.excludesFile $S/others; git config --add core.excludesFile $S/rules"],
    ["GIT_CONFIG_SYSTEM=$S/one", "file one"],
    ["GIT_CONFIG_SYSTEM=$S/one GIT_CONFIG_NOSYSTEM=yes", "file one"],
    ["GIT_CONFIG_SYSTEM=$S/one GIT_CONFIG_NOSYSTEM=0", "file one"],
    ["GIT_CONFIG_SYSTEM=$S/one", "file one; file home/.gitconfig others"],
    ["GIT_CONFIG_GLOBAL=$S/one", "file one; file home/.gitconfig others"],
    ["GIT_CONFIG_GLOBAL=", "file home/.gitconfig; file home/.config/git/config"],
    ["GIT_CONFIG_GLOBAL=/dev/null", "file home/.gitconfig"],
    ["", "ln -s /dev/null $S/home/.gitconfig; file home/.config/git/config"],
    ["", "file home/.gitconfig; chmod 0 $S/home/.gitconfig"],
    ["", "ln -s /dev/null $S/home/.config/git/ignore"],
    ["", "file home/.gitconfig; file home/.config/git/config others"],
    ["", "file home/.config/git/config"],
    [
        "XDG_CONFIG_HOME=$S/x",
        "mkdir -p $S/x/git; file x/git/config; file home/.config/git/config others",
    ],
    ["XDG_CONFIG_HOME=$S/x", "mkdir -p $S/x/git; cp $S/rules $S/x/git/ignore"],
    ["", "file home/.gitconfig; git config core.excludesFile $S/others"],
    [
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=Core.excludesFile GIT_CONFIG_VALUE_0=$S/rules",
        "git config core.excludesFile $S/others",
    ],
    [
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.excludesFile GIT_CONFIG_VALUE_0=$S/rules
         GIT_CONFIG_PARAMETERS='core.excludesFile'='$S/others'",
        "",
    ],
    ["GIT_CONFIG_PARAMETERS='core.excludesFile=$S/rules'", ""],
    ["GIT_CONFIG_PARAMETERS='include.path'='$S/one'", "file one"],
    ["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=include.path GIT_CONFIG_VALUE_0=~/one", "file home/one"],
    ["", "file home/one; echo '[include]path = one' >$S/home/.gitconfig"],
    ["", "file one; git config include.path '~/../one'"],
    ["", "file one; git config include.path missing; git config --add include.path ../../one"],
    ["", "file one; git config include.path ../../one; git config core.excludesFile $S/others"],
    ["", "file one; git config core.excludesFile $S/others; git config include.path ../../one"],
    ["", "file one; echo '[include]path=one' >$S/two; git config include.path $S/two"],
    ["", "file one; condition gitdir:$S/w/.git"],
    ["", "file one; condition gitdir:$S/"],
    ["", "file one; condition gitdir:$S"],
    ["", "file one; condition gitdir:w/"],
    ["", "file one; condition gitdir:W/"],
    ["", "file one; condition gitdir/i:W/"],
    ["", "file one; condition gitdir/i:$S/W/.GIT"],
    ["", "file one; condition 'gitdir:**/w/**'"],
    ["", "file one; condition 'gitdir:*/w/.git'"],
    ["", "file home/one; ln -s ../w $S/home/linked; condition gitdir:~/linked/"],
    ["", "file one; condition gitdir:~/../w/"],
    ["", "file one; git config includeIf.gitdir:./.path $S/one"],
    ["", "file one; git config includeIf.gitdir/i:./.GIT.path $S/one"],
    [
        "GIT_CONFIG_GLOBAL=$S/D/c",
        "file one; mkdir $S/D $S/d; mv $S/w $S/d; ln -s d/w $S/w
        printf '[includeIf \"gitdir/i:./w/\"]path = %s\n' $S/one >$S/D/c",
    ],
    [
        "",
        "git config include.path f1; file w/.git/f10; for i in 1 2 3 4 5 6 7 8 9; do
        printf '[include]path=f%s\n' $((i+1)) >.git/f$i; done",
    ],
    ["", "file one; condition gitdir:~no-such-user/"],
    ["", "file one; condition \"gitdir:%(prefix)/..$S/\""],
    ["", "file one; condition onbranch:topic/x"],
    ["", "file one; condition onbranch:topic/"],
    ["", "file one; condition 'onbranch:*'"],
    ["", "file one; condition onbranch:other; git checkout -q --orphan other"],
    ["", "file one; condition hasconfig:remote.*.url:https://x/**; git remote add o https://x/y/z"],
    ["", "file one; condition hasconfig:remote.*.url:https://x/**; git remote add o https://z/y"],
    ["", "file one; condition hasconfig:remote.*.url:https://x/; git remote add o https://x/y"],
    ["", "echo '[core]ignoreCase = maybe' >$S/one; condition hasconfig:remote.*.url:https://x/**"],
    ["", "file one; condition unknown:x"],
    ["", "file one; git config extensions.worktreeConfig true; mv $S/one .git/config.worktree"],
    ["", "file one; cp $S/one .git/config.worktree"],
    ["", "git config extensions.worktreeConfig true; file w/.git/config.worktree"],
    ["", "git config core.ignoreCase true"],
    ["", "git config core.ignoreCase on; git config --add core.ignoreCase no"],
    ["", "echo '[CORE]ignorecase' >>.git/config"],
    ["", "echo '[core]ignoreCase = 2k' >>.git/config; git config core.excludesFile $S/capital"],
    ["", "git config core.ignoreCase 0x1k"],
    ["", "git config core.ignoreCase -010"],
    ["", "git config core.ignoreCase true; echo XY >sub/.gitignore; touch sub/xy"],
    ["", "git config core.ignoreCase 0; echo '*.SQL' >.git/info/exclude"],
    ["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.ignorecase GIT_CONFIG_VALUE_0=", ""],
    [
        "",
        "printf '\\357\\273\\277[core]\\r\\n\\texcludesFile = '$S'/\\\\\\r\\nrules ; x\\r\\n' \
            >$S/home/.gitconfig",
    ],
    ["", "ln -sf $S/rules .git/info/exclude"],
    ["", "ln -sf missing .git/info/exclude"],
    ["", "mv .git $S/real; ln -s $S/real .git; cp $S/rules .git/info/exclude"],
    [
        "",
        "mv .git $S/real; cp $S/rules $S/real/info/exclude; echo gitdir: $S/real >$S/file
        ln -s $S/file .git",
    ],
    ["", "echo a.sql >.gitignore; ln -s missing sub/.git"],
    ["", "echo a.sql >.gitignore; ln -s .git sub/.git"],
    ["", "printf '[core \"x\"]\\nexcludesFile='$S'/rules\\n' >>.git/config"],
    ["", "printf '[core]excludesFile=\"'$S'/\"rules # x\\n' >>.git/config"],
];

const REFUSED: &[&str] = &[
    "echo '[core' >>.git/config",
    "echo '[core]excludesFile' >>.git/config",
    "echo '[core]ignoreCase = maybe' >$S/home/.gitconfig",
    "git config core.ignoreCase 08",
    "git config include.path config",
    "git config core.excludesFile '~no-such-user/x'",
    "echo '[core' >$S/one; condition hasconfig:remote.*.url:x",
    "echo '[remote \"o\"]url = y' >$S/one; condition hasconfig:remote.*.url:x",
    "echo '[remote \"o\"]url = y' >$S/one; condition gitdir:w/
    git config includeIf.hasconfig:remote.*.url:x.y z",
    "echo '[includeIf \"hasconfig:remote.*.url:x\"]path' >>.git/config",
    "git config includeIf.hasconfig:remote.*.url:x.path '~no-such-user/x'",
    "rm .git/config; mkdir .git/config",
    "git config core.excludesFile $S",
    "rm -f .git/info/exclude; mkdir .git/info/exclude",
];

const FUNCTIONS: &str = r#"
set -e
file() { printf '[core]\nexcludesFile = %s\n' $S/${2-rules} >$S/$1; }
condition() {
    printf '[includeIf "%s"]\npath = %s\n' "$1" $S/one >>$S/home/.gitconfig
    [ -e $S/one ] || cp $S/home/one $S
}
mkdir -p $S/w/sub $S/home/.config/git
cd $S/w; git init -q; git checkout -q -b topic/x; mkdir -p .git/info
echo '*.sql' >$S/rules; echo '*.log' >$S/others; echo '*.SQL' >$S/capital
touch a.sql b.log c.SQL sub/a.sql sub/Foo FOO foo Ab aB zB Q q
printf 'foo\n[A-C]b\n\\Q\n[[:upper:]]B\n' >.gitignore
"#;

fn run(
    scratch: &Scratch,
    variables: &str,
    user: Option<u32>,
    program: &str,
    args: &[&str],
) -> Output {
    let mut command = Command::new(program);
    if let Some(user) = user.map(|user| user.to_string()) {
        command = Command::new("setpriv");
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups", program]);
    }
    command.args(args).current_dir(scratch.at("w")).env("HOME", scratch.at("home"));
    command.env("S", scratch.path()).env("LC_ALL", "C").env("GIT_CONFIG_SYSTEM", "/dev/null");
    for name in ["GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME", "GIT_DIR"] {
        command.env_remove(name);
    }
    let scratch = scratch.path().display().to_string();
    for variable in variables.split_whitespace() {
        let (name, value) = variable.split_once('=').unwrap();
        command.env(name, value.replace("$S", &scratch));
    }
    command.output().unwrap()
}

fn build(script: &str) -> Option<Scratch> {
    let scratch = Scratch::new();
    scratch.dir("w");
    std::fs::set_permissions(scratch.path(), PermissionsExt::from_mode(0o755)).unwrap();
    if Command::new("git").arg("--version").output().is_err() {
        skip("git is not installed");
        return None;
    }
    let output = run(&scratch, "", None, "sh", &["-c", &format!("{FUNCTIONS}\n{script}")]);
    assert!(output.status.success(), "{script}: {output:?}");
    Some(scratch)
}

fn compare(scratch: &Scratch, variables: &str, user: Option<u32>, words: &str) {
    let args = ["ls-files", "-z", "--others", "--exclude-standard"];
    let git = run(scratch, variables, user, "git", &args);
    assert!(git.status.success(), "{words}: {git:?}");
    for from in [".", "sub"] {
        let below: Vec<PathBuf> = super::paths(&git.stdout)
            .into_iter()
            .filter(|path| path.starts_with(from) || from == ".")
            .collect();
        let args = ["find", "-0", "-H", "-tf,l", "-E", ".git", ".", from];
        let curt = run(scratch, variables, user, &program(scratch), &args);
        assert!(curt.status.success(), "{words}: {curt:?}");
        let found = super::paths(&curt.stdout);
        let found: Vec<_> =
            found.iter().map(|path| path.strip_prefix(".").unwrap_or(path)).collect();
        assert_eq!(found, below, "{variables} {words}");
    }
}

fn program(scratch: &Scratch) -> String {
    let own = scratch.at("curt");
    if !own.exists() {
        // Copy with `cp`: a program started by another thread must not inherit the open file.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_curt")).arg(&own).status().unwrap();
        assert!(copied.success());
    }
    own.display().to_string()
}

#[test]
fn configuration_is_that_of_git() {
    for [variables, script] in ROWS {
        let Some(scratch) = build(script) else { return };
        compare(&scratch, variables, None, script);
    }
}

/// curt and git must agree on each configuration that git accepts. Only one version is tested,
/// because versions differ in what they refuse, and in blanks within values.
#[test]
fn random_configurations_mean_the_same_to_git() {
    let version = Command::new("git").arg("--version").output();
    if !version.is_ok_and(|output| output.stdout.starts_with(b"git version 2.39.")) {
        return skip("git 2.39 is not installed");
    }
    let Some(scratch) = build("cp $S/rules $S/others sub; file one; file w/.git/one") else {
        return;
    };
    let repository = std::fs::read(scratch.at("w/.git/config")).unwrap();
    let parts = cells(
        r#"
        [core] | [core] | [Core] | [] | [ core] | [core ] | [core "x"] | [core ""] | [ "x"]
        [core.x] | [.] | [core | excludesFile | excludesFile | ignoreCase | ignoreCase | path | -x
        a_b | 1 | = | = | = | = | " | \ | # | ; | $S/rules | $S/rules/ | sub/rules | sub/rules/.
        ~/rules | ~nobody-here/x | $S | yes | off | maybe | 0x | 0x1K | 2g | 1g | -2147483648 | 010
        08 | +-1 | 99999999999999999999 | [include] | [includeIf "gitdir:w/"] | one | one/ | $S/one
        [includeIf "gitdir:~nobody-here/"] | [includeIf "onbranch:*"]
        "#,
    );
    let keys = cells(
        r"
        core.excludesFile | CORE.ignorecase | core. | .x | core | core..x | .x.y | core.1 | a_b.c
        core.a_b | co re.x | core.a b.c | include.path | includeIf.gitdir:./.path
        ",
    );
    let counts = ["1", "1", "1", " 1", "1 ", "+1", "-1", "-0", "01", "1k", "2147483648", "2", ""];
    let values = ["$S/rules", "$S/rules/", "1", "2g", "", "off", "$S/one", "one"];
    let forms = ["'K'='V'", "'K=V'", "'K'=", " 'K'='V'", "'K'='V'x", "K=V", "'K' 'K'=", "' K ='"];
    let blanks = [" ", " ", "\n", "\n", "\r\n", "\\\n", "\t", ""];
    let settings = [
        ["excludesFile", "$S/rules"],
        ["excludesFile", "sub/rules"],
        ["excludesFile", "$S/rules/"],
        ["ignoreCase", "yes"],
        ["ignoreCase", "0x1k"],
    ];
    let place = scratch.path().display().to_string();
    let mut choices = Choices::new(11);
    let mut refused = 0;
    for _ in 0..400 {
        let (mut text, mut variables) = (String::new(), Vec::new());
        let (key, value) = (choices.one_of(&keys), choices.one_of(&values));
        match choices.below(6) {
            0 => {
                variables.push(format!("GIT_CONFIG_COUNT={}", choices.one_of(&counts)));
                variables.push(format!("GIT_CONFIG_KEY_0={key}"));
                variables.push(format!("GIT_CONFIG_VALUE_0={value}"));
            }
            1 => {
                let form = choices.one_of(&forms).replace('K', key).replace('V', value);
                variables.push(format!("GIT_CONFIG_PARAMETERS={form}"));
            }
            _ => {
                for _ in 0..=choices.below(2) {
                    let [key, value] = settings[choices.below(settings.len())];
                    for usual in ["[core]", key, "=", value] {
                        let is_odd = choices.below(9) == 0;
                        text += if is_odd { choices.one_of(&parts) } else { usual };
                        text += if is_odd { choices.one_of(&blanks) } else { " " };
                    }
                    text += choices.one_of(&blanks[2..]);
                }
            }
        }
        let config = [&*repository, text.replace("$S", &place).as_bytes()].concat();
        std::fs::write(scratch.at("w/.git/config"), config).unwrap();
        let variables: Vec<_> = variables.iter().map(|it| it.replace("$S", &place)).collect();
        let answer = |program: &str, args: &str| {
            let words = variables.iter().map(String::as_str);
            let words: Vec<_> = words.chain([program]).chain(args.split(' ')).collect();
            let output = run(&scratch, "", None, "env", &words);
            let found = super::paths(&output.stdout).into_iter();
            let found = found.map(|path| path.strip_prefix(".").unwrap_or(&path).to_owned());
            output.status.success().then(|| found.collect::<Vec<_>>())
        };
        let git = answer("git", "ls-files -z --others --exclude-standard");
        refused += u32::from(git.is_none());
        let curt = answer(env!("CARGO_BIN_EXE_curt"), "find -0 -H -tf,l -E .git . .");
        assert_eq!(curt, git, "{variables:?} {text:?}");
    }
    assert!((80..300).contains(&refused), "{refused}");
}

#[test]
fn linked_work_trees_share_a_configuration_and_have_their_own() {
    let script = "git config extensions.worktreeConfig true; git config core.ignoreCase true
        file w/.git/config.worktree others
        git -c user.name=x -c user.email=x commit -qm x --allow-empty
        git worktree add -q $S/two; mv $S/w $S/main; mv $S/two $S/w
        git -C $S/main worktree repair $S/w; cd $S/w
        git config --worktree core.excludesFile $S/rules
        touch a.sql b.log foo FOO; mkdir sub; touch sub/a.sql sub/Foo; echo foo >.gitignore";
    let Some(scratch) = build(script) else { return };
    compare(&scratch, "", None, script);
}

#[test]
fn configuration_refused_by_git_is_an_error() {
    for script in REFUSED {
        let Some(scratch) = build(script) else { return };
        refuse(&scratch, None, script);
    }
    // A pipe without a writer, a branch in a reftable (which this git might not know), and included
    // files whose number triples on each level.
    for script in [
        "mkfifo $S/pipe; git config include.path $S/pipe",
        "file one; condition onbranch:x; echo 'ref: refs/heads/.invalid' >.git/HEAD",
        "for i in 1 2 3 4 5 6 7 8 9; do
        printf '[include]path=f%s\\n' $((i+1)) >.git/f$i; cat .git/f$i .git/f$i .git/f$i >.git/x
        mv .git/x .git/f$i; done; git config include.path f1; touch .git/f10",
    ] {
        let Some(scratch) = build(script) else { return };
        let curt = run(&scratch, "", None, &program(&scratch), &["find"]);
        assert_eq!((curt.status.code(), curt.stdout.len()), (Some(1), 0), "{script}: {curt:?}");
    }
}

fn refuse(scratch: &Scratch, user: Option<u32>, script: &str) {
    let git = run(scratch, "", user, "git", &["status"]);
    assert!(!git.status.success(), "{script}: {git:?}");
    let curt = run(scratch, "", user, &program(scratch), &["find"]);
    assert_eq!((curt.status.code(), curt.stdout.len()), (Some(1), 0), "{script}: {curt:?}");
    assert!(String::from_utf8_lossy(&curt.stderr).contains("cannot read '"), "{curt:?}");
}

#[test]
fn unreadable_files_of_other_users_are_skipped_as_by_git() {
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return skip("to act as another user needs root and setpriv");
    }
    let own = "chown -R 65534:65534 $S/w";
    for script in [
        "file home/.gitconfig; chmod 600 $S/home/.gitconfig",
        "file home/.gitconfig; chmod 700 $S/home",
        "file home/.config/git/config; chmod 600 $S/home/.config/git/config",
        "cp $S/rules $S/home/.config/git/ignore; chmod 600 $S/home/.config/git/ignore",
        "cp $S/rules $S/home/.config/git/ignore; chmod 700 $S/home/.config",
        "file home/.gitconfig; chmod 600 $S/rules",
        "git config core.excludesFile $S/rules; chmod 600 $S/rules",
        "file home/.gitconfig",
        "$closed; chmod 0 sub/.git",
        "$closed; mv sub/.git $S/real; chmod 0 $S/real; ln -s $S/real sub/.git",
        "$closed; chmod 0 sub/.git/*",
    ] {
        let closed = "echo a.sql >.gitignore; git init -q sub";
        let script = script.replace("$closed", closed);
        let Some(scratch) = build(&format!("{script}; {own}")) else { return };
        compare(&scratch, "", Some(NOBODY), &script);
    }
    for script in [
        "file one; chmod 600 $S/one; git config include.path $S/one",
        "file one; chmod 600 $S/one; git config include.path $S/one; condition gitdir:nowhere",
    ] {
        let Some(scratch) = build(&format!("{script}; {own}")) else { return };
        refuse(&scratch, Some(NOBODY), script);
    }
    for (file, kept) in [
        (".gitignore", ""),
        ("sub/.gitignore", "./Ab\n"),
        (".ignore", ""),
        (".git/info/exclude", ""),
        (".git/config", ""),
    ] {
        let script = format!("echo x >{file}; {own}; chown root {file}; chmod 600 {file}");
        let Some(scratch) = build(&script) else { return };
        let curt = run(&scratch, "", Some(NOBODY), &program(&scratch), &["find", "-tf"]);
        let words = String::from_utf8(curt.stderr).unwrap();
        assert!(words.ends_with(&format!("{file}': Permission denied\n")), "{words}");
        let found = String::from_utf8(curt.stdout).unwrap();
        assert_eq!((curt.status.code(), found.is_empty()), (Some(1), kept.is_empty()), "{found}");
        assert!(!found.contains("sub/"), "{found}");
    }
}
