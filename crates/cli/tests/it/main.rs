//! The binary, driven from outside: exit codes, stdout, stderr.

#[cfg(unix)]
mod bad;
mod bad_input;
mod bench;
mod file;
mod folder;
mod paradox;
mod program;
mod recordings;
mod reproduce;
mod scenes;
