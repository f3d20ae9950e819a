//! A simulated machine with any number of processors, to measure how operations scale.
//!
//! It is a discrete-event simulation: each thread has a virtual clock, and only the thread with the
//! earliest clock runs, until its next call or until it sleeps on a [`Condvar`]. Every run is
//! therefore the same. A call advances the clock by its price and by the wait for simulated locks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, LockResult, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Shared;

/// The assumed delay until a started or woken thread runs.
const WAKE: Duration = Duration::from_micros(50);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    pub(crate) call: fn(&str) -> Duration,
    /// The fraction of a removal's price spent with the directory locked.
    pub(crate) directory: f64,
    /// The fraction of every call's price spent while holding the lock that all calls share.
    pub(crate) shared: f64,
    /// The extra cost of waiting for a lock, as a multiple of the call's price.
    pub(crate) contended: f64,
}

struct Machine {
    prices: Prices,
    threads: Vec<Thread>,
    running: usize,
    /// When each directory's lock becomes free. `None` is the lock shared by all calls.
    free: BTreeMap<Option<u64>, Duration>,
}

#[derive(Default)]
struct Thread {
    clock: Duration,
    /// The address of the condition variable on which the thread sleeps; 0 after the thread has
    /// ended.
    sleeps: Option<usize>,
    /// After a call, the thread waits on `turn`; while it sleeps, on `woken`.
    turn: Arc<std::sync::Condvar>,
    woken: Arc<std::sync::Condvar>,
}

type Membership = (Arc<Mutex<Machine>>, usize);

thread_local!(static MEMBERSHIP: RefCell<Option<Membership>> = const { RefCell::new(None) });

/// Runs an operation on a new machine.
pub(crate) fn run<T>(prices: Prices, operation: impl FnOnce() -> T) -> T {
    let threads = vec![Thread::default()];
    let machine = Machine { prices, threads, running: 0, free: BTreeMap::new() };
    MEMBERSHIP.set(Some((Arc::new(Mutex::new(machine)), 0)));
    let result = operation();
    leave();
    result
}

/// Adds a thread to the machine of its starter, if any.
pub(crate) fn in_machine(work: impl FnOnce() + Send) -> impl FnOnce() + Send {
    let membership = membership().map(|(machine, own)| {
        let mut state = lock(&machine);
        let (number, clock) = (state.threads.len(), state.threads[own].clock + WAKE);
        state.threads.push(Thread { clock, ..Thread::default() });
        drop(state);
        (machine, number)
    });
    move || {
        MEMBERSHIP.set(membership);
        if let Some((machine, own)) = self::membership() {
            wait_for_turn(lock(&machine), own);
        }
        work();
        leave();
    }
}

/// Removes this thread from its machine, so that it can really block.
pub(crate) fn leave() {
    if let Some((machine, own)) = MEMBERSHIP.take() {
        lock(&machine).stop(own, 0);
    }
}

/// Advances the clock by the price of a call, and waits for this thread's turn.
pub(super) fn call(name: &str, directory: Option<u64>, world: &Shared) {
    let Some((machine, own)) = membership() else { return };
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

fn membership() -> Option<Membership> {
    MEMBERSHIP.with_borrow(Clone::clone)
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

    fn choose(&mut self) {
        let threads = self.threads.iter().enumerate();
        let ready = threads.filter(|(_, thread)| thread.sleeps.is_none());
        let Some((next, thread)) = ready.min_by_key(|(_, thread)| thread.clock) else { return };
        self.running = next;
        thread.turn.notify_one();
        thread.woken.notify_one();
    }
}

/// Threads of a machine wait in virtual time.
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
        let Some((machine, own)) = membership() else { return self.0.wait(guard) };
        let woken = Arc::clone(&lock(&machine).threads[own].woken);
        lock(&machine).stop(own, std::ptr::from_ref(self).addr());
        // The waking thread must take the guarded lock first, so its notification cannot be missed.
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

    fn wake_one(&self) -> bool {
        let Some((machine, own)) = membership() else { return false };
        let mut machine = lock(&machine);
        let clock = machine.threads[own].clock + WAKE;
        let address = Some(std::ptr::from_ref(self).addr());
        let asleep = machine.threads.iter_mut().filter(|thread| thread.sleeps == address);
        let longest = asleep.min_by_key(|thread| thread.clock);
        longest.map(|thread| (thread.clock, thread.sleeps) = (clock, None)).is_some()
    }
}
