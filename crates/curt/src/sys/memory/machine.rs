//! A machine with any number of processors, in virtual time: the threads of an operation take turns
//! at their calls, and each has its own clock.
//!
//! The thread whose clock is furthest behind runs alone, until its next call or until it sleeps on a
//! [`Condvar`], so every run is the same. A call moves its clock by its price and the wait for locks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, LockResult, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Shared;

/// From the start of a thread, or a call that wakes it, until it runs: an assumption.
const WAKE: Duration = Duration::from_micros(50);

/// What calls cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    pub(crate) call: fn(&str) -> Duration,
    /// The part of a removal during which no other one changes the same directory.
    pub(crate) directory: f64,
    /// The part of every call that excludes all other calls.
    pub(crate) shared: f64,
    /// What it takes longer, in prices, where a lock was not free.
    pub(crate) contended: f64,
}

/// The threads of one operation, and the locks of their kernel.
struct Machine {
    prices: Prices,
    threads: Vec<Thread>,
    /// The thread that runs.
    running: usize,
    /// When a lock is free: that of a directory, or the one that all calls share.
    free: BTreeMap<Option<u64>, Duration>,
}

#[derive(Default)]
struct Thread {
    clock: Duration,
    /// The address of the condition variable on which it sleeps; 0 when it is over.
    sleeps: Option<usize>,
    /// Notified when it runs again: after a call, and after it slept.
    turn: Arc<std::sync::Condvar>,
    woken: Arc<std::sync::Condvar>,
}

/// A machine, and which of its threads one is.
type Seat = (Arc<Mutex<Machine>>, usize);

thread_local!(static SEAT: RefCell<Option<Seat>> = const { RefCell::new(None) });

/// Runs an operation on a machine, which moves the clock of the tree.
pub(crate) fn run<T>(prices: Prices, operation: impl FnOnce() -> T) -> T {
    let threads = vec![Thread::default()];
    let machine = Machine { prices, threads, running: 0, free: BTreeMap::new() };
    SEAT.set(Some((Arc::new(Mutex::new(machine)), 0)));
    let result = operation();
    leave();
    result
}

/// Makes a thread part of the machine, if that which starts it is.
pub(crate) fn seated(work: impl FnOnce() + Send) -> impl FnOnce() + Send {
    let seat = seat().map(|(machine, own)| {
        let mut state = lock(&machine);
        let (number, clock) = (state.threads.len(), state.threads[own].clock + WAKE);
        state.threads.push(Thread { clock, ..Thread::default() });
        drop(state);
        (machine, number)
    });
    move || {
        SEAT.set(seat);
        if let Some((machine, own)) = self::seat() {
            wait_for_turn(lock(&machine), own);
        }
        work();
        leave();
    }
}

/// Ends the part of this thread, which may then block in reality.
pub(crate) fn leave() {
    if let Some((machine, own)) = SEAT.take() {
        lock(&machine).stop(own, 0);
    }
}

/// Makes a call, which may change this directory. Returns when it is over.
pub(super) fn call(name: &str, directory: Option<u64>, world: &Shared) {
    let Some((machine, own)) = seat() else { return };
    let mut guard = lock(&machine);
    let Machine { prices, threads, free, .. } = &mut *guard;
    let (price, clock) = ((prices.call)(name), &mut threads[own].clock);
    let changing = if name == "unlinkat" { prices.directory } else { 0.0 };
    let locks = [(None, prices.shared), (directory, changing)];
    for (lock, part) in locks.into_iter().filter(|&(_, part)| part > 0.0) {
        let free = free.entry(lock).or_default();
        if *free > *clock {
            *clock = *free + price.mul_f64(prices.contended);
        }
        *clock += price.mul_f64(part);
        *free = *clock;
    }
    *clock += price.mul_f64(1.0 - prices.shared - changing);
    let end = *clock;
    guard.choose();
    wait_for_turn(guard, own);
    world.lock().clock = end;
}

fn seat() -> Option<Seat> {
    SEAT.with_borrow(Clone::clone)
}

fn lock(machine: &Mutex<Machine>) -> MutexGuard<'_, Machine> {
    machine.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait_for_turn(machine: MutexGuard<'_, Machine>, own: usize) {
    let turn = Arc::clone(&machine.threads[own].turn);
    drop(turn.wait_while(machine, |machine| machine.running != own));
}

impl Machine {
    fn stop(&mut self, thread: usize, sleeps: usize) {
        self.threads[thread].sleeps = Some(sleeps);
        self.choose();
    }

    /// Lets the thread run whose clock is furthest behind.
    fn choose(&mut self) {
        let threads = self.threads.iter().enumerate();
        let ready = threads.filter(|(_, thread)| thread.sleeps.is_none());
        let Some((next, thread)) = ready.min_by_key(|(_, thread)| thread.clock) else { return };
        self.running = next;
        thread.turn.notify_one();
        thread.woken.notify_one();
    }
}

/// A condition variable; in virtual time for the threads of a machine.
pub(crate) struct Condvar(std::sync::Condvar);

impl std::ops::Deref for Condvar {
    type Target = std::sync::Condvar;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Condvar {
    pub(crate) fn new() -> Self {
        Condvar(std::sync::Condvar::new())
    }

    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let Some((machine, own)) = seat() else { return self.0.wait(guard) };
        let woken = Arc::clone(&lock(&machine).threads[own].woken);
        lock(&machine).stop(own, std::ptr::from_ref(self).addr());
        // Whoever wakes this thread needs the guarded lock before, so this cannot be missed.
        woken.wait_while(guard, |_| lock(&machine).running != own)
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
        while self.wake_one() {}
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
        self.wake_one();
    }

    /// Wakes the thread that has slept longest.
    fn wake_one(&self) -> bool {
        let Some((machine, own)) = seat() else { return false };
        let mut machine = lock(&machine);
        let clock = machine.threads[own].clock + WAKE;
        let address = Some(std::ptr::from_ref(self).addr());
        let asleep = machine.threads.iter_mut().filter(|thread| thread.sleeps == address);
        let longest = asleep.min_by_key(|thread| thread.clock);
        longest.map(|thread| (thread.clock, thread.sleeps) = (clock, None)).is_some()
    }
}
