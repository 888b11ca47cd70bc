//! Ladders and their look-ups.

use std::ffi::c_char;

use tailc_runtime::{Error, Ladder, Lane, LoadAxis, Start};

use crate::border::*;
use crate::policy::Handle;

const NONE: i64 = -1;

/// Number of ladders of a policy.
#[no_mangle]
pub unsafe extern "C" fn tailc_ladder_count(policy: *const Handle, count: *mut usize) -> Status {
    status_of(|| put(count, held(policy)?.ladders()?.len()))
}

/// A ladder by its number.
#[no_mangle]
pub unsafe extern "C" fn tailc_ladder_at(
    policy: *const Handle,
    index: usize,
    ladder: *mut *const Ladder,
) -> Status {
    status_of(|| {
        let found = held(policy)?.ladders()?.get(index);
        put(ladder, found.ok_or(Error::InvalidArgument("there is no ladder of this number"))?)
    })
}

/// The ladder of a class; NULL: the ladder for all classes.
#[no_mangle]
pub unsafe extern "C" fn tailc_ladder_of(
    policy: *const Handle,
    request_class: *const c_char,
    ladder: *mut *const Ladder,
) -> Status {
    status_of(|| {
        let policy = held(policy)?;
        let found = match optional_text(request_class)? {
            Some(name) => policy.ladder_of(name)?,
            None => policy.ladder()?,
        };
        put(ladder, found)
    })
}

/// What a look-up gives.
#[repr(C)]
pub struct Answer {
    start: i32,
    rung: u32,
    wait_us: u64,
}

fn answer_of(found: tailc_runtime::Answer) -> Answer {
    let (start, wait_us) = match found.start {
        Start::Now => (0, 0),
        Start::WaitUs(left_us) => (1, left_us),
        Start::OnExit => (2, 0),
    };
    Answer { start, rung: found.rung as u32, wait_us }
}

/// Looks up a request.
#[no_mangle]
pub unsafe extern "C" fn tailc_ladder_lookup(
    ladder: *const Ladder,
    load: u64,
    waited_us: u64,
    executed_us: u64,
    answer: *mut Answer,
) -> Status {
    status_of(|| {
        let found = held(ladder)?.lookup(load, waited_us, executed_us);
        put(answer, answer_of(found))
    })
}

/// Looks up with an output of the controller.
#[no_mangle]
pub unsafe extern "C" fn tailc_ladder_lookup_scaled(
    ladder: *const Ladder,
    load: u64,
    waited_us: u64,
    executed_us: u64,
    output_ppm: u64,
    answer: *mut Answer,
) -> Status {
    status_of(|| {
        let found = held(ladder)?.lookup_scaled(load, waited_us, executed_us, output_ppm)?;
        put(answer, answer_of(found))
    })
}

/// What a ladder has.
#[repr(C)]
pub struct LadderInfo {
    request_class: Text,
    load_axis: i32,
    is_first_rung_outside: u8,
    rungs: usize,
    cost_units: usize,
    rules: usize,
    quantum_us: i64,
    min_load: u64,
    max_load: u64,
    longest_delay_us: u64,
    last_climb_us: u64,
    boost_unit: i64,
    boost_below_ppm: i64,
}

/// Numbers of a ladder.
#[no_mangle]
pub unsafe extern "C" fn tailc_ladder_info(ladder: *const Ladder, info: *mut LadderInfo) -> Status {
    status_of(|| {
        let ladder = held(ladder)?;
        let (guard, boost) = (ladder.guard(), ladder.boost());
        put(
            info,
            LadderInfo {
                request_class: Text::of_optional(ladder.request_class()),
                load_axis: i32::from(ladder.load_axis() == LoadAxis::Rate),
                is_first_rung_outside: u8::from(guard.is_first_rung_outside),
                rungs: ladder.rungs().len(),
                cost_units: ladder.cost_units().len(),
                rules: ladder.rules().len(),
                quantum_us: ladder.quantum_us(),
                min_load: guard.min_load,
                max_load: guard.max_load,
                longest_delay_us: ladder.longest_delay_us(),
                last_climb_us: ladder.last_climb_us(),
                boost_unit: boost.map_or(NONE, |one| one.unit as i64),
                boost_below_ppm: boost.map_or(NONE, |one| one.below_ppm),
            },
        )
    })
}

/// The word of a rule by its number.
#[no_mangle]
pub unsafe extern "C" fn tailc_ladder_rule(
    ladder: *const Ladder,
    index: usize,
    name: *mut Text,
) -> Status {
    status_of(|| {
        let rule = held(ladder)?.rules().get(index);
        let rule = rule.ok_or(Error::InvalidArgument("there is no rule of this number"))?;
        put(name, Text::of(rule.name()))
    })
}

/// What a rung is.
#[repr(C)]
pub struct RungSetting {
    name: Text,
    core_type: Text,
    cost_ppm: *const i64,
    speed_ppm: i64,
    move_us: i64,
    threads: i64,
    frequency_khz: i64,
    one_thread_ppm: i64,
    lane: i32,
}

/// A rung by its number.
#[no_mangle]
pub unsafe extern "C" fn tailc_ladder_rung(
    ladder: *const Ladder,
    index: usize,
    setting: *mut RungSetting,
) -> Status {
    status_of(|| {
        let rung = held(ladder)?.settings().get(index);
        let rung = rung.ok_or(Error::InvalidArgument("there is no rung of this number"))?;
        put(
            setting,
            RungSetting {
                name: Text::of(&rung.name),
                core_type: Text::of_optional(rung.core_type.as_deref()),
                cost_ppm: rung.cost_ppm.as_ptr(),
                speed_ppm: rung.speed_ppm,
                move_us: rung.move_us.unwrap_or(NONE),
                threads: rung.threads.unwrap_or(NONE),
                frequency_khz: rung.frequency_khz.unwrap_or(NONE),
                one_thread_ppm: rung.one_thread_ppm.unwrap_or(NONE),
                lane: match rung.lane {
                    None => 0,
                    Some(Lane::Shared) => 1,
                    Some(Lane::Alone) => 2,
                },
            },
        )
    })
}

/// Whether an arriving request is refused, and the part of its work to do.
#[no_mangle]
pub unsafe extern "C" fn tailc_overload_arrival(
    ladder: *const Ladder,
    in_system: u64,
    is_refused: *mut u8,
    work_ppm: *mut u64,
) -> Status {
    status_of(|| {
        let rules = held(ladder)?.overload();
        check_output(work_ppm)?;
        put(is_refused, u8::from(rules.refuses(in_system)))?;
        put(work_ppm, rules.work_ppm(in_system))
    })
}

/// Whether a running request leaves unfinished.
#[no_mangle]
pub unsafe extern "C" fn tailc_overload_cuts_off(
    ladder: *const Ladder,
    waited_us: u64,
    executed_us: u64,
    is_cut_off: *mut u8,
) -> Status {
    status_of(|| {
        let rules = held(ladder)?.overload();
        put(is_cut_off, u8::from(rules.cuts_off(waited_us, executed_us)))
    })
}

/// The cost unit that starts depend on; -1 without one.
#[no_mangle]
pub unsafe extern "C" fn tailc_sharing_unit(ladder: *const Ladder, unit: *mut i64) -> Status {
    status_of(|| {
        let found = held(ladder)?.sharing().start_unit();
        put(unit, found.map_or(NONE, |index| index as i64))
    })
}

/// Whether the first waiting request starts.
#[no_mangle]
pub unsafe extern "C" fn tailc_sharing_starts(
    ladder: *const Ladder,
    in_use_ppm: u64,
    is_started: *mut u8,
) -> Status {
    status_of(|| put(is_started, u8::from(held(ladder)?.sharing().starts(in_use_ppm))))
}

/// Whether a running request moves to the first rung.
#[no_mangle]
pub unsafe extern "C" fn tailc_sharing_gives_up(
    ladder: *const Ladder,
    waited_us: u64,
    executed_us: u64,
    has_given_up: *mut u8,
) -> Status {
    status_of(|| {
        let rules = held(ladder)?.sharing();
        put(has_given_up, u8::from(rules.gives_up(waited_us, executed_us)))
    })
}
