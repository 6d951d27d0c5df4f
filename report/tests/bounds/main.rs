//! What small files can do to whoever reads them: little. Every input here was made to take
//! gigabytes, minutes or forever; each must be refused with one message, or read, by a process that
//! may use 500 MB of memory in all.

mod files;
mod functions;
mod scene;
