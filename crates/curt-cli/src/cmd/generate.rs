//! `curt completions` and `curt man`: generates scripts and pages from the clap definitions.

use std::io::{self, Write};

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;

use crate::args::{Cli, CompletionsOptions, ManOptions, help, topics};
use crate::exit::Exit;
use crate::quote::quote;
use crate::session::Session;

pub(crate) fn completions(options: &CompletionsOptions) -> Exit {
    let session = Session::new("curt completions", false, false);
    let shell = options.shell;
    let mut command = without_hidden(&Cli::command(), shell);
    // Replace clap's own `help` command, which has no topics.
    let topics = topics::names().map(|topic| Command::new(topic).about("A topic"));
    let commands = command.get_subcommands().map(|command| {
        let about = command.get_about().cloned().unwrap_or_default();
        Command::new(leak(command.get_name())).about(about)
    });
    let topics: Vec<Command> =
        commands.chain(topics).map(|it| it.disable_help_flag(true)).collect();
    command = command.disable_help_subcommand(true).subcommand(
        Command::new("help")
            .about("Explain a command or a topic")
            .disable_help_flag(true)
            .subcommands(topics),
    );
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "curt", &mut script);
    if shell == Shell::Bash {
        script = patch_bash_script(&String::from_utf8_lossy(&script), &command).into_bytes();
    }
    if shell == Shell::Fish {
        script.extend_from_slice(OPERANDS_IN_FISH.as_bytes());
    }
    session.data(&script);
    session.close(false)
}

/// Suggested values of options, by identifier. The options also take other values.
const WORDS: [(&str, &str); 6] = [
    ("preserve", "mode ownership timestamps links xattr all"),
    ("preserve_root", "all"),
    ("time_style", "full-iso long-iso iso locale relative"),
    ("file_types", "f d l p s c b x e"),
    ("signal", "TERM HUP INT QUIT KILL USR1 USR2 ALRM CONT STOP"),
    ("command", "rm cp find ls stat du which run realpath readlink expand beneath"),
];

/// Completes program names in fish, which clap's script does not.
const OPERANDS_IN_FISH: &str = "\
complete -c curt -n \"__fish_curt_using_subcommand which\" -f -a \"(__fish_complete_command)\"
complete -c curt -n \"__fish_curt_using_subcommand run\" -a \"(__fish_complete_command)\"
";

/// Lists programs in bash. The script expands this word when completing.
const PROGRAMS_IN_BASH: &str = r#"$(compgen -c -- "${cur}")"#;

/// Lists programs for `curt run`, but only at the position of the program.
const PROGRAM_IN_BASH: &str = r#"$([[ ${at} == "${COMP_CWORD}" ]] && compgen -c -- "${cur}")"#;

/// The beginning of the bash script. Finds the program in `find -x` and `run`, and leaves the words
/// after it to the program's own completion. Also finds the option before a `=`. VALUED stands for
/// the options of `run` that take a value.
const BEGIN_IN_BASH: &str = r#"    local at=0
    case "${COMP_WORDS[1]}" in
        find)
            for ((i = 2; i < COMP_CWORD; i++)); do
                case "${COMP_WORDS[i]}" in
                    -x|-X|--exec|--exec-batch) at=$((i + 1)) ;;
                    ";"|"\;"|"';'") at=0 ;;
                esac
            done
            ;;
        run)
            for ((at = 2; at < COMP_CWORD; at++)); do
                if [[ ${COMP_WORDS[at+1]} == "=" ]]; then
                    ((at += 2))
                    continue
                fi
                case "${COMP_WORDS[at]}" in
                    --) ((at++)); break ;;
                    VALUED) ((at++)) ;;
                    -*) ;;
                    *) break ;;
                esac
            done
            ;;
    esac
    if ((at > 0 && at < COMP_CWORD)); then
        declare -F _command_offset > /dev/null && _command_offset "${at}"
        return 0
    fi
    if [[ ${prev} == "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
"#;

/// Changes clap's bash script, which offers all options for an empty word, to offer options only
/// after a dash, and files otherwise.
fn patch_bash_script(script: &str, command: &Command) -> String {
    let run = command.find_subcommand("run");
    let options = run.into_iter().flat_map(Command::get_opts);
    let options = options.filter(|option| option.get_action().takes_values());
    let names = options.flat_map(|option| {
        let letter = option.get_short().map(|letter| format!("-{letter}"));
        letter.into_iter().chain(option.get_long().map(|long| format!("--{long}")))
    });
    let begin = BEGIN_IN_BASH.replace("VALUED", &names.collect::<Vec<_>>().join("|"));
    let mut script = script.replacen("    opts=\"\"\n", &format!("    opts=\"\"\n{begin}"), 1);
    for depth in 1..=3 {
        script = script.replace(&format!(" || ${{COMP_CWORD}} -eq {depth} ]]"), " ]]");
    }
    let offer = "\n            COMPREPLY=( $(compgen -W \"${opts}\" ";
    script.replace(offer, &format!("{offer}-X '-*' "))
}

const USERS_IN_BASH: &str = r#"$(compgen -u -- "${cur}")"#;

/// Returns the values to offer for an option or operand, or `None` for clap's choice.
fn values(option: &Arg, shell: Shell) -> Option<Vec<&'static str>> {
    let id = option.get_id().as_str();
    if let Some((_, words)) = WORDS.iter().find(|(known, _)| *known == id) {
        return Some(words.split(' ').collect());
    }
    let is_bash = shell == Shell::Bash;
    if id == "fields" {
        let names: Vec<&str> = curt::Fields::ALL.iter().map(|(name, _)| name).collect();
        // Keep the names before the last comma.
        let expression = || {
            let names = names.join(" ");
            let offered = r#"compgen -P "${cur%"${cur##*,}"}" -W"#;
            vec![leak(&format!("$({offered} '{names}' -- \"${{cur##*,}}\")"))]
        };
        return Some(if is_bash { expression() } else { names });
    }
    let in_bash = match option.get_value_hint() {
        ValueHint::CommandName => PROGRAMS_IN_BASH,
        ValueHint::CommandWithArguments => PROGRAM_IN_BASH,
        ValueHint::Username => USERS_IN_BASH,
        _ => return None,
    };
    is_bash.then(|| vec![in_bash])
}

/// Leaks a word, because clap requires `'static`. The process is about to end.
fn leak(word: &str) -> &'static str {
    Box::leak(word.into())
}

/// Removes hidden options and commands, which most generated scripts would list.
fn without_hidden(command: &Command, shell: Shell) -> Command {
    let mut visible = Command::new(leak(command.get_name()));
    if let Some(about) = command.get_about() {
        visible = visible.about(about.clone());
    }
    if command.is_disable_help_flag_set() {
        visible = visible.disable_help_flag(true);
    }
    // Drop the relations between options, because they might name hidden ones.
    let options = command.get_arguments().filter(|option| !option.is_hide_set());
    let options = options.map(|option| {
        values(option, shell).map_or(option.clone(), |values| {
            option.clone().value_parser(PossibleValuesParser::new(values))
        })
    });
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    visible
        .version(env!("CARGO_PKG_VERSION"))
        .args(options)
        .subcommands(commands.map(|command| self::without_hidden(command, shell)))
}

pub(crate) fn man(options: &ManOptions) -> Exit {
    let session = Session::new("curt man", false, false);
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let command = match &options.command {
        None => Some(root),
        Some(name) => root.find_subcommand(name).cloned(),
    };
    let Some(command) = command else {
        let name = options.command.as_deref().unwrap_or_default();
        if name == "help" {
            return session.refuse("help has no manual page; use curt help");
        }
        if topics::text(name).is_some() {
            return session.refuse(&format!("{name} has no manual page; use curt help {name}"));
        }
        return session.usage(&format!("unknown command {}", quote(name)));
    };
    let mut page = Vec::new();
    let _ = write_page(&command, &mut page);
    session.data(&page);
    session.close(false)
}

/// Writes a manual page section by section, because clap would omit the notes after the options.
fn write_page(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let mut command = help::shown(command).mut_args(with_aliases);
    // Use the usage line of the help. The default lists all options and omits the dots after
    // operands.
    let usage = command.render_usage().to_string();
    let command = command.override_usage(usage.trim_start_matches("Usage: ").to_owned());
    let man =
        clap_mangen::Man::new(command.clone()).source(concat!("curt ", env!("CARGO_PKG_VERSION")));
    man.render_title(page)?;
    // Align to the left, because justified text has wide gaps before long words.
    writeln!(page, ".ad l")?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    let notes = help::notes(&command).join("\n\n");
    let mut section = "";
    for paragraph in notes.split("\n\n") {
        let (title, body) = match paragraph.split_once(":\n  ") {
            Some((title, _)) => (title, &paragraph[title.len() + 2..]),
            None => ("Notes", paragraph),
        };
        if title == section {
            writeln!(page, ".PP")?;
        } else {
            writeln!(page, ".SH {}", title.to_uppercase())?;
        }
        section = title;
        let is_table = title != "Notes";
        let lines = if is_table { format!(".nf\n{}\n.fi", roff(body)) } else { roff(body) };
        writeln!(page, "{lines}")?;
    }
    man.render_version_section(page)
}

/// Appends an option's aliases to its help, because the page would omit them.
fn with_aliases(option: Arg) -> Arg {
    let letters = option.get_visible_short_aliases().unwrap_or_default();
    let words = option.get_visible_aliases().unwrap_or_default();
    let letters = letters.into_iter().map(|letter| format!("-{letter}"));
    let names: Vec<String> =
        letters.chain(words.into_iter().map(|word| format!("--{word}"))).collect();
    let title = if names.len() > 1 { "aliases" } else { "alias" };
    match option.get_long_help().or(option.get_help()).map(ToString::to_string) {
        Some(text) if !names.is_empty() => {
            option.long_help(format!("{text} [{title}: {}]", names.join(", ")))
        }
        _ => option,
    }
}

/// Escapes text for roff: backslashes, dashes, and lines that would be requests.
fn roff(text: &str) -> String {
    let escape = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}
