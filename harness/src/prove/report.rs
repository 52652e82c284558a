//! The proof as text.

use std::fmt::Write;

use super::Proof;

/// What was proven, and every gap; `verbose` lists each rule with its defects.
pub fn render(proof: &Proof, verbose: bool) -> String {
    let mut text = String::new();
    let judged: Vec<_> = proof.rules.iter().filter(|rule| rule.skipped.is_none()).collect();
    let claimed: usize = judged.iter().map(|rule| rule.kills.len()).sum();
    let survived: usize = judged.iter().map(|rule| rule.survived(proof.seeds).len()).sum();
    let proven = judged.iter().filter(|rule| rule.gaps(proof.seeds).is_empty()).count();
    let alarms: usize = judged.iter().map(|rule| rule.false_alarms.len()).sum();
    let blind: usize = judged.iter().map(|rule| rule.passes_on.len()).sum();
    let seeds = if proof.seeds == 1 { "1 seed".to_owned() } else { format!("{} seeds", proof.seeds) };
    let _ = writeln!(text, "proof for {} with {seeds}: {} runs of the simulated device", proof.product, proof.runs);
    if verbose {
        for rule in &judged {
            let state = if rule.gaps(proof.seeds).is_empty() { "proven" } else { "NOT PROVEN" };
            let _ = writeln!(text, "  {state:<10}  {}", rule.id);
            for (defect, killed) in &rule.kills {
                let _ = writeln!(text, "              killed with {killed} of {} seeds: {defect}", proof.seeds);
            }
        }
    }
    let gaps: Vec<_> = judged.iter().filter(|rule| !rule.gaps(proof.seeds).is_empty()).collect();
    for rule in gaps {
        let _ = writeln!(text, "  NOT PROVEN  {}", rule.id);
        for gap in rule.gaps(proof.seeds) {
            let _ = writeln!(text, "              {gap}");
        }
    }
    let _ = writeln!(
        text,
        "  defects     {} killed, {survived} survived (rule × defect: {claimed} claims)",
        claimed - survived
    );
    let _ = writeln!(text, "  bad devices {blind} passes");
    let _ = writeln!(text, "  faithful    {alarms} false alarms");
    let _ = writeln!(
        text,
        "  rules       {proven} of {} proven, {} do not apply",
        judged.len(),
        proof.rules.len() - judged.len()
    );
    text
}
