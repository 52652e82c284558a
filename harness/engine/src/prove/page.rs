//! Prints the proof as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use catalog::count;

use super::{CouldClaim, Proof, RuleProof};

/// The results of the proof, and every gap. With `verbose`, also lists each rule with its defects.
pub fn render(proof: &Proof, verbose: bool) -> String {
    let mut text = String::new();
    let judged: Vec<&RuleProof> = proof.judged().collect();
    let claimed: usize = judged.iter().map(|rule| rule.kills.len()).sum();
    let survived: usize = judged.iter().map(|rule| rule.survived().len()).sum();
    let proven = judged.iter().filter(|rule| rule.gaps().is_empty()).count();
    let alarms: usize = judged.iter().map(|rule| rule.false_alarms.len()).sum();
    let blind: usize = judged.iter().map(|rule| rule.passes_on.len()).sum();
    let seeds = count(proof.seeds as usize, "seed");
    let runs = count(proof.runs, "run");
    let _ = writeln!(text, "proof for {} with {seeds}: {runs} of the simulated device", proof.product);
    if verbose {
        for rule in &judged {
            let state = if rule.gaps().is_empty() { "proven" } else { "NOT PROVEN" };
            let _ = writeln!(text, "  {state:<10}  {}", rule.id);
            for (defect, tally) in &rule.kills {
                let _ = writeln!(
                    text,
                    "              killed with {} of {} seeds, by about {:.0} % of the cases: {defect}",
                    tally.killed,
                    tally.seeds,
                    100.0 * tally.rate()
                );
            }
            for (device, what) in &rule.findings {
                let _ = writeln!(text, "              finding on {device}: {what}");
            }
            for (device, what) in &rule.blocked {
                let _ = writeln!(text, "              not judged on {device}: {what}");
            }
        }
    }
    for rule in judged.iter().filter(|rule| !rule.gaps().is_empty()) {
        let _ = writeln!(text, "  NOT PROVEN  {}", rule.id);
        for gap in rule.gaps() {
            let _ = writeln!(text, "              {gap}");
        }
    }
    if proof.weakened {
        unneeded(&mut text, &judged);
    }
    if let Some(matrix) = &proof.matrix {
        matrix.findings(&judged, &mut text);
    }
    could_claim(&mut text, proof);
    let open = judged.iter().flat_map(|rule| rule.kills.values()).filter(|tally| tally.is_open()).count();
    let killed = claimed - survived - open;
    let claims = count(claimed, "claim");
    let _ = writeln!(text, "  defects     {killed} killed, {survived} survived (rule × defect: {claims})");
    let _ = writeln!(text, "  bad devices {}", count(blind, "pass"));
    let _ = writeln!(text, "  faithful    {}", count(alarms, "false alarm"));
    let findings: usize = judged.iter().map(|rule| rule.findings.len()).sum();
    if findings > 0 {
        let findings = count(findings, "finding");
        let _ = writeln!(text, "  variants    {findings} of info rules (--verbose lists them)");
    }
    let blocked: usize = judged.iter().map(|rule| rule.blocked.len()).sum();
    if blocked > 0 {
        let blocked = count(blocked, "refused set-up");
        let _ = writeln!(text, "  variants    {blocked}, so the rule was not judged (--verbose lists them)");
    }
    let cut: usize = judged.iter().map(|rule| rule.cut.len()).sum();
    if cut > 0 {
        let cut = format!("{} ended", count(cut, "result"));
        let _ = writeln!(text, "  unknown     {cut} by the watchdog; set a longer --tune rule-limit");
    }
    if proof.weakened {
        shares(&mut text, &judged);
    }
    let (applies, skipped) = (judged.len(), proof.rules.len() - judged.len());
    let _ = writeln!(text, "  rules       {proven} of {applies} proven, {skipped} do not apply");
    text
}

/// Defects that rules kill without a row in the table.
fn could_claim(text: &mut String, proof: &Proof) {
    for found in proof.unclaimed.chunk_by(|one, next| one.rule == next.rule) {
        let (rule, product) = (&found[0].rule, &proof.product);
        let _ = writeln!(text, "  UNCLAIMED   {rule} kills these on {product} without a row; --raise adds them");
        for CouldClaim { defect, subtle, claimed_by, .. } in found {
            let others = match claimed_by {
                0 => "no rule kills it".to_owned(),
                1 => "1 other rule kills it".to_owned(),
                many => format!("{many} other rules kill it"),
            };
            let _ = writeln!(text, "      - {defect}  # {}{others}", if *subtle { "subtle; " } else { "" });
        }
    }
}

/// The checks whose removal changes nothing.
fn unneeded(text: &mut String, judged: &[&RuleProof]) {
    for rule in judged {
        for check in rule.unexplained() {
            let _ = writeln!(text, "  NOT NEEDED  {}: {} of `{}`", rule.id, check.what(), check.text);
            let why = match (&check.could_claim, check.caught.iter().next()) {
                (Some(defect), _) => format!("needed for {defect}, which the rule notices but does not claim"),
                (None, None) => "no defect that the rule claims, and no bad device, fails here".to_owned(),
                (None, Some(one)) => format!("failures here also fail another check, for example on {one}"),
            };
            let _ = writeln!(text, "              {}: {why}", check.place);
        }
        for check in rule.checks.iter().filter(|check| check.needed_for.is_some() && check.reason.is_some()) {
            let _ = writeln!(
                text,
                "  NEEDED      {}: `{}` needs no reason in `unproven` on this product",
                rule.id, check.text
            );
        }
    }
}

/// The percentage of checks that are needed, by chapter and in total.
fn shares(text: &mut String, judged: &[&RuleProof]) {
    let mut chapters: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for rule in judged {
        let (needed, reasons, all) = chapters.entry(&rule.chapter).or_default();
        *all += rule.checks.len();
        *needed += rule.checks.iter().filter(|check| check.needed_for.is_some()).count();
        *reasons += rule.unneeded().filter(|check| check.reason.is_some()).count();
    }
    let sum = chapters.values().fold((0, 0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1, sum.2 + of.2));
    let named = chapters.into_iter().map(|(chapter, counts)| (format!("{chapter}: "), counts));
    for (name, (needed, reasons, all)) in named.chain([(String::new(), sum)]) {
        let share = (needed * 100).checked_div(all).unwrap_or(100);
        let _ = writeln!(text, "  checks      {name}{needed} of {all} needed ({share} %), {reasons} kept for a reason");
    }
}
