//! Windows, for now on the standard library.
//!
//! The native side, over handles of ntdll relative to an open directory, replaces this next. Until
//! then the promises are those of [`other`](super::other): links and junctions are removed and not
//! followed, read-only files are removed, paths of any length and names of any form below the
//! operand are reached, but somebody who can swap a directory above for a link at the wrong moment
//! can lead a removal astray.

/// Windows, as one worker sees it.
pub(crate) type Windows = super::other::Other;
