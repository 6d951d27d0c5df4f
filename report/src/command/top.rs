//! Shows what running processes execute, interval by interval.
//!
//! On a terminal that is the [screen](crate::command::top_screen). Elsewhere each interval is
//! printed like any report, or as a line of JSON.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Write};
use std::thread;

use anyhow::{Result, bail};
use counts::image_places::ImagePlaces;
use pathprof::show::forms::{self, Format};

use crate::command::arguments::TopArguments;
use crate::command::filters::Form;
use crate::command::messages::complain;
use crate::command::readings::Readings;
use crate::command::{pages, top_screen};

/// Shows the processes that the arguments name until they have ended, or until the user has seen
/// enough.
pub(crate) fn top(arguments: TopArguments) -> Result<u8> {
    let TopArguments { once, interval, show, processes } = arguments;
    let (form, options) = (show.form.form(), show.options());
    if form.format == Format::Csv && !once {
        bail!("rows of CSV do not say their interval: --format csv needs --once");
    }
    let places = ImagePlaces { named: processes.clone(), ..ImagePlaces::default() };
    let mut readings = Readings::begin(processes, &places)?;
    let is_screen = io::stdin().is_terminal() && io::stdout().is_terminal();
    if is_screen && form.format == Format::Text && !once && !form.full {
        top_screen::show(&mut readings, interval, options)?;
        return Ok(0);
    }
    let mut told = HashSet::new();
    loop {
        thread::sleep(interval);
        let Some(reading) = readings.read() else {
            if once {
                bail!("the process ended before the interval did");
            }
            return Ok(0);
        };
        for problem in &reading.problems {
            if told.insert(format!("{problem:#}")) {
                complain(problem);
            }
        }
        let document = reading.document(&options);
        match form.format {
            Format::Json => {
                let mut out = io::stdout().lock();
                forms::write_json_line(&document, &mut out)?;
                out.flush()?;
            }
            _ => pages::print(&document, Form { pager: false, ..form })?,
        }
        if once {
            return Ok(0);
        }
        if form.format == Format::Text {
            writeln!(io::stdout())?;
        }
    }
}
