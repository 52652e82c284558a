//! The symptom that an entry expects.

use catalog::one_space;
use record::{Code, RuleResult, Shape, Symptom, Verdict, write_symptom};

/// The symptom that an entry expects. Absent parts match anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedSymptom {
    pub verdict: Verdict,
    pub check: Option<String>,
    /// The code's value or name.
    pub code: Option<String>,
    pub call: Option<String>,
    /// The shape of the bytes that differ.
    pub shape: Option<Shape>,
}

impl ExpectedSymptom {
    /// The differences from a result with a symptom.
    pub(super) fn differences_in(&self, result: &RuleResult, seen: &Symptom) -> Vec<String> {
        let bytes = result.failure.as_ref().and_then(|failure| failure.difference);
        self.differences(seen, bytes.map(|difference| difference.shape))
    }

    /// The differences in the parts that the entry gives, for example `code: seen A, expected B`. `shape` is the shape
    /// of the bytes that differ in the result.
    pub fn differences(&self, seen: &Symptom, shape: Option<Shape>) -> Vec<String> {
        let verdict =
            (self.verdict != seen.verdict).then(|| differs("verdict", seen.verdict.name(), self.verdict.name()));
        let check = self.check.as_deref().map(one_space).filter(|check| seen.check.as_ref() != Some(check));
        let check = check.map(|check| differs("check", seen.check.as_deref().unwrap_or("none"), &check));
        let code = self.code.as_deref().filter(|code| !seen.code.as_ref().is_some_and(|seen| seen.is(code)));
        let seen_code = || seen.code.as_ref().map_or("none".to_owned(), Code::to_string);
        let code = code.map(|code| differs("code", &seen_code(), code));
        let call = self.call.as_deref().filter(|call| seen.call.as_deref() != Some(*call));
        let call = call.map(|call| differs("call", seen.call.as_deref().unwrap_or("none"), call));
        let shape = self
            .shape
            .filter(|expected| shape != Some(*expected))
            .map(|expected| differs("shape", shape.map_or("none", Shape::name), expected.name()));
        [verdict, check, code, call, shape].into_iter().flatten().collect()
    }
}

impl std::fmt::Display for ExpectedSymptom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_symptom(f, self.verdict, self.check.as_deref(), self.code.as_deref(), self.call.as_deref())?;
        self.shape.map_or(Ok(()), |shape| write!(f, ", shape {}", shape.name()))
    }
}

fn differs(what: &str, seen: &str, expected: &str) -> String {
    format!("{what}: seen {seen}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    fn verdict() -> impl Strategy<Value = Verdict> {
        prop_oneof![Just(Verdict::Fail), Just(Verdict::WrongCode), Just(Verdict::Crash), Just(Verdict::Flaky)]
    }

    fn shape() -> impl Strategy<Value = Shape> {
        prop_oneof![Just(Shape::Head), Just(Shape::Tail)]
    }

    fn text() -> impl Strategy<Value = String> {
        // The pattern allows only a few texts, so equal texts are drawn often.
        "[ab]( [ab])?"
    }

    fn code() -> impl Strategy<Value = Code> {
        ("[12]", option::of("[AB]")).prop_map(|(value, name)| Code { value, name })
    }

    prop_compose! {
        fn symptom()(verdict in verdict(), check in option::of(text()), code in option::of(code()), call in option::of("[fg]"))
            -> Symptom
        {
            Symptom { verdict, check, code, call }
        }
    }

    prop_compose! {
        fn expected()(
            verdict in verdict(), check in option::of(text()), code in option::of("[12AB]"), call in option::of("[fg]"),
            shape in option::of(shape())
        ) -> ExpectedSymptom {
            ExpectedSymptom { verdict, check, code, call, shape }
        }
    }

    proptest! {
        /// The specification, written independently of the code.
        #[test]
        fn an_entry_matches_exactly_when_each_field_that_it_names_is_equal(
            seen in symptom(), expected in expected(), bytes in option::of(shape())
        ) {
            let verdict = expected.verdict == seen.verdict;
            let check = expected.check.is_none() || expected.check == seen.check;
            let call = expected.call.is_none() || expected.call == seen.call;
            let code = match (&expected.code, &seen.code) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(code), Some(seen)) => *code == seen.value || seen.name.as_ref() == Some(code),
            };
            let shape = expected.shape.is_none() || expected.shape == bytes;
            prop_assert_eq!(expected.differences(&seen, bytes).is_empty(), verdict && check && code && call && shape);
            let wrong = [verdict, check, code, call, shape].iter().filter(|equal| !**equal).count();
            prop_assert_eq!(expected.differences(&seen, bytes).len(), wrong, "each difference is named");
        }

        #[test]
        fn an_entry_that_names_all_of_a_symptom_matches_it_and_no_other(
            seen in symptom(), other in symptom(), by_name in any::<bool>()
        ) {
            let named = |code: &Code| match &code.name {
                Some(name) if by_name => name.clone(),
                _ => code.value.clone(),
            };
            let entry = ExpectedSymptom {
                verdict: seen.verdict,
                check: seen.check.clone(),
                code: seen.code.as_ref().map(named),
                call: seen.call.clone(),
                shape: None,
            };
            prop_assert!(entry.differences(&seen, None).is_empty());
            let named_equal = other.verdict == seen.verdict
                && (seen.check.is_none() || other.check == seen.check)
                && (seen.call.is_none() || other.call == seen.call)
                && seen.code.as_ref().map(named).is_none_or(|code| other.code.as_ref().is_some_and(|other| other.is(&code)));
            prop_assert_eq!(entry.differences(&other, None).is_empty(), named_equal);
        }
    }
}
