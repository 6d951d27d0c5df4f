//! The program `pathprof` as its users meet it: images and profiles on disk, arguments in, text and
//! exit code out.

mod kept;
mod merged;
mod named;
mod refused;
mod run;
use counts::sample::units as samples;
mod scene;
mod shown;
mod starts;
mod traces;
mod uncounted;
