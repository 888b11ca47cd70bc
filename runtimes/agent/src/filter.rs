//! A filter of system calls: what this program never does after its start fails for it, whoever makes it.
//!
//! Files of the kernel stay writable, which is what the agent is for. Denied are other programs and
//! processes, mounts and namespaces, other users, modules and clocks; and sockets, affinities and counters
//! where no option needs them.

use crate::os::filter_calls;

/// System calls that the options need, and that are denied otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Sources of counters with an address: to Unix and internet sockets alone.
    pub connects: bool,
    /// Threads are moved.
    pub moves_threads: bool,
    /// Threads are counted.
    pub counts_threads: bool,
}

/// System calls that the agent does not need after its start.
const DENIED: &[libc::c_long] = &[
    // Other programs and processes.
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    // Users and rights.
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setgroups,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_capset,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_mknodat,
    libc::SYS_symlinkat,
    libc::SYS_linkat,
    // The kernel.
    libc::SYS_bpf,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_personality,
    // The socket of the metrics is open already.
    libc::SYS_bind,
    libc::SYS_listen,
];

/// Older forms of these calls.
#[cfg(target_arch = "x86_64")]
const OLD: &[libc::c_long] = &[
    libc::SYS_vfork,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_mknod,
    libc::SYS_symlink,
    libc::SYS_link,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[libc::c_long] = &[];

impl Filter {
    /// Applies the filter to all threads of this process and to its children. The error is a sentence.
    pub fn install(self) -> Result<(), String> {
        let mut denied = [DENIED, OLD].concat();
        let optional = [
            (self.connects, libc::SYS_socket),
            (self.connects, libc::SYS_connect),
            (self.moves_threads, libc::SYS_sched_setaffinity),
            (self.counts_threads, libc::SYS_perf_event_open),
        ];
        denied.extend(optional.iter().filter(|(is_needed, _)| !is_needed).map(|(_, call)| *call));
        filter_calls(&denied).map_err(|why| format!("system calls are not filtered: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind::PermissionDenied;
    use std::net::{TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command;
    use std::{fs, io};

    use super::*;
    use crate::os::{affinity, open_counter, set_affinity, Child, Counted, Event};

    /// Whether each of these fails with EPERM in a child that has the filter.
    fn denied_in_child(filter: Filter, calls: fn() -> Vec<(bool, io::Result<()>)>) {
        let child = Child::start(move || {
            if let Err(why) = filter.install() {
                eprintln!("{why}");
                return 99;
            }
            let wrong = calls().into_iter().position(|(is_denied, done)| {
                let is_eperm = done.is_err_and(|why| why.raw_os_error() == Some(libc::EPERM));
                is_denied != is_eperm
            });
            wrong.map_or(0, |at| at as u8 + 1)
        });
        assert_eq!(child.unwrap().end(), Some(0), "the number of the first wrong call");
    }

    #[test]
    fn what_no_option_needs_is_denied_and_files_stay_writable() {
        denied_in_child(Filter::default(), || {
            let cycles = Event { kind: 1, number: 0 };
            let own = affinity(0);
            vec![
                (true, Command::new("/bin/true").spawn().map(drop)),
                (true, UdpSocket::bind("127.0.0.1:0").map(drop)),
                (true, UnixStream::connect("/none").map(drop)),
                (true, TcpStream::connect("127.0.0.1:9").map(drop)),
                (true, own.and_then(|cpus| set_affinity(0, &cpus))),
                (true, open_counter(cycles, Counted::Thread(0), None).map(drop)),
                (true, std::os::unix::fs::symlink("/none", "/tmp/none/tailc").map(drop)),
                (true, std::os::unix::fs::chroot("/")),
                (false, fs::read("/proc/self/status").map(drop)),
                (false, fs::File::create("/dev/null").map(drop)),
                (false, std::thread::spawn(|| ()).join().map_err(|_| PermissionDenied.into())),
            ]
        });
    }

    #[test]
    fn what_options_need_is_not_denied() {
        let filter = Filter { connects: true, moves_threads: true, counts_threads: true };
        denied_in_child(filter, || {
            vec![
                (false, TcpStream::connect("127.0.0.1:9").map(drop)),
                (false, UnixStream::connect("/none").map(drop)),
                (false, affinity(0).and_then(|cpus| set_affinity(0, &cpus))),
                (true, Command::new("/bin/true").spawn().map(drop)),
            ]
        });
    }
}
