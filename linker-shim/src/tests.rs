//! What command lines, scripts and response files say, and what is in the object that is linked in
//! front.

mod command_lines;
mod functions;
mod generated;
mod kinds;
mod objects;
mod texts;
mod traced;
