//! A path in words: its steps, what was decided behind them, and the text that they make.

use std::collections::HashMap;

use pathformat::manifest::Location;

use crate::distinct::Precision;
use crate::model::PathId;

/// A path in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText<'a> {
    /// The name of the function that was compiled, as its lines give it; empty without lines.
    pub function: &'a str,
    /// How it starts, unless at the function's entry.
    pub start: Option<&'static str>,
    /// Where it goes.
    pub steps: Vec<Step<'a>>,
    /// How it ends: `return`, or a word and the place where control goes on.
    pub end: String,
    /// The id of the path.
    pub id: PathId,
    /// Whether nothing but its id tells it from another path.
    pub needs_id: bool,
}

/// A line or a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The names of the functions around it, the one that was compiled first; empty for a block
    /// without a line.
    pub stack: Vec<&'a str>,
    /// Where it is; `None` for a block without a line.
    pub location: Option<&'a Location>,
    /// The index of that location among the function's.
    pub index: Option<u32>,
    /// How exactly it is told.
    pub precision: Precision,
    /// Index in the path of the block that it begins in.
    pub position: usize,
    /// That block.
    pub block: u32,
    /// The functions of system headers whose inlined code ran there.
    pub folded: Vec<&'a str>,
    /// What was decided behind it, if control could go several ways.
    pub choice: Option<Choice>,
    /// The edge that control took then; `None` where several end the path alike.
    pub taken: Option<usize>,
    /// Whether its file is not that of the function around it.
    pub other_file: bool,
}

/// What was decided where control could go several ways.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// A way that the next step tells.
    Branch,
    /// An exception was thrown.
    Throw,
    /// These cases of a `switch`, or `default`.
    Cases(String),
    /// What became of a coroutine.
    Coroutine(&'static str),
}

/// What a block without a line is called.
pub fn block_name(block: u32) -> String {
    format!("bb{block}")
}

/// The last part of a file's path.
pub fn base_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

impl Choice {
    /// What stands between the step that decided and the next one: an arrow behind the word for
    /// the choice, if it has one.
    pub fn arrow(&self) -> String {
        self.word().map_or_else(|| "→".into(), |word| format!("({word})→"))
    }

    /// The word for it, if it has one.
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
    /// A step that is told by its block, at this position of a path.
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

    /// The function that its code is of: `parse › skip` if that was inlined into the one that was
    /// compiled, else that one. `None` for a block without a line.
    pub fn function(&self) -> Option<String> {
        match self.stack.as_slice() {
            [own] => Some((*own).into()),
            [_, inlined @ ..] => Some(inlined.join(" › ")),
            [] => None,
        }
    }

    /// Its line, with its column or its file if that is told, or its block.
    pub fn place(&self) -> String {
        let Some(at) = self.location else { return block_name(self.block) };
        let line = match self.precision {
            Precision::Column if at.column > 0 => format!("{}:{}", at.line, at.column),
            _ => at.line.to_string(),
        };
        if self.other_file { format!("{}:{line}", base_name(&at.file)) } else { line }
    }

    /// The functions of system headers whose code ran there: `‹size push_back›`.
    pub fn folded(&self) -> String {
        if self.folded.is_empty() {
            String::new()
        } else {
            format!("‹{}›", self.folded.join(" "))
        }
    }
}

/// Gives steps the names of their functions: where the function changes, and with those around it
/// only where that is new.
#[derive(Clone, Debug)]
pub struct Namer {
    /// The function of the last step.
    before: String,
    /// By the last name of a stack the stack that it stands for.
    known: HashMap<String, String>,
}

impl Namer {
    /// A namer for a path of the function of this name.
    pub fn new(function: &str) -> Self {
        Self { before: function.into(), known: HashMap::new() }
    }

    /// What stands before a step of this function (see [`Step::function`]), if anything.
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
    /// How it ends, with its id where nothing else tells it from another path.
    pub fn end(&self) -> String {
        let id = if self.needs_id { format!(" #{}", self.id) } else { String::new() };
        format!("{}{id}", self.end)
    }

    /// The whole text on one line, without colours.
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
