//! Calls of the operating system that std lacks; the only unsafe code of the agent.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::mem::{size_of, MaybeUninit};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::cpus::cpus_in;

/// CLOCK_MONOTONIC, as all processes of the machine read it.
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec, and this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The user whose rights this process has.
pub fn user() -> u32 {
    // SAFETY: no arguments, and it cannot fail.
    unsafe { libc::geteuid() }
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

/// A child of this process, which sees the end of a pipe when this process ends.
#[derive(Debug)]
pub struct Child {
    id: libc::pid_t,
    pipe: Option<OwnedFd>,
}

impl Child {
    /// Runs a function in a copy of this process, which ends with the returned code. Its standard input is
    /// the pipe. Only the pipe and standard error stay open, so that it holds no lock of its parent.
    pub fn start(work: impl FnOnce() -> u8) -> io::Result<Self> {
        const NULL: &CStr = c"/dev/null";
        let mut ends = [0; 2];
        // SAFETY: the pointer is to two descriptors. Nothing else owns the new descriptors. The copy has
        // this thread alone, never returns from here, and uses no lock that another thread may hold but
        // that of the allocator, which fork(2) of the C library releases.
        unsafe {
            checked(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC))?;
            let [read, write] = ends.map(|end| OwnedFd::from_raw_fd(end));
            match libc::fork() {
                -1 => Err(io::Error::last_os_error()),
                0 => {
                    libc::dup2(read.as_raw_fd(), libc::STDIN_FILENO);
                    let null = libc::open(NULL.as_ptr(), libc::O_WRONLY);
                    libc::dup2(null, libc::STDOUT_FILENO);
                    close_from(libc::STDERR_FILENO + 1);
                    libc::_exit(work().into())
                }
                id => Ok(Self { id, pipe: Some(write) }),
            }
        }
    }

    /// Whether it has ended.
    pub fn is_ended(&self) -> bool {
        // SAFETY: the pointer may be null.
        unsafe { libc::waitpid(self.id, std::ptr::null_mut(), libc::WNOHANG) != 0 }
    }

    /// Closes the pipe, and waits; returns the code with which it ends. None: a signal has ended it.
    pub fn end(mut self) -> Option<i32> {
        drop(self.pipe.take());
        let mut status = 0;
        // SAFETY: the pointer is to a status.
        let ended = unsafe { libc::waitpid(self.id, &mut status, 0) };
        (ended == self.id && libc::WIFEXITED(status)).then(|| libc::WEXITSTATUS(status))
    }
}

/// Closes this descriptor and all above it.
fn close_from(first: libc::c_int) {
    const MOST: libc::c_int = 1 << 16;
    // SAFETY: the caller has no use for these descriptors any more.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) != 0 {
            (first..MOST).for_each(|descriptor| {
                libc::close(descriptor);
            });
        }
    }
}

/// Sets the name of this process in lists of processes.
pub fn set_name(name: &CStr) {
    // SAFETY: the pointer is to a string that ends with 0.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
}

/// Where a filter finds the parts of a call.
const CALL: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;
#[cfg(target_arch = "x86_64")]
const THIS_ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const THIS_ARCHITECTURE: u32 = 0xC000_00B7;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const THIS_ARCHITECTURE: u32 = 0;
/// Calls of another ABI begin here on x86-64; there are no such numbers elsewhere.
const OTHER_ABI: u32 = 0x4000_0000;

/// From now on these calls fail with EPERM in all threads of this process and in its children, as do
/// sockets that are neither Unix nor internet ones. Calls of another architecture end the process.
pub fn filter_calls(denied: &[libc::c_long]) -> io::Result<()> {
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    const AT_LEAST: u32 = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
    const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
    const DENY: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    if THIS_ARCHITECTURE == 0 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let step =
        |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter { code: code as u16, jt, jf, k };
    let mut steps = vec![
        step(LOAD, ARCHITECTURE, 0, 0),
        step(EQUAL, THIS_ARCHITECTURE, 1, 0),
        step(RETURN, libc::SECCOMP_RET_KILL_PROCESS, 0, 0),
        step(LOAD, CALL, 0, 0),
        step(AT_LEAST, OTHER_ABI, 0, 1),
        step(RETURN, DENY, 0, 0),
    ];
    for call in denied {
        steps.extend([step(EQUAL, *call as u32, 0, 1), step(RETURN, DENY, 0, 0)]);
    }
    let families = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6].map(|family| family as u32);
    steps.extend([
        step(EQUAL, libc::SYS_socket as u32, 0, 5),
        step(LOAD, FIRST_ARGUMENT, 0, 0),
        step(EQUAL, families[0], 3, 0),
        step(EQUAL, families[1], 2, 0),
        step(EQUAL, families[2], 1, 0),
        step(RETURN, DENY, 0, 0),
        step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0),
    ]);
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: the pointer is to a program of that length, which the kernel copies.
    unsafe {
        checked(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        let mode = libc::SECCOMP_SET_MODE_FILTER;
        let all_threads = libc::SECCOMP_FILTER_FLAG_TSYNC;
        checked(libc::syscall(libc::SYS_seccomp, mode, all_threads, &raw const program) as _)
    }
}

/// A stream to a Unix socket; an error at once if the server has too many streams to accept, where
/// `UnixStream::connect` waits.
pub fn connect_unix(path: &Path) -> io::Result<UnixStream> {
    let bytes = path.as_os_str().as_bytes();
    // SAFETY: an all-zero address is valid.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    // The last byte of a path is 0.
    if bytes.len() >= address.sun_path.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, byte) in address.sun_path.iter_mut().zip(bytes) {
        *to = *byte as libc::c_char;
    }
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: no pointers; a descriptor that is 0 or more is new, and nothing else owns it.
    let stream = unsafe {
        match libc::socket(libc::AF_UNIX, kind, 0) {
            descriptor if descriptor >= 0 => UnixStream::from_raw_fd(descriptor),
            _ => return Err(io::Error::last_os_error()),
        }
    };
    let size = size_of::<libc::sockaddr_un>() as libc::socklen_t;
    // SAFETY: the pointer is to an address of that size.
    let done = unsafe { libc::connect(stream.as_raw_fd(), (&raw const address).cast(), size) };
    checked(done)?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// From now on a process, or a thread, runs on this CPU only.
pub fn pin(id: u32, cpu: usize) -> io::Result<()> {
    set_affinity(id, &cpu.to_string())
}

/// From now on a thread runs on the CPUs of this list only.
pub fn set_affinity(id: u32, list: &str) -> io::Result<()> {
    let is_within = |cpu: &usize| *cpu < libc::CPU_SETSIZE as usize;
    let cpus = cpus_in(list).filter(|cpus| cpus.iter().all(is_within));
    let cpus = cpus.ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: an all-zero set is an empty one, all numbers are within it, and the pointer is to it.
    let done = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        cpus.iter().for_each(|cpu| libc::CPU_SET(*cpu, &mut set));
        libc::sched_setaffinity(id as libc::pid_t, size_of::<libc::cpu_set_t>(), &set)
    };
    checked(done)
}

/// The CPUs on which a thread may run, as a list.
pub fn affinity(id: u32) -> io::Result<String> {
    // SAFETY: an all-zero set is valid, and the pointer is to it.
    let (done, set) = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        (libc::sched_getaffinity(id as libc::pid_t, size, &mut set), set)
    };
    checked(done)?;
    // SAFETY: all numbers are within the set.
    let is_set = |cpu: &usize| unsafe { libc::CPU_ISSET(*cpu, &set) };
    let cpus = (0..libc::CPU_SETSIZE as usize).filter(is_set).map(|cpu| cpu.to_string());
    Ok(cpus.collect::<Vec<_>>().join(","))
}

/// A thread that has ended is a file that is gone.
fn checked(done: libc::c_int) -> io::Result<()> {
    if done == 0 {
        return Ok(());
    }
    let why = io::Error::last_os_error();
    Err(if why.raw_os_error() == Some(libc::ESRCH) { io::ErrorKind::NotFound.into() } else { why })
}

/// An event that the kernel counts, as `perf_event_open` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The type, such as `PERF_TYPE_HARDWARE`.
    pub kind: u32,
    /// Number of the event within its type.
    pub number: u64,
}

/// The threads or processes whose events are counted.
#[derive(Clone, Copy, Debug)]
pub enum Counted<'a> {
    /// All threads on a CPU.
    Cpu(usize),
    /// A thread, on any CPU; 0: this one.
    Thread(u32),
    /// The processes of the control group of this folder, on a CPU.
    Group(&'a File, usize),
}

/// The first 64 bytes of `perf_event_attr`, which every kernel accepts.
#[repr(C)]
#[derive(Default)]
struct EventAttributes {
    kind: u32,
    size: u32,
    number: u64,
    period: u64,
    sample: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    address: u64,
}

/// A counter, which starts at once. A read of the first one of a group gives the number of counters, the
/// time for which they were enabled, that in which they counted, and their values.
pub fn open_counter(event: Event, of: Counted<'_>, first: Option<&File>) -> io::Result<File> {
    // PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING and PERF_FORMAT_GROUP.
    const READ_FORMAT: u64 = 1 | 2 | 8;
    const OF_GROUP: libc::c_ulong = 4;
    const CLOSE_ON_EXEC: libc::c_ulong = 8;
    let attributes = EventAttributes {
        kind: event.kind,
        size: size_of::<EventAttributes>() as u32,
        number: event.number,
        read_format: READ_FORMAT,
        ..EventAttributes::default()
    };
    let (id, cpu, flags) = match of {
        Counted::Cpu(cpu) => (-1, cpu as libc::c_int, CLOSE_ON_EXEC),
        Counted::Thread(id) => (id as libc::pid_t, -1, CLOSE_ON_EXEC),
        Counted::Group(folder, cpu) => {
            (folder.as_raw_fd(), cpu as libc::c_int, CLOSE_ON_EXEC | OF_GROUP)
        }
    };
    let first = first.map_or(-1, AsRawFd::as_raw_fd);
    // SAFETY: the pointer is to attributes of the size that they have; a descriptor that is 0 or more is
    // new, and nothing else owns it.
    unsafe {
        let pointer = &raw const attributes;
        match libc::syscall(libc::SYS_perf_event_open, pointer, id, cpu, first, flags) {
            descriptor if descriptor >= 0 => Ok(File::from_raw_fd(descriptor as libc::c_int)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// A 64-bit word of bytes that another process, or the kernel, has written.
pub fn word_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; size_of::<u64>()];
    word.copy_from_slice(&bytes[at * size_of::<u64>()..][..size_of::<u64>()]);
    u64::from_ne_bytes(word)
}

/// Opens a file that other processes write, too, or creates it, and makes it as long as that. Others
/// may write to its folder, so it is not opened through a link, and not opened to be created if it
/// exists: where `fs.protected_regular` is set, the kernel refuses that for a file of another user.
pub fn open_shared(path: &Path, bytes: u64) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW);
    let file = match options.open(path) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => options.create_new(true).open(path)?,
        opened => opened?,
    };
    if file.metadata()?.len() < bytes {
        file.set_len(bytes)?;
    }
    Ok(file)
}

/// 64-bit words of a file that other processes map, too.
#[derive(Debug)]
pub struct SharedWords {
    first: *const AtomicU64,
    count: usize,
}

// SAFETY: all access is by atomic operations on a mapping that lives as long as this value.
unsafe impl Send for SharedWords {}

impl SharedWords {
    /// Maps the first words of the file.
    pub fn open(path: &Path, count: usize) -> io::Result<Self> {
        let bytes = count * size_of::<u64>();
        let file = open_shared(path, bytes as u64)?;
        // SAFETY: a new mapping of an open file, whose result is checked.
        let first = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if first == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { first: first.cast(), count })
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        assert!(at < self.count, "word {at} of {}", self.count);
        // SAFETY: within the mapping, which begins at a page and so is aligned.
        unsafe { &*self.first.add(at) }
    }

    /// The value of a word now.
    pub fn get(&self, at: usize) -> u64 {
        self.word(at).load(Ordering::Acquire)
    }

    /// Sets a word.
    pub fn set(&self, at: usize, value: u64) {
        self.word(at).store(value, Ordering::Release);
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        // SAFETY: the mapping of `open`, to which no reference is left.
        unsafe { libc::munmap(self.first.cast_mut().cast(), self.count * size_of::<u64>()) };
    }
}
