//! Listings that are stored before their first entry is told of: to be put in order, where each directory
//! is then entered as soon as it was told of, or because the directory may hold rules for what it holds.

use super::cursor::{After, Current, Cursor, Place, Step, is_excluded};
use super::frame::{Frame, Known, State, Stored};
use super::order;
use crate::ask::Subject;
use crate::fields::{Facts, Fields, Kind, Metadata};
use crate::sys::{Batch, Entry, Listing, Sys};

impl<S: Sys> Cursor<S> {
    /// Stores all entries of the topmost directory, and puts them in order.
    #[inline(never)]
    pub(super) fn store(&mut self) -> Option<Step> {
        let index = self.stack.len() - 1;
        let keeps_facts = !(Fields::KIND | Fields::ID).contains(S::SOURCES.listing);
        let mut failed = None;
        loop {
            if self.is_read {
                while let Some((entry, next)) = self.buf.entry(self.position) {
                    let Entry { name, kind, id } = entry;
                    let known = keeps_facts.then(|| {
                        let mut facts = Facts::default();
                        self.buf.facts(self.position, &entry, &mut facts);
                        Box::new(Known::Listed(facts))
                    });
                    let name = self.stack.keep(name);
                    self.stack[index].stored.push(Stored { name, kind, id, known });
                    self.position = next;
                }
                if self.stack[index].listing == Batch::End {
                    break;
                }
            }
            failed = self.read(index);
            if failed.is_some() {
                break;
            }
        }
        if self.settings.reads_rules() {
            // Where the listing or the rules are not whole, it is not known what is wanted.
            failed = failed.or_else(|| self.find_rules(index).err().map(Step::Error));
            if failed.is_some() {
                self.stack[index].stored.clear();
            }
        }
        if let Some(order) = self.settings.order {
            if order.asks() {
                self.ask_stored(index);
            }
            if let Some((frame, names)) = self.stack.last_with_names() {
                order::sort(order, &mut frame.stored, names);
            }
        }
        let frame = &mut self.stack[index];
        frame.state = State::Telling;
        failed
    }

    /// Asks about all stored entries, because their order depends on it.
    fn ask_stored(&mut self, index: usize) {
        let mut stored = std::mem::take(&mut self.stack[index].stored);
        for entry in &mut stored {
            let mut metadata = Metadata::default();
            self.ask_about(index, entry, &mut metadata);
            entry.known = Some(Box::new(Known::Asked(metadata)));
        }
        self.stack[index].stored = stored;
    }

    fn ask_about(&mut self, index: usize, entry: &Stored, metadata: &mut Metadata) {
        let follow = self.follows_all();
        let Cursor { asker, stack, path, .. } = self;
        let (Some(name), Some(dir)) = (stack.names().get(entry.name), stack[index].dir()) else {
            return;
        };
        let path_len = path.len();
        path.push(name);
        let to_path = || S::path(path.units().to_vec());
        let subject = Subject { dir, name, path: &to_path, follow };
        asker.begin(metadata);
        entry.add_to(&mut metadata.facts);
        asker.tell(&subject, metadata);
        path.truncate(path_len);
    }

    /// Tells of the next stored entry.
    #[inline(never)]
    pub(super) fn tell_stored(&mut self) -> Option<Step> {
        let index = self.stack.len() - 1;
        let frame: &mut Frame = &mut self.stack[index];
        let Some(entry) = frame.stored.get_mut(frame.next_stored) else {
            return self.told_all(index);
        };
        frame.next_stored += 1;
        let known = entry.known.take();
        let entry = Stored { name: entry.name, kind: entry.kind, id: entry.id, known };
        let name_at = self.path.push(self.stack.names().get(entry.name)?);
        let is_known = entry.kind != Kind::Unknown;
        if is_excluded::<S>(&self.settings, &self.path, entry.kind)
            || is_known && self.is_ignored(index, name_at, entry.kind)
        {
            return None;
        }
        self.path.truncate(self.stack[index].path_len());
        let entry_name = entry.name;
        let mut metadata = std::mem::take(&mut self.metadata);
        if let Some(Known::Asked(_)) = entry.known.as_deref() {
            if let Some(Known::Asked(asked)) = entry.known.map(|known| *known) {
                metadata = asked;
            }
        } else {
            if let Err(lost) = self.reopen(index) {
                return Some(self.gave_up(lost));
            }
            self.ask_about(index, &entry, &mut metadata);
        }
        self.metadata = metadata;
        self.path.push(self.stack.names().get(entry_name)?);
        if !is_known && self.is_ignored(index, name_at, self.metadata.facts.kind) {
            return None;
        }
        if let Some(error) = self.metadata.take_trouble(&mut self.troubles) {
            return Some(Step::Error(error));
        }
        let frame = &mut self.stack[index];
        let place = Place::Arena(entry_name);
        self.current = Current { depth: frame.depth, name: name_at, place };
        let goes_down =
            self.metadata.facts.kind == Kind::Directory && frame.depth < self.settings.max_depth;
        if goes_down {
            if self.settings.contents_first {
                frame.put_off(&mut self.metadata);
            }
            self.after = if self.settings.order.is_some() {
                After::Enter(entry_name)
            } else {
                After::Noted(self.stack.wait_again(entry_name)?)
            };
            if self.settings.contents_first {
                return None;
            }
        }
        (self.current.depth >= self.settings.min_depth).then_some(Step::Entry)
    }

    /// All stored entries were told of. In order, each directory was entered after it was told of.
    fn told_all(&mut self, index: usize) -> Option<Step> {
        let frame = &mut self.stack[index];
        if self.settings.order.is_some() {
            return match frame.given.pop() {
                Some(piece) => Some(Step::Join(piece)),
                None => self.leave(),
            };
        }
        frame.given.clear();
        (frame.stored, frame.next_stored) = (Vec::new(), 0);
        frame.state = State::Entering;
        None
    }
}
