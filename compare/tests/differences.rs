//! Differences of random reports: in every mode, the parts add up to the whole, which is the
//! difference of the walks.

use std::collections::BTreeMap;

use compare::comparison::{Comparison, compare};
use compare::pairs::Matched;
use compare::paths::PathChange;
use compare::scale::Scale;
use counts::model::{Count, Function, Image, Module, Report, Run};
use counts::select::Filter;
use pathformat::manifest::{self, Call};
use pathformat::settings::Mode;
use paths::blocks::Counted;
use paths::cfg::{Cfg, Edge};
use paths::plan;
use paths::techniques::Techniques;

use counts::sample::graphs::{
    Dice, decoded, described, id, pieces, random, stepped, truth, walks, with_paths,
};

const PAIRS: u64 = 300;

/// A graph, and walks through it.
struct Walked {
    cfg: Cfg,
    frequency: Vec<u64>,
    walks: Vec<Vec<Edge>>,
}

impl Walked {
    fn new(dice: &mut Dice) -> Self {
        let (cfg, frequency) = random(dice);
        let walks = walks(&cfg, dice);
        Self { cfg, frequency, walks }
    }

    /// Returns some of the walks, each once or more.
    fn again(&self, dice: &mut Dice) -> Self {
        let chosen = self.walks.iter().flat_map(|walk| vec![walk.clone(); dice.below(3)]);
        let walks = chosen.collect();
        Self { cfg: self.cfg.clone(), frequency: self.frequency.clone(), walks }
    }

    /// Returns the instructions of all walks: block number n has n + 1 instructions.
    fn executed(&self) -> i128 {
        let (blocks, _) = truth(&self.cfg, &self.walks);
        (1..).zip(blocks).map(|(size, count)| size * count as i128).sum()
    }

    /// Returns the count of each path, by its number.
    fn paths(&self) -> BTreeMap<u64, i128> {
        let plan = plan(&self.cfg, &self.frequency, 64, Techniques::ALL);
        let mut counts = BTreeMap::new();
        for walked in &self.walks {
            for path in pieces(&self.cfg, &plan.dag, walked) {
                *counts.entry(id(&plan, &path)).or_default() += 1;
            }
        }
        counts
    }

    /// Returns the function of a report, counted by its paths, its blocks or its calls.
    fn function(&self, name: &str, mode: Mode, dice: &mut Dice) -> Function {
        let calls = |mut shape: manifest::Function, dice: &mut Dice| {
            for block in &mut shape.blocks {
                let callee = format!("f{}", dice.below(12));
                let has = dice.below(3) == 0;
                block.calls = has.then_some(Call { callee, location: None }).into_iter().collect();
            }
            shape
        };
        let mut function = match mode {
            Mode::Paths => {
                let plan = plan(&self.cfg, &self.frequency, 64, Techniques::ALL);
                let shape = calls(with_paths(&self.cfg, &plan), dice);
                decoded(mode, shape, &stepped(&self.cfg, &plan, &self.walks), &[])
            }
            _ => {
                let (blocks, _) = truth(&self.cfg, &self.walks);
                let fewest: Vec<_> =
                    Counted::fewest(&self.cfg, &self.frequency, |_| true).blocks().collect();
                let counts = fewest.iter().map(|block| blocks[block.index()] as u64);
                let counts = (0..).zip(counts).collect();
                let counted_blocks = fewest.iter().map(|block| block.0).collect();
                let shape = manifest::Function { counted_blocks, ..described(&self.cfg) };
                decoded(mode, calls(shape, dice), &counts, &[])
            }
        };
        function.shape.name = name.into();
        function.entries = self.walks.len() as Count;
        function
    }
}

fn report(functions: Vec<Function>, runs: usize) -> Report {
    Report {
        images: vec![Image { path: "/bin/x".into(), build_id: vec![1], ..Image::default() }],
        runs: vec![Run { count: runs, ..Run::default() }],
        modules: vec![Module::default()],
        functions,
        dropped: Vec::new(),
    }
}

/// Two reports, the instructions that each executed, and by name the walks of functions in both.
struct Two {
    a: Report,
    b: Report,
    executed: (i128, i128),
    same: BTreeMap<String, (Walked, Walked)>,
}

/// Returns reports with functions that are unchanged, changed, added, removed, or counted in
/// another mode.
fn two(seed: u64) -> Two {
    let mut dice = Dice::new(seed);
    let (mut of_a, mut of_b, mut executed) = (Vec::new(), Vec::new(), (0, 0));
    let mut same = BTreeMap::new();
    for number in 0..1 + dice.below(10) {
        let name = format!("f{number}");
        let before = Walked::new(&mut dice);
        let fate = dice.below(7);
        let after = if fate == 2 { Walked::new(&mut dice) } else { before.again(&mut dice) };
        let modes = match fate {
            3 => (Mode::Paths, Mode::Blocks),
            4 => (Mode::Blocks, Mode::Blocks),
            _ => (Mode::Paths, Mode::Paths),
        };
        if fate != 0 {
            of_a.push(before.function(&name, modes.0, &mut dice));
            executed.0 += before.executed();
        }
        if fate != 1 {
            of_b.push(after.function(&name, modes.1, &mut dice));
            executed.1 += after.executed();
        }
        if fate > 4 {
            same.insert(name, (before, after));
        }
    }
    if dice.below(2) == 0 {
        of_b.reverse();
    }
    let runs = (1 + dice.below(9), 1 + dice.below(9));
    Two { a: report(of_a, runs.0), b: report(of_b, runs.1), executed, same }
}

fn totals(comparison: &Comparison<'_>) -> [i128; 4] {
    [
        comparison.functions.total(),
        comparison.paths.total(),
        comparison.blocks.total(),
        comparison.calls.total(),
    ]
}

#[test]
fn the_parts_add_up_to_the_whole() {
    let mut seen = BTreeMap::new();
    for seed in 0..PAIRS {
        let mut two = two(seed);
        if seed % 3 == 0 {
            // Where hashes differ, paths are identified by their blocks.
            two.b.functions.iter_mut().for_each(|function| function.shape.cfg_hash = 7);
        }
        for scale in [Scale::default(), Scale { a: 3, b: 7 }, Scale { a: 6, b: 4 }] {
            let comparison = compare(&two.a, &two.b, scale);
            let (before, after) = (comparison.executed.a, comparison.executed.b);
            assert_eq!((before, after), two.executed, "pair {seed}");
            // Computed with fractions of the two divisors, without the scale's own units.
            let (a, b) = (scale.a as i128, scale.b as i128);
            let whole = (after * a - before * b) * scale.unit() / (a * b);
            assert_eq!(comparison.difference, whole, "pair {seed}");
            assert_eq!(totals(&comparison), [whole; 4], "pair {seed}, {scale:?}");
        }
        let comparison = compare(&two.a, &two.b, Scale::default());
        for pair in &comparison.pairs.list {
            *seen.entry(pair.matched).or_insert(0) += 1;
        }
        // Each function is in exactly one pair, on its side.
        let mut of_a: Vec<_> = comparison.pairs.of_a.iter().chain(&comparison.pairs.of_b).collect();
        of_a.sort();
        of_a.dedup();
        assert_eq!(of_a.len(), comparison.pairs.list.len());
    }
    for matched in [Matched::Hash, Matched::Graph, Matched::Changed, Matched::OnlyA, Matched::OnlyB]
    {
        assert!(seen.get(&matched).is_some_and(|&number| number > 50), "{seen:?}");
    }
}

#[test]
fn paths_differ_as_the_walks_do() {
    let mut compared = 0;
    for seed in 0..PAIRS {
        let two = two(seed);
        let comparison = compare(&two.a, &two.b, Scale::default());
        for (name, (before, after)) in &two.same {
            let (before, after) = (before.paths(), after.paths());
            let mut expected: BTreeMap<u64, (i128, i128)> = BTreeMap::new();
            before.iter().for_each(|(id, count)| expected.entry(*id).or_default().0 = *count);
            after.iter().for_each(|(id, count)| expected.entry(*id).or_default().1 = *count);
            expected.retain(|_, (a, b)| a != b);
            let mut found = BTreeMap::new();
            for part in &comparison.paths.differing {
                let pair = comparison.pair(part.what.pair);
                if pair.function().is_none_or(|function| function.shape.name != *name) {
                    continue;
                }
                match part.what.what {
                    PathChange::Path(a, b) => {
                        let path = a.or(b).expect("one side has it");
                        let difference = path.instructions as i128 * (part.count.b - part.count.a);
                        assert_eq!(part.difference, difference);
                        found.insert(path.id.0, (part.count.a, part.count.b));
                    }
                    other => panic!("pair {seed}, {name}: {other:?}"),
                }
            }
            assert_eq!(found, expected, "pair {seed}, {name}");
            compared += expected.len();
        }
    }
    assert!(compared > 1000, "{compared} paths differ");
}

#[test]
fn what_is_chosen_is_a_part() {
    for seed in 0..50 {
        let two = two(seed);
        let all = compare(&two.a, &two.b, Scale::default());
        let mut sum = 0;
        for name in all.pairs.list.iter().filter_map(|pair| pair.function()) {
            let filter = Filter::of_function(&name.shape.name);
            let one = compare(&two.a, &two.b, Scale::default()).only(&filter);
            let one = one.expect("it is there");
            let [functions, paths, blocks, _] = totals(&one);
            assert_eq!((paths, blocks), (functions, functions), "pair {seed}");
            sum += functions;
        }
        assert_eq!(sum, all.difference, "pair {seed}");
        assert!(all.only(&Filter::of_function("nobody")).is_none());
    }
}
