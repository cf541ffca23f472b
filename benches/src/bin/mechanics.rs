//! The tree algorithms on the mechanisms of the bench: prints a mechanism with our answers, times a call.
//!
//! A call does what a user needs for one answer: sines and cosines of q, poses and velocities of the
//! bodies, then the algorithm. Seconds are processor time of one thread.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench speaks to who runs it")]
#![allow(non_snake_case)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use cpu_time::ThreadTime;
use serde_json::{Value, json};
use stiction_bench::mechanisms::{Link, LinkJoint, Mechanism, rows};
use stiction_sim::tree::{aba, crba, kinematics, rnea};
use stiction_sim::{Coordinates, Data, Model};

#[derive(Parser)]
#[command(about = "Inverse dynamics, mass matrix and forward dynamics of generated mechanisms")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Print a mechanism, a state of it and our answers there, as JSON
    Print { mechanism: String },
    /// Answer each line `MECHANISM ALGORITHM CALLS` with the seconds of that many calls
    Time,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Algorithm {
    Rnea,
    Crba,
    Aba,
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Print { mechanism } => Subject::named(&mechanism).map(|mut subject| {
            println!("{}", subject.description());
        }),
        Task::Time => answer_lines(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer_lines() -> io::Result<()> {
    let mut subjects = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[name, algorithm, calls] = &words[..] else {
            return Err(io::Error::other(format!("not MECHANISM ALGORITHM CALLS: {line}")));
        };
        let algorithm = Algorithm::from_str(algorithm, false).map_err(io::Error::other)?;
        let calls: u32 = calls.parse().map_err(io::Error::other)?;
        if !subjects.contains_key(name) {
            subjects.insert(name.to_string(), Subject::named(name)?);
        }
        if let Some(subject) = subjects.get_mut(name) {
            println!("{}", subject.seconds(algorithm, calls));
            io::stdout().flush()?;
        }
    }
    Ok(())
}

/// A mechanism and the memory of the algorithms.
struct Subject {
    name: String,
    mechanism: Mechanism,
    model: Model,
    data: Data,
    /// Joint forces at which forward dynamics must answer the mechanism's accelerations.
    tau: Vec<f64>,
    answer: Vec<f64>,
}

impl Subject {
    fn named(name: &str) -> io::Result<Self> {
        let mechanism = Mechanism::named(name)
            .ok_or_else(|| io::Error::other(format!("no mechanism {name}")))?;
        let model = mechanism.spec().build(Coordinates::Generalized).map_err(io::Error::other)?;
        let data = Data::new(&model);
        let answer = vec![0.0; model.nv()];
        let name = name.to_string();
        let mut subject = Self { name, mechanism, model, data, tau: answer.clone(), answer };
        subject.call(Algorithm::Rnea);
        subject.tau.copy_from_slice(&subject.answer);
        Ok(subject)
    }

    fn call(&mut self, algorithm: Algorithm) {
        let Self { mechanism, model, data, tau, answer, .. } = self;
        let Mechanism { q, v, a, .. } = black_box(&*mechanism);
        match algorithm {
            Algorithm::Rnea => {
                kinematics::update(model, q, v, data);
                rnea::inverse_dynamics(model, data, a, None, answer);
            }
            Algorithm::Crba => {
                kinematics::update_positions(model, q, data);
                crba::mass_matrix(model, data);
            }
            Algorithm::Aba => {
                kinematics::update(model, q, v, data);
                aba::forward_dynamics(model, data, tau, None, answer).expect("every link has mass");
            }
        }
    }

    fn seconds(&mut self, algorithm: Algorithm, calls: u32) -> f64 {
        let start = ThreadTime::now();
        for _ in 0..calls {
            self.call(algorithm);
            black_box(&*self);
        }
        start.elapsed().as_secs_f64()
    }

    /// The mechanism, its state and our answers.
    fn description(&mut self) -> Value {
        self.call(Algorithm::Crba);
        let M = crba::mass_matrix(&self.model, &mut self.data).to_dense(self.model.pattern());
        self.call(Algorithm::Aba);
        let Mechanism { links, q, v, a } = &self.mechanism;
        json!({
            "name": self.name,
            "gravity": self.model.gravity().as_slice(),
            "links": links.iter().map(link_to_json).collect::<Vec<_>>(),
            "q": q, "v": v, "a": a, "tau": self.tau, "aba": self.answer,
            "mass_matrix": M.row_iter().map(|row| row.iter().copied().collect()).collect::<Vec<Vec<f64>>>(),
        })
    }
}

fn link_to_json(link: &Link) -> Value {
    let (joint, axis) = match link.joint {
        LinkJoint::Free => ("free", None),
        LinkJoint::Revolute { axis } => ("revolute", Some(axis.data.0[0])),
    };
    json!({
        "parent": link.parent,
        "joint": joint,
        "axis": axis,
        "p": link.p.as_slice(),
        "quat_wxyz": link.quat.to_wxyz(),
        "mass": link.inertia.mass,
        "com": link.inertia.com.as_slice(),
        "I_com": rows(&link.inertia.I_com),
    })
}
