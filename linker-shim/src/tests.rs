//! What command lines, scripts and response files say, and what is in the object that is linked in
//! front.
//!
//! * `command_lines`, `texts` what is read: command lines, scripts and response files
//! * `kinds` kinds of images
//! * `generated` the object; `objects`, `functions` and `traced` what is in it

mod command_lines;
mod functions;
mod generated;
mod kinds;
mod objects;
mod texts;
mod traced;
