//! Words with fixed meanings, in options and variables.

pub(crate) fn meaning<T: Copy>(words: &[(&str, T)], word: &str) -> Option<T> {
    words.iter().find(|&&(known, _)| known == word).map(|&(_, meaning)| meaning)
}

pub(crate) fn abbreviated<T: Copy + PartialEq>(
    words: &[(&str, T)],
    word: &str,
) -> Result<T, String> {
    if let Some(meaning) = meaning(words, word) {
        return Ok(meaning);
    }
    let mut meanings = words.iter().filter(|(full, _)| full.starts_with(word));
    match meanings.next() {
        Some(&(_, first)) if meanings.all(|&(_, other)| other == first) => Ok(first),
        _ => {
            let all: Vec<&str> = words.iter().map(|(full, _)| *full).collect();
            Err(format!("expected one of {}", all.join(", ")))
        }
    }
}
