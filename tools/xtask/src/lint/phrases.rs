//! Plain English: no comment, name, message or document contains a phrase that readers had to
//! translate.

use super::{File, Problem, places};

/// The phrases, each with what to write instead.
const PHRASES: &str = include_str!("phrases.txt");

/// Lines with a listed phrase. The words of a name are separated as those of a sentence.
pub(super) fn dialect(file: &File) -> Vec<Problem> {
    let is_rust = places::has_ending(&file.path, "rs");
    let is_document = places::has_ending(&file.path, "md");
    if !(is_rust || is_document) || places::is_kept_as_written(&file.path) {
        return Vec::new();
    }
    file.lines(|line| {
        let prose = line.to_lowercase().replace('_', " ");
        let (phrase, better) = phrases().find(|(phrase, _)| has_phrase(&prose, phrase))?;
        Some(format!("'{phrase}': write {better}"))
    })
}

fn phrases() -> impl Iterator<Item = (&'static str, &'static str)> {
    PHRASES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "))
}

/// Whether the text holds these words, not as parts of longer ones.
fn has_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        !text[..at].ends_with(char::is_alphanumeric)
            && !text[at + phrase.len()..].starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> usize {
        dialect(&File::new(path, text)).len()
    }

    #[test]
    fn every_phrase_is_found_in_comments_names_messages_and_documents() {
        assert!(phrases().count() > 10);
        for (phrase, _) in phrases() {
            assert_eq!(problems("a.md", &format!("An entry {phrase}, maybe.")), 1, "{phrase}");
            assert_eq!(problems("a.rs", &format!("let a = 1; // x {phrase}")), 1, "{phrase}");
            assert_eq!(problems("a.rs", &format!("let a = \"{phrase}\";")), 1, "{phrase}");
            let name = phrase.replace(' ', "_");
            assert_eq!(problems("a.rs", &format!("fn it_is_{name}() {{")), 1, "{phrase}");
        }
    }

    #[test]
    fn longer_words_and_kept_notes_are_fine() {
        let (phrase, _) = phrases().next().unwrap_or_default();
        assert_eq!(problems("a.md", &format!("{phrase}ten")), 0);
        assert_eq!(problems("docs/lab/2026-01-a.md", phrase), 0);
    }
}
