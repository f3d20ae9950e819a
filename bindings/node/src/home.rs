use curt::paths::{Environment, ThisProcess};
use napi_derive::napi;

#[napi]
pub fn home_of(user: String) -> Option<String> {
    let home = ThisProcess::new().home_of(user.as_bytes())?;
    Some(String::from_utf8_lossy(&home.to_bytes()).into_owned())
}
