//! Events that tests schedule before one call or before every call.

use super::tree::World;

type Event = Box<dyn FnMut(&mut World) + Send>;

#[derive(Default)]
pub(super) struct Events {
    made: u64,
    once: Vec<(u64, Event)>,
    always: Vec<Event>,
}

impl World {
    /// Runs an event once, after `calls` more calls.
    pub(crate) fn after(
        &mut self,
        calls: u64,
        event: impl FnOnce(&mut World) + Send + 'static,
    ) -> &mut Self {
        let mut event = Some(event);
        let once = move |world: &mut World| {
            if let Some(event) = event.take() {
                event(world);
            }
        };
        let due = self.events.made + calls;
        self.events.once.push((due, Box::new(once)));
        self
    }

    pub(crate) fn before_each_call(
        &mut self,
        event: impl FnMut(&mut World) + Send + 'static,
    ) -> &mut Self {
        self.events.always.push(Box::new(event));
        self
    }

    pub(crate) fn calls_made(&self) -> u64 {
        self.events.made
    }

    /// An event scheduled by a due event runs before the next call at the earliest.
    pub(super) fn before_call(&mut self) {
        let made = self.events.made;
        let scheduled = std::mem::take(&mut self.events.once);
        let touched = std::mem::take(&mut self.touched);
        let (due, later): (Vec<_>, Vec<_>) = scheduled.into_iter().partition(|(at, _)| *at <= made);
        self.events.once = later;
        for (_, mut event) in due {
            event(self);
        }
        let mut always = std::mem::take(&mut self.events.always);
        for event in &mut always {
            event(self);
        }
        always.append(&mut self.events.always);
        self.events.always = always;
        self.touched = touched;
        self.events.made += 1;
        self.clock += self.rules.call_time;
    }
}
