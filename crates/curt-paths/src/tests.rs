//! What the unit tests share: rows of texts.

/// The rows of a table that is written as one text, with spaces between them: `text→result`, or
/// `text` alone where that is the result. In a row `·` is a space, and `''` is empty.
pub(crate) fn rows(table: &str) -> Vec<(String, String)> {
    let row = |row: &str| {
        let cell = |cell: &str| if cell == "''" { String::new() } else { cell.replace('·', " ") };
        let (text, result) = row.split_once('→').unwrap_or((row, row));
        (cell(text), cell(result))
    };
    let lines = table.split([' ', '\n']);
    lines.filter(|text| !text.is_empty()).map(row).collect()
}

/// The same text in 16-bit units.
pub(crate) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}
