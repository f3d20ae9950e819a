use std::process::{Command, Stdio};

use crate::outcome;

const COMMANDS: [&str; 12] = [
    "rm", "cp", "find", "ls", "stat", "du", "which", "run", "realpath", "readlink", "expand",
    "beneath",
];

fn out(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    let output = command.args(words).env_remove("COLUMNS").stdin(Stdio::null()).output().unwrap();
    let (code, out, messages) = outcome(&output);
    assert_eq!((code, messages.as_str()), (Some(0), ""), "{words:?}");
    out
}

#[test]
fn help_has_one_form() {
    for command in COMMANDS {
        let help = out(&[command, "--help"]);
        for line in help.lines() {
            assert!(
                line.chars().count() <= 100,
                "{command}: more than 100 columns: shorten the text, or move it to the page in \
                 docs/commands: {line}"
            );
        }
        let sections: Vec<&str> = help.trim_end().split("\n\n").collect();
        assert!(sections[1].starts_with("Usage: "), "{command}: {help}");
        let examples = sections[2];
        assert!(examples.starts_with("Examples:\n  curt "), "{command}: {examples}");
        let count = examples.matches(&format!("\n  curt {command} ")).count();
        assert!((2..=3).contains(&count), "{command}: {examples}");
        assert!(examples.lines().all(|line| line.chars().count() < 80), "{command}: {examples}");
        assert!(sections.last().unwrap().starts_with("Exit status:\n"), "{command}");
        let heading = format!("Options that GNU {command} does not have:");
        let has_heading = matches!(command, "rm" | "cp" | "ls" | "du");
        assert_eq!(help.matches("Options that GNU").count(), usize::from(has_heading), "{help}");
        assert_eq!(help.contains(&heading), has_heading, "{help}");
        let words: Vec<&str> = help.split(|letter: char| !letter.is_alphanumeric()).collect();
        let has_fields = matches!(command, "ls" | "find" | "stat");
        for field in ["allocated", "rdev", "capability", "created", "label"] {
            assert!(words.contains(&field) || !has_fields, "{command}: {field}");
        }
        assert_eq!(out(&["help", command]), help, "{command}");
    }
    assert_eq!(out(&["help", "help"]), out(&["help"]));
}

#[test]
fn short_help_has_one_line_for_each_option() {
    // In `ls` and `du`, -h selects human-readable sizes.
    for command in COMMANDS.into_iter().filter(|command| !matches!(*command, "ls" | "du")) {
        let help = out(&[command, "-h"]);
        for line in help.lines().filter(|line| line.starts_with("   ")) {
            assert!(
                line.trim_start().starts_with("--"),
                "{command}: more than a line: end the first paragraph of the option's comment \
                 earlier; what follows it is for --help: {line}"
            );
        }
        let long = out(&[command, "--help"]);
        let options = |help: &str| -> Vec<String> {
            let words = help.split_whitespace().filter(|word| word.starts_with("--"));
            words.map(|word| word.trim_end_matches(',').to_owned()).collect()
        };
        assert!(help.len() < long.len(), "{command}");
        for option in options(&help) {
            assert!(options(&long).contains(&option), "{command}: {option}");
        }
    }
}

#[test]
fn topics_are_explained_and_listed() {
    let list = out(&["help"]);
    for topic in ["json", "fields", "colors", "exit"] {
        assert!(list.contains(&format!("curt help {topic} ")), "{list}");
        let text = out(&["help", topic]);
        assert!(text.lines().count() <= 24, "{topic}");
        assert!(text.lines().all(|line| line.chars().count() < 80), "{topic}");
    }
}

#[test]
fn keys_of_json_are_those_of_the_topic() {
    let topic = out(&["help", "json"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    let args = ["stat", "--json", "--stats", "no-such-file", "."];
    let (_, out, messages) = outcome(&command.args(args).output().unwrap());
    let lines = crate::objects(&(out + &messages));
    let error = lines.iter().find_map(|line| line.get("error")).unwrap().as_object().unwrap();
    assert_eq!(error.len(), 5);
    for key in error.keys() {
        assert!(topic.contains(&format!("\n    {key} ")), "{key}");
    }
    assert!(lines.last().unwrap().get("summary").is_some() && topic.contains("\"summary\""));
    let entry = lines.iter().find(|line| line.get("size").is_some()).unwrap();
    assert!(entry.get("path").is_some(), "{entry}");
    let time = entry["modified"].as_object().unwrap();
    assert!(time.keys().all(|key| topic.contains(&format!("\"{key}\":"))), "{time:?}");
}

#[test]
fn manual_pages_have_sections_and_no_hidden_options() {
    for command in COMMANDS {
        let page = out(&["man", command]);
        let title = format!(".TH curt-{command} 1  \"curt {}\"", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&title), "{page}");
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES"] {
            assert!(page.contains(&format!("\n.SH {section}\n")), "{command}: {section}");
        }
        assert!(
            page.contains(&format!(".SH SYNOPSIS\n\\fBcurt {command}\\fR [OPTIONS] ")),
            "{page}"
        );
        for hidden in ["without", "presume"] {
            let is_shown = page.contains(&format!("\\-\\-{hidden}"));
            assert!(!is_shown, "{command}: {hidden}");
        }
        let aliases = out(&[command, "--help"]).matches("[alias: -").count();
        assert_eq!(page.matches("[alias: \\-").count(), aliases, "{command}");
        for line in page.lines().filter(|line| line.starts_with('.')) {
            let request = line[1..].split(' ').next().unwrap();
            let known =
                ["ad", "ie", "el", "TH", "SH", "TP", "PP", "nf", "fi", "RS", "RE", "br", "IP"];
            assert!(known.contains(&request), "{command}: {line}");
        }
    }
}

#[test]
fn manual_page_of_curt_names_pages() {
    let page = out(&["man"]);
    let names = page.lines().filter_map(|line| line.strip_prefix("curt\\-"));
    let names: Vec<&str> = names.filter_map(|line| line.split('(').next()).collect();
    assert_eq!(names.len(), COMMANDS.len() + 2, "{page}");
    for name in names {
        assert!(out(&["man", name]).starts_with(".ie"), "{name}");
    }
}

#[test]
fn completion_scripts_offer_values() {
    let script = out(&["completions", "bash"]);
    for values in [
        "always never auto",
        "long across vertical commas single-column",
        "name none size time extension version width",
        "atime ctime mtime birth",
        "never once always",
        "f d l p s c b x e",
        "device mount",
        "posix windows",
        "never always",
        "rm cp find ls stat du which run realpath readlink expand beneath",
    ] {
        assert!(script.contains(&format!("{values}\"")), "{values}");
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_programs_signals_fields_users_and_topics() {
    const SCRIPT: &str = r#"
        source <("$CURT" completions bash)
        _command_offset() { COMPREPLY=("offset $1"); }
        COMP_WORDS=($WORDS)
        [[ $WORDS == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
        _curt curt "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let complete = |words: &str| {
        let mut bash = Command::new("bash");
        bash.args(["-c", SCRIPT]).env("CURT", env!("CARGO_BIN_EXE_curt")).env("WORDS", words);
        bash.output().map(|output| String::from_utf8(output.stdout).unwrap())
    };
    for (words, offered) in [
        ("curt which bas", "bash"),
        ("curt run bas", "bash"),
        ("curt run -i -- bas", "bash"),
        ("curt run -t 5 bas", "bash"),
        ("curt run -t 5 -s T", "TERM"),
        ("curt find -x bas", "bash"),
        ("curt find . src -X bas", "bash"),
        ("curt find -o roo", "root"),
        ("curt find --fields siz", "size"),
        ("curt ls --fields name,siz", "name,size"),
        ("curt stat --fields user,mod", "user,mode"),
        ("curt help jso", "json"),
        ("curt help fin", "find"),
        ("curt r", "run"),
        ("curt rm --ex", "--exclude"),
        ("curt ls --color = al", "always"),
        ("curt run ", "bash"),
        ("curt run bash bas", "offset 2"),
        ("curt run -t 1s A = b ls --al", "offset 7"),
        ("curt run --timeout = 1s -- ls --al", "offset 6"),
        ("curt find . -x curt r", "offset 4"),
    ] {
        let Ok(answer) = complete(words) else {
            return curt_testkit::skip("bash is not installed");
        };
        assert!(answer.lines().any(|line| line == offered), "{words}: {answer}");
    }
    for words in ["curt rm ", "curt find . ", "curt ls a ", "curt find . -x a ; "] {
        assert_eq!(complete(words).unwrap(), "\n", "{words}");
    }
}

#[cfg(unix)]
#[test]
fn every_option_of_gnu_is_known() {
    let scratch = curt_testkit::Scratch::new();
    for tool in ["rm", "cp", "ls", "du", "stat"] {
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
            let (_, _, messages) =
                outcome(&crate::command(&scratch, tool, [option]).output().unwrap());
            let is_unknown =
                messages.contains("unrecognized option") || messages.contains("invalid option");
            assert!(!is_unknown, "{tool} {option}: {messages}");
        }
    }
}

#[test]
fn completions_offer_nothing_hidden() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = out(&["completions", shell]);
        for shown in ["one-file-system", "almost-all", "check-only", "expand"] {
            assert!(script.contains(shown), "{shell}: {shown}");
        }
        for hidden in ["--without", "openat2", "presume-input-tty", "--context", "-l context"] {
            let found = script.lines().find(|line| line.contains(hidden));
            assert_eq!(found, None, "{shell}: {hidden}");
        }
    }
}
