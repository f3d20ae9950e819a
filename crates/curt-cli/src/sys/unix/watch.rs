//! Waits for a program as GNU timeout does. This process leads the program's group, so that typed
//! keys reach both, and forwards signals sent only to itself.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use curt::process::Child;
use curt::{Command, Error};
use rustix::process::{Pid, getpgid, getpgrp, setpgid};

use super::signals::{self, MOST_SIGNALS, change_mask};
use crate::sys::Event;

/// One bit per signal that has arrived. `FROM_KERNEL` has those that the kernel sent to the whole
/// group.
static ARRIVED: AtomicU64 = AtomicU64::new(0);
static FROM_KERNEL: AtomicU64 = AtomicU64::new(0);

/// Signals that are not forwarded: uncatchable ones, faults of this process, and job control.
const NOT_FORWARDED: [i32; 12] = [
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

/// Signals that only wake this process and must not stop it: the program has ended or stopped, or
/// uses the terminal from the background.
const WAKING: [i32; 3] = [libc::SIGCHLD, libc::SIGTTIN, libc::SIGTTOU];

pub(crate) struct Watch {
    is_foreground: bool,
    caught: Vec<i32>,
    /// The signal mask while waiting.
    mask: libc::sigset_t,
    /// Signals from `ARRIVED` still to be reported.
    pending: u64,
}

impl Watch {
    /// Catches `signal`, and all others except [`NOT_FORWARDED`] and ignored ones (see
    /// [`super::listen`]).
    pub(crate) fn begin(is_foreground: bool, signal: i32) -> Watch {
        if !is_foreground {
            // Fails for a session leader, which already leads a group.
            let _ = setpgid(None, None);
        }
        let needed = [signal, libc::SIGALRM, libc::SIGCHLD];
        let is_caught = |number: &i32| {
            let is_usual = !NOT_FORWARDED.contains(number) && !signals::is_ignored(*number);
            (is_usual || needed.contains(number)) && catch(*number)
        };
        let caught = (1..=MOST_SIGNALS).filter(is_caught).collect();
        let mask = change_mask(libc::SIG_UNBLOCK, [libc::SIGALRM, libc::SIGCHLD]);
        Watch { is_foreground, caught, mask, pending: 0 }
    }

    /// Starts the program. From then on, signals arrive only while [`Watch::next`] waits, so that
    /// none is forwarded to a released process ID.
    pub(crate) fn start(&mut self, command: &mut Command) -> Result<Child, Error> {
        let child = command.spawn()?;
        self.mask = change_mask(libc::SIG_BLOCK, self.caught.iter().copied());
        Ok(child)
    }

    #[allow(clippy::unused_self, reason = "the timer is the process's; Windows has none")]
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        /// Some systems refuse longer limits.
        const YEARS: u64 = 100_000_000;
        if limit.as_secs() >= YEARS {
            return;
        }
        // Zero would disable the timer.
        let micros = limit.as_nanos().div_ceil(1000).max(1);
        let mut timer = MaybeUninit::<libc::itimerval>::zeroed();
        // SAFETY: zeros mean a timer without an interval.
        let timer = unsafe { timer.assume_init_mut() };
        // Naming the types is deprecated on musl.
        timer.it_value.tv_sec = (micros / 1_000_000) as _;
        timer.it_value.tv_usec = (micros % 1_000_000) as _;
        // SAFETY: the new value is live.
        unsafe { libc::setitimer(libc::ITIMER_REAL, timer, ptr::null_mut()) };
    }

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
            // SAFETY: the mask came from the system, and all pointers are null. `pselect(2)` uses
            // the mask only during the call.
            unsafe {
                let none = ptr::null_mut();
                libc::pselect(0, none, none, none, ptr::null(), &raw const self.mask);
            }
        }
    }

    /// Sends a signal to the program and, unless it is in the foreground, to its group, followed by
    /// `SIGCONT` so that stopped processes can react. A typed signal has already reached the group.
    /// The program has not been waited for, so its process ID cannot have been reused.
    #[allow(clippy::unnecessary_wraps, reason = "it can fail on Windows")]
    pub(crate) fn send(&self, child: &mut Child, number: i32, is_typed: bool) -> Result<(), Error> {
        let Ok(program) = i32::try_from(child.id()) else { return Ok(()) };
        let is_member = getpgid(Pid::from_raw(program)).is_ok_and(|group| group == getpgrp());
        let send = |number: i32| {
            if self.is_foreground || !is_member {
                // SAFETY: the call takes only numbers.
                unsafe { libc::kill(program, number) };
            }
            if !self.is_foreground {
                // SAFETY: the call takes only numbers; this process blocks the signal.
                unsafe { libc::kill(0, number) };
                if self.caught.contains(&number) && !WAKING.contains(&number) {
                    // `SIG_IGN` discards the copy that this process has sent to itself.
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

fn bit(number: i32) -> u64 {
    1_u64.checked_shl(number.unsigned_abs().wrapping_sub(1)).unwrap_or(0)
}

/// `exec` resets the handler, so programs start with the default action.
fn catch(number: i32) -> bool {
    let handler: extern "C" fn(i32, *const libc::siginfo_t, *const libc::c_void) = record;
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: zeros mean no handler, no flags and an empty set.
    let action = unsafe { action.assume_init_mut() };
    action.sa_sigaction = handler as libc::sighandler_t;
    // Restart system calls. (`pselect(2)` is never restarted.)
    action.sa_flags = libc::SA_RESTART | libc::SA_SIGINFO;
    // SAFETY: the handler only reads its argument and changes atomics.
    unsafe { libc::sigaction(number, action, ptr::null_mut()) == 0 }
}

extern "C" fn record(number: i32, info: *const libc::siginfo_t, _: *const libc::c_void) {
    // SAFETY: with `SA_SIGINFO`, the description is valid.
    if signals::is_from_kernel(unsafe { &*info }) {
        FROM_KERNEL.fetch_or(bit(number), Ordering::SeqCst);
    }
    ARRIVED.fetch_or(bit(number), Ordering::SeqCst);
}
