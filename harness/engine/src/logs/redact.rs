//! Replaces names of sites, machines and people with stable tokens: the same text gets the same token throughout
//! the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use regex_lite::Regex;

#[derive(Debug, Clone, Copy)]
pub struct Secret {
    /// The kind of text, used in its token: lower-case letters.
    pub kind: &'static str,
    /// The pattern. Its first group is redacted or, if the pattern has no group, the entire match.
    pub pattern: &'static str,
}

/// Names that identify no person or machine.
const COMMON: &[&str] = &["root", "localhost", "localdomain", "nobody", "user", "host", "home"];

/// Secrets that occur in any runtime's logs, in search order.
const SECRETS: &[Secret] = &[
    // Credentials, regardless of their owner.
    Secret {
        kind: "secret",
        pattern: r"\b((?:gh[pousr]_|github_pat_|glpat-|hf_|sk-|xox[abprs]-)[A-Za-z0-9_-]{10,}|AKIA[0-9A-Z]{12,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9._-]+)",
    },
    Secret {
        kind: "secret",
        pattern: r"(?i)\b(?:token|passwd|password|secret|api[_-]?key|bearer)(?:\s*[:=]\s*|\s+)([A-Za-z0-9+/=._~-]*[0-9][A-Za-z0-9+/=._~-]{7,})",
    },
    Secret { kind: "key", pattern: r"\b(AAAA[A-Za-z0-9+/]{20,}=*)" },
    Secret { kind: "email", pattern: r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+" },
    Secret { kind: "user", pattern: r"/(?:home|Users)/([^/\s:,;'\x22()<>\[\]]+)" },
    Secret { kind: "user", pattern: r"(?i)\b[a-z]:\\Users\\([^\\\s:,;'\x22()<>\[\]]+)" },
    // The notation used by Kerberos and Windows.
    Secret { kind: "user", pattern: r"\b([A-Za-z0-9._-]+@[A-Z][A-Z0-9-]+(?:\.[A-Z0-9-]+)*)\b" },
    Secret {
        kind: "host",
        pattern: r"(?i)\b((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|net|org|edu|gov|cn|local|localdomain|internal|intranet|intra|lan|corp|cloud|example|test))\b",
    },
    Secret {
        kind: "id",
        pattern: r"\b([0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})\b",
    },
    Secret { kind: "pci", pattern: r"\b([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\b" },
    Secret { kind: "mac", pattern: r"\b((?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2})\b" },
    Secret { kind: "mac", pattern: r"\b([0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})\b" },
    Secret {
        kind: "serial",
        pattern: r"(?i)\b(?:serial(?:[ _-]?(?:number|no))?|s/n)(?:\s*[:=]\s*|\s+is\s+|\s+)([A-Za-z0-9-]*[0-9][A-Za-z0-9-]*)",
    },
];

/// Text that may be an address. A parser decides whether the text is an address.
const ADDRESS: &str = r"[0-9A-Fa-f:.]*[0-9A-Fa-f:]";

/// Redacts names and secrets.
#[derive(Debug)]
pub struct Redactor {
    /// Known names with their tokens, longest first.
    words: Vec<(String, String)>,
    patterns: Vec<(&'static str, Regex)>,
    address: Regex,
    token: Regex,
    /// The assigned tokens, by kind and text.
    given: Mutex<BTreeMap<&'static str, BTreeMap<String, usize>>>,
}

/// The names of a machine and of the user who runs this process.
#[derive(Debug, Default, Clone)]
pub(crate) struct Names {
    pub hosts: BTreeSet<String>,
    pub users: BTreeSet<String>,
    pub homes: BTreeSet<String>,
}

impl Redactor {
    /// Creates a redactor that knows the names of this machine and user, and of the machine whose file system is at
    /// `root`.
    pub fn new(root: &Path, secrets: &[Secret]) -> Redactor {
        let mut names = Names::of(Path::new("/"));
        if root != Path::new("/") {
            names.hosts.extend(Names::of(root).hosts);
        }
        Redactor::knowing(&names, secrets)
    }

    pub(crate) fn knowing(names: &Names, secrets: &[Secret]) -> Redactor {
        let mut words = Vec::new();
        for (kind, known) in [("host", &names.hosts), ("user", &names.users), ("home", &names.homes)] {
            let telling = known.iter().filter(|name| tells(name));
            words.extend(telling.enumerate().map(|(at, name)| (name.clone(), format!("<{kind}-{}>", at + 1))));
        }
        words.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then(a.cmp(b)));
        let compiled = |secret: &Secret| (secret.kind, Regex::new(secret.pattern).expect("patterns are tested"));
        Redactor {
            words,
            patterns: SECRETS.iter().chain(secrets).map(compiled).collect(),
            address: Regex::new(ADDRESS).expect("it is tested"),
            token: Regex::new(r"<[a-z]+-[0-9]+>").expect("it is tested"),
            given: Mutex::default(),
        }
    }

    /// Redacts all names and secrets in a text. The number of lines stays the same.
    pub fn text(&self, text: &str) -> String {
        text.split('\n').map(|line| self.until_still(line, |line| self.once(line))).collect::<Vec<_>>().join("\n")
    }

    /// Redacts the known names in a text: for paths and messages, in which a version may look like an address.
    pub fn names(&self, text: &str) -> String {
        self.until_still(text, |text| self.outside_tokens(text, |part| self.words(part)))
    }

    /// Repeats a pass until nothing changes, because inserting a token may expose another match.
    fn until_still(&self, text: &str, pass: impl Fn(&str) -> String) -> String {
        let mut text = text.to_owned();
        loop {
            let next = pass(&text);
            if next == text {
                return text;
            }
            text = next;
        }
    }

    fn once(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (kind, pattern) in &self.patterns {
            line = self.outside_tokens(&line, |part| self.matches(kind, pattern, part));
        }
        line = self.outside_tokens(&line, |part| self.words(part));
        self.outside_tokens(&line, |part| self.addresses(part))
    }

    fn outside_tokens(&self, text: &str, change: impl Fn(&str) -> String) -> String {
        let (mut changed, mut at) = (String::with_capacity(text.len()), 0);
        for token in self.token.find_iter(text) {
            changed.push_str(&change(&text[at..token.start()]));
            changed.push_str(token.as_str());
            at = token.end();
        }
        changed + &change(&text[at..])
    }

    fn matches(&self, kind: &'static str, pattern: &Regex, text: &str) -> String {
        let (mut changed, mut at) = (String::with_capacity(text.len()), 0);
        for found in pattern.captures_iter(text) {
            let Some(part) = found.get(1).or_else(|| found.get(0)) else { continue };
            changed.push_str(&text[at..part.start()]);
            changed.push_str(&self.token_of(kind, part.as_str()));
            at = part.end();
        }
        changed + &text[at..]
    }

    fn words(&self, text: &str) -> String {
        let mut changed = text.to_owned();
        for (word, token) in &self.words {
            changed = self.outside_tokens(&changed, |part| replace_word(part, word, token));
        }
        changed
    }

    fn addresses(&self, text: &str) -> String {
        let (mut changed, mut at) = (String::with_capacity(text.len()), 0);
        for found in self.address.find_iter(text) {
            let adjacent = text[..found.start()].ends_with(is_word) || text[found.end()..].starts_with(is_word);
            let shown = found.as_str();
            let long = |text: &str| text.parse::<Ipv6Addr>().is_ok_and(|address| !address.is_unspecified());
            if adjacent {
                continue;
            }
            let token = if long(shown) {
                self.token_of("ip", shown)
            } else if let Some((address, port)) = split_port(shown) {
                format!("{}{port}", self.token_of("ip", address))
            } else {
                continue;
            };
            changed.push_str(&text[at..found.start()]);
            changed.push_str(&token);
            at = found.end();
        }
        changed + &text[at..]
    }

    fn token_of(&self, kind: &'static str, text: &str) -> String {
        if let Some((_, token)) = self.words.iter().find(|(word, _)| word == text) {
            return token.clone();
        }
        // The first numbers of each kind belong to known names.
        let known = self.words.iter().filter(|(_, token)| token.starts_with(&format!("<{kind}-"))).count();
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let of_kind = given.entry(kind).or_default();
        let next = of_kind.len() + 1;
        format!("<{kind}-{}>", known + *of_kind.entry(text.to_owned()).or_insert(next))
    }
}

impl Names {
    /// Determines the names of a machine and of the user who runs this process.
    fn of(root: &Path) -> Names {
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let mut names = Names::default();
        for name in [text("proc/sys/kernel/hostname"), text("etc/hostname")] {
            let name = name.trim();
            names.hosts.insert(name.to_owned());
            names.hosts.extend(name.split_once('.').map(|(short, _)| short.to_owned()));
        }
        let variable = |name: &str| std::env::var(name).ok();
        names.users.extend(["USER", "LOGNAME", "SUDO_USER"].into_iter().filter_map(variable));
        names.homes.extend(variable("HOME"));
        let own = rustix::process::geteuid().as_raw().to_string();
        for line in text("etc/passwd").lines() {
            let fields: Vec<&str> = line.split(':').collect();
            if let [user, _, id, _, _, home, ..] = fields[..]
                && id == own
            {
                names.users.insert(user.to_owned());
                names.homes.insert(home.to_owned());
            }
        }
        names
    }
}

/// True if a name identifies its owner and cannot be mistaken for a number.
fn tells(name: &str) -> bool {
    let common = COMMON.contains(&name.trim_matches('/')) || name.chars().all(|c| c.is_ascii_digit() || c == '/');
    name.len() > 1 && !common && !name.contains(['<', '>', '\n'])
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

/// Splits `10.0.0.1:80` into the address and the port.
fn split_port(text: &str) -> Option<(&str, &str)> {
    let (address, port) = text.split_at(text.find(':').unwrap_or(text.len()));
    address.parse::<Ipv4Addr>().is_ok().then_some((address, port))
}

/// Replaces a word where no letter or digit is next to it.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let (mut changed, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(found) = text[at..].find(word) {
        let (start, end) = (at + found, at + found + word.len());
        // A neighboring letter continues a word. Text that does not begin or end with a letter, such as a path, is
        // always complete.
        let before = word.starts_with(is_word) && text[..start].ends_with(is_word);
        let after = word.ends_with(is_word) && text[end..].starts_with(is_word);
        changed.push_str(&text[at..start]);
        if before || after {
            let first = word.chars().next().map_or(1, char::len_utf8);
            changed.push_str(&text[start..start + first]);
            at = start + first;
        } else {
            changed.push_str(by);
            at = end;
        }
    }
    changed + &text[at..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn redactor() -> Redactor {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let names = Names {
            hosts: set(&["node17.example.org", "node17", "localhost"]),
            users: set(&["alice", "root"]),
            homes: set(&["/data/alice", "/root"]),
        };
        Redactor::knowing(&names, &[Secret { kind: "chip", pattern: r"\bchip id ([0-9A-F]{8})\b" }])
    }

    #[rstest]
    #[case::a_host("from node17.example.org, node17-ib0 and node170", "from <host-2>, <host-1>-ib0 and node170")]
    #[case::a_user("alice, malice and alice_2", "<user-1>, malice and <user-1>_2")]
    #[case::a_home("/data/alice/log and /data/alicent", "<home-1>/log and /data/alicent")]
    #[case::another_home("/home/bob/x /home/carol", "/home/<user-2>/x /home/<user-3>")]
    #[case::who_everybody_is("/root is root@localhost", "/root is root@localhost")]
    #[case::an_address("to 10.1.2.3:80 and 10.1.2.3", "to <ip-1>:80 and <ip-1>")]
    #[case::a_long_address("to [fe80::1ff:fe23:4567:890a]", "to [<ip-1>]")]
    #[case::no_address(
        "at 2026-03-04-05:06:07.101.202, 25.0.1.1.2, std::env",
        "at 2026-03-04-05:06:07.101.202, 25.0.1.1.2, std::env"
    )]
    #[case::a_card("eth 00:1a:2b:3c:4d:5e at 0000:c1:00.0", "eth <mac-1> at <pci-1>")]
    #[case::a_serial_number("Serial Number : 2102312NSF10K9000123, sn=3", "Serial Number : <serial-1>, sn=3")]
    #[case::mail("bob.b@example.com wrote", "<email-1> wrote")]
    #[case::an_id("uuid 123e4567-e89b-12d3-a456-426614174000", "uuid <id-1>")]
    #[case::what_the_runtime_has("chip id 4B8C1234", "chip id <chip-1>")]
    #[case::another_machine("from node-18.rack3.corp.example: no route", "from <host-3>: no route")]
    #[case::a_card_with_dots("eth 001A.2B3C.4D5E", "eth <mac-1>")]
    #[case::a_token_of_a_forge("token=ghp_abcdefghijklmnop1234 used", "token=<secret-1> used")]
    #[case::a_password("password: hunter2hunter2", "password: <secret-1>")]
    #[case::a_public_key("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ== x", "ssh-rsa <key-1> x")]
    #[case::a_home_of_windows(r"C:\Users\erin\log", r"C:\Users\<user-2>\log")]
    #[case::a_realm("BOB@CORP and memcpy@GLIBC_2.14", "<user-2> and memcpy@GLIBC_2.14")]
    #[case::a_library_and_a_count("libruntime.so.1, token 17, node.c:12", "libruntime.so.1, token 17, node.c:12")]
    #[case::an_address_in_memory(
        "start=0x12c700300000 current: 0x12c100010844",
        "start=0x12c700300000 current: 0x12c100010844"
    )]
    #[case::a_token("<host-1> <ip-7>", "<host-1> <ip-7>")]
    fn what_names_somebody_becomes_a_token(#[case] text: &str, #[case] redacted: &str) {
        assert_eq!(redactor().text(text), redacted);
    }

    #[test]
    fn the_same_has_the_same_token_in_every_text() {
        let redactor = redactor();
        assert_eq!(redactor.text("10.0.0.9"), "<ip-1>");
        assert_eq!(redactor.text("10.0.0.8\n10.0.0.9"), "<ip-2>\n<ip-1>");
        assert_eq!(redactor.names("/data/alice/8.2.0.1/lib on node17"), "<home-1>/8.2.0.1/lib on <host-1>");
    }

    fn secret() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("node17".to_owned()),
            Just("alice".to_owned()),
            Just("/data/alice".to_owned()),
            "[a-z]{3,8}@[a-z]{3,8}\\.org",
            any::<[u8; 4]>().prop_map(|bytes| Ipv4Addr::from(bytes).to_string()),
            any::<[u16; 8]>().prop_map(|parts| Ipv6Addr::from(parts.map(|part| part | 0x1000)).to_string()),
            any::<[u8; 6]>().prop_map(|bytes| bytes.map(|byte| format!("{byte:02x}")).join(":")),
            "[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]",
            "chip id [0-9A-F]{8}",
            "serial number: [0-9]{6,12}",
            "/home/[a-z]{3,8}",
        ]
    }

    /// The part of a secret that must no longer be visible.
    fn core(secret: &str) -> &str {
        let at = ["/home/", "chip id ", "serial number: "].iter().find_map(|start| secret.strip_prefix(start));
        at.unwrap_or(secret)
    }

    proptest! {
        #[test]
        fn nothing_of_a_secret_survives(parts in prop::collection::vec((secret(), "[ ,;()='\"|]{1,3}[g-z]{0,4} "), 1..8)) {
            let text: String = parts.iter().map(|(secret, behind)| format!("{secret}{behind}")).collect();
            let redacted = redactor().text(&text);
            for (secret, behind) in &parts {
                let elsewhere = parts.iter().any(|(_, other)| other.contains(core(secret))) || behind.contains(core(secret));
                prop_assert!(elsewhere || !redacted.contains(core(secret)), "{secret} in {redacted}");
            }
        }

        #[test]
        fn a_text_keeps_its_lines_and_is_redacted_once(
            parts in prop::collection::vec(prop_oneof![secret(), "[ -~\n]{0,12}", "[0-9a-f:.]{0,12}", "<[a-z]{1,4}-[0-9]>", "\\PC{0,4}"], 0..24)
        ) {
            let (redactor, text) = (redactor(), parts.concat());
            let once = redactor.text(&text);
            prop_assert_eq!(once.split('\n').count(), text.split('\n').count());
            prop_assert_eq!(redactor.text(&once), once);
        }
    }
}
