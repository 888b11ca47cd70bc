//! The processor time of a thread, which the standard library does not have.

pub(crate) use clock::thread_time_ns;

#[cfg(target_os = "linux")]
mod clock {
    use std::ffi::{c_int, c_long};

    const THREAD_CPUTIME: c_int = 3;

    /// A `timespec` of C.
    #[repr(C)]
    #[derive(Default)]
    struct Time {
        seconds: c_long,
        nanoseconds: c_long,
    }

    /// The processor time of this thread [ns]. In `/proc/thread-self/schedstat` it is that of the last
    /// tick of the kernel, which may be some milliseconds ago.
    pub(crate) fn thread_time_ns() -> Option<u64> {
        let mut used = Time::default();
        libc::get(&mut used).then(|| used.seconds as u64 * 1_000_000_000 + used.nanoseconds as u64)
    }

    /// The standard library links libc, but has no name for this.
    #[allow(unsafe_code)]
    mod libc {
        use super::{c_int, Time, THREAD_CPUTIME};

        extern "C" {
            fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
        }

        pub(super) fn get(time: &mut Time) -> bool {
            // SAFETY: the call writes one `timespec`, which outlives it.
            unsafe { clock_gettime(THREAD_CPUTIME, time) == 0 }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod clock {
    /// None: it is only read on Linux.
    pub(crate) fn thread_time_ns() -> Option<u64> {
        None
    }
}
