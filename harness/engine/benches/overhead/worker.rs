//! A worker without a session: runs as many cases of one rule as the benchmark wants.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use catalog::Rules;
use catalog::book::{encode_head, encode_rule};
use catalog::digest::hex;
use engine::case::Budget;
use engine::wire::flight::Flight;
use engine::wire::message::{Reply, Request, RunRule, Start};
use engine::wire::{FLIGHT, WORKER};
use steps::program::Readiness;

use super::Place;

pub struct Worker {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts a worker and waits until the runtime is set up.
    pub fn start(place: &Place) -> Worker {
        let memory = Flight::create().expect("the recorder's memory");
        let mut child = Command::new(std::env::current_exe().expect("this executable has a path"))
            .env(WORKER, "toy")
            .env(FLIGHT, format!("/proc/{}/fd/{}", std::process::id(), memory.as_raw_fd()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a worker starts");
        let requests = child.stdin.take().expect("it is piped");
        let replies = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut worker = Worker { child, requests, replies };
        let start = Start {
            product: "seven".to_owned(),
            head: hex(&encode_head(&place.rules()).expect("a checked catalog has a book")).into(),
            libraries: vec![Some(place.library.clone())],
            state: Readiness::Device,
            device: 0,
            memory: None,
            fenced_memory: false,
            through: None,
            mute: false,
        };
        let reply = worker.ask(&Request::Start(Box::new(start)));
        assert!(matches!(reply, Reply::Started(_)), "{reply:?}");
        worker
    }

    /// Gives the worker a rule.
    pub fn give(&mut self, rules: &Rules, rule: &str) {
        let rule = rules.rule(rule).expect("the benchmark's catalog has the rule");
        self.send(&Request::Rule(hex(&encode_rule(rule, rules).expect("a checked rule has bytes"))));
    }

    fn send(&mut self, request: &Request) {
        let mut line = serde_json::to_vec(request).expect("a request is JSON");
        line.push(b'\n');
        self.requests.write_all(&line).expect("the worker reads");
    }

    /// Sends a request and waits for its reply.
    pub fn ask(&mut self, request: &Request) -> Reply {
        self.send(request);
        let mut reply = String::new();
        self.replies.read_line(&mut reply).expect("the worker answers");
        serde_json::from_str(&reply).expect("a reply is JSON")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.ask(&Request::Stop);
        self.child.wait().expect("the worker ends");
    }
}

/// A request for a rule.
pub fn run(rule: &str) -> RunRule {
    RunRule {
        rule: rule.to_owned(),
        bytes: Default::default(),
        product: "seven".to_owned(),
        devices: 1,
        patience: 2_000,
        seed: 1,
        budget: Budget { cases: 1, repeats: 1, calls: u64::MAX, limit_milliseconds: 60_000, ..Budget::default() },
        known: Vec::new(),
        only: Vec::new(),
        ignored: None,
        observed: Vec::new(),
        left_out: Vec::new(),
        counts: false,
    }
}
