//! Versions: of the driver (`535.129.03`), of CUDA as functions report it (`12020`), and the rules by which a toolkit
//! library works with a driver (docs.nvidia.com/deploy/cuda-compatibility).

use std::cmp::Ordering;

/// The compatibility of a toolkit library with a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// The driver is at least as new as the toolkit.
    Fits,
    /// The toolkit is newer, but has the same major version: minor version compatibility.
    Limited,
    /// The toolkit has a newer major version: its functions fail with 35.
    TooOld,
}

/// The compatibility of two versions, as functions report them. Minor version compatibility exists since CUDA 11.
pub(super) fn fit(toolkit: u32, driver: u32) -> Fit {
    let major = |version: u32| version / 1000;
    match major(toolkit).cmp(&major(driver)) {
        Ordering::Less => Fit::Fits,
        Ordering::Equal if toolkit <= driver => Fit::Fits,
        Ordering::Equal if major(toolkit) >= 11 => Fit::Limited,
        _ => Fit::TooOld,
    }
}

/// The first release branch of the driver for each major version of CUDA (NVIDIA's table of minimum drivers).
const FIRST_BRANCHES: &[(u32, u32)] = &[(11, 450), (12, 525), (13, 580)];

/// The first release branch of the driver with which a toolkit of this version works; `None` if unknown.
pub(super) fn least_branch(toolkit: u32) -> Option<u32> {
    FIRST_BRANCHES.iter().find(|(major, _)| *major == toolkit / 1000).map(|(_, branch)| *branch)
}

/// A version such as 12020 as people write it: 12.2.
pub(super) fn shown(version: u32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// The version of the loaded kernel module, from `/proc/driver/nvidia/version`.
pub(super) fn of_module(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("NVRM version:"))?;
    line.split_whitespace().find(|word| is_driver_version(word))
}

/// The version at the end of a library's file name: `libcuda.so.535.129.03`.
pub(super) fn of_file(name: &str) -> Option<&str> {
    let (_, version) = name.split_once(".so.")?;
    is_driver_version(version).then_some(version)
}

/// True for versions of drivers, such as 535.129.03 and 384.81; false for the `1` in `libcuda.so.1`.
fn is_driver_version(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (2..=4).contains(&parts.len()) && parts.iter().all(digits) && parts[0].len() >= 3
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::the_same(12090, 12090, Fit::Fits)]
    #[case::a_newer_driver(11080, 13000, Fit::Fits)]
    #[case::an_older_minor(12090, 12020, Fit::Limited)]
    #[case::an_older_major(13000, 12090, Fit::TooOld)]
    #[case::before_minor_compatibility(10020, 10010, Fit::TooOld)]
    #[case::no_driver(12090, 0, Fit::TooOld)]
    fn a_toolkit_fits_a_driver_by_their_versions(#[case] toolkit: u32, #[case] driver: u32, #[case] is: Fit) {
        assert_eq!(fit(toolkit, driver), is);
    }

    #[rstest]
    #[case::closed(
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023",
        "535.129.03"
    )]
    #[case::open(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (x@y)",
        "580.65.06"
    )]
    #[case::old("NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.81  Wed Aug 17 22:24:07 PDT 2016", "384.81")]
    fn the_kernel_module_names_its_version(#[case] text: &str, #[case] version: &str) {
        assert_eq!(of_module(text), Some(version));
    }

    #[test]
    fn a_library_names_its_version_in_its_file_name() {
        assert_eq!(of_file("libcuda.so.535.129.03"), Some("535.129.03"));
        assert_eq!((of_file("libcuda.so.1"), of_file("libcuda.so")), (None, None));
        assert_eq!((shown(12020), shown(13000), least_branch(13050)), ("12.2".into(), "13.0".into(), Some(580)));
    }

    proptest! {
        #[test]
        fn no_text_makes_a_version_parser_panic(text in ".{0,60}", version in any::<u32>()) {
            of_module(&text);
            of_file(&text);
            shown(version);
            fit(version, version);
        }
    }
}
