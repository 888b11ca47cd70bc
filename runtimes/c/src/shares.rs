//! Shares of a host, which have a state.

use tailc_runtime::{Error, Result, Shares};

use crate::border::*;
use crate::policy::Handle;

/// Shares in their first state.
#[no_mangle]
pub unsafe extern "C" fn tailc_shares_new(
    policy: *const Handle,
    shares: *mut *mut Shares,
) -> Status {
    status_of(|| put_handle(shares, held(policy)?.shares()?.clone()))
}

/// Frees shares.
#[no_mangle]
pub unsafe extern "C" fn tailc_shares_free(shares: *mut Shares) {
    drop_handle(shares);
}

/// What shares have; `granted_ppm` is valid until the next tick.
#[repr(C)]
pub struct SharesInfo {
    granted_ppm: *const i64,
    machines: usize,
    served: usize,
    window_us: i64,
    estimate_us: i64,
    step_us: i64,
    enforce_us: i64,
    host_ppm: i64,
    least_ppm: i64,
}

/// Numbers of shares.
#[no_mangle]
pub unsafe extern "C" fn tailc_shares_info(shares: *const Shares, info: *mut SharesInfo) -> Status {
    status_of(|| {
        let shares = held(shares)?;
        put(
            info,
            SharesInfo {
                granted_ppm: shares.granted_ppm().as_ptr(),
                machines: shares.machines().len(),
                served: shares.served().len(),
                window_us: shares.window_us(),
                estimate_us: shares.estimate_us(),
                step_us: shares.step_us(),
                enforce_us: shares.enforce_us(),
                host_ppm: shares.host_ppm(),
                least_ppm: shares.least_ppm(),
            },
        )
    })
}

/// The name of a machine of the host, and its target.
#[no_mangle]
pub unsafe extern "C" fn tailc_shares_machine(
    shares: *const Shares,
    index: usize,
    name: *mut Text,
    target_milli: *mut i64,
) -> Status {
    status_of(|| {
        let machine = held(shares)?.machines().get(index).ok_or(NO_MACHINE)?;
        check_output(target_milli)?;
        put(name, Text::of(&machine.name))?;
        put(target_milli, machine.target_milli.unwrap_or(-1))
    })
}

const NO_MACHINE: Error = Error::InvalidArgument("there is no machine of this number");

/// Ticks the shares, with a number for each served machine; `waiting` may be NULL.
#[no_mangle]
pub unsafe extern "C" fn tailc_shares_tick(
    shares: *mut Shares,
    throughput: *const f64,
    waiting: *const u64,
    served: usize,
) -> Status {
    status_of(|| tick(held_mut(shares)?, throughput, waiting, served))
}

unsafe fn tick(
    shares: &mut Shares,
    throughput: *const f64,
    waiting: *const u64,
    served: usize,
) -> Result<()> {
    let throughput = array(throughput, served)?;
    if waiting.is_null() {
        shares.tick(throughput)?;
    } else {
        shares.tick_waiting(throughput, array(waiting, served)?)?;
    }
    Ok(())
}

/// What is estimated of a machine with a target.
#[repr(C)]
pub struct Served {
    a: f64,
    b: f64,
    believed_a: f64,
    believed_b: f64,
    short_steps: i64,
    cap_ppm: i64,
    cannot_meet: u8,
}

/// A machine with a target, by its number among these.
#[no_mangle]
pub unsafe extern "C" fn tailc_shares_served(
    shares: *const Shares,
    index: usize,
    served: *mut Served,
) -> Status {
    status_of(|| {
        let shares = held(shares)?;
        let one = shares.served().get(index).ok_or(NO_MACHINE)?;
        put(
            served,
            Served {
                a: one.a,
                b: one.b,
                believed_a: one.believed.0,
                believed_b: one.believed.1,
                short_steps: one.short_steps,
                cap_ppm: one.cap_ppm(),
                cannot_meet: u8::from(shares.cannot_meet()[index]),
            },
        )
    })
}
