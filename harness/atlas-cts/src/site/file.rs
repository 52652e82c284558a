//! Finds and reads the site file.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use catalog::files::{expect_trusted, open, own_folder};
use toml::de::{DeTable, DeValue};

use super::SiteError;

/// The site file of a machine.
const OF_MACHINE: &str = "/etc/atlas-cts.toml";
/// The site file of a user, in the user's folder of settings.
const OF_USER: &str = "atlas-cts/config.toml";
/// The maximum size of a site file, in bytes.
const LONGEST: u64 = 1 << 20;

/// A site file: options with their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    pub path: PathBuf,
    pub options: Vec<SiteOption>,
}

/// An option in a site file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteOption {
    /// The option's long name, without the hyphens.
    pub name: String,
    pub values: Vec<String>,
    /// The place of the name, and the place of the value, as `file:line:column`.
    pub places: (String, String),
}

impl SiteFile {
    /// Reads the given file or, if none is given, the user's file or else the machine's. `None` if there is no file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not TOML, if another user controls it, or if the given file is missing.
    pub fn find(given: Option<&Path>) -> Result<Option<SiteFile>, SiteError> {
        if let Some(path) = given {
            return SiteFile::read(path).map(Some);
        }
        for path in of_user().into_iter().chain([PathBuf::from(OF_MACHINE)]) {
            match SiteFile::read(&path) {
                Err(SiteError::Unreadable { source, .. }) if is_missing(&source) => {}
                read => return read.map(Some),
            }
        }
        Ok(None)
    }

    fn read(path: &Path) -> Result<SiteFile, SiteError> {
        let failed = |source| SiteError::Unreadable { path: path.to_owned(), source };
        let text = text_of(path).map_err(failed)?;
        SiteFile::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<SiteFile, SiteError> {
        let place = |at: usize| place(path, text, at);
        let table = DeTable::parse(text).map_err(|error| SiteError::Mistake {
            place: place(error.span().map_or(0, |span| span.start)),
            message: format!("{}; write one option a line, as in seed = 1", error.message()),
        })?;
        let mut options = Vec::new();
        for (name, value) in table.get_ref() {
            let places = (place(name.span().start), place(value.span().start));
            let values = values(value.get_ref()).ok_or_else(|| SiteError::Mistake {
                place: places.1.clone(),
                message: "not a value of an option; write a text, an integer, true, false, or a list of these"
                    .to_owned(),
            })?;
            options.push(SiteOption { name: name.get_ref().to_string(), values, places });
        }
        options.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(SiteFile { path: path.to_owned(), options })
    }
}

/// The user's site file. Relative folders in the environment are ignored, because they depend on the current folder.
fn of_user() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let settings = folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")));
    settings.map(|settings| settings.join(OF_USER))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The text of a file that no other user controls, in a folder that no other user controls. The opened file is
/// examined, so the file cannot be replaced between the examination and reading.
fn text_of(path: &Path) -> io::Result<String> {
    let file = open(path)?;
    expect_trusted(&file)?;
    if let Some(folder) = std::path::absolute(path)?.parent() {
        own_folder(folder)?;
    }
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("has more than {LONGEST} bytes")));
    }
    Ok(text)
}

/// The values of an option; `None` if the value cannot be one.
fn values(value: &DeValue<'_>) -> Option<Vec<String>> {
    match value {
        DeValue::Array(items) => items.iter().map(|item| single(item.get_ref())).collect(),
        value => single(value).map(|value| vec![value]),
    }
}

fn single(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n.to_string()),
        DeValue::Boolean(yes) => Some(yes.to_string()),
        _ => None,
    }
}

/// The place of a byte in a file.
fn place(path: &Path, text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{}:{line}:{column}", path.display())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn parsed(text: &str) -> Result<Vec<(String, Vec<String>)>, String> {
        let file = SiteFile::parse(Path::new("site.toml"), text).map_err(|error| error.to_string())?;
        Ok(file.options.into_iter().map(|option| (option.name, option.values)).collect())
    }

    #[test]
    fn an_option_has_a_text_a_number_a_truth_or_several_of_them() {
        let text = "product = \"a2\"\ndevices = 0x10\nstrict = true\n# a remark\nexclude = [\"a\", 'b']\n";
        let pair =
            |name: &str, values: &[&str]| (name.to_owned(), values.iter().map(|value| (*value).into()).collect());
        let options = [
            pair("devices", &["16"]),
            pair("exclude", &["a", "b"]),
            pair("product", &["a2"]),
            pair("strict", &["true"]),
        ];
        assert_eq!(parsed(text).unwrap(), options);
        assert_eq!(parsed("").unwrap(), []);
    }

    #[rstest]
    #[case::no_toml("product a2\n", "site.toml:1:")]
    #[case::a_key_twice("seed = 1\nseed = 2\n", "site.toml:2:1: ")]
    #[case::a_fraction("seed = 1\ndevices = 1.5\n", "site.toml:2:11: not a value of an option")]
    #[case::a_table("[run]\nseed = 1\n", "not a value of an option")]
    #[case::a_list_of_lists("exclude = [[\"a\"]]", "site.toml:1:11: not a value of an option")]
    fn a_mistake_has_its_place(#[case] text: &str, #[case] says: &str) {
        let message = parsed(text).unwrap_err();
        assert!(message.contains(says), "{message}");
    }
}
