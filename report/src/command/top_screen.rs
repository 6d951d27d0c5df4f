//! Shows intervals on a terminal, as `top` does: the latest in full, and keys that choose what is
//! shown of it.
//!
//! The rows are those of any report, fitted to the width of the terminal. ratatui draws what has
//! changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use counts::select::Sort;
use pathprof::show::document::Document;
use pathprof::show::options::{Options, View};
use pathprof::show::text_table::Screen;
use pathprof::show::{calls, forms};
use profile::escape::terminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use ratatui::{DefaultTerminal, Frame};
use signal_hook::consts::{SIGHUP, SIGTERM};

use crate::command::arguments::INTERVALS;
use crate::command::readings::{Reading, Readings};

/// How long a signal to end may wait.
const PATIENCE: Duration = Duration::from_millis(250);

/// The factor by which keys change the interval.
const FACTOR: u32 = 2;

/// The most rows that can be reached. They are laid out for each interval.
const MOST_ROWS: usize = 1000;

const KEYS: &str = "\
q        end                 f  functions       space  stop, go on
p        paths               c  calls           + -    longer, shorter intervals
b        branches            s  another order   /      only functions that match
↑ ↓ k j  a line up, down     PgUp PgDn  a page  g G    first, last
?        these keys";

/// The views and the keys that choose them.
const VIEWS: [(char, View); 4] = [
    ('p', View::Paths),
    ('f', View::Functions),
    ('c', View::Calls(calls::Rows::Callees)),
    ('b', View::Branches),
];

/// The orders of rows, one after the other.
const ORDERS: [(Sort, &str); 4] = [
    (Sort::Instructions, "instructions"),
    (Sort::Count, "count"),
    (Sort::Length, "length"),
    (Sort::Function, "function"),
];

/// Shows the readings until the user ends it. A program may end and start again meanwhile.
pub(crate) fn show(
    readings: &mut Readings<'_>,
    interval: Duration,
    options: Options,
) -> Result<()> {
    let ends = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, ends.clone())?;
    }
    let mut terminal = ratatui::try_init()?;
    let result = run(&mut terminal, readings, Controls::new(interval, options), &ends);
    ratatui::try_restore()?;
    result
}

fn run(
    terminal: &mut DefaultTerminal,
    readings: &mut Readings<'_>,
    mut controls: Controls,
    ends: &AtomicBool,
) -> Result<()> {
    let mut latest: Option<Reading> = None;
    let mut has_ended = false;
    let mut last = Instant::now();
    while !controls.quits && !ends.load(Ordering::Relaxed) {
        terminal.draw(|frame| draw(frame, &mut controls, latest.as_ref(), has_ended))?;
        let rest = controls.interval.saturating_sub(last.elapsed());
        let rest = if controls.is_stopped { PATIENCE } else { rest.min(PATIENCE) };
        if event::poll(rest)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            controls.press(key);
        }
        if !controls.is_stopped && last.elapsed() >= controls.interval {
            let reading = readings.read();
            has_ended = reading.is_none();
            latest = reading.or(latest);
            last = Instant::now();
        }
    }
    Ok(())
}

/// What the keys have chosen.
struct Controls {
    options: Options,
    interval: Duration,
    is_stopped: bool,
    quits: bool,
    shows_keys: bool,
    /// The text behind `/` while it is typed.
    typed: Option<String>,
    /// The first line of the table that is shown, and how many fit.
    first: usize,
    page: usize,
}

impl Controls {
    fn new(interval: Duration, options: Options) -> Self {
        Self {
            options: Options { top: MOST_ROWS, ..options },
            interval,
            is_stopped: false,
            quits: false,
            shows_keys: false,
            typed: None,
            first: 0,
            page: 1,
        }
    }

    fn press(&mut self, key: KeyEvent) {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            self.quits |= matches!(key.code, KeyCode::Char('c' | 'd'));
            return;
        }
        if self.typed.is_some() {
            return self.type_filter(key.code);
        }
        let view = |letter| VIEWS.iter().find(|(of, _)| *of == letter).map(|&(_, view)| view);
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => self.quits = true,
            KeyCode::Char('?' | 'h') => self.shows_keys = !self.shows_keys,
            KeyCode::Char(' ') => self.is_stopped = !self.is_stopped,
            KeyCode::Char('+' | '=') => {
                self.interval = (self.interval * FACTOR).min(*INTERVALS.end())
            }
            KeyCode::Char('-') => self.interval = (self.interval / FACTOR).max(*INTERVALS.start()),
            KeyCode::Char('/') => self.typed = Some(String::new()),
            KeyCode::Char('s') => self.sort(),
            KeyCode::Char('j') | KeyCode::Down => self.first = self.first.saturating_add(1),
            KeyCode::Char('k') | KeyCode::Up => self.first = self.first.saturating_sub(1),
            KeyCode::PageDown => self.first = self.first.saturating_add(self.page),
            KeyCode::PageUp => self.first = self.first.saturating_sub(self.page),
            KeyCode::Char('g') | KeyCode::Home => self.first = 0,
            KeyCode::Char('G') | KeyCode::End => self.first = usize::MAX,
            KeyCode::Char(letter) => {
                if let Some(view) = view(letter) {
                    (self.options.view, self.first) = (view, 0);
                }
            }
            _ => {}
        }
    }

    fn type_filter(&mut self, key: KeyCode) {
        let Some(typed) = &mut self.typed else { return };
        match key {
            KeyCode::Char(letter) => typed.push(letter),
            KeyCode::Backspace => _ = typed.pop(),
            KeyCode::Esc => self.typed = None,
            KeyCode::Enter => {
                let glob = std::mem::take(typed);
                self.options.filter.functions =
                    if glob.is_empty() { Vec::new() } else { vec![glob] };
                (self.typed, self.first) = (None, 0);
            }
            _ => {}
        }
    }

    fn sort(&mut self) {
        let at = ORDERS.iter().position(|(order, _)| *order == self.options.sort);
        self.options.sort = ORDERS[at.map_or(0, |at| at + 1) % ORDERS.len()].0;
    }

    /// The lowest line of the screen.
    fn below(&self, has_ended: bool, problem: Option<&Error>) -> String {
        if let Some(typed) = &self.typed {
            return format!("/{typed}▏ a function or a glob; Enter shows it, Esc leaves");
        }
        if let Some(problem) = problem {
            return terminal(&format!("{problem:#}")).into_owned();
        }
        let order = ORDERS.iter().find(|(order, _)| *order == self.options.sort);
        let state = match (has_ended, self.is_stopped) {
            (true, _) => "no process is left".to_owned(),
            (_, true) => "stopped".into(),
            _ => format!("every {} s", self.interval.as_secs_f64()),
        };
        let filter = self.options.filter.functions.join(" ");
        let filter = if filter.is_empty() { filter } else { format!("  only {filter}") };
        format!("{state}  by {}{filter}  ? shows the keys, q ends", order.map_or("", |of| of.1))
    }

    /// The lines of the table that fit, from the first that is chosen.
    fn visible(&mut self, lines: Vec<String>, height: usize) -> Vec<String> {
        self.page = height.max(1);
        self.first = self.first.min(lines.len().saturating_sub(height));
        lines.into_iter().skip(self.first).take(height).collect()
    }
}

fn draw(
    frame: &mut Frame<'_>,
    controls: &mut Controls,
    reading: Option<&Reading>,
    has_ended: bool,
) {
    let [above, middle, below] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)])
            .areas(frame.area());
    let title = reading.map_or_else(|| "reading …".to_owned(), Reading::line);
    frame.render_widget(Line::from(title).style(Style::new().bold()), above);
    let lines = match reading {
        _ if controls.shows_keys => KEYS.lines().map(str::to_owned).collect(),
        Some(reading) => {
            let document = reading.document(&controls.options);
            rows(Document { heading: Vec::new(), ..document }, middle.width.into())
        }
        None => Vec::new(),
    };
    let lines = controls.visible(lines, middle.height.into()).into_iter().map(Line::from);
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), middle);
    let problem = reading.and_then(|reading| reading.problems.first());
    let text = controls.below(has_ended, problem);
    frame.render_widget(Line::from(text).style(Style::new().reversed()), below);
}

/// The lines of a document on a screen of this width.
fn rows(document: Document<'_>, width: usize) -> Vec<String> {
    let text = forms::text(&document, Screen { width: Some(width), links: false });
    let text = anstream::adapter::strip_str(&text).to_string();
    text.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controls() -> Controls {
        Controls::new(Duration::from_secs(1), Options::default())
    }

    fn pressed(keys: &str) -> Controls {
        let mut controls = controls();
        for key in keys.chars() {
            let code = if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
            controls.press(code.into());
        }
        controls
    }

    #[test]
    fn keys_choose_views_and_orders() {
        assert_eq!(pressed("f").options.view, View::Functions);
        assert_eq!(pressed("fb").options.view, View::Branches);
        assert_eq!(pressed("s").options.sort, Sort::Count);
        assert_eq!(pressed("ssss").options.sort, Sort::Instructions);
        assert!(pressed("q").quits && !pressed("x").quits);
        assert!(pressed(" ").is_stopped && !pressed("  ").is_stopped);
    }

    #[test]
    fn a_filter_is_typed_whatever_its_letters_are() {
        let filtered = pressed("/quit*\n");
        assert!(!filtered.quits);
        assert_eq!(filtered.options.filter.functions, ["quit*"]);
        assert!(pressed("/quit*\n/\n").options.filter.functions.is_empty());
        let mut left = pressed("/qu");
        left.press(KeyCode::Esc.into());
        assert!(left.typed.is_none() && !left.quits && left.options.filter.functions.is_empty());
    }

    #[test]
    fn intervals_stay_within_bounds() {
        assert_eq!(pressed("+").interval, Duration::from_secs(2));
        assert_eq!(pressed(&"-".repeat(20)).interval, *INTERVALS.start());
        assert_eq!(pressed(&"+".repeat(20)).interval, *INTERVALS.end());
    }

    #[test]
    fn no_key_goes_beyond_the_last_line() {
        let lines = || (0..10).map(|at| at.to_string()).collect::<Vec<_>>();
        let mut controls = pressed("G");
        assert_eq!(controls.visible(lines(), 4), ["6", "7", "8", "9"]);
        controls.press(KeyCode::PageUp.into());
        assert_eq!(controls.visible(lines(), 4), ["2", "3", "4", "5"]);
        controls.press(KeyCode::Char('j').into());
        assert_eq!(controls.visible(lines(), 4)[0], "3");
        assert_eq!(controls.visible(lines(), 20).len(), 10);
    }

    #[test]
    fn the_keys_fit_a_terminal() {
        assert!(KEYS.lines().all(|line| line.chars().count() <= 80));
    }
}
