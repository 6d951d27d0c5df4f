//! Weights: the choice among several copies of a function, and damaged files.

use pathformat::weights::{Edges, FunctionWeights, Weights};

fn known(hotter: u32, edges: &[(u32, u32, u64)]) -> FunctionWeights {
    FunctionWeights { hotter, edges: Edges::from(edges) }
}

/// Returns the weights of a function after both were inserted.
fn both(one: FunctionWeights, other: FunctionWeights) -> FunctionWeights {
    let mut weights = Weights::default();
    weights.insert(Some("a.c"), "f", one);
    weights.insert(Some("a.c"), "f", other);
    weights.get("a.c", "f").expect("inserted").clone()
}

#[test]
fn of_different_graphs_the_hotter_one_is_kept() {
    let (cold, hot) = (known(9, &[(0, 1, 5)]), known(3, &[(0, 2, 6)]));
    assert_eq!(both(cold.clone(), hot.clone()), hot);
    assert_eq!(both(hot.clone(), cold), hot);
    let equally = known(3, &[(0, 3, 7)]);
    assert_eq!(both(hot.clone(), equally), hot, "the first one stays");
}

#[test]
fn graphs_are_the_same_if_all_their_edges_are() {
    let one = known(3, &[(0, 1, 5), (1, 2, 6)]);
    assert_eq!(
        both(one.clone(), known(2, &[(0, 1, 10), (1, 2, 20)])),
        known(2, &[(0, 1, 15), (1, 2, 26)])
    );
    for other in [
        known(4, &[(0, 1, 10)]),
        known(4, &[(0, 1, 10), (1, 3, 20)]),
        known(4, &[(0, 1, 10), (2, 2, 20)]),
        known(4, &[(0, 1, 10), (1, 2, 20), (2, 3, 1)]),
    ] {
        assert_eq!(both(one.clone(), other.clone()), one, "{other:?}");
        let hotter = FunctionWeights { hotter: 0, ..other };
        assert_eq!(both(one.clone(), hotter.clone()), hotter);
    }
    assert_eq!(
        both(known(1, &[(0, 1, u64::MAX)]), known(1, &[(0, 1, 1)])),
        known(1, &[(0, 1, u64::MAX)])
    );
}

#[test]
fn the_file_is_text_in_order() {
    let mut weights = Weights::default();
    weights.insert(Some("b.c"), "g", known(7, &[(0, 1, 2)]));
    weights.insert(None, "f", known(0, &[]));
    let text = "pathcc weights 2\nsource *\nfunction f\nhotter 0\nsource b.c\nfunction g\nhotter 7\nedge 0 1 2\n";
    assert_eq!(weights.to_text(), text);
    assert_eq!(Weights::for_source(text, "b.c"), Ok(weights));
    let other = Weights::for_source(text, "other.c").expect("sound");
    assert_eq!((other.get("b.c", "g"), other.get("other.c", "f")), (None, Some(&known(0, &[]))));
}

#[test]
fn a_line_stands_behind_what_it_belongs_to() {
    let read =
        |lines: &str| Weights::for_source(&format!("pathcc weights 2\n{lines}"), "a").map(|_| ());
    assert_eq!(read("function f"), Err(2));
    assert_eq!(read("hotter 3"), Err(2));
    assert_eq!(read("source a\nedge 0 1 2"), Err(3));
    assert_eq!(read("source a\nhotter 3"), Err(3));
    // An edge behind a new source has no function.
    assert_eq!(read("source a\nfunction f\nsource b\nedge 0 1 2"), Err(5));
    // Functions of other sources are checked, too.
    assert_eq!(read("source b\nfunction f\nedge 0 x 2"), Err(4));
    assert_eq!(read("source b\nfunction f\nhotter -1"), Err(4));
    assert_eq!(read("source a\nfunction f\nhotter 3\nedge 0 1 2"), Ok(()));
}
