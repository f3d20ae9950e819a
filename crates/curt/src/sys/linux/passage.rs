//! Tables of descriptors for each worker, and the way of open directories from one to another.
//!
//! As soon as threads share a table, the kernel counts the users of an open file in each call that names its
//! descriptor, and waits for whoever counted last. A thread that is alone with its table counts nothing: 5 % of the
//! time of two threads that ask about every entry. But what it opens, nobody else sees. So a directory goes to
//! another worker in a message (`SCM_RIGHTS`, unix(7)): that takes no permission, and nothing is looked up again.
//!
//! Rejected: the path, since something else may lie there by now; `pidfd_getfd`, which filters refuse, and whose
//! giver would have to keep the directory open until it was taken.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::io::{Errno, retry_on_intr};

use super::call::Door;

/// A queue of directories on their way, each with a number that its receiver knows. The first who needs it makes it.
/// Who gets a table of its own does so before, so that it is in everybody's table under the same descriptors.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    ends: OnceLock<Option<Ends>>,
    /// How many directories are on their way.
    sent: AtomicUsize,
    /// Nothing can be sent any more, and nobody need try.
    is_shut: AtomicBool,
}

/// How many may be on their way: less than the kernel keeps for a queue, so that what was taken out can always be put
/// back. (Each is sent to a worker that has nothing to do.)
const MOST: usize = 64;

/// Where it begins and where it ends.
#[derive(Debug)]
struct Ends {
    entrance: OwnedFd,
    exit: OwnedFd,
}

impl Passage {
    /// `None` where the system has no such thing, or a filter refuses it.
    fn ends(&self, door: &Door) -> Option<&Ends> {
        let make = || door.message_queue().ok().map(|(entrance, exit)| Ends { entrance, exit });
        self.ends.get_or_init(make).as_ref()
    }

    /// Gives this thread, which shares a table, a copy of its own. Where that is refused it goes on sharing, and
    /// sends and receives all the same.
    pub(super) fn separate(&self, door: &Door) {
        if let Some(ends) = self.ends(door) {
            let highest = ends.entrance.as_raw_fd().max(ends.exit.as_raw_fd());
            let _ = door.copy_table(highest + 1);
        }
    }

    /// Sends a directory to whoever will ask for the number; `None` where all workers share a table.
    pub(super) fn send(
        &self,
        door: &Door,
        dir: impl AsFd,
        number: u64,
    ) -> Option<Result<(), Errno>> {
        let ends = self.ends(door)?;
        if self.is_shut.load(Ordering::Relaxed) {
            return Some(Err(Errno::PIPE));
        }
        if self.sent.fetch_add(1, Ordering::Relaxed) >= MOST {
            self.sent.fetch_sub(1, Ordering::Relaxed);
            return Some(Err(Errno::AGAIN));
        }
        let sent = door.send(ends.entrance.as_fd(), number, Some(dir.as_fd()));
        if sent.is_err() {
            self.is_shut.store(true, Ordering::Relaxed);
        }
        Some(sent)
    }

    /// Takes out the directory of this number, which was sent before anybody was told to ask for it. Who comes
    /// first need not find its own: what belongs to another goes back.
    pub(super) fn receive(&self, door: &Door, number: u64) -> Result<OwnedFd, Errno> {
        let ends = self.ends(door).ok_or(Errno::PIPE)?;
        loop {
            let (found, dir) = retry_on_intr(|| door.receive(ends.exit.as_fd()))?;
            if found == number {
                self.sent.fetch_sub(1, Ordering::Relaxed);
                // It comes alone where there is no descriptor left for it.
                return dir.ok_or(Errno::MFILE);
            }
            let back = door.send(ends.entrance.as_fd(), found, dir.as_ref().map(AsFd::as_fd));
            if let Some(dir) = dir {
                door.close(dir);
            }
            if let Err(error) = back {
                // Its owner must not wait for it: it is told that there is nothing.
                self.is_shut.store(true, Ordering::Relaxed);
                door.shut(ends.exit.as_fd());
                return Err(error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
    use std::sync::Arc;
    use std::thread;

    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;

    use super::super::call::Door;
    use super::{MOST, Passage};
    use crate::sys::Setup;
    use crate::sys::fault::Faults;

    fn door() -> Door {
        Door::new(&Setup::default())
    }

    fn failing(kind: &'static str, nth: u64) -> Door {
        let faults = Faults::default().fail(kind, nth, libc::ENOMEM);
        Door::new(&Setup { faults: Some(Arc::new(faults)), ..Setup::default() })
    }

    /// Which file it is.
    fn identity(fd: impl AsFd) -> (u64, u64) {
        let stat = rustix::fs::fstat(fd).unwrap();
        (stat.st_dev, stat.st_ino)
    }

    fn open(path: &str) -> OwnedFd {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).unwrap()
    }

    #[test]
    fn a_thread_with_a_table_of_its_own_gets_what_is_sent_and_keeps_what_it_opens() {
        let (passage, door_here) = (Passage::default(), door());
        let here = open("/usr");
        let number = here.as_raw_fd();
        passage.send(&door_here, &here, 7).unwrap().unwrap();
        let (received, theirs) = thread::scope(|scope| {
            let helper = scope.spawn(|| {
                let door = door();
                passage.separate(&door);
                // SAFETY: the number is that of an open file in this thread's table, where nobody uses it.
                drop(unsafe { OwnedFd::from_raw_fd(number) });
                // Open until the thread ends, and its table.
                let theirs = open("/etc").into_raw_fd();
                (identity(passage.receive(&door, 7).unwrap()), theirs)
            });
            helper.join().unwrap()
        });
        assert_eq!(received, identity(&here), "what is closed there is open here");
        // SAFETY: at worst somebody else closes the number while it is asked about, which is an error then.
        let theirs = unsafe { BorrowedFd::borrow_raw(theirs) };
        let found = rustix::fs::fstat(theirs).map(|stat| (stat.st_dev, stat.st_ino));
        assert_ne!(found, Ok(identity(open("/etc"))), "what is opened there is not open here");
    }

    #[test]
    fn no_more_are_on_their_way_than_the_queue_has_room_for() {
        let (passage, door) = (Passage::default(), door());
        let dir = open("/");
        let send = |number| passage.send(&door, &dir, number).unwrap();
        for number in 0..MOST as u64 {
            send(number).unwrap();
        }
        assert_eq!(send(99), Err(Errno::AGAIN));
        // The last of them: all others go back.
        assert!(passage.receive(&door, MOST as u64 - 1).is_ok());
        assert_eq!((send(100), send(101)), (Ok(()), Err(Errno::AGAIN)));
    }

    #[test]
    fn everybody_gets_what_was_sent_under_its_number() {
        let passage = Passage::default();
        let paths = ["/", "/usr", "/etc", "/tmp", "/proc", "/dev"];
        for (number, path) in paths.iter().enumerate() {
            passage.send(&door(), open(path), number as u64).unwrap().unwrap();
        }
        thread::scope(|scope| {
            for (number, path) in paths.iter().enumerate().rev() {
                let passage = &passage;
                scope.spawn(move || {
                    let door = door();
                    passage.separate(&door);
                    let dir = passage.receive(&door, number as u64).unwrap();
                    assert_eq!(identity(dir), identity(open(path)), "{path}");
                });
            }
        });
    }

    #[test]
    fn what_comes_without_a_directory_had_no_descriptor() {
        let passage = Passage::default();
        let door = door();
        let ends = passage.ends(&door).unwrap();
        door.send(ends.entrance.as_fd(), 1, None).unwrap();
        passage.send(&door, open("/"), 2).unwrap().unwrap();
        // It is put back as it is.
        assert!(passage.receive(&door, 2).is_ok());
        assert_eq!(passage.receive(&door, 1).unwrap_err(), Errno::MFILE);
    }

    #[test]
    fn without_a_queue_the_table_is_shared() {
        let passage = Passage::default();
        let door = failing("socketpair", 0);
        passage.separate(&door);
        assert!(passage.send(&door, open("/"), 1).is_none());
        assert_eq!(passage.receive(&door, 1).unwrap_err(), Errno::PIPE);
        assert_eq!(door.calls().total(), 1);
    }

    #[test]
    fn a_table_that_may_not_be_copied_is_shared_and_directories_are_sent() {
        let (passage, refused) = (Passage::default(), failing("close_range", 0));
        passage.separate(&refused);
        passage.send(&refused, open("/usr"), 1).unwrap().unwrap();
        let dir = passage.receive(&refused, 1).unwrap();
        assert_eq!(identity(dir), identity(open("/usr")));
    }

    #[test]
    fn what_cannot_be_sent_is_not_tried_again() {
        let (passage, door) = (Passage::default(), failing("sendmsg", 0));
        assert_eq!(passage.send(&door, open("/"), 1), Some(Err(Errno::NOMEM)));
        assert_eq!(passage.send(&door, open("/"), 2), Some(Err(Errno::PIPE)));
        assert_eq!(door.calls().of("sendmsg"), 1);
    }

    #[test]
    fn who_waits_for_what_cannot_be_put_back_is_told() {
        let (passage, door) = (Passage::default(), failing("sendmsg", 2));
        for number in [1, 2] {
            passage.send(&door, open("/"), number).unwrap().unwrap();
        }
        assert_eq!(passage.receive(&door, 2).unwrap_err(), Errno::NOMEM);
        // What lies in the queue still is taken out first.
        assert!(passage.receive(&door, 2).is_ok());
        assert_eq!(passage.receive(&door, 1).unwrap_err(), Errno::PIPE);
        assert_eq!(passage.send(&door, open("/"), 3), Some(Err(Errno::PIPE)));
    }
}
