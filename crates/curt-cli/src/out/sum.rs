//! The calls of several operations, added up.

use curt::Calls;

use crate::out::json::Object;

/// Calls by kind.
#[derive(Debug, Default)]
pub(crate) struct Sum(Vec<(&'static str, u64)>);

impl Sum {
    pub(crate) fn add(&mut self, calls: &Calls) {
        for (name, count) in calls.iter() {
            match self.0.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += count,
                None => self.0.push((name, count)),
            }
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The calls as JSON, and their total.
    pub(crate) fn object(&self) -> Object {
        let by_kind = self.0.iter();
        let by_kind =
            by_kind.fold(Object::new(), |object, &(name, count)| object.number(name, count));
        by_kind.number("total", self.total())
    }

    /// A line for each kind, the most frequent first.
    pub(crate) fn lines(&self) -> String {
        let mut calls = self.0.clone();
        calls.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let lines = calls.iter().map(|(name, count)| format!("{count:>12} {name}\n"));
        lines.collect::<Vec<_>>().concat()
    }
}
