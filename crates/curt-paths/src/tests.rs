/// Parses a table of rows separated by spaces: `text→result`, or `text` alone if the result is the
/// same. `·` is a space, and `''` is the empty text.
pub(crate) fn rows(table: &str) -> Vec<(String, String)> {
    let row = |row: &str| {
        let cell = |cell: &str| if cell == "''" { String::new() } else { cell.replace('·', " ") };
        let (text, result) = row.split_once('→').unwrap_or((row, row));
        (cell(text), cell(result))
    };
    let lines = table.split([' ', '\n']);
    lines.filter(|text| !text.is_empty()).map(row).collect()
}

pub(crate) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}
