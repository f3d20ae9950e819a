//! The rules over the file system in memory, which counts calls as Windows does where it is asked so.

mod budget;
mod counted;
mod parsing;
mod posix;
mod presets;
mod windows;

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use super::engine::{Engine, Position};
use super::found::Hit;
use super::{Options, Policy, Setting};
use crate::error::FindError;
use crate::sys::Sys;
use crate::sys::memory::{Memory, Setup, World};
use curt_paths::Flavor;

/// A search in a world.
struct Ground {
    setup: Setup,
    options: Options<u8>,
}

/// What most tests take for `PATHEXT`.
const PATHEXT: &str = ".COM;.EXE;.BAT;.CMD";

impl Ground {
    fn new(policy: Policy, path: &str, change: impl FnOnce(&mut World)) -> Ground {
        let mut world = World::new();
        change(&mut world);
        let options = Options {
            path: Setting::Is(path.into()),
            pathext: Setting::Is(PATHEXT.into()),
            base: Some(PathBuf::from("/w")),
            environment: Some(Vec::new()),
            policy,
            keeps: false,
        };
        Ground { setup: Setup::new(world), options }
    }

    fn windows(path: &str, change: impl FnOnce(&mut World)) -> Ground {
        Ground::new(Policy::safe(Flavor::Windows), path, change)
    }

    fn posix(path: &str, change: impl FnOnce(&mut World)) -> Ground {
        Ground::new(Policy::safe(Flavor::Posix), path, change)
    }

    fn pathext(mut self, pathext: &str) -> Ground {
        self.options.pathext = Setting::Is(pathext.into());
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Policy)) -> Ground {
        change(&mut self.options.policy);
        self
    }

    fn engine(&self) -> Engine<Memory> {
        Engine::new(Memory::start(&self.setup), &self.options)
    }

    /// What is found, as `path origin program`, or the word of the error; and the calls made.
    fn find(&self, name: &str) -> (String, u64) {
        let mut engine = self.engine();
        let mut hit = Hit::default();
        let answer = engine.find(OsStr::new(name), &mut hit).map(|()| hit);
        let calls = engine.sys.calls().total();
        drop(engine);
        self.setup.world(|world| {
            world.assert_canary_lives();
            assert_eq!(world.open_now(), 0, "a directory was left open");
        });
        (told(answer), calls)
    }

    fn assert_finds(&self, name: &str, expected: &str) {
        assert_eq!(self.find(name).0, expected, "{name}");
    }

    fn all(&self, name: &str) -> Vec<String> {
        let mut engine = self.engine();
        let asked = engine.begin(OsStr::new(name)).unwrap();
        let mut position = Position::default();
        let mut all = Vec::new();
        loop {
            let mut hit = Hit::default();
            let Some(answer) = engine.next(asked, &mut position, true, &mut hit) else {
                all.extend(engine.left_unsearched(asked).map(|error| told(Err(error))));
                return all;
            };
            all.push(told(answer.map(|()| hit)));
        }
    }

    fn many(&self, names: &[&str]) -> (Vec<String>, u64) {
        let mut engine = self.engine();
        let names: Vec<&OsStr> = names.iter().map(OsStr::new).collect();
        let answers =
            crate::which::many::find_many(&mut engine, &names).into_iter().map(told).collect();
        (answers, engine.sys.calls().total())
    }
}

fn told(answer: Result<Hit<u8>, FindError>) -> String {
    match answer {
        Ok(hit) => {
            let path = String::from_utf8(hit.units).unwrap();
            let relative = if hit.relative { " relative" } else { "" };
            format!("{path} {} {}{relative}", hit.origin, hit.program.word())
        }
        Err(error) => {
            let error_text = io::Error::from(error);
            let error = error_text.get_ref().unwrap().downcast_ref::<FindError>().unwrap();
            let path = error.path().map(|path| format!(" {}", path.display()));
            format!("{}{}", error.word(), path.unwrap_or_default())
        }
    }
}
