//! What a policy has: one ladder for each class of requests, a tail table, shares, a plan, or a budget
//! table.

use std::path::Path;
use std::sync::Arc;

use crate::budget_table::BudgetTable;
use crate::controller::{Actuator, Controller};
use crate::counters::Counters;
use crate::error::{refused, require, Refusal, Result};
use crate::flat_form::{flat_form_in, FormBoxes};
use crate::generated::tailc::policy;
use crate::ladder::Ladder;
use crate::options::Options;
use crate::plan::Plan;
use crate::shares::Shares;
use crate::tail_table::TailTable;

/// A policy that was checked, in memory.
///
/// Any number of threads may look up at once, also while another steps the controller.
#[derive(Debug)]
pub struct Policy {
    name: String,
    kind: String,
    policy_digest: String,
    generation: i64,
    signature_expires_s: Option<u64>,
    counters: Arc<Counters>,
    controller: Option<Arc<Controller>>,
    form: Form,
}

/// What a policy executes.
#[derive(Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // there is one for each policy
pub enum Form {
    /// One for each class of requests.
    Ladders(Vec<Ladder>),
    /// At which frequency a core runs.
    TailTable(TailTable),
    /// How much of a host each machine gets, as at first.
    Shares(Shares),
    /// What a datacentre does, and the servers that its own jobs leave.
    Plan(Plan),
    /// How many tokens an iteration of a language model's server batches.
    BudgetTable(BudgetTable),
}

impl Policy {
    /// The policy in a `.tailc` file; `Options` has further checks.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Options::new().open(path)
    }

    /// What it is for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of policy that it was compiled from.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// 1, 2, ...: the next number whenever the policy promises or does something else.
    pub fn generation(&self) -> i64 {
        self.generation
    }

    /// Unix second at which its checked signature expires; none if it never expires, or was not
    /// checked.
    pub fn signature_expires_s(&self) -> Option<u64> {
        self.signature_expires_s
    }

    /// Hex SHA-256 of the policy as canonical JSON.
    pub fn policy_digest(&self) -> &str {
        &self.policy_digest
    }

    /// What was counted since it, or the first that it took the place of, was opened.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// What scales the ages of climbs, or the bound of a tail table.
    pub fn controller(&self) -> Option<&Controller> {
        self.controller.as_deref()
    }

    /// What it executes.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The ladder for all classes of requests; refused as `other-form` or `unknown-class`.
    pub fn ladder(&self) -> Result<&Ladder> {
        let for_all = self.ladders()?.iter().find(|ladder| ladder.request_class().is_none());
        for_all.ok_or_else(|| refused(Refusal::UnknownClass, "no ladder for all requests"))
    }

    /// The ladder of a class, or the ladder for all classes if the class has none.
    pub fn ladder_of(&self, request_class: &str) -> Result<&Ladder> {
        let is_its = |ladder: &&Ladder| ladder.request_class() == Some(request_class);
        if let Some(own) = self.ladders()?.iter().find(is_its) {
            return Ok(own);
        }
        self.ladder().map_err(|_| {
            let why = format!("no ladder for class `{request_class}` of requests");
            refused(Refusal::UnknownClass, why)
        })
    }

    /// All ladders; refused as `other-form` where the policy has none, as what follows is.
    pub fn ladders(&self) -> Result<&[Ladder]> {
        match &self.form {
            Form::Ladders(ladders) => Ok(ladders),
            _ => Err(other_form("ladders")),
        }
    }

    /// The tail table.
    pub fn tail_table(&self) -> Result<&TailTable> {
        match &self.form {
            Form::TailTable(table) => Ok(table),
            _ => Err(other_form("a tail table")),
        }
    }

    /// The shares of a host as at first: tick a clone.
    pub fn shares(&self) -> Result<&Shares> {
        match &self.form {
            Form::Shares(shares) => Ok(shares),
            _ => Err(other_form("shares")),
        }
    }

    /// The plan with its own jobs alone: let others into a clone.
    pub fn plan(&self) -> Result<&Plan> {
        match &self.form {
            Form::Plan(plan) => Ok(plan),
            _ => Err(other_form("a plan")),
        }
    }

    /// The budget table.
    pub fn budget_table(&self) -> Result<&BudgetTable> {
        match &self.form {
            Form::BudgetTable(table) => Ok(table),
            _ => Err(other_form("a budget table")),
        }
    }

    pub(crate) fn read(
        payload: &[u8],
        counters: Arc<Counters>,
        signature_expires_s: Option<u64>,
    ) -> Result<Self> {
        let root = flat_form_in(payload)?;
        let (form, controller) = form_of(root.forms(), &counters)?;
        Ok(Self {
            name: root.name().to_owned(),
            kind: root.kind().to_owned(),
            policy_digest: root.policy_digest().to_owned(),
            generation: root.generation(),
            signature_expires_s,
            counters,
            controller,
            form,
        })
    }
}

fn other_form(wanted: &str) -> crate::Error {
    refused(Refusal::OtherForm, format!("the policy does not have {wanted}"))
}

/// What the forms are together: ladders or one form of another kind, and a controller of it last.
fn form_of(
    boxes: FormBoxes<'_>,
    counters: &Arc<Counters>,
) -> Result<(Form, Option<Arc<Controller>>)> {
    let last = boxes.len().checked_sub(1).and_then(|last| boxes.get(last).form_as_controller());
    let count = boxes.len() - usize::from(last.is_some());
    let steered: Vec<_> = boxes.iter().take(count).collect();
    require(
        steered.iter().all(|form| form.form_as_controller().is_none()),
        "`forms` must have at most one controller, as the last form",
    )?;
    let ladders: Vec<_> = steered.iter().filter_map(|form| form.form_as_ladder()).collect();
    require(
        count > 0 && (ladders.len() == count || (ladders.is_empty() && count == 1)),
        "`forms` must have exactly one of ladders, a tail table, shares, a plan and a budget table",
    )?;
    let controller = last.map(|form| Controller::read(&form)).transpose()?.map(Arc::new);
    require(
        controller.as_ref().is_none_or(|held| Some(held.acts_on()) == scaled_in(&steered[0])),
        "`acts_on` must be `climb-ages` with ladders and `latency-bound` with a tail table",
    )?;
    let form = if ladders.is_empty() {
        other_form_in(&steered[0], &controller, counters)?
    } else {
        Form::Ladders(ladders_of(&ladders, &controller, counters)?)
    };
    Ok((form, controller))
}

/// What a controller may scale in a form.
fn scaled_in(form: &policy::FormBox<'_>) -> Option<Actuator> {
    match form.form_type() {
        policy::Form::Ladder => Some(Actuator::ClimbAges),
        policy::Form::TailTable => Some(Actuator::LatencyBound),
        _ => None,
    }
}

fn other_form_in(
    form: &policy::FormBox<'_>,
    controller: &Option<Arc<Controller>>,
    counters: &Arc<Counters>,
) -> Result<Form> {
    if let Some(table) = form.form_as_tail_table() {
        return Ok(Form::TailTable(TailTable::read(&table, controller.clone(), counters.clone())?));
    }
    if let Some(shares) = form.form_as_shares() {
        return Ok(Form::Shares(Shares::read(&shares)?));
    }
    if let Some(plan) = form.form_as_plan() {
        return Ok(Form::Plan(Plan::read(&plan, counters.clone())?));
    }
    if let Some(table) = form.form_as_budget_table() {
        return Ok(Form::BudgetTable(BudgetTable::read(&table)?));
    }
    Err(refused(Refusal::UnknownForm, format!("unknown form `{}`", form.form_name())))
}

fn ladders_of(
    forms: &[policy::Ladder<'_>],
    controller: &Option<Arc<Controller>>,
    counters: &Arc<Counters>,
) -> Result<Vec<Ladder>> {
    let mut ladders: Vec<Ladder> = Vec::with_capacity(forms.len());
    for form in forms {
        let ladder = Ladder::read(form, controller.clone(), counters.clone())?;
        let class = ladder.request_class();
        require(
            ladders.iter().all(|other| other.request_class() != class),
            "two ladders have the same `request_class`",
        )?;
        ladders.push(ladder);
    }
    Ok(ladders)
}
