//! Every rule of the catalog as a C program: all programs compile and run.

use std::path::{Path, PathBuf};
use std::process::Command;

use atlas_cts::runtimes::RUNTIMES;
use catalog::{CatalogPlace, Conditions, Rule, Rules, applies, load};
use engine::case::{Budget, Case, Plan, Scope, Value, rule_seed};
use engine::print_c::{Sheet, print_c};
use rstest::rstest;
use simulator_contract::environment;
use steps::program::{Expression, Readiness};
use steps::walk::Node;

use crate::support::{catalog, catalog_of, kills, project};

fn specs() -> PathBuf {
    project().join("specs")
}

/// A new, empty folder for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("print-c-{name}"));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn gcc() -> Command {
    gcc_for("acl")
}

/// The compiler, with a runtime's header.
fn gcc_for(runtime: &str) -> Command {
    let mut command = Command::new("gcc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"]).arg(specs().join(runtime));
    command
}

/// A drawn case of a rule.
fn drawn(rule: &Rule, scope: &Scope) -> Case {
    let budget = Budget {
        cases: 8192,
        repeats: 1,
        calls: u64::MAX,
        sequences: 8192,
        sequence_calls: u64::MAX,
        ..Budget::default()
    };
    let mut plan = Plan::new(&rule.program, scope, rule_seed(7, &rule.id), &budget).expect("every domain has values");
    for _ in 0..plan.edges_left() {
        let _ = plan.next_case();
    }
    plan.next_case().expect("the plan draws more cases than edges").expect("every domain has values")
}

/// The first case of a rule.
fn smallest(rule: &Rule, scope: &Scope) -> Case {
    let budget =
        Budget { cases: 64, repeats: 1, calls: u64::MAX, sequences: 64, sequence_calls: u64::MAX, ..Budget::default() };
    let mut plan = Plan::new(&rule.program, scope, rule_seed(7, &rule.id), &budget).expect("every domain has values");
    plan.next_case().expect("the plan has a case").expect("every domain has values")
}

/// Includes rules of other products, which no other test compiles. Compiles one rule of `of`: all of them are for the
/// night.
#[rstest]
#[case("acl", "a3", 8)]
#[case("cuda", "datacenter", 8)]
#[ignore = "a minute: ci/night.sh"]
#[case::every_rule_of_acl("acl", "a3", 1)]
#[ignore = "a minute: ci/night.sh"]
#[case::every_rule_of_cuda("cuda", "datacenter", 1)]
fn rules_compile_with_drawn_values(#[case] runtime: &str, #[case] product: &str, #[case] of: usize) {
    let runtime = RUNTIMES.iter().find(|known| known.name() == runtime).expect("the registry has the runtime");
    let place = CatalogPlace { specs: specs().into(), bindings: runtime.bindings };
    let rules = &load(&place).unwrap_or_else(|error| panic!("the catalog does not load:\n{error}"));
    let product = rules.product(product).expect("the catalog has the product");
    let scope = Scope::new(product.facts.clone(), 2);
    let folder = folder(&format!("compile-{}-{of}", product.id));
    let mut files = Vec::new();
    for rule in rules.rules.iter().step_by(of) {
        // Two cases in one program, which contains all alternatives.
        let draws = !rule.program.axes.is_empty();
        let cases = if draws { vec![drawn(rule, &scope), smallest(rule, &scope)] } else { Vec::new() };
        let sheet = Sheet { cases: &cases, ..Sheet::new(product, 2) };
        let text = print_c(rules, rule, &sheet).unwrap_or_else(|message| panic!("{}: {message}", rule.id));
        let file = folder.join(format!("{}.c", rule.id));
        std::fs::write(&file, text).unwrap();
        files.push(file);
    }
    assert_eq!(files.len(), rules.rules.len().div_ceil(of));
    // Two compilers side by side, each with half of the files.
    let compilers: Vec<_> = files
        .chunks(files.len().div_ceil(2))
        .map(|half| {
            let mut command = gcc_for(runtime.name());
            command.arg("-fsyntax-only").args(half).stderr(std::process::Stdio::piped());
            command.spawn().expect("gcc is needed to compile the printed rules")
        })
        .collect();
    let answers: Vec<_> = compilers.into_iter().map(|compiler| compiler.wait_with_output().unwrap()).collect();
    let messages: String = answers.iter().map(|answer| String::from_utf8_lossy(&answer.stderr)).collect();
    assert!(answers.iter().all(|answer| answer.status.success()), "gcc rejects printed rules:\n{messages}");
}

/// Prints a rule and compiles it with the simulated device.
fn program(rules: &Rules, rule: &Rule, product: &str, values: Option<&[Value]>, folder: &Path) -> (PathBuf, String) {
    let text = printed(rules, rule, product, values);
    (compiled(&rule.id, &text, folder, &[]), text)
}

/// Seconds after which a program counts as hung here: a machine that is busy with other tests must not cause this.
const BUSY: u64 = 120;

/// Prints a rule.
fn printed(rules: &Rules, rule: &Rule, product: &str, values: Option<&[Value]>) -> String {
    let id = &rule.id;
    let product = rules.product(product).expect("the catalog has the product");
    let cases: Vec<Case> =
        values.map(|values| Case { values: values.to_vec(), salt: 0x5EED, tree: None }).into_iter().collect();
    let sheet = Sheet { cases: &cases, deadline: BUSY, ..Sheet::new(product, 4) };
    print_c(rules, rule, &sheet).unwrap_or_else(|message| panic!("{id}: {message}"))
}

/// Compiles a program with the simulated device.
fn compiled(name: &str, text: &str, folder: &Path, flags: &[&str]) -> PathBuf {
    let (source, binary) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&source, text).unwrap();
    let library = RUNTIMES[0].simulated.as_ref().unwrap().libraries[0].write_to(folder).unwrap();
    let mut run_path = std::ffi::OsString::from("-Wl,-rpath,");
    run_path.push(library.parent().expect("the library is in a folder"));
    let answer = gcc()
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .arg(&library)
        .arg(run_path)
        .output()
        .expect("gcc is needed");
    assert!(answer.status.success(), "{name}: {}", String::from_utf8_lossy(&answer.stderr));
    binary
}

/// Runs a program on a simulated device with defects; returns exit status and messages.
fn run(binary: &Path, product: &str, defects: &str) -> (Option<i32>, String) {
    let machine = tempfile::TempDir::new().unwrap();
    let answer = Command::new(binary)
        .env(environment::PRODUCT, product)
        .env(environment::DEVICES, "4")
        .env(environment::DEFECTS, defects)
        .env(environment::MACHINE, machine.path())
        .output()
        .unwrap();
    (answer.status.code(), String::from_utf8_lossy(&answer.stderr).into_owned())
}

/// A machine on which every rule of a product applies.
fn every_condition(product: &str) -> Conditions {
    Conditions {
        product: product.to_owned(),
        run_mode: "host".to_owned(),
        devices: 4,
        lacking: Default::default(),
        editions: None.into(),
        kernel: None,
        virtual_machine: Some(false),
        capabilities: Default::default(),
        trials: Default::default(),
        locked_memory: None,
        hazardous: false,
        dedicated: true,
        through: false,
    }
}

/// Tries one program of `of`: all programs take a minute of both cores.
#[rstest]
#[case("a2", 16, 25, "aclrtGetCurrentContext(&context)")]
#[case::without_a_default_context("ipv350", 3, 10, "aclrtCreateContext(&context, device)")]
#[ignore = "a minute: ci/night.sh"]
#[case::all_of_them("a2", 1, 400, "aclrtGetCurrentContext(&context)")]
fn every_program_passes_on_a_device_without_defects(
    #[case] product: &str,
    #[case] of: usize,
    #[case] least: usize,
    #[case] set_up: &str,
) {
    let conditions = every_condition(product);
    let folder = folder(&format!("run-{product}-{of}"));
    let applies = |rule: &&Rule| applies(rule, &conditions, catalog()).is_ok();
    let rules: Vec<&Rule> = catalog().rules.iter().filter(applies).step_by(of).collect();
    assert!(rules.len() > least, "only {} rules print as a program", rules.len());
    let half = |first: usize| -> Vec<String> {
        let rules = rules.iter().skip(first).step_by(2);
        rules
            .filter_map(|rule| {
                let (binary, text) = program(catalog(), rule, product, None, &folder);
                let device = rule.program.processes.iter().any(|process| process.state == Readiness::Device);
                assert!(!device || text.contains(set_up), "{}: no `{set_up}` in\n{text}", rule.id);
                let (status, message) = run(&binary, product, "");
                std::fs::remove_file(binary).unwrap();
                (status != Some(0)).then(|| format!("{}: {status:?}, {message}", rule.id))
            })
            .collect()
    };
    let failures = std::thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        [half(0), other.join().unwrap()].concat()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Plain `char` is signed on x86_64 and unsigned on aarch64. A program has the same verdict with both, on a faithful
/// device and on each device that its rule should catch.
#[test]
fn the_sign_of_plain_char_changes_no_verdict() {
    let reads_char = |rule: &Rule| {
        let mut found = false;
        rule.program.walk(&mut |node| {
            found |= matches!(node, Node::Expression(Expression::Load { ty: abi::Type::Char, .. }));
        });
        found
    };
    let conditions = every_condition("a2");
    let concerns = |rule: &&Rule| applies(rule, &conditions, catalog()).is_ok() && reads_char(rule);
    let folder = folder("sign-of-char");
    let (mut rules, mut noticed) = (0, 0);
    for rule in catalog().rules.iter().filter(concerns) {
        let text = printed(catalog(), rule, "a2", None);
        let signs = ["-fsigned-char", "-funsigned-char"];
        let programs = signs.map(|flag| compiled(&format!("{}{flag}", rule.id), &text, &folder, &[flag]));
        let defects = kills().claims(&rule.id);
        for defect in std::iter::once("").chain(defects) {
            let [signed, unsigned] = programs.each_ref().map(|binary| run(binary, "a2", defect).0);
            assert_eq!(signed, unsigned, "{} with the defect `{defect}`", rule.id);
            assert!(!defect.is_empty() || signed == Some(0), "{}: {signed:?}", rule.id);
            noticed += usize::from(signed != Some(0));
        }
        rules += 1;
    }
    assert!(rules >= 2 && noticed >= 2, "{rules} programs read plain char, {noticed} times a defect was noticed");

    // Each use of plain char that the language allows, with bytes whose sign differs.
    let rules = forms(&folder);
    let text = printed(&rules, rules.rule("acl.forms.chars").unwrap(), "a2", None);
    for flag in ["-fsigned-char", "-funsigned-char"] {
        let (status, message) = run(&compiled(&format!("chars{flag}"), &text, &folder, &[flag]), "a2", "");
        assert_eq!((status, message.as_str()), (Some(0), ""), "{flag}");
    }
}

/// A defect that a rule kills, and the statement of the program that catches it.
#[rstest]
#[case::a_choice(
    "acl.set.byte",
    Some(&[("size", 4097), ("offset", 3), ("value", 200), ("choose", 1)][..]),
    "set.value-saturates-at-127",
    "CHECK(all_bytes(back, size, value));"
)]
#[case::loops(
    "acl.ipc.keys-distinct",
    None,
    "ipc.key-same-for-two-blocks",
    "CHECK(differ(keys + i * product.ipc_key_length, keys + j * product.ipc_key_length, product.ipc_key_length));"
)]
#[case::an_expected_code(
    "acl.malloc.too-large",
    None,
    "malloc.too-large-succeeds",
    "MUST_FAIL_USUALLY(aclrtMalloc(&none, "
)]
#[case::deferred_calls(
    "acl.stream.sync-timeout-expire",
    None,
    "stream.timeout-returns-success",
    "CHECK(of_stream != ACL_SUCCESS);"
)]
#[case::a_call_that_must_succeed("acl.free.all-sources", Some(&[("size", 64), ("policy", 0), ("choose", 2), ("choose_2", 0)][..]), "free.refuses-cached-blocks", "MUST_SUCCEED(aclrtFree(p));")]
fn a_program_names_the_line_that_catches_a_defect(
    #[case] id: &str,
    #[case] values: Option<&[(&str, i128)]>,
    #[case] defect: &str,
    #[case] finds: &str,
) {
    let rule = catalog().rule(id).unwrap_or_else(|| panic!("no rule {id}"));
    let values: Option<Vec<Value>> = values.map(|values| {
        let value =
            |name: &str| values.iter().find(|(known, _)| *known == name).map(|(_, value)| Value::Integer(*value));
        rule.program.axes.iter().map(|axis| value(&axis.name).expect("the test names every axis")).collect()
    });
    let (binary, text) = program(catalog(), rule, "a2", values.as_deref(), &folder(defect));
    assert_eq!(run(&binary, "a2", ""), (Some(0), String::new()), "{id} on a device without defects");
    let (status, message) = run(&binary, "a2", defect);
    assert_eq!(status, Some(1), "{id} with {defect}: {message}");
    let number =
        message.strip_prefix("line ").and_then(|rest| rest.split(':').next()).and_then(|line| line.parse().ok());
    let number: usize = number.unwrap_or_else(|| panic!("{id} with {defect}: no line in `{message}`"));
    let statement = text.lines().nth(number - 1).expect("the line is one of the program").trim();
    assert!(statement.starts_with(finds), "{id} with {defect}: line {number} is `{statement}`\n{message}");
}

/// Forms that no rule of the catalog uses at present, or only rules with several processes.
const FORMS: &str = r#"
# The rules of a test.
title: Forms
rules:
  - id: acl.forms.all
    title: Every form
    statement: Every form prints.
    source:
      - {document: api-reference, section: aclrtMemcpyAsync}
    level: info
    forall:
      order: {permutation: 3..3}
      name: {text: ["a \"quoted\" text??/"]}
      number: {int: -5..5}
      bits: {every: [9223372036854775808]}
      unread: {int: 1..2}
      other_policy: {one_of: [ACL_MEM_MALLOC_NORMAL_ONLY, 77]}
    where: number != -5
    steps: |
      setup {
        size_t fill_first = 1 << 3; // a comment
        char *from = host(64, 64);
        char *to = edge(64);
        fill(from, 64, 1);
        poison(to, 64);
        aclrtCreateStream(&stream);
      }
      refuse aclrtMemcpyAsync(to, 64, from, 64, ACL_MEMCPY_HOST_TO_HOST, stream)
        until aclrtSynchronizeStream(stream) unless {
          same(to, pattern(64, 1), 64);
        }
      refuse aclrtMalloc(&given, 64, ACL_MEM_MALLOC_NORMAL_ONLY) unless { given != NULL; }
      /* a comment
         of two lines */
      control {
        int32_t check = 3;
        defer aclrtSynchronizeStream(stream);
        check in {1, 3} && number != 0 || (fill_first & 1) == 1 && !(check == 4);
      }
      aclrtMemLocation place = {.type = ACL_MEM_LOCATION_TYPE_DEVICE, .id = 0};
      place.type == ACL_MEM_LOCATION_TYPE_DEVICE;
      unread_answer = aclrtStreamQuery(stream, &state);
      uint64_t sums[devices + 1] = {0};
      for (i < 3) {
        sums[0] += order[i];
        sums[0] ^= bits ^ bits;
      }
      for (i < devices > 9 ? 5 : 1) { sums[0] += 0; }
      sums[0] == 3;
      -(0 - 5) - (2 - 1) == number * 0 + 4;
      text_matches(name, "a *[?][?]/") == 0 || text_matches(name, "[a-b] \"*\"*");
      char *path = file("text");
      path[0] == '/' && path != NULL;
      disjoint(from, 64, to, 64);
      ALIGN_UP(33, 32) == fill_first * 8;
      is_pow2(alignment(from)) && alignment(from) >= 64;
      [info] getpid() == 1;
      resident() > 4096;
      aclrtMalloc(&block, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      aclrtMemcpy(block, 64, from, 64, ACL_MEMCPY_HOST_TO_DEVICE);
      holds(block, pattern(64, 1 /* the tag */), 64, to);
      given closed_flag(/* unused */ flag);
      aclrtMalloc(&small, 64, (aclrtMemMallocPolicy)other_policy) fails;
    observe: {pid: getpid() > 0, text: name}
  - id: acl.forms.chars
    title: Plain char
    statement: Plain char prints.
    source:
      - {document: api-reference, section: aclrtMemcpyAsync}
    level: info
    forall:
      high: {int: 128..255}
    steps: |
      char *bytes = host(8, 8);
      bytes[0] = (char)high;
      bytes[1] = (char)(high - 256);
      bytes[2] = bytes[1];
      bytes[3] = 'a';
      bytes[4] = 0;
      bytes[0] == bytes[1] && bytes[2] == bytes[0] && bytes[0] != bytes[3];
      bytes[0] && bytes[3] == 'a' && 'a' != bytes[0] && !bytes[4] && bytes[4] == 0;
      (unsigned char)bytes[1] == high && (uint8_t)bytes[0] == high && (int8_t)bytes[0] < 0;
      uint8_t kept = bytes[2];
      kept == high;
  - id: acl.forms.ends
    title: Processes that end
    statement: Processes end.
    source:
      - {document: api-reference, section: aclrtMemcpyAsync}
    level: info
    actors: |
      A: process(device 0);
      B: process(device 1), isolated;
      T: thread(A), state init;
    steps: |
      T: { aclrtSetDevice(0); defer aclrtResetDevice(0); }
      B: aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      choose { ends: exit B; is_killed: kill B; }
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
"#;

/// The documents without the pages that count as read in full: these would need clauses of each function.
fn without_pages(documents: &str) -> String {
    let (mut kept, mut in_pages) = (String::new(), false);
    for line in documents.lines() {
        in_pages = line == "    pages:" || (in_pages && line.starts_with("     "));
        if !in_pages {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Writes the catalog of [`FORMS`] to a folder and loads it.
fn forms(folder: &Path) -> Rules {
    let root = folder.join("specs");
    std::fs::create_dir_all(root.join("acl/rules")).unwrap();
    // Without its clauses, no page counts as read.
    let documents = std::fs::read_to_string(specs().join("acl/documents.yaml")).unwrap();
    std::fs::write(root.join("acl/documents.yaml"), without_pages(&documents)).unwrap();
    for file in ["acl/products.yaml", "acl/abi.h", "acl/api.yaml", "acl/support.yaml"] {
        std::fs::copy(specs().join(file), root.join(file)).unwrap();
    }
    std::fs::write(root.join("acl/rules/forms.yaml"), FORMS).unwrap();
    catalog_of(root)
}

#[test]
fn forms_that_the_catalog_does_not_use_print() {
    let folder = folder("forms");
    let rules = forms(&folder);
    let rule = rules.rule("acl.forms.all").unwrap();
    let (binary, text) = program(&rules, rule, "a2", None, &folder);
    let (status, message) = run(&binary, "a2", "");
    let line = text.lines().position(|line| line.contains("MUST_FAIL(aclrtMalloc(&small")).unwrap() + 1;
    // The last statement fails; everything before it holds.
    assert_eq!(status, Some(1), "{message}");
    assert!(message.starts_with(&format!("line {line}: aclrtMalloc(&small,")), "{message}");

    // A word prints as its expansion, below a comment with the word.
    let word = "\n    /* holds(block, pattern(64, 1 / * the tag * /), 64, to); */\n    poison(to, 64);\n    MUST_SUCCEED(aclrtMemcpy(to, 64, block,";
    assert!(text.contains(word), "{text}");
    // So does a set-up.
    let set_up = "\n    /* given closed_flag(/ * unused * / flag) */\n    void *flag; POISON(flag);\n";
    assert!(text.contains(set_up), "{text}");

    let product = rules.product("a2").unwrap();
    let sheet = Sheet::new(product, 2);
    let ends = print_c(&rules, rules.rule("acl.forms.ends").unwrap(), &sheet).unwrap();
    let file = folder.join("ends.c");
    std::fs::write(&file, &ends).unwrap();
    let answer = gcc().arg("-fsyntax-only").arg(&file).output().unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    for wanted in
        ["leave(B, B);", "static void *B_p;", "if (turn(T)) {", "/* At the end: (void)aclrtResetDevice(0); */"]
    {
        assert!(ends.contains(wanted), "no `{wanted}` in\n{ends}");
    }
}

#[test]
fn the_rules_on_the_page_of_findings_exist() {
    let page = std::fs::read_to_string(specs().join("../docs/results/findings.md")).unwrap();
    let words = page.split(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c));
    let ids: Vec<&str> = words.map(|word| word.trim_end_matches('.')).filter(|word| word.starts_with("acl.")).collect();
    assert!(ids.len() >= 16, "{ids:?}");
    for id in ids {
        assert!(catalog().rule(id).is_some(), "docs/results/findings.md names the rule {id}, which does not exist");
    }
}
