//! The steps of a child before it executes the program: a list that the parent prepares, and that
//! the child runs without decisions.
//!
//! The child may share the memory of the parent, or be a copy of one of many threads. So it
//! allocates nothing, takes no lock, and only makes system calls; all that it needs was prepared
//! before.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, RawFd};

use rustix::io::Errno;

use super::child_calls::{
    ChildCalls, default_signals, set_group_id, set_groups, set_mask, set_user_id,
};
use super::words::Words;
use crate::sys::process::{Failure, Group, Launch, Rights, Stage, Stream};

/// How many descriptors are closed one by one at most, on systems without a better way.
const MOST_CLOSED: usize = 1 << 20;

/// One call of the child.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Resets signals with a handler, which is one of the parent, to their default action.
    DefaultSignals,
    /// Enters a process group, or creates one if the number is 0.
    Group(i32),
    /// Creates a session.
    Session,
    /// Has every descriptor from this one on closed when the program is executed.
    CloseFrom {
        first: RawFd,
        limit: RawFd,
    },
    /// Copies a descriptor whose number another one needs to a number that none needs.
    Lift {
        from: RawFd,
        floor: RawFd,
        slot: usize,
    },
    /// Opens the null device.
    Null {
        slot: usize,
    },
    /// Puts a descriptor at the number where the program expects it.
    Put {
        from: Source,
        to: RawFd,
    },
    /// Sets the supplementary groups.
    Groups {
        first: *const libc::gid_t,
        count: usize,
    },
    GroupId(u32),
    UserId(u32),
    Umask(u32),
    Directory(*const c_char),
    /// Resets a signal to its default action: mostly `SIGPIPE`, which programs in Rust ignore. What
    /// is ignored would stay so.
    DefaultSignal(i32),
    /// Blocks no signal.
    EmptyMask,
    /// Blocks the signals that were blocked before the copy was made.
    RestoreMask(*const libc::sigset_t),
    Execute {
        program: *const c_char,
        arguments: *const *const c_char,
        environment: *const *const c_char,
    },
}

/// Where a descriptor comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Open(RawFd),
    Slot(usize),
}

/// A step, and the error that it fails with in a test.
#[derive(Clone, Copy, Debug)]
struct Planned {
    step: Step,
    fault: Option<Errno>,
}

/// The steps of one child. They point into the words and the launch that they were made from.
#[derive(Debug)]
pub(crate) struct Steps<'a> {
    planned: Vec<Planned>,
    slots: Vec<RawFd>,
    made_from: PhantomData<&'a Words>,
}

/// How a child is created, which decides what it has to do itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Birth {
    /// For a copy, whose signal handlers are those of the parent, and which starts with all signals
    /// blocked: the signals that were blocked before.
    pub(crate) copied: Option<*const libc::sigset_t>,
    /// Whether this process is root, if the child becomes another user.
    pub(crate) is_root: bool,
    /// How many descriptors the process may have.
    pub(crate) limit: usize,
}

impl<'a> Steps<'a> {
    /// The steps for a launch. `pass` is called for each call in advance, instead of by the child,
    /// and may return an error that the step must fail with.
    pub(crate) fn new<P: AsRawFd>(
        launch: &'a Launch<'_, P>,
        words: &'a Words,
        birth: Birth,
        mut pass: impl FnMut(Step) -> Result<(), Errno>,
    ) -> Steps<'a> {
        let mut slots = 0;
        let mut steps = Vec::with_capacity(8);
        if birth.copied.is_some() {
            steps.push(Step::DefaultSignals);
        }
        match launch.group_with_tree() {
            Group::Session => steps.push(Step::Session),
            Group::New => steps.push(Step::Group(0)),
            Group::Join(number) => steps.push(Step::Group(number)),
            Group::Same => {}
        }
        if launch.close_others {
            // For systems that cannot list descriptors. No limit may make the start take for ever.
            let limit = RawFd::try_from(birth.limit.min(MOST_CLOSED)).unwrap_or(0);
            steps.push(Step::CloseFrom { first: 3, limit });
        }
        descriptors(launch, &mut steps, &mut slots);
        // Before the directory, so that the new user must be allowed to enter it.
        rights(launch, birth.is_root, &mut steps);
        // A relative path of the program is relative to this directory.
        steps.extend(words.directory.as_ref().map(|path| Step::Directory(path.as_ptr())));
        let signals = launch.default_signals.unwrap_or(&[libc::SIGPIPE]);
        steps.extend(signals.iter().map(|&signal| Step::DefaultSignal(signal)));
        // Last, so that a pending signal ends the program and not a child that is not one yet.
        if launch.unblocks {
            steps.push(Step::EmptyMask);
        } else {
            steps.extend(birth.copied.map(Step::RestoreMask));
        }
        steps.push(Step::Execute {
            program: words.program.as_ptr(),
            arguments: words.arguments(),
            environment: words.environment(),
        });
        let planned =
            steps.into_iter().map(|step| Planned { step, fault: pass(step).err() }).collect();
        Steps { planned, slots: vec![-1; slots], made_from: PhantomData }
    }

    /// Runs all steps. Returns only if one failed: its number, and why.
    pub(crate) fn run<C: ChildCalls>(&mut self) -> (usize, Errno) {
        for (index, planned) in self.planned.iter().enumerate() {
            let done = match planned.fault {
                Some(fault) => Err(fault),
                None => one::<C>(planned.step, &mut self.slots),
            };
            if let Err(error) = done {
                return (index, error);
            }
        }
        // The last step, executing the program, does not return if it succeeds.
        (self.planned.len(), Errno::NOSYS)
    }

    /// The failure of a start at a step.
    pub(crate) fn failure(&self, index: usize, error: Errno) -> Failure {
        let at = match self.planned.get(index).map(|planned| planned.step) {
            Some(Step::Directory(_)) => Stage::Directory,
            Some(Step::Execute { .. }) => Stage::Program,
            _ => Stage::Child,
        };
        Failure { at, error: error.into() }
    }
}

/// The steps that give a child its streams and further descriptors.
fn descriptors<P: AsRawFd>(launch: &Launch<'_, P>, steps: &mut Vec<Step>, slots: &mut usize) {
    let streams = (0..).zip(&launch.streams);
    let given = streams.clone().filter_map(|(to, stream)| match stream {
        Stream::Open(pipe) => Some((pipe.as_raw_fd(), to)),
        Stream::Inherit | Stream::Null => None,
    });
    let given = given.chain(launch.extra.iter().map(|(pipe, to)| (pipe.as_raw_fd(), *to)));
    let given: Vec<(RawFd, RawFd)> = given.collect();
    let is_null = |stream: &Stream<'_, P>| matches!(stream, Stream::Null);
    let nulls: Vec<RawFd> =
        streams.filter(|(_, stream)| is_null(stream)).map(|(to, _)| to).collect();
    let targets = given.iter().map(|&(_, to)| to).chain(nulls.iter().copied());
    let floor = targets.clone().max().map_or(0, |most| most.saturating_add(1)).max(3);
    // First those that would be overwritten before they are used.
    let mut puts = Vec::with_capacity(given.len());
    for &(from, to) in &given {
        let is_overwritten = from != to && targets.clone().any(|other| other == from);
        if is_overwritten {
            steps.push(Step::Lift { from, floor, slot: *slots });
            puts.push(Step::Put { from: Source::Slot(*slots), to });
            *slots += 1;
        } else {
            puts.push(Step::Put { from: Source::Open(from), to });
        }
    }
    // It gets any free number, perhaps one that another descriptor needs later; so it goes first.
    if !nulls.is_empty() {
        steps.push(Step::Null { slot: *slots });
        let put = |to| Step::Put { from: Source::Slot(*slots), to };
        steps.extend(nulls.iter().map(|&to| put(to)));
        *slots += 1;
    }
    steps.extend(puts);
}

/// The steps that change the rights of a child. A new user does not get the supplementary groups of
/// root, as with the standard library.
fn rights<P>(launch: &Launch<'_, P>, drops_groups: bool, steps: &mut Vec<Step>) {
    let Rights { user, group, groups, umask } = launch.rights;
    let drops_groups = drops_groups && user.is_some();
    let groups = groups.as_deref().or(drops_groups.then_some(&[]));
    if let Some(groups) = groups {
        steps.push(Step::Groups { first: groups.as_ptr(), count: groups.len() });
    }
    steps.extend(group.map(Step::GroupId));
    steps.extend(user.map(Step::UserId));
    steps.extend(umask.map(Step::Umask));
}

fn one<C: ChildCalls>(step: Step, slots: &mut [RawFd]) -> Result<(), Errno> {
    let store = |slots: &mut [RawFd], slot: usize, fd| {
        if let Some(place) = slots.get_mut(slot) {
            *place = fd;
        }
    };
    match step {
        Step::DefaultSignals => default_signals(),
        Step::Group(number) => C::set_group(number),
        Step::Session => C::new_session(),
        Step::CloseFrom { first, limit } => C::close_from(first, limit),
        Step::Lift { from, floor, slot } => {
            store(slots, slot, C::lift(from, floor)?);
            Ok(())
        }
        Step::Null { slot } => {
            store(slots, slot, C::open_null()?);
            Ok(())
        }
        Step::Put { from, to } => {
            let from = match from {
                Source::Open(fd) => fd,
                Source::Slot(slot) => slots.get(slot).copied().unwrap_or(-1),
            };
            if from == to { C::keep(to) } else { C::put(from, to) }
        }
        // SAFETY: the list is that of the launch, which outlives the steps.
        Step::Groups { first, count } => unsafe { set_groups(first, count) },
        Step::GroupId(id) => set_group_id(id),
        Step::UserId(id) => set_user_id(id),
        Step::Umask(mask) => {
            C::set_umask(mask);
            Ok(())
        }
        // SAFETY: the path belongs to the `Words` that the steps were made from, which outlive
        // them.
        Step::Directory(path) => unsafe { C::change_directory(path) },
        Step::DefaultSignal(signal) => C::default_signal(signal),
        Step::EmptyMask => C::empty_mask(),
        // SAFETY: the set is that of `start::by_copy`, which is not left before the copy is a
        // program.
        Step::RestoreMask(set) => unsafe { set_mask(set) },
        Step::Execute { program, arguments, environment } => {
            // SAFETY: all of it belongs to those `Words`, which end their lists with null.
            Err(unsafe { C::execute(program, arguments, environment) })
        }
    }
}
