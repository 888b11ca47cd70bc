//! The state machine of a server.

use std::ffi::c_char;
use std::sync::Arc;

use tailc_runtime::{DecisionKind, Schedule};

use crate::border::*;
use crate::policy::Handle;

const NEVER: u64 = u64::MAX;

/// A schedule without requests.
#[no_mangle]
pub unsafe extern "C" fn tailc_schedule_new(
    policy: *const Handle,
    now_ns: u64,
    schedule: *mut *mut Schedule,
) -> Status {
    status_of(|| put_handle(schedule, Schedule::new(Arc::clone(held(policy)?), now_ns)?))
}

/// Frees a schedule.
#[no_mangle]
pub unsafe extern "C" fn tailc_schedule_free(schedule: *mut Schedule) {
    drop_handle(schedule);
}

/// A request arrives; its number is 0 if it is refused.
#[no_mangle]
pub unsafe extern "C" fn tailc_schedule_arrive(
    schedule: *mut Schedule,
    now_ns: u64,
    request_class: *const c_char,
    request: *mut u64,
    work_ppm: *mut u64,
) -> Status {
    status_of(|| {
        check_output(request)?;
        check_output(work_ppm)?;
        let class = optional_text(request_class)?;
        let arrival = held_mut(schedule)?.arrive(now_ns, class)?;
        put(request, arrival.map_or(0, |one| one.request))?;
        put(work_ppm, arrival.map_or(0, |one| one.work_ppm))
    })
}

/// A request leaves.
#[no_mangle]
pub unsafe extern "C" fn tailc_schedule_exit(
    schedule: *mut Schedule,
    request: u64,
    now_ns: u64,
) -> Status {
    status_of(|| {
        held_mut(schedule)?.exit(request, now_ns);
        Ok(())
    })
}

/// Handles the first due timer.
#[no_mangle]
pub unsafe extern "C" fn tailc_schedule_wake(schedule: *mut Schedule, now_ns: u64) -> Status {
    status_of(|| {
        held_mut(schedule)?.wake(now_ns);
        Ok(())
    })
}

/// Time of the next timer; `UINT64_MAX` without one.
#[no_mangle]
pub unsafe extern "C" fn tailc_schedule_due(schedule: *mut Schedule, due_ns: *mut u64) -> Status {
    status_of(|| put(due_ns, held_mut(schedule)?.due_ns().unwrap_or(NEVER)))
}

/// Uses another policy.
#[no_mangle]
pub unsafe extern "C" fn tailc_schedule_reload(
    schedule: *mut Schedule,
    policy: *const Handle,
    now_ns: u64,
) -> Status {
    status_of(|| held_mut(schedule)?.reload(Arc::clone(held(policy)?), now_ns))
}

/// What the server must do with a request.
#[repr(C)]
pub struct Decision {
    kind: i32,
    is_boosted: u8,
    request: u64,
    rung: usize,
    threads: usize,
    core: i64,
}

/// Takes the next decisions, at most `most` of them.
#[no_mangle]
pub unsafe extern "C" fn tailc_schedule_decisions(
    schedule: *mut Schedule,
    decisions: *mut Decision,
    most: usize,
    count: *mut usize,
) -> Status {
    status_of(|| {
        let made = &mut held_mut(schedule)?.decisions;
        let taken = made.len().min(most);
        check_output(count)?;
        if taken > 0 {
            check_output(decisions)?;
        }
        for (index, one) in made.drain(..taken).enumerate() {
            let decision = Decision {
                kind: match one.kind {
                    DecisionKind::Start => 0,
                    DecisionKind::Climb => 1,
                    DecisionKind::Descend => 2,
                    DecisionKind::CutOff => 3,
                },
                is_boosted: u8::from(one.is_boosted),
                request: one.request,
                rung: one.rung,
                threads: one.threads,
                core: one.core.map_or(-1, |core| core as i64),
            };
            put(decisions.wrapping_add(index), decision)?;
        }
        put(count, taken)
    })
}
