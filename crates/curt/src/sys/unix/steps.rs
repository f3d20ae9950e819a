//! What a child does before it becomes the program: a list that the parent draws up, and that the child
//! goes through without a decision of its own.
//!
//! The child may share the parent's memory, or be the copy of one of many threads. So it allocates nothing,
//! takes no lock, and calls nothing but the system; what it needs was made ready before it was born.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, RawFd};

use rustix::io::Errno;

use super::words::Words;
use crate::sys::process::{Failure, Group, Launch, Stage, Stream};

/// How many descriptors are closed one after the other where the system has no better way.
const MOST_CLOSED: usize = 1 << 20;

/// One call of the child's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Signals with a handler get their usual effect back: the handlers are those of the parent.
    DefaultSignals,
    /// A group of its own.
    Group,
    /// A session of its own.
    Session,
    /// Every descriptor from this one on will be closed by the program's start.
    CloseFrom {
        first: RawFd,
        limit: RawFd,
    },
    /// A copy of a descriptor under a number that nothing is put to, since its own will be put something to.
    Lift {
        from: RawFd,
        floor: RawFd,
        slot: usize,
    },
    /// The null device.
    Null {
        slot: usize,
    },
    /// A descriptor under the number that the program expects it at.
    Put {
        from: Place,
        to: RawFd,
    },
    Directory(*const c_char),
    /// Writing to a pipe without a reader ends the program again: programs in Rust ignore that, and what
    /// is ignored stays so.
    DefaultPipe,
    /// No signal is held back.
    EmptyMask,
    /// The signals are held back that were before the copy was made.
    RestoreMask(*const libc::sigset_t),
    Execute {
        program: *const c_char,
        arguments: *const *const c_char,
        environment: *const *const c_char,
    },
}

/// Where a descriptor is to be had.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Open(RawFd),
    Slot(usize),
}

/// A step, and the number that it must fail with in a test.
#[derive(Clone, Copy, Debug)]
struct Planned {
    step: Step,
    fault: Option<Errno>,
}

/// The steps of one child, which point into the words that they were made from.
#[derive(Debug)]
pub(crate) struct Steps<'a> {
    planned: Vec<Planned>,
    slots: Vec<RawFd>,
    words: PhantomData<&'a Words>,
}

/// The calls that a child can make: each does one thing, and touches nothing but what it is given.
pub(crate) trait ChildCalls {
    fn default_signals() -> Result<(), Errno>;
    fn default_pipe() -> Result<(), Errno>;
    fn empty_mask() -> Result<(), Errno>;
    /// # Safety
    ///
    /// The pointer is that of a set.
    unsafe fn restore_mask(set: *const libc::sigset_t) -> Result<(), Errno>;
    fn new_group() -> Result<(), Errno>;
    fn new_session() -> Result<(), Errno>;
    fn close_from(first: RawFd, limit: RawFd) -> Result<(), Errno>;
    fn lift(fd: RawFd, floor: RawFd) -> Result<RawFd, Errno>;
    fn open_null() -> Result<RawFd, Errno>;
    fn put(from: RawFd, to: RawFd) -> Result<(), Errno>;
    /// Lets a descriptor outlive the start of the program.
    fn keep(fd: RawFd) -> Result<(), Errno>;
    /// # Safety
    ///
    /// The pointer is that of a C string.
    unsafe fn change_directory(path: *const c_char) -> Result<(), Errno>;
    /// Returns only where it failed.
    ///
    /// # Safety
    ///
    /// The pointers are those of a C string, and of lists of such that end with null.
    unsafe fn execute(
        program: *const c_char,
        arguments: *const *const c_char,
        environment: *const *const c_char,
    ) -> Errno;
}

/// How a child is made: what it has to do itself depends on that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Birth {
    /// The handlers of signals are still those of the parent, and all signals are held back; these were
    /// before.
    pub(crate) copied: Option<*const libc::sigset_t>,
    /// The most descriptors that the process may have.
    pub(crate) limit: usize,
}

impl<'a> Steps<'a> {
    /// What has to be done for a launch. `pass` is told of each call before it is made, in the child's
    /// stead, and may say what it must fail with.
    pub(crate) fn new<P: AsRawFd>(
        launch: &Launch<'_, P>,
        words: &'a Words,
        birth: Birth,
        mut pass: impl FnMut(Step) -> Result<(), Errno>,
    ) -> Steps<'a> {
        let mut slots = 0;
        let mut steps = Vec::with_capacity(8);
        if birth.copied.is_some() {
            steps.push(Step::DefaultSignals);
        }
        match launch.group {
            Group::Session => steps.push(Step::Session),
            Group::New => steps.push(Step::Group),
            Group::Same if launch.tree => steps.push(Step::Group),
            Group::Same => {}
        }
        if launch.close_others {
            // Only for systems that cannot list them: no limit may make the start take for ever.
            let limit = RawFd::try_from(birth.limit.min(MOST_CLOSED)).unwrap_or(0);
            steps.push(Step::CloseFrom { first: 3, limit });
        }
        descriptors(launch, &mut steps, &mut slots);
        // A program that is given by a relative path is found from its own directory.
        steps.extend(words.directory.as_ref().map(|path| Step::Directory(path.as_ptr())));
        steps.push(Step::DefaultPipe);
        // Last, so that a signal that was held back ends the program and not what makes it one.
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
        Steps { planned, slots: vec![-1; slots], words: PhantomData }
    }

    /// Goes through all steps. Returns only where one failed: which, and why.
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
        // The last step, becoming the program, cannot be done and come back.
        (self.planned.len(), Errno::NOSYS)
    }

    /// What the failure of a step is told as.
    pub(crate) fn failure(&self, index: usize, error: Errno) -> Failure {
        let at = match self.planned.get(index).map(|planned| planned.step) {
            Some(Step::Directory(_)) => Stage::Directory,
            Some(Step::Execute { .. }) => Stage::Program,
            _ => Stage::Child,
        };
        Failure { at, error: error.into() }
    }
}

/// How a child comes by its streams, and by what else it is given.
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
    // First what would be overwritten before it is used.
    let mut puts = Vec::with_capacity(given.len());
    for &(from, to) in &given {
        let is_overwritten = from != to && targets.clone().any(|other| other == from);
        if is_overwritten {
            steps.push(Step::Lift { from, floor, slot: *slots });
            puts.push(Step::Put { from: Place::Slot(*slots), to });
            *slots += 1;
        } else {
            puts.push(Step::Put { from: Place::Open(from), to });
        }
    }
    // Its number is any that is free, perhaps one that something else is put to later; so it goes first.
    if !nulls.is_empty() {
        steps.push(Step::Null { slot: *slots });
        let put = |to| Step::Put { from: Place::Slot(*slots), to };
        steps.extend(nulls.iter().map(|&to| put(to)));
        *slots += 1;
    }
    steps.extend(puts);
}

fn one<C: ChildCalls>(step: Step, slots: &mut [RawFd]) -> Result<(), Errno> {
    let store = |slots: &mut [RawFd], slot: usize, fd| {
        if let Some(place) = slots.get_mut(slot) {
            *place = fd;
        }
    };
    match step {
        Step::DefaultSignals => C::default_signals(),
        Step::Group => C::new_group(),
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
                Place::Open(fd) => fd,
                Place::Slot(slot) => slots.get(slot).copied().unwrap_or(-1),
            };
            if from == to { C::keep(to) } else { C::put(from, to) }
        }
        // SAFETY: the path belongs to the `Words` that the steps were made from, which outlive them.
        Step::Directory(path) => unsafe { C::change_directory(path) },
        Step::DefaultPipe => C::default_pipe(),
        Step::EmptyMask => C::empty_mask(),
        // SAFETY: the set is that of `start::by_copy`, which is not left before the copy is a program.
        Step::RestoreMask(set) => unsafe { C::restore_mask(set) },
        Step::Execute { program, arguments, environment } => {
            // SAFETY: all of it belongs to those `Words`, which end their lists with null.
            Err(unsafe { C::execute(program, arguments, environment) })
        }
    }
}
