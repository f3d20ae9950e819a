//! Waiting for a program as GNU timeout does it: this process leads the group that the program is
//! in, so that the terminal belongs to both and its keys reach both, and passes on signals that ask
//! this process alone to end.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use curt::process::Child;
use curt::{Command, Error};
use rustix::process::{Pid, getpgid, getpgrp, setpgid};

use super::signals::{self, MOST_SIGNALS, change_mask};
use crate::sys::Event;

/// The signals that arrived and were not looked at yet, one bit each; and those among them that the
/// kernel sent: it sends the signals of a terminal to the whole group.
static ARRIVED: AtomicU64 = AtomicU64::new(0);
static FROM_KERNEL: AtomicU64 = AtomicU64::new(0);

/// Signals that are not passed on: those that cannot be, faults of this process, and those of job
/// control, which have their usual effect on this process. All others end it by default.
const OWN: [i32; 12] = [
    libc::SIGKILL,
    libc::SIGSTOP,
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGTSTP,
    libc::SIGCONT,
    libc::SIGURG,
    libc::SIGWINCH,
];

/// Signals that only wake: the program has ended or stopped, or wants the terminal without being in
/// the foreground, which must not stop this process.
const WAKING: [i32; 3] = [libc::SIGCHLD, libc::SIGTTIN, libc::SIGTTOU];

pub(crate) struct Watch {
    /// Whether the program stays in the group of the process that started this one.
    is_foreground: bool,
    caught: Vec<i32>,
    /// The signals that this process had blocked before, while it waits.
    mask: libc::sigset_t,
    /// Signals that arrived and are dealt with next.
    pending: u64,
}

impl Watch {
    /// Catches signals from now on. One that is ignored stays ignored, as `nohup` and shells have
    /// it for background jobs; but not `signal`, that of the time limit.
    pub(crate) fn begin(is_foreground: bool, signal: i32) -> Watch {
        if !is_foreground {
            // The leader of a session has a group already.
            let _ = setpgid(None, None);
        }
        let needed = [signal, libc::SIGALRM, libc::SIGCHLD];
        let is_caught = |number: &i32| {
            let is_usual = !OWN.contains(number) && !signals::is_ignored(*number);
            (is_usual || needed.contains(number)) && catch(*number)
        };
        let caught = (1..=MOST_SIGNALS).filter(is_caught).collect();
        let mask = change_mask(libc::SIG_UNBLOCK, [libc::SIGALRM, libc::SIGCHLD]);
        Watch { is_foreground, caught, mask, pending: 0 }
    }

    /// Starts the program. Afterwards signals arrive only while [`Watch::next`] waits, so that
    /// none is sent to a number that was released.
    pub(crate) fn start(&mut self, command: &mut Command) -> Result<Child, Error> {
        let child = command.spawn()?;
        self.mask = change_mask(libc::SIG_BLOCK, self.caught.iter().copied());
        Ok(child)
    }

    /// Sets when [`Event::TimeOver`] comes, from now on.
    #[allow(clippy::unused_self, reason = "the timer is the process's; Windows has none")]
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        /// Longer limits are none: not every system takes them.
        const YEARS: u64 = 100_000_000;
        if limit.as_secs() >= YEARS {
            return;
        }
        // A zero would set no limit.
        let micros = limit.as_nanos().div_ceil(1000).max(1);
        let mut timer = MaybeUninit::<libc::itimerval>::zeroed();
        // SAFETY: zeros are a timer without an interval.
        let timer = unsafe { timer.assume_init_mut() };
        timer.it_value.tv_sec = (micros / 1_000_000) as libc::time_t;
        timer.it_value.tv_usec = (micros % 1_000_000) as libc::suseconds_t;
        // SAFETY: the new value is read, and the old one is not asked for.
        unsafe { libc::setitimer(libc::ITIMER_REAL, timer, ptr::null_mut()) };
    }

    /// Waits until something happens.
    pub(crate) fn next(&mut self, child: &mut Child) -> Result<Event, Error> {
        loop {
            self.pending |= ARRIVED.swap(0, Ordering::SeqCst);
            if let Some(status) = child.wait_timeout(Duration::ZERO)? {
                return Ok(Event::Ended(status));
            }
            while self.pending != 0 {
                let number = (1..MOST_SIGNALS).find(|&number| self.pending & bit(number) != 0);
                let number = number.unwrap_or(MOST_SIGNALS);
                self.pending &= !bit(number);
                match number {
                    libc::SIGALRM => return Ok(Event::TimeOver),
                    number if WAKING.contains(&number) => {}
                    number => {
                        let typed = FROM_KERNEL.fetch_and(!bit(number), Ordering::SeqCst);
                        let is_typed = typed & bit(number) != 0;
                        return Ok(Event::Signal { number, is_typed });
                    }
                }
            }
            // SAFETY: no descriptors and no time are given, and the mask is one that the system
            // returned. It is set while the call waits only.
            unsafe {
                let none = ptr::null_mut();
                libc::pselect(0, none, none, none, ptr::null(), &raw const self.mask);
            }
        }
    }

    /// Sends a signal to the program and, unless it is in the foreground, to its group; then wakes
    /// stopped processes, so that they can answer. One that was typed has reached the group already.
    /// The program was not waited for, so the number is its own.
    #[allow(clippy::unnecessary_wraps, reason = "it can fail on Windows")]
    pub(crate) fn send(&self, child: &mut Child, number: i32, is_typed: bool) -> Result<(), Error> {
        let Ok(program) = i32::try_from(child.id()) else { return Ok(()) };
        let is_member = getpgid(Pid::from_raw(program)).is_ok_and(|group| group == getpgrp());
        let send = |number: i32| {
            if self.is_foreground || !is_member {
                // SAFETY: a signal to another process touches no memory of this one.
                unsafe { libc::kill(program, number) };
            }
            if !self.is_foreground {
                // SAFETY: as above; this process has the signal blocked.
                unsafe { libc::kill(0, number) };
                if self.caught.contains(&number) && !WAKING.contains(&number) {
                    // To ignore it discards the one that this process has sent itself.
                    signals::set(number, libc::SIG_IGN);
                    catch(number);
                }
            }
        };
        if !is_typed || !is_member {
            send(number);
        }
        if !self.is_foreground && number != libc::SIGKILL && number != libc::SIGCONT {
            send(libc::SIGCONT);
        }
        Ok(())
    }
}

/// The bit of a signal. Their numbers begin with 1.
fn bit(number: i32) -> u64 {
    1_u64.checked_shl(number.unsigned_abs().wrapping_sub(1)).unwrap_or(0)
}

/// Notes a signal when it arrives. Programs that are started have the default action.
fn catch(number: i32) -> bool {
    let handler: extern "C" fn(i32, *const libc::siginfo_t, *const libc::c_void) = note;
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no handler, no flags and an empty set are what zeros mean.
    let action = unsafe { action.assume_init_mut() };
    action.sa_sigaction = handler as libc::sighandler_t;
    // Calls that wait are restarted, but for the one that waits for signals.
    action.sa_flags = libc::SA_RESTART | libc::SA_SIGINFO;
    // SAFETY: the handler reads what the system passes to it and changes two numbers, which
    // handlers may do.
    unsafe { libc::sigaction(number, action, ptr::null_mut()) == 0 }
}

extern "C" fn note(number: i32, info: *const libc::siginfo_t, _: *const libc::c_void) {
    // SAFETY: the system passes a description of the signal.
    if signals::is_from_kernel(unsafe { &*info }) {
        FROM_KERNEL.fetch_or(bit(number), Ordering::SeqCst);
    }
    ARRIVED.fetch_or(bit(number), Ordering::SeqCst);
}
