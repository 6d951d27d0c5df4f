use std::fs;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use counts::model::Count;
use flate2::read::DeflateDecoder;
use serde_json::Value;

use super::*;
use crate::sample;

const VIEWER: &str = "<meta content=\"script-src 'pathprof-scripts'\"><title>pathprof-title</title>\
                      <body><!--pathprof-data--></body>";

fn page(most_bytes: usize) -> Page<'static> {
    Page { viewer: VIEWER, class_of: |opcode| opcode.to_uppercase(), most_bytes }
}

/// Inflates as the viewer does: the dictionary is the first piece of the stream.
fn inflate(text: &str, dictionary: &[u8]) -> Value {
    let length = u16::try_from(dictionary.len()).expect("one piece");
    let mut bytes = vec![0];
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(dictionary);
    bytes.extend(STANDARD.decode(text).expect("base64"));
    let mut json = Vec::new();
    DeflateDecoder::new(&bytes[..]).read_to_end(&mut json).expect("compressed text");
    serde_json::from_slice(&json[dictionary.len()..]).expect("JSON")
}

fn all(report: &Report) -> Vec<(String, Value)> {
    narrowed(report, &Filter::default())
}

fn narrowed(report: &Report, filter: &Filter) -> Vec<(String, Value)> {
    values(&payloads(report.clone(), filter, &page(0)).expect("the sample has no large files"))
}

/// Returns the contents of payloads, without the dictionary.
pub(super) fn values(payloads: &[Payload]) -> Vec<(String, Value)> {
    let dictionary = STANDARD.decode(&payloads[1].text).expect("base64");
    assert_eq!(payloads[1].name, "dictionary");
    let value = |of: &Payload| {
        let dictionary = if of.name.starts_with('f') { &dictionary[..] } else { &[] };
        (of.name.clone(), inflate(&of.text, dictionary))
    };
    payloads.iter().filter(|of| of.name != "dictionary").map(value).collect()
}

#[test]
fn the_index_and_the_functions() {
    let payloads = all(&sample::report());
    let text: Vec<_> = payloads.iter().map(|(name, value)| format!("{name} {value:#}")).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn counts_beyond_53_bits_are_texts() {
    let mut report = sample::report();
    report.functions[0].entries = Count::from(u64::MAX) * 3;
    let payloads = all(&report);
    assert_eq!(payloads[0].1["functions"]["entries"][0], "55340232221128654845");
}

#[test]
fn a_filter_of_files_leaves_the_lines_of_a_file_alone() {
    let report = sample::report();
    // Code of the header was inlined into functions of other files.
    let (header, others) = ("util.h", "main.c");
    let lines = |filter: &Filter| {
        let all = narrowed(&report, filter);
        let files = all[0].1["files"].as_array().expect("a list");
        let number = files
            .iter()
            .position(|of| of["name"].as_str().is_some_and(|name| name.ends_with(header)));
        let name = format!("c{}", number.expect("it is shown"));
        let payload = all.iter().find(|(own, _)| *own == name).expect("it is covered");
        payload.1["lines"].clone()
    };
    let whole = lines(&Filter { system: true, ..Filter::default() });
    let only = Filter { files: vec![header.into()], system: true, ..Filter::default() };
    let without = Filter { hidden: vec![others.into()], system: true, ..Filter::default() };
    assert_eq!([lines(&only), lines(&without)], [whole.clone(), whole]);
}

#[test]
fn a_title_is_text() {
    let mut report = sample::report();
    report.images[0].path = "/a/<b>&\u{202e}.exe".into();
    let document = Document::new(VIEWER, &title(&report)).expect("it has its marks");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.html");
    document.write(&[], 1 << 20, &path).expect("room on the disk");
    let text = fs::read_to_string(path).expect("written");
    assert!(text.contains("<title>&lt;b>&amp;\\u{202e}.exe</title>"), "{text}");
}

#[test]
fn a_large_page_is_a_directory() {
    let report = sample::report();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    let file =
        write(report.clone(), &Filter::default(), &page(1 << 20), &path).expect("room on the disk");
    assert_eq!(file, Written::File(path.clone()));
    let Written::Directory(directory, size) =
        write(report.clone(), &Filter::default(), &page(100), &path).expect("room on the disk")
    else {
        panic!("100 bytes are not enough");
    };
    assert!(size > 100);
    let start = fs::read_to_string(directory.join("index.html")).expect("written");
    assert!(start.contains("script-src 'self' file:"), "{start}");
    let scripts = fs::read_to_string(directory.join("data/0.js")).expect("written");
    let names = scripts.lines().filter_map(|line| line.split('"').nth(1));
    assert_eq!(names.filter(|name| name.starts_with('f')).count(), report.with_blocks().count());
}

#[test]
fn another_viewer_is_refused() {
    let page = Page { viewer: "<html>", ..page(0) };
    assert!(write(sample::report(), &Filter::default(), &page, Path::new("a")).is_err());
}
