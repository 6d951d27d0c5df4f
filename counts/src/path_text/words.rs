//! A path in words: its steps, the choices behind them, and its text.

use std::collections::HashMap;

use pathformat::manifest::Location;

use crate::distinct::Precision;
use crate::model::PathId;

/// A path in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText<'a> {
    /// The name of the function that was compiled, as in its locations; empty without locations.
    pub function: &'a str,
    /// The word for its start, unless it starts at the function's entry.
    pub start: Option<&'static str>,
    /// The steps, in order.
    pub steps: Vec<Step<'a>>,
    /// The end: `return`, or a word and the place where control continues.
    pub end: String,
    /// The id of the path.
    pub id: PathId,
    /// True if only its id distinguishes it from another path.
    pub needs_id: bool,
}

/// A line or a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The names of the functions around it, the compiled one first; empty for a block without a
    /// line.
    pub stack: Vec<&'a str>,
    /// The location; `None` for a block without a line.
    pub location: Option<&'a Location>,
    /// The index of that location among the function's.
    pub index: Option<u32>,
    /// The precision of its description.
    pub precision: Precision,
    /// The index in the path of the block in which it begins.
    pub position: usize,
    /// The number of that block.
    pub block: u32,
    /// The functions of system headers whose inlined code ran there.
    pub folded: Vec<&'a str>,
    /// The choice behind it, if control could go several ways.
    pub choice: Option<Choice>,
    /// The edge that control took there; `None` where several edges can have ended the path.
    pub taken: Option<usize>,
    /// True if its file is not that of the function around it.
    pub other_file: bool,
}

/// A choice where control could go several ways.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// A branch, whose target is the next step.
    Branch,
    /// An exception was thrown.
    Throw,
    /// These cases of a `switch`, or `default`.
    Cases(String),
    /// The outcome of a suspended coroutine.
    Coroutine(&'static str),
}

/// Returns the name of a block without a line.
pub fn block_name(block: u32) -> String {
    format!("bb{block}")
}

/// Returns the last component of a file's path.
pub fn base_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

impl Choice {
    /// Returns the text between the step of the choice and the next one: an arrow behind the word
    /// for the choice, if there is one.
    pub fn arrow(&self) -> String {
        self.word().map_or_else(|| "→".into(), |word| format!("({word})→"))
    }

    /// Returns the word for it, if there is one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Branch => None,
            Self::Throw => Some("throw"),
            Self::Cases(cases) => Some(cases),
            Self::Coroutine(word) => Some(word),
        }
    }
}

impl Step<'_> {
    /// Creates a step that is described by its block, at this position of a path.
    pub fn of_block(position: usize, block: u32) -> Self {
        Self {
            stack: Vec::new(),
            location: None,
            index: None,
            precision: Precision::Line,
            position,
            block,
            folded: Vec::new(),
            choice: None,
            taken: None,
            other_file: false,
        }
    }

    pub(super) fn is_at(&self, location: &Location) -> bool {
        self.location.is_some_and(|at| {
            (at.line, at.inlined_at, &at.file)
                == (location.line, location.inlined_at, &location.file)
        })
    }

    /// Returns the function of its code: `parse › skip` if `skip` was inlined into the compiled
    /// function `parse`, else the compiled function. `None` for a block without a line.
    pub fn function(&self) -> Option<String> {
        match self.stack.as_slice() {
            [own] => Some((*own).into()),
            [_, inlined @ ..] => Some(inlined.join(" › ")),
            [] => None,
        }
    }

    /// Returns its line, with its column or its file where needed, or its block.
    pub fn place(&self) -> String {
        let Some(at) = self.location else { return block_name(self.block) };
        let line = match self.precision {
            Precision::Column if at.column > 0 => format!("{}:{}", at.line, at.column),
            _ => at.line.to_string(),
        };
        if self.other_file { format!("{}:{line}", base_name(&at.file)) } else { line }
    }

    /// Returns the functions of system headers whose code ran there: `‹size push_back›`.
    pub fn folded(&self) -> String {
        if self.folded.is_empty() {
            String::new()
        } else {
            format!("‹{}›", self.folded.join(" "))
        }
    }
}

/// Adds the names of functions to steps: where the function changes, and with the functions around
/// it only where these are new.
#[derive(Clone, Debug)]
pub struct Namer {
    /// The function of the last step.
    before: String,
    /// By the last name of a stack, the stack that it stands for.
    known: HashMap<String, String>,
}

impl Namer {
    /// Creates a namer for a path of the function of this name.
    pub fn new(function: &str) -> Self {
        Self { before: function.into(), known: HashMap::new() }
    }

    /// Returns the text before a step of this function (see [`Step::function`]), if any.
    pub fn name(&mut self, function: &str) -> Option<String> {
        if function == self.before {
            return None;
        }
        self.before = function.into();
        let last = function.rsplit(" › ").next().unwrap_or(function);
        let known = self.known.insert(last.into(), function.into());
        Some(if known.as_deref() == Some(function) { last.into() } else { function.into() })
    }
}

impl PathText<'_> {
    /// Returns its end, with its id where nothing else distinguishes it from another path.
    pub fn end(&self) -> String {
        let id = if self.needs_id { format!(" #{}", self.id) } else { String::new() };
        format!("{}{id}", self.end)
    }

    /// Returns the whole text on one line, without colours.
    pub fn plain(&self) -> String {
        let mut text = self.start.map(|start| format!("{start} ")).unwrap_or_default();
        let mut namer = Namer::new(self.function);
        for step in &self.steps {
            let name = step.function().and_then(|function| namer.name(&function));
            text += &name.map(|name| name + ":").unwrap_or_default();
            text += &(step.place() + &step.folded());
            text += &step.choice.as_ref().map_or_else(|| " ".into(), Choice::arrow);
        }
        let arrow = if text.ends_with('→') { "" } else { "→ " };
        format!("{text}{arrow}{}", self.end())
    }
}
