// A skeleton of a scheduler for sched_ext (Linux 6.12 and later) that applies a policy: one queue for each
// rung, and the rung of a thread by its processor time and by the number of runnable threads.
//
// `policy.h` is a policy of `tailc embed --lang bpf --name policy`.
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "policy.h"

#define RUNGS (sizeof(policy_rungs) / sizeof(policy_rungs[0]))
#define FIRST_QUEUE 0x7a11c000ULL
#define SLICE_NS (policy_quantum_us[0] * 1000)

// Members of the kernel that are used; their offsets come from the kernel at loading.
struct sched_entity {
    __u64 sum_exec_runtime;
} __attribute__((preserve_access_index));

struct task_struct {
    struct sched_entity se;
} __attribute__((preserve_access_index));

extern void scx_bpf_dsq_insert(struct task_struct *p, __u64 queue, __u64 slice, __u64 flags) __ksym;
extern __s32 scx_bpf_create_dsq(__u64 queue, __s32 node) __ksym;
extern _Bool scx_bpf_dsq_move_to_local(__u64 queue) __ksym;

struct sched_ext_ops {
    void (*enqueue)(struct task_struct *p, __u64 flags);
    void (*dispatch)(__s32 cpu, struct task_struct *previous);
    void (*runnable)(struct task_struct *p, __u64 flags);
    void (*quiescent)(struct task_struct *p, __u64 flags);
    __s32 (*init)(void);
    char name[128];
} __attribute__((preserve_access_index));

// Processor time of a thread when its request began.
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 65536);
    __type(key, __u64);
    __type(value, __u64);
} begun_ns SEC(".maps");

static __u64 in_system;

SEC("struct_ops/tailc_runnable")
void BPF_PROG(tailc_runnable, struct task_struct *p, __u64 flags)
{
    __u64 key = (__u64)p, now = p->se.sum_exec_runtime;
    __sync_fetch_and_add(&in_system, 1);
    bpf_map_update_elem(&begun_ns, &key, &now, BPF_ANY);
}

SEC("struct_ops/tailc_quiescent")
void BPF_PROG(tailc_quiescent, struct task_struct *p, __u64 flags)
{
    __u64 key = (__u64)p;
    __sync_fetch_and_sub(&in_system, 1);
    bpf_map_delete_elem(&begun_ns, &key);
}

SEC("struct_ops/tailc_enqueue")
void BPF_PROG(tailc_enqueue, struct task_struct *p, __u64 flags)
{
    __u64 key = (__u64)p, *begun = bpf_map_lookup_elem(&begun_ns, &key);
    __u64 age_us = begun ? (p->se.sum_exec_runtime - *begun) / 1000 : 0;
    struct policy_answer answer = policy_lookup(in_system, 0, age_us);
    scx_bpf_dsq_insert(p, FIRST_QUEUE + answer.rung, SLICE_NS, flags);
}

// The highest rung first: its threads are the oldest.
SEC("struct_ops/tailc_dispatch")
void BPF_PROG(tailc_dispatch, __s32 cpu, struct task_struct *previous)
{
    __u32 rung;
    for (rung = 0; rung < RUNGS; ++rung)
        if (scx_bpf_dsq_move_to_local(FIRST_QUEUE + RUNGS - 1 - rung))
            return;
}

SEC("struct_ops.s/tailc_init")
__s32 BPF_PROG(tailc_init)
{
    __u32 rung;
    for (rung = 0; rung < RUNGS; ++rung) {
        __s32 failed = scx_bpf_create_dsq(FIRST_QUEUE + rung, -1);
        if (failed)
            return failed;
    }
    return 0;
}

SEC(".struct_ops.link")
struct sched_ext_ops tailc_ops = {
    .enqueue = (void *)tailc_enqueue,
    .dispatch = (void *)tailc_dispatch,
    .runnable = (void *)tailc_runnable,
    .quiescent = (void *)tailc_quiescent,
    .init = (void *)tailc_init,
    .name = "tailc",
};

char _license[] SEC("license") = "GPL";
