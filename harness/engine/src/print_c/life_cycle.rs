//! The life cycle of a process in C: one function for each section, and the calls.

use std::fmt::Write;

use catalog::{LifeCycleProgram, Rules, Section};
use steps::program::{Program, Readiness};

use super::printer::Printer;
use super::visit::Reads;

/// The sections in a product's life cycle, each with the name of its function.
const SECTIONS: [(Section, &str); 5] = [
    (Section::InitUp, "init_up"),
    (Section::DeviceUp, "device_up"),
    (Section::Restore, "restore"),
    (Section::DeviceDown, "device_down"),
    (Section::InitDown, "init_down"),
];

/// The parts of a life cycle that a rule's processes and threads need.
pub(super) struct LifeCycleText {
    /// The name and statements of each non-empty section.
    sections: Vec<(Section, &'static str, String)>,
    /// The variables that the sections share.
    pub declarations: String,
    /// The highest state that any process or thread in the rule needs.
    state: Readiness,
}

impl LifeCycleText {
    /// A product's life cycle for a rule.
    pub(super) fn of(rules: &Rules, product: &str, program: &Program) -> LifeCycleText {
        let life = rules.life_cycle.of(product);
        let states = program.processes.iter().map(|process| process.state);
        let state = states.chain(program.actors.iter().filter_map(|actor| actor.thread)).max();
        let state = state.unwrap_or(Readiness::Loaded);
        let mut printer = Printer::new(rules, &life.program, &[]);
        printer.hoisted = Some(Vec::new());
        let mut sections = Vec::new();
        for (section, name) in SECTIONS.into_iter().filter(|(section, _)| state >= needed(*section)) {
            let Some(text) = printer.section(life, section) else { continue };
            sections.push((section, name, text));
        }
        let several = program.actors.len() > 1;
        // Each thread that selects the device has a separate context.
        let kind = if several { "static _Thread_local" } else { "static" };
        let mut declarations = String::new();
        if state >= Readiness::Device && Reads::of(&life.program).own_device {
            let _ = match several {
                true => writeln!(declarations, "static _Thread_local int device;"),
                false => writeln!(declarations, "static const int device = {};", program.processes[0].device),
            };
        }
        for line in printer.hoisted.unwrap_or_default() {
            let _ = writeln!(declarations, "{kind} {}", line.trim());
        }
        LifeCycleText { sections, declarations, state }
    }

    /// One function for each section, because several processes and threads call it.
    pub(super) fn functions(&self) -> String {
        let wanted = self.sections.iter().filter(|(section, ..)| *section != Section::Restore);
        let function = |name: &str, text: &str| match text.trim_end().contains('\n') {
            true => format!("static void {name}(void) {{\n{text}}}\n"),
            false => format!("static void {name}(void) {{ {} }}\n", text.trim()),
        };
        wanted.map(|(_, name, text)| function(name, text)).collect()
    }

    /// The statements that bring a process into a state.
    pub(super) fn up(&self, state: Readiness) -> String {
        self.texts(&[Section::InitUp, Section::DeviceUp], state)
    }

    /// The statements that undo the state.
    pub(super) fn down(&self, state: Readiness) -> String {
        self.texts(&[Section::DeviceDown, Section::InitDown], state)
    }

    /// The statements that run between two cases.
    pub(super) fn restore(&self, state: Readiness) -> String {
        self.texts(&[Section::Restore], state)
    }

    /// The calls to the functions that bring a process into a state.
    pub(super) fn calls_up(&self, state: Readiness) -> String {
        self.calls(&[Section::InitUp, Section::DeviceUp], state)
    }

    /// The calls to the functions that undo the state.
    pub(super) fn calls_down(&self, state: Readiness) -> String {
        self.calls(&[Section::DeviceDown, Section::InitDown], state)
    }

    /// True if processes or threads select a device.
    pub(super) fn selects(&self) -> bool {
        self.state >= Readiness::Device && self.declarations.contains(" device;")
    }

    fn calls(&self, wanted: &[Section], state: Readiness) -> String {
        self.wanted(wanted, state).map(|(_, name, _)| format!(" {name}();")).collect()
    }

    fn texts(&self, wanted: &[Section], state: Readiness) -> String {
        self.wanted(wanted, state).map(|(.., text)| text.as_str()).collect()
    }

    fn wanted(&self, wanted: &[Section], state: Readiness) -> impl Iterator<Item = &(Section, &'static str, String)> {
        self.sections.iter().filter(move |(section, ..)| wanted.contains(section) && state >= needed(*section))
    }
}

/// The lowest state in which processes need a section.
fn needed(section: Section) -> Readiness {
    match section {
        Section::InitUp | Section::InitDown => Readiness::Init,
        _ => Readiness::Device,
    }
}

impl Printer<'_> {
    /// The statements in a section.
    fn section(&mut self, life: &LifeCycleProgram, section: Section) -> Option<String> {
        let block = life.block(section)?;
        // Failures during tear-down are not judged, because the process ends anyway.
        self.judged = matches!(section, Section::InitUp | Section::DeviceUp);
        self.cursor = life.program.statements[block].span.start;
        self.statement(&self.syntax()[block], &life.program.statements[block]);
        Some(std::mem::take(&mut self.out))
    }
}
