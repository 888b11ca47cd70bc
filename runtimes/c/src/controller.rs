//! The controller of a policy.

use tailc_runtime::{Actuator, Controller, Error};

use crate::border::*;
use crate::policy::Handle;

/// What a controller is.
#[repr(C)]
pub struct ControllerInfo {
    acts_on: i32,
    percentile_ppm: i64,
    target_us: i64,
    epoch_requests: i64,
    window_requests: i64,
    last_rate_mrps: u64,
    output: i64,
    output_ppm: i64,
}

unsafe fn controller_of<'a>(policy: *const Handle) -> tailc_runtime::Result<&'a Controller> {
    held(policy)?.controller().ok_or(Error::InvalidArgument("the policy has no controller"))
}

/// Whether there is a controller.
#[no_mangle]
pub unsafe extern "C" fn tailc_has_controller(policy: *const Handle, is_there: *mut u8) -> Status {
    status_of(|| put(is_there, u8::from(held(policy)?.controller().is_some())))
}

/// Numbers of the controller, and its output.
#[no_mangle]
pub unsafe extern "C" fn tailc_controller_info(
    policy: *const Handle,
    info: *mut ControllerInfo,
) -> Status {
    status_of(|| {
        let controller = controller_of(policy)?;
        put(
            info,
            ControllerInfo {
                acts_on: i32::from(controller.acts_on() == Actuator::LatencyBound),
                percentile_ppm: controller.percentile_ppm(),
                target_us: controller.target_us(),
                epoch_requests: controller.epoch_requests(),
                window_requests: controller.window_requests(),
                last_rate_mrps: controller.gains().last().map_or(0, |row| row.first_rate_mrps),
                output: controller.output(),
                output_ppm: controller.output_ppm(),
            },
        )
    })
}

/// Steps the controller after an epoch.
#[no_mangle]
pub unsafe extern "C" fn tailc_controller_step(
    policy: *const Handle,
    measured_us: u64,
    rate_mrps: u64,
    output_ppm: *mut i64,
) -> Status {
    status_of(|| {
        check_output(output_ppm)?;
        put(output_ppm, controller_of(policy)?.step(measured_us, rate_mrps))
    })
}
