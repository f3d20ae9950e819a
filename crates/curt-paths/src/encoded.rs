//! Expansion of texts that are labelled with an encoding, as Ruby's strings are.
//!
//! Separators are ASCII in every encoding but those that are refused. Texts that are joined must be
//! in one encoding, or all but one of them ASCII, as in Ruby.

mod character;

use std::borrow::Cow;

use self::character::Character;
use crate::encoding::{Encoding, Kind};
use crate::expansion::{Expansion, World};
use crate::options::ExpandError;
use crate::rule::Rule;
use crate::unit::{Internal, PathText};
use crate::windows::prefix::Start;

/// Expands a text, and returns the rules that were applied.
pub(crate) fn expand(world: &World, text: &PathText) -> (Result<PathText, ExpandError>, Vec<Rule>) {
    let mut rules = Vec::new();
    let result = Label::of(text).and_then(|own| {
        let full = write(Expansion::new(world), text, &mut rules)?;
        if full == *text.to_bytes() && !rules.contains(&Rule::Verbatim) {
            rules.push(Rule::Clean);
        }
        let label = own.of_result(world, text, &full, &rules, false)?;
        Ok(PathText::encoded(full, label.encoding))
    });
    (result, rules)
}

fn write(
    expansion: Expansion<'_>,
    text: &PathText,
    rules: &mut Vec<Rule>,
) -> Result<Vec<u8>, ExpandError> {
    let mut full = Vec::new();
    expansion.write(&Character::of(text)?, &mut full, rules)?;
    Ok(Character::to_bytes(&full))
}

/// What matters about a text when it is joined with others.
#[derive(Clone, Copy)]
struct Label {
    encoding: Encoding,
    is_ascii: bool,
}

impl Label {
    fn of(text: &PathText) -> Result<Label, ExpandError> {
        if text.encoding.kind == Kind::Wide {
            return Err(ExpandError::Encoding);
        }
        Ok(Label { encoding: text.encoding, is_ascii: text.to_bytes().is_ascii() })
    }

    /// Returns the encoding of a text joined to a directory: that of the one which is not ASCII,
    /// else `stronger`. A text labelled US-ASCII takes the other encoding, whatever it contains.
    fn join(self, directory: Label, stronger: Encoding) -> Result<Encoding, ExpandError> {
        match (self.is_ascii, directory.is_ascii) {
            _ if self.encoding == directory.encoding => Ok(self.encoding),
            (false, false) => Err(ExpandError::Encoding),
            _ if self.encoding == Encoding::US_ASCII => Ok(directory.encoding),
            _ if directory.encoding == Encoding::US_ASCII => Ok(self.encoding),
            (false, true) => Ok(self.encoding),
            (true, false) => Ok(directory.encoding),
            (true, true) => Ok(stronger),
        }
    }

    /// Returns the label of the full path that a text with this label was expanded to.
    fn of_result(
        self,
        world: &World,
        text: &PathText,
        full: &[u8],
        rules: &[Rule],
        is_base: bool,
    ) -> Result<Label, ExpandError> {
        let applied = |rule| rules.contains(&rule);
        let is_home = applied(Rule::Home) || applied(Rule::UserHome);
        let base = world.base.as_ref().filter(|_| !is_base && (is_home || applied(Rule::Base)));
        let encoding = if is_home && text.to_bytes().starts_with(b"~") {
            world.env.home_directory().map_or(Encoding::UTF_8, |home| home.encoding)
        } else if let Some(base) = base {
            let mut rules = Vec::new();
            let full = write(Expansion::of_base(world), base, &mut rules)?;
            let base = Label::of(base)?.of_result(world, base, &full, &rules, true)?;
            self.join(base, base.encoding)?
        } else if applied(Rule::WorkingDirectory) || applied(Rule::DriveDirectory) {
            let directory = if applied(Rule::DriveDirectory) {
                let characters = Character::of(text)?;
                let letter = Start::of(&characters).drive().map_or(0, |drive| drive - 1);
                world.env.drive_directory(&Character::to_text(&characters[..letter]))
            } else {
                world.env.working_directory().ok().map(Cow::into_owned)
            };
            let directory = directory.as_ref().map_or(Ok(self), Label::of)?;
            self.join(directory, self.encoding)?
        } else {
            self.encoding
        };
        let is_ascii = full.is_ascii();
        if encoding != self.encoding && !self.is_ascii && !is_ascii {
            return Err(ExpandError::Encoding);
        }
        Ok(Label { encoding, is_ascii })
    }
}
