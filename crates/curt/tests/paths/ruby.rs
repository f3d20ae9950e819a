use std::process::Command;

use curt::paths::ThisProcess;
use curt::paths::{Env, Expander, Flavor, Style};
use curt_testkit::Choices;

use crate::{POSIX, compare, count, path, query_with};

/// Each question is a home directory, a base (can be empty) and a path, separated by control
/// characters. Errors are compared by their first words.
const SCRIPT: &str = r#"
$stdin.binmode
$stdout.binmode
$stdin.read.split("\0", -1)[0..-2].each do |question|
  home, base, text = question.force_encoding("UTF-8").split("\1", -1)
  ENV["HOME"] = home
  base = base.empty? ? [] : [base]
  answer = begin
    File.expand_path(text, *base)
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

fn ruby(questions: &[String]) -> Option<Vec<Vec<u8>>> {
    let mut command = Command::new("ruby");
    command.args(["--disable=gems", "-e", SCRIPT]).env("LC_ALL", "C.UTF-8").current_dir("/usr");
    query_with(command, "ruby", questions)
}

#[test]
fn posix_paths_equal_expand_path() {
    let mut choices = Choices::new(6);
    let homes = ["/h/me", "/", "/h/./u/../v", "/h//u//", "//h", "rel", "", "/h/", "///"];
    let bases =
        ["", "/b/c", "b/./c/..", "~", "~/x/..", "//b", "/", "~nobody-is-here", "///b//", "../.."];
    let pieces = [&POSIX[..], &["~/", "~root", "~nobody-is-here"]].concat();
    let places: Vec<(&str, &str)> =
        homes.iter().flat_map(|home| bases.map(|base| (*home, base))).collect();
    let questions: Vec<String> = places
        .iter()
        .flat_map(|place| (0..count() / 20).map(move |_| place))
        .map(|(home, base)| format!("{home}\x01{base}\x01{}", path(&mut choices, &pieces, 8)))
        .collect();
    let Some(answers) = ruby(&questions) else { return };
    compare(&questions, answers, |question| {
        let [home, base, text] = question.split('\x01').collect::<Vec<_>>()[..] else {
            panic!("{question:?}")
        };
        let env = Env::of(ThisProcess::new()).cwd("/usr").home(home);
        let mut expander = Expander::new(env).flavor(Flavor::Posix).style(Style::Ruby);
        if !base.is_empty() {
            expander = expander.base(base);
        }
        match expander.expand(text.as_bytes()) {
            Ok(full) => full.into_owned(),
            Err(error) => format!("!{}", error.word()).into_bytes(),
        }
    });
}
