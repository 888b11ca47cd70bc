//! Calls of the operating system that std lacks; the only unsafe code of the agent.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::time::Duration;

/// CLOCK_MONOTONIC, as all processes of the machine read it.
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec, and this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// SIGINT, SIGTERM and SIGHUP, which do not end this process from now on.
#[derive(Debug)]
pub struct Signals {
    set: libc::sigset_t,
}

impl Signals {
    /// Before any thread starts, because threads inherit what is blocked.
    pub fn block() -> Self {
        let mut set = MaybeUninit::uninit();
        // SAFETY: sigemptyset initialises the set before it is used.
        let set = unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            let mut set = set.assume_init();
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
                libc::sigaddset(&mut set, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
            set
        };
        Self { set }
    }

    /// Sleeps for that time; true as soon as one of the signals has come.
    pub fn wait(&self, time: Duration) -> bool {
        let time = libc::timespec {
            tv_sec: time.as_secs() as libc::time_t,
            tv_nsec: time.subsec_nanos().into(),
        };
        // SAFETY: both pointers are valid during the call, and the third may be null.
        unsafe { libc::sigtimedwait(&self.set, std::ptr::null_mut(), &time) > 0 }
    }
}

/// A session of its own, so that signals of a terminal do not arrive.
pub fn leave_session() {
    // SAFETY: no arguments; where it fails, the process leads a session already.
    unsafe { libc::setsid() };
}
