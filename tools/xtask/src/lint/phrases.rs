//! Plain English: phrases that readers had to translate stand neither in comments nor in documents.

use super::{File, Problem, places};

/// The phrases, each with what to write instead.
const PHRASES: &str = include_str!("phrases.txt");

/// Lines of prose with a listed phrase.
pub(super) fn dialect(file: &File) -> Vec<Problem> {
    let is_rust = places::has_ending(&file.path, "rs");
    let is_document = places::has_ending(&file.path, "md");
    if !(is_rust || is_document) || places::is_kept_as_written(&file.path) {
        return Vec::new();
    }
    file.lines(|line| {
        let prose = if is_rust { line.find("//").map(|at| &line[at..])? } else { line };
        let prose = prose.to_lowercase();
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
    fn every_phrase_is_found_in_comments_and_documents() {
        assert!(phrases().count() > 10);
        for (phrase, _) in phrases() {
            assert_eq!(problems("a.md", &format!("An entry {phrase}, maybe.")), 1, "{phrase}");
            assert_eq!(problems("a.rs", &format!("let a = 1; // x {phrase}")), 1, "{phrase}");
        }
    }

    #[test]
    fn code_longer_words_and_kept_notes_are_fine() {
        let (phrase, _) = phrases().next().unwrap_or_default();
        assert_eq!(problems("a.rs", &format!("let a = \"{phrase}\";")), 0);
        assert_eq!(problems("a.md", &format!("{phrase}ten")), 0);
        assert_eq!(problems("docs/lab/2026-01-a.md", phrase), 0);
    }
}
