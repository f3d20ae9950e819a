//! What one system has beyond the others.
