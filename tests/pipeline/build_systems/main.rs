//! Build systems find the same with pathcc as with clang: what they ask of the compiler, of its
//! objects and of the linker.

mod caches;
mod languages;
mod links;
mod project;
mod systems;
