//! curt
