//! Ruby's `File.expand_path`, on POSIX systems.

use std::process::Command;

use curt::paths::ThisProcess;
use curt::paths::{Encoding, Env, Expander, Flavor, PathText, Style};
use curt_testkit::Choices;

use crate::{POSIX, ask_command, compare, count, path};

/// Each question is a home, a base (empty for none) and a text, with a control character between
/// them; an error is compared by its first words.
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
    // In a directory that exists and has no symbolic link in its path.
    command.args(["--disable=gems", "-e", SCRIPT]).env("LC_ALL", "C.UTF-8").current_dir("/usr");
    ask_command(command, "ruby", questions)
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

/// Each question is a path and perhaps a base, each as an encoding, a colon and bytes in
/// hexadecimal.
const ENCODED: &str = r##"
$stdin.read.split("\0").each do |question|
  path, base = question.split(" ").map do |text|
    encoding, bytes = text.split(":")
    [bytes.to_s].pack("H*").force_encoding(encoding)
  end
  answer = begin
    full = File.expand_path(path, *base)
    "#{full.encoding}:#{full.unpack1("H*")}"
  rescue Encoding::CompatibilityError
    "encoding"
  rescue ArgumentError => error
    case error.message
    when /null byte/ then "nul"
    when /user .* doesn't exist|can't find user/ then "no-user"
    else error.message
    end
  end
  print answer, "\0"
end
"##;

const ENCODINGS: [&str; 8] =
    ["UTF-8", "UTF-8", "US-ASCII", "ASCII-8BIT", "ISO-8859-1", "Windows-31J", "EUC-JP", "UTF-16LE"];

/// In UTF-8.
const E_ACUTE: &[u8] = b"\xC3\xA9";

/// Bytes that are a name, a separator, both, or no character, depending on the encoding.
const ENCODED_PIECES: [&[u8]; 13] = [
    b"/", b"/", b"//", b".", b"..", b"/..", b"a", b"b", b"~/", b"\xE9", b"\x83\\", b"\x95\\/",
    E_ACUTE,
];

/// In US-ASCII no text is invalid: Ruby 3.1 refuses to join such a text, and Ruby 3.3 joins it.
fn encoded(choices: &mut Choices) -> PathText {
    let encoding = Encoding::named(choices.one_of(&ENCODINGS)).unwrap();
    let pieces = (0..choices.below(4)).map(|_| ENCODED_PIECES[choices.below(ENCODED_PIECES.len())]);
    let mut bytes = pieces.collect::<Vec<&[u8]>>().concat();
    if encoding.name() == "US-ASCII" {
        bytes.retain(u8::is_ascii);
    }
    PathText::encoded(bytes, encoding)
}

/// Which texts can be joined, and the encoding of the answer.
#[test]
fn encodings_are_joined_as_in_expand_path() {
    let mut choices = Choices::new(12);
    let folder = curt_testkit::Scratch::new();
    let folder = std::fs::canonicalize(folder.typed()).unwrap().join("\u{e9}");
    std::fs::create_dir(&folder).unwrap();
    let places = ["/usr", folder.to_str().unwrap()].into_iter();
    for (cwd, home) in places.flat_map(|cwd| ["/h/me", "/h/\u{e9}"].map(|home| (cwd, home))) {
        let texts: Vec<(PathText, Option<PathText>)> = (0..count() / 4)
            .map(|_| {
                let (path, base) = (encoded(&mut choices), encoded(&mut choices));
                (path, Some(base).filter(|_| choices.below(3) > 0))
            })
            .collect();
        let questions = texts.iter().map(|(path, base)| {
            format!("{} {}", shown(path), base.as_ref().map(shown).unwrap_or_default())
        });
        let questions: Vec<String> = questions.collect();
        let mut command = Command::new("ruby");
        command.args(["--disable=gems", "-e", ENCODED]).env("HOME", home).env("LC_ALL", "C.UTF-8");
        command.current_dir(cwd);
        let Some(answers) = ask_command(command, "ruby", &questions) else { return };
        let answered = texts.into_iter().zip(answers).zip(&questions);
        for (((path, base), theirs), question) in answered {
            let env = Env::of(ThisProcess::new()).cwd(cwd).home(home);
            let mut expander = Expander::new(env).flavor(Flavor::Posix).style(Style::Ruby);
            if let Some(base) = base {
                expander = expander.base(base);
            }
            let full = expander.expand_text(&path);
            let ours = full.map_or_else(|error| error.word().to_owned(), |full| shown(&full));
            assert_eq!(String::from_utf8_lossy(&theirs), ours, "{question}, from {cwd} and {home}");
        }
    }
}

fn shown(text: &PathText) -> String {
    let bytes: Vec<String> = text.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}:{}", text.encoding().name(), bytes.concat())
}
