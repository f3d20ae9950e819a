//! The variables of a program in one piece.

use super::{CommandLineError, EQUALS, NUL};
use crate::unit::capital;

/// The variables as `CreateProcessW` takes them: `NAME=VALUE` with a NUL each, sorted by name
/// without regard to case, as programs expect them to be, and a NUL at the end. Of names that
/// differ in case alone the last one holds.
pub fn environment_block<T: AsRef<[u16]>>(
    variables: impl IntoIterator<Item = (T, T)>,
) -> Result<Vec<u16>, CommandLineError> {
    let mut sorted: Vec<(Vec<u16>, T, T)> = Vec::new();
    for (name, value) in variables {
        let units = name.as_ref();
        // The system's own, such as `=C:`, begin with it.
        if units.is_empty() || units[1..].contains(&EQUALS) {
            return Err(CommandLineError::VariableName);
        }
        if units.contains(&NUL) || value.as_ref().contains(&NUL) {
            return Err(CommandLineError::Nul);
        }
        sorted.push((variable_key(units), name, value));
    }
    sorted.sort_by(|one, other| one.0.cmp(&other.0));
    let mut block = Vec::new();
    let mut variables = sorted.iter().peekable();
    while let Some((key, name, value)) = variables.next() {
        if variables.peek().is_some_and(|next| next.0 == *key) {
            continue;
        }
        block.extend_from_slice(name.as_ref());
        block.push(EQUALS);
        block.extend_from_slice(value.as_ref());
        block.push(NUL);
    }
    if block.is_empty() {
        // Two NULs say that there is nothing.
        block.push(NUL);
    }
    block.push(NUL);
    Ok(block)
}

/// What tells the names of variables apart: capital letters, unit by unit, as the system's ordinal
/// comparison has it.
pub fn variable_key(name: &[u16]) -> Vec<u16> {
    name.iter().map(|&unit| capital(unit)).collect()
}
