//! What command lines, scripts and response files say, and what is in the object that is linked in
//! front.

mod command_lines;
mod objects;
mod texts;
