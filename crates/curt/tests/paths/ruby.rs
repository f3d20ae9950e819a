//! Ruby's `File.expand_path`, on POSIX systems.

use std::process::Command;

use curt::{Env, Expander, Flavor, Style};

use crate::{Maker, POSIX, ask_command, compare, count};

/// Home, base (empty for none) and texts; an error is told by what it begins with.
const SCRIPT: &str = r#"
$stdin.binmode
$stdout.binmode
base = ARGV[0].empty? ? [] : [ARGV[0]]
$stdin.read.split("\0", -1)[0..-2].each do |text|
  answer = begin
    File.expand_path(text.force_encoding("UTF-8"), *base)
  rescue ArgumentError => error
    case error.message
    when /non-absolute home/ then "!nonabs-home"
    when /user .* doesn't exist|can't find user/ then "!no-user"
    when /couldn't find HOME/ then "!no-home"
    else "!" + error.message
    end
  end
  print answer, "\0"
end
"#;

fn ruby(home: &str, base: &str, questions: &[String]) -> Option<Vec<Vec<u8>>> {
    let mut command = Command::new("ruby");
    // In a directory that is there and is spelled as it is asked for.
    command
        .args(["--disable=gems", "-e", SCRIPT, base])
        .env("HOME", home)
        .env("LC_ALL", "C.UTF-8")
        .current_dir("/usr");
    ask_command(command, "ruby", questions)
}

#[test]
fn posix_paths_are_those_of_expand_path() {
    let mut maker = Maker::new(6);
    let homes = ["/h/me", "/", "/h/./u/../v", "/h//u//", "//h", "rel", "", "/h/", "///"];
    let bases =
        ["", "/b/c", "b/./c/..", "~", "~/x/..", "//b", "/", "~nobody-is-here", "///b//", "../.."];
    for (home, base) in homes.iter().flat_map(|home| bases.map(|base| (*home, base))) {
        let pieces = [&POSIX[..], &["~/", "~root", "~nobody-is-here"]].concat();
        let questions: Vec<String> = (0..count() / 20).map(|_| maker.path(&pieces, 8)).collect();
        let Some(answers) = ruby(home, base, &questions) else { return };
        let env = Env::of_process().cwd("/usr").home(home);
        let mut expander = Expander::with_env(env).flavor(Flavor::Posix).style(Style::Ruby);
        if !base.is_empty() {
            expander = expander.base(base);
        }
        compare(&questions, answers, |text| match expander.expand(text.as_bytes()) {
            Ok(full) => full.into_owned(),
            Err(error) => format!("!{}", error.word()).into_bytes(),
        });
    }
}
