//! A plan of rules and cases within a budget of time, fixed before a run. The clock cuts nothing: the same dictionary
//! and budget give the same plan on every machine.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use record::Verdict;

use crate::current::Current;
use crate::model::Cell;

/// The numbers of cases that a plan may give a rule.
const STEPS: &[u32] = &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100];

/// The time for a rule in addition to its cases, in nanoseconds.
const OVERHEAD: u64 = 2_000_000;

/// A plan gives a rule at most this many times the cases of the default profile.
const MOST_TIMES: u64 = 20;

/// The probability that a rule misses a defect although all of its cases should fail.
const MISSED: f64 = 0.02;

/// A gain in expected killed defects below this is not worth any time.
const NOTHING: f64 = 1e-3;

/// A rule in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRule {
    /// The number of cases: the first ones of those that any run with the same seed tries.
    pub cases: u32,
}

/// A plan of rules and cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The selected rules, by id.
    pub rules: BTreeMap<String, PlannedRule>,
    /// The number of rules to choose from.
    pub of: usize,
    /// The rules that the dictionary does not know, or knows with another text.
    pub unknown: Vec<String>,
    /// The expected number of killed defects.
    pub keeps: f64,
    /// The number of defects that the rules to choose from kill.
    pub killed: usize,
    /// The time for all of these cases on one simulated device, in nanoseconds.
    pub nanoseconds: u64,
}

impl Plan {
    /// Selects rules and numbers of cases: the greatest gain in killed defects per nanosecond first, then the rules
    /// that promise no gain, then more cases for every rule.
    pub fn of(current: &Current, wanted: &[String], nanoseconds: u64) -> Plan {
        let positions: BTreeMap<&str, usize> = current.rules().map(|(at, rule)| (rule.id.as_str(), at)).collect();
        let known: BTreeMap<usize, &str> =
            wanted.iter().filter_map(|id| Some((*positions.get(id.as_str())?, id.as_str()))).collect();
        let unknown = wanted.iter().filter(|id| !positions.contains_key(id.as_str())).cloned().collect();
        let mut choice = Choice::new(current, &known);
        choice.fill(nanoseconds);
        let keeps = choice.survives.iter().map(|survives| 1.0 - survives).sum();
        let rules = choice.cases.iter().map(|(rule, cases)| (known[rule].to_owned(), PlannedRule { cases: *cases }));
        Plan {
            rules: rules.collect(),
            of: wanted.len(),
            unknown,
            keeps,
            killed: choice.survives.len(),
            nanoseconds: choice.spent,
        }
    }

    /// The number of cases.
    pub fn cases(&self) -> u64 {
        self.rules.values().map(|rule| u64::from(rule.cases)).sum()
    }

    /// The share of the killed defects that the plan is expected to kill, in percent, rounded down.
    pub fn percent(&self) -> u32 {
        if self.killed == 0 { 100 } else { (self.keeps * 100.0 / self.killed as f64 + 1e-9) as u32 }
    }
}

/// The probability that at least one of a number of cases fails.
fn probability(cell: &Cell, cases: u32) -> f64 {
    // A counted rule has a rate. A rule that stopped at its first failure shows only where that was, and the rate that
    // this suggests is an overestimate in half of all cases.
    let rate = if cell.cases > 1 && cell.failed == 1 && cell.first == cell.cases {
        0.7 / f64::from(cell.first)
    } else {
        cell.rate()
    };
    let misses = (1.0 - rate.min(1.0)).powi(i32::try_from(cases).unwrap_or(i32::MAX));
    (1.0 - misses) * (1.0 - MISSED)
}

/// A choice of rules under construction.
struct Choice<'a> {
    current: &'a Current,
    /// For each rule that can be chosen: the killed defects, by their positions in `survives`, with the cells.
    kills: BTreeMap<usize, Vec<(usize, Cell)>>,
    /// The probability that each defect survives the choice.
    survives: Vec<f64>,
    cases: BTreeMap<usize, u32>,
    spent: u64,
}

/// A step that a choice could take: more cases for a rule.
struct Step {
    rate: f64,
    gain: f64,
    rule: usize,
    cases: u32,
    /// The number of steps taken when the gain was computed.
    at: usize,
}

impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Step {}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Step) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Step) -> Ordering {
        self.rate.total_cmp(&other.rate).then(other.rule.cmp(&self.rule)).then(other.cases.cmp(&self.cases))
    }
}

impl<'a> Choice<'a> {
    fn new(current: &'a Current, known: &BTreeMap<usize, &str>) -> Choice<'a> {
        let mut kills: BTreeMap<usize, Vec<(usize, Cell)>> = known.keys().map(|rule| (*rule, Vec::new())).collect();
        let mut defects = 0;
        for (row, _) in current.rows() {
            let killing = |cell: &&Cell| matches!(cell.verdict, Verdict::Fail | Verdict::WrongCode);
            let cells: Vec<Cell> = current.cells(row).filter(killing).copied().collect();
            let mine = cells.iter().filter(|cell| known.contains_key(&(cell.rule as usize)));
            let mut any = false;
            for cell in mine {
                kills.entry(cell.rule as usize).or_default().push((defects, *cell));
                any = true;
            }
            defects += usize::from(any);
        }
        Choice { current, kills, survives: vec![1.0; defects], cases: BTreeMap::new(), spent: 0 }
    }

    /// The time for a number of cases of a rule, in nanoseconds.
    fn cost(&self, rule: usize, cases: u32) -> u64 {
        self.current.dictionary.rules[rule].nanoseconds.saturating_mul(u64::from(cases)).saturating_add(OVERHEAD)
    }

    /// The additional time if a rule gets this many cases.
    fn more(&self, rule: usize, cases: u32) -> u64 {
        let now = self.cases.get(&rule).map_or(0, |now| self.cost(rule, *now));
        self.cost(rule, cases).saturating_sub(now)
    }

    /// The gain in expected killed defects if a rule gets this many cases.
    fn gain(&self, rule: usize, cases: u32) -> f64 {
        let now = self.cases.get(&rule).copied();
        let gain = |(defect, cell): &(usize, Cell)| {
            let before = now.map_or(0.0, |now| probability(cell, now));
            self.survives[*defect] * (1.0 - (1.0 - probability(cell, cases)) / (1.0 - before))
        };
        self.kills[&rule].iter().map(gain).sum()
    }

    fn take(&mut self, rule: usize, cases: u32) {
        self.spent += self.more(rule, cases);
        let now = self.cases.insert(rule, cases);
        for (defect, cell) in &self.kills[&rule] {
            let before = now.map_or(0.0, |now| probability(cell, now));
            self.survives[*defect] *= (1.0 - probability(cell, cases)) / (1.0 - before);
        }
    }

    fn step(&self, rule: usize, cases: u32, at: usize) -> Option<Step> {
        let (gain, cost) = (self.gain(rule, cases), self.more(rule, cases));
        (gain > NOTHING && cost > 0).then(|| Step { rate: gain / cost as f64, gain, rule, cases, at })
    }

    /// Spends a budget.
    fn fill(&mut self, nanoseconds: u64) {
        // Gains only shrink as rules are taken, so a gain that is recomputed and still greatest is the greatest.
        let usual = |rule: usize| self.current.dictionary.rules[rule].cases.max(1);
        let rules: Vec<usize> = self.kills.keys().copied().collect();
        let mut steps: BinaryHeap<Step> = BinaryHeap::new();
        for rule in &rules {
            let most = usual(*rule);
            let numbers = STEPS.iter().copied().filter(|cases| *cases < most).chain([most]);
            steps.extend(numbers.filter_map(|cases| self.step(*rule, cases, 0)));
        }
        let mut taken = 0;
        while let Some(step) = steps.pop() {
            if self.cases.get(&step.rule).is_some_and(|now| *now >= step.cases) {
                continue;
            }
            if step.at < taken {
                steps.extend(self.step(step.rule, step.cases, taken));
                continue;
            }
            if step.gain > NOTHING && self.spent + self.more(step.rule, step.cases) <= nanoseconds {
                self.take(step.rule, step.cases);
                taken += 1;
            }
        }
        // Every rule in full, the cheapest first.
        let mut rest: Vec<(u64, usize)> = rules.iter().map(|rule| (self.more(*rule, usual(*rule)), *rule)).collect();
        rest.sort_unstable();
        for (_, rule) in rest {
            let most = usual(rule);
            let now = self.cases.get(&rule).copied().unwrap_or(0);
            if now < most && self.spent + self.more(rule, most) <= nanoseconds {
                self.take(rule, most);
            }
        }
        let whole = rules.iter().all(|rule| self.cases.get(rule).is_some_and(|cases| *cases >= usual(*rule)));
        let times = nanoseconds.checked_div(self.spent).unwrap_or(1).min(MOST_TIMES);
        if whole && times > 1 {
            for rule in rules {
                self.take(rule, usual(rule).saturating_mul(times as u32));
            }
        }
    }
}
