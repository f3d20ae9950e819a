//! Directories that lead back to one above them.
//!
//! Where links are followed, or devices compared, each directory is asked which it is, and those on
//! the way to it are a set. Otherwise only a mount can lead back (a directory mounted below itself, or
//! one that holds the operand), and opening tells of a mount for no call; then the directories above
//! it are asked, from the nearest to the operand. If one of them is of the same file system, they are
//! the beginning of such a set for all that lies below the mount.

use std::collections::HashSet;
use std::io;

use super::frame::Level;
use super::options::{OneFileSystem, Settings};
use crate::error::Cause;
use crate::fields::Follow;
use crate::name::{Name, Unit};
use crate::sys::{Identity, Opened, Sys};
use crate::tree;

/// What a walk knows of the directories on the way.
#[derive(Clone, Default)]
pub(super) struct Loops {
    /// The directories on the way, where loops are looked for.
    ancestors: HashSet<Identity>,
    /// The file system of the operand, where only one is walked, by its number.
    device: Option<u64>,
}

/// Whether a directory that was opened is to be entered, and which it is where somebody wants to know.
pub(super) enum Entering {
    Yes(Option<Identity>),
    No,
}

impl Loops {
    /// Whether each directory is asked which it is.
    pub(super) fn asks(&self, settings: &Settings) -> bool {
        settings.plan.follow == Follow::Links
            || settings.one_file_system == OneFileSystem::Device
            || !self.ancestors.is_empty()
    }

    /// Whether a directory is to be entered, which has these above it if it is a mount: unless it is one
    /// of those on the way, or on another device.
    pub(super) fn enter<S: Sys>(
        &mut self,
        dir: &S::Dir,
        above: &[Identity],
        settings: &Settings,
        sys: &S,
    ) -> Result<Entering, Cause> {
        if above.is_empty() && !self.asks(settings) {
            return Ok(Entering::Yes(None));
        }
        let identity = tree::identity(dir, sys).map_err(Cause::Os)?;
        // A link says nothing of mounts, so where links are followed devices are compared.
        let by_device = match settings.one_file_system {
            OneFileSystem::No => false,
            OneFileSystem::Mount => settings.plan.follow == Follow::Links,
            OneFileSystem::Device => true,
        };
        if by_device && *self.device.get_or_insert(identity.device) != identity.device {
            return Ok(Entering::No);
        }
        if above.contains(&identity) || !self.ancestors.insert(identity) {
            return Err(Cause::Loop);
        }
        self.ancestors.extend(above);
        Ok(Entering::Yes(Some(identity)))
    }

    /// A directory is no longer on the way.
    pub(super) fn leave(&mut self, identity: Option<Identity>, above: &[Identity]) {
        for identity in identity.iter().chain(above) {
            self.ancestors.remove(identity);
        }
    }

    /// Whether nothing has to be compared.
    pub(super) fn is_empty(&self) -> bool {
        self.ancestors.is_empty()
    }

    /// Whether a directory is one of those on the way.
    pub(super) fn contain(&self, identity: Identity) -> bool {
        self.ancestors.contains(&identity)
    }
}

/// Those above a directory that is mounted in that of a level, as far as what lies below it has to be
/// compared with them: where one of them is of the same file system. It is an error if it is one of them.
pub(super) fn above_mount<S: Sys>(
    mounted: &S::Dir,
    level: &Level<S>,
    sys: &S,
) -> Result<Vec<Identity>, Cause> {
    let mounted = tree::identity::<S>(mounted, sys).map_err(Cause::Os)?;
    let mut above = above(level, sys).map_err(Cause::Os)?;
    if above.contains(&mounted) {
        return Err(Cause::Loop);
    }
    if !above.iter().any(|above| above.device == mounted.device) {
        above.clear();
    }
    Ok(above)
}

/// Which the directory of a level is, and those above it as far as the operand, from the nearest. They
/// are reached by `..`: no directory is without, whichever worker opened it.
pub(super) fn above<S: Sys>(level: &Level<S>, sys: &S) -> io::Result<Vec<Identity>> {
    let up = [S::Unit::ascii(b'.'), S::Unit::ascii(b'.'), S::Unit::NUL];
    let mut above: Option<S::Dir> = None;
    let mut found = Ok(Vec::new());
    for distance in 1..=level.depth {
        let Some(dir) = above.as_ref().or_else(|| level.dir()) else { break };
        let identity = tree::identity(dir, sys);
        found = found.and_then(|mut found: Vec<_>| {
            found.push(identity?);
            Ok(found)
        });
        if distance == level.depth || found.is_err() {
            break;
        }
        let Some(up) = Name::until_nul(&up) else { break };
        let opened = sys.open_below(dir, up, true);
        if let Some(below) = above.take() {
            sys.close(below);
        }
        match opened {
            Opened::Dir(dir) => above = Some(dir),
            Opened::Failed(error) | Opened::Shortage(error) => return Err(error),
            // It was moved out of the tree, or is gone.
            _ => return found,
        }
    }
    if let Some(last) = above {
        sys.close(last);
    }
    found
}
