use super::engine::Failure;
use super::options::Aliases;
use crate::name::Unit;
use crate::refusal::Refusal;

pub(super) fn refused<U: Unit>(
    units: &[U],
    in_root: bool,
    _aliases: Aliases,
) -> Result<(), Failure> {
    let Some(first) = units.first() else { return Err(Failure::Refused(Refusal::Empty)) };
    if units.contains(&U::NUL) {
        return Err(Failure::Refused(Refusal::Nul));
    }
    if !in_root && first.is_separator() {
        return Err(Failure::Refused(Refusal::Absolute));
    }
    Ok(())
}
