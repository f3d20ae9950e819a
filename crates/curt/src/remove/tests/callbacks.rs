use std::path::PathBuf;

use crate::control::Next;
use crate::fields::Kind;
use crate::remove::shared::Shared;
use crate::remove::{Remove, Totals};
use crate::sys::{Os, Setup, Sys};

/// Calls the callbacks directly, because in a real run timing decides whether the last events
/// arrive before the threads end.
#[test]
fn callback_that_stops_at_the_last_event_stops_the_removal() {
    let options = Remove::new()
        .callbacks_on_caller_thread(true)
        .on_removed(|_, _| Next::Stop)
        .on_progress(|_| Next::Stop);
    let finish = |tell: fn(&Shared<'_, Os>)| {
        let shared = Shared::new(&options, &Os::start(&Setup::default()), None, false);
        tell(&shared);
        shared.into_report()
    };
    let report =
        finish(|shared| shared.notifier.progress(false, Totals { files: 1, directories: 0 }));
    assert!(report.stopped, "progress: {report:?}");
    let report = finish(|shared| {
        shared.notifier.done(false, (PathBuf::from("file"), Kind::File), 0);
    });
    assert!(report.stopped, "removed: {report:?}");
    assert!(!finish(|_| ()).stopped);
}
