//! `atlas-cts explain`.

use std::fmt::Write;

use atlas_cts::CommandError;
use catalog::{self, Level, Rules, offered, short};
use engine::runtime::Runtime;
use steps::domain::DomainSource;

/// Everything about a rule.
pub(crate) fn explain(rules: &Rules, runtime: &Runtime, id: &str) -> Result<String, CommandError> {
    let rule = catalog::rule(rules, id)?;
    let mut text = String::new();
    let chapter = &rules.chapters[rule.chapter];
    let _ = writeln!(text, "{}\n{}\n", rule.id, rule.title);
    let _ = writeln!(text, "{}\n", rule.statement);
    let level = match rule.level {
        Level::Must => "must: a document promises it",
        Level::Info => "info: seen in source or inferred; reported, breaks a run only with --strict",
    };
    let _ = writeln!(text, "level     {level}");
    if let Some(since) = &rule.source.since {
        let _ = writeln!(text, "since     version {} of the suite", since.value);
    }
    if rule.hazard.is_some() {
        let _ =
            writeln!(text, "hazard    the documents leave the result undefined; runs only with --hazardous, observed");
    }
    if let Some(doubt) = &rule.doubt {
        let _ = writeln!(text, "doubt     {doubt}");
    }
    for source in &rule.sources {
        let _ = writeln!(text, "source    {source}");
    }
    for ground in &rule.grounds {
        for clause in ground.clauses.iter().map(|clause| &rules.book.clauses[*clause]) {
            let bounds = clause.bounds();
            let bounds = if bounds.is_empty() { String::new() } else { format!("; holds {bounds}") };
            let _ = writeln!(
                text,
                "clause    [{}] {} ({}): {} ({}{bounds})",
                ground.name,
                clause.id,
                clause.modality.name(),
                clause.digest,
                clause.source
            );
        }
    }
    for axiom in rule.all_axioms(rules) {
        let _ = writeln!(text, "assuming  {}: {}", axiom.id, axiom.says);
    }
    let _ = writeln!(text, "file      {}:{}", short(&chapter.path), rule.line);
    for product in &rules.products {
        let applies = match offered(rule, &product.id, rules) {
            Ok(()) => "applies".to_owned(),
            Err(skip) => format!("skipped: {skip}"),
        };
        let _ = writeln!(text, "product   {:<14} {applies}", product.id);
    }
    let conditions = [
        rule.when.run_mode.as_ref().map(|mode| format!("programs run on the {mode}")),
        rule.when.devices.map(|devices| format!("at least {devices} devices")),
        rule.when.edition.as_ref().map(|edition| format!("edition {edition}")),
        rule.when.kernel.as_ref().map(|version| format!("kernel {version}")),
        rule.when
            .dedicated
            .then(|| "nobody else uses the devices: with --dedicated, and on the simulated device".to_owned()),
    ];
    for condition in conditions.into_iter().flatten() {
        let _ = writeln!(text, "when      {condition}");
    }
    if let Some(actors) = &rule.source.actors {
        let _ = writeln!(text, "\nactors\n{}", indented(&actors.value));
    }
    for (name, domain) in &rule.source.forall {
        let _ = writeln!(text, "forall    {name}: {}", domain_text(&domain.value));
    }
    if let Some(condition) = &rule.source.condition {
        let _ = writeln!(text, "where     {}", condition.value);
    }
    let _ = writeln!(text, "\nsteps\n{}", indented(&rule.source.steps.value));
    for (name, expression) in &rule.source.observe {
        let _ = writeln!(text, "observe   {name}: {}", expression.value);
    }
    let functions: Vec<&str> = rule.program.function_names().collect();
    let _ = writeln!(text, "calls     {}", functions.join(", "));
    if !rule.owns.is_empty() {
        let _ = writeln!(
            text,
            "owns      {}: where one is denied this rule fails, and the others are blocked",
            rule.owns.join(", ")
        );
    }
    for kill in &rule.kills {
        let defect = runtime.defects().iter().find(|defect| defect.name == kill.defect);
        let products =
            if kill.products.is_empty() { String::new() } else { format!(" (on {})", kill.products.join(", ")) };
        let _ = writeln!(text, "catches   {}{products}", kill.defect);
        if let Some(defect) = defect {
            let _ = writeln!(text, "          {}{}", if defect.subtle { "subtle: " } else { "" }, defect.mechanism);
        }
    }
    Ok(text)
}

fn indented(block: &str) -> String {
    block.trim_end().lines().map(|line| format!("    {line}\n")).collect::<String>().trim_end().to_owned()
}

fn domain_text(domain: &DomainSource) -> String {
    let mut parts = Vec::new();
    let named = [
        ("bytes", &domain.bytes),
        ("int", &domain.int),
        ("offset", &domain.offset),
        ("permutation", &domain.permutation),
        ("length_of", &domain.length_of),
        ("index_of", &domain.index_of),
        ("device", &domain.device),
    ];
    parts.extend(named.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {value}"))));
    parts.extend(domain.one_of.as_ref().map(|values| format!("one of {}", values.join(", "))));
    parts.extend(domain.every.as_ref().map(|values| format!("every {}", values.0.join(", "))));
    parts.extend(domain.text.as_ref().map(|values| format!("every {values:?}")));
    parts.extend(domain.list_of.as_ref().map(|item| format!("list of {}", domain_text(item))));
    parts.extend(domain.length.as_ref().map(|length| format!("length {length}")));
    parts.extend(domain.multiple_of.as_ref().map(|step| format!("multiples of {step}")));
    parts.join(", ")
}
