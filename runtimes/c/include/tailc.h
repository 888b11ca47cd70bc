/* Reads policies that tailc compiled: libtailc.
 *
 * - Each function that may fail returns a status; 0 is success. tailc_last_error() is the message of the last
 *   failure in this thread. Outputs are written on success only.
 * - A handle of tailc_..._new, tailc_open or tailc_..._open is the caller's, who frees it once with
 *   tailc_..._free; NULL is accepted there. A `const` pointer to a ladder or table, and a tailc_text, belong to
 *   the handle that they come from, and are valid until it is freed.
 * - A NULL handle or output is TAILC_INVALID_ARGUMENT. Other pointers must be valid: the library cannot check
 *   them. Arrays are as long as the argument after them states.
 * - Any number of threads may use a policy, a ladder, a table, a controller and a watched policy at the same
 *   time. Shares and schedules are for one thread at a time.
 * - A number that the policy does not determine is -1.
 */
#ifndef TAILC_H
#define TAILC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t tailc_status;

enum {
  TAILC_OK = 0,
  TAILC_TRUNCATED = 1,
  TAILC_HASH_MISMATCH = 2,
  TAILC_UNSIGNED = 3,
  TAILC_UNKNOWN_KEY = 4,
  TAILC_BAD_SIGNATURE = 5,
  TAILC_EXPIRED = 6,
  TAILC_NO_SIGNATURES = 7,
  TAILC_BAD_STRUCTURE = 8,
  TAILC_BAD_MEANING = 9,
  TAILC_UNKNOWN_RULE = 10,
  TAILC_UNKNOWN_FORM = 11,
  TAILC_UNKNOWN_SCHEMA = 12,
  TAILC_UNKNOWN_CLASS = 13,
  TAILC_OTHER_FORM = 14,
  TAILC_OTHER_SERVICE = 15,
  TAILC_OLDER_GENERATION = 16,
  TAILC_UNREADABLE = 32,
  TAILC_INVALID_ARGUMENT = 33,
  TAILC_NO_SCHEDULE = 34,
  TAILC_PANIC = 35 /* a defect of the library */
};

/* The word of a status, which is the same in every runtime, such as "hash-mismatch". */
const char *tailc_status_name(tailc_status status);
/* Valid until the next failure in this thread. */
const char *tailc_last_error(void);

/* Not terminated by 0: print it with "%.*s". `bytes` is NULL if there is no text. */
typedef struct {
  const char *bytes;
  size_t length;
} tailc_text;

/* Conditions that a policy must meet, in addition to being undamaged and valid. */
typedef struct tailc_options tailc_options;

tailc_status tailc_options_new(tailc_options **options);
void tailc_options_free(tailc_options *options);
/* It is signed with this Ed25519 key (PEM), or another that is trusted. */
tailc_status tailc_options_trust(tailc_options *options, const char *pem);
/* It has this name. */
tailc_status tailc_options_service(tailc_options *options, const char *name);
/* It has this generation, or a later one. */
tailc_status tailc_options_held_generation(tailc_options *options, int64_t generation);
/* Its signature has not expired at this time, instead of the time of opening. */
tailc_status tailc_options_now(tailc_options *options, uint64_t unix_s);

typedef struct tailc_policy tailc_policy;

/* `options` may be NULL, and may be freed afterwards; so may the bytes. */
tailc_status tailc_open(const char *path, const tailc_options *options, tailc_policy **policy);
tailc_status tailc_open_bytes(const void *bytes, size_t length, const tailc_options *options,
                              tailc_policy **policy);
void tailc_policy_free(tailc_policy *policy);

typedef struct {
  tailc_text name;
  tailc_text kind;
  tailc_text policy_digest;
  int64_t generation;
  uint64_t signature_expires_s; /* 0: never, or no key is trusted */
  uint64_t lookups_outside;     /* at loads that the policy was not compiled for */
} tailc_policy_info_t;

tailc_status tailc_policy_info(const tailc_policy *policy, tailc_policy_info_t *info);

/* A file that is opened again when it changes. */
typedef struct tailc_watched tailc_watched;

tailc_status tailc_watched_open(const char *path, const tailc_options *options,
                                tailc_watched **watched);
void tailc_watched_free(tailc_watched *watched);
/* Checks the file once. The status is that of a changed file that is refused; the policy stays. */
tailc_status tailc_watched_check(const tailc_watched *watched, uint8_t *is_reloaded);
/* A handle of the current policy, which the caller frees; it stays valid after a reload. */
tailc_status tailc_watched_current(const tailc_watched *watched, tailc_policy **policy);

typedef struct tailc_ladder tailc_ladder;

tailc_status tailc_ladder_count(const tailc_policy *policy, size_t *count);
tailc_status tailc_ladder_at(const tailc_policy *policy, size_t index, const tailc_ladder **ladder);
/* The ladder of a class of requests, or the one for all classes; NULL: the one for all classes. */
tailc_status tailc_ladder_of(const tailc_policy *policy, const char *request_class,
                             const tailc_ladder **ladder);

enum {
  TAILC_START_NOW = 0,
  TAILC_START_WAIT = 1,   /* look up again after wait_us, and at every arrival and exit */
  TAILC_START_ON_EXIT = 2 /* when a request exits */
};

typedef struct {
  int32_t start; /* for requests that have not started */
  uint32_t rung;
  uint64_t wait_us;
} tailc_answer;

tailc_status tailc_ladder_lookup(const tailc_ladder *ladder, uint64_t load, uint64_t waited_us,
                                 uint64_t executed_us, tailc_answer *answer);
/* With this output of the controller, 0 to 1,000,000. */
tailc_status tailc_ladder_lookup_scaled(const tailc_ladder *ladder, uint64_t load,
                                        uint64_t waited_us, uint64_t executed_us,
                                        uint64_t output_ppm, tailc_answer *answer);

enum { TAILC_LOAD_IN_SYSTEM = 0, TAILC_LOAD_RATE_MRPS = 1 };

typedef struct {
  tailc_text request_class; /* NULL: for all classes */
  int32_t load_axis;
  uint8_t is_first_rung_outside; /* 0: at loads outside, the nearest row applies */
  size_t rungs;
  size_t cost_units;
  size_t rules;
  int64_t quantum_us;
  uint64_t min_load;
  uint64_t max_load;
  uint64_t longest_delay_us;
  uint64_t last_climb_us;
  int64_t boost_unit; /* cost unit of boosted requests, which cost less than boost_below_ppm in all */
  int64_t boost_below_ppm;
} tailc_ladder_info_t;

tailc_status tailc_ladder_info(const tailc_ladder *ladder, tailc_ladder_info_t *info);
/* The word of a rule that the server must follow, such as "never-descend". */
tailc_status tailc_ladder_rule(const tailc_ladder *ladder, size_t index, tailc_text *name);

enum { TAILC_LANE_NONE = 0, TAILC_LANE_SHARED = 1, TAILC_LANE_ALONE = 2 };

typedef struct {
  tailc_text name;
  tailc_text core_type;
  const int64_t *cost_ppm; /* by cost unit */
  int64_t speed_ppm;
  int64_t move_us;
  int64_t threads;
  int64_t frequency_khz;
  int64_t one_thread_ppm;
  int32_t lane;
} tailc_rung;

tailc_status tailc_ladder_rung(const tailc_ladder *ladder, size_t index, tailc_rung *rung);

/* Overload. `in_system` does not include the request that arrives. */
tailc_status tailc_overload_arrival(const tailc_ladder *ladder, uint64_t in_system,
                                    uint8_t *is_refused, uint64_t *work_ppm);
tailc_status tailc_overload_cuts_off(const tailc_ladder *ladder, uint64_t waited_us,
                                     uint64_t executed_us, uint8_t *is_cut_off);

/* Sharing. Starts depend on the use of a cost unit by running requests. */
tailc_status tailc_sharing_unit(const tailc_ladder *ladder, int64_t *unit);
tailc_status tailc_sharing_starts(const tailc_ladder *ladder, uint64_t in_use_ppm,
                                  uint8_t *is_started);
tailc_status tailc_sharing_gives_up(const tailc_ladder *ladder, uint64_t waited_us,
                                    uint64_t executed_us, uint8_t *has_given_up);

enum { TAILC_ACTS_ON_CLIMB_AGES = 0, TAILC_ACTS_ON_LATENCY_BOUND = 1 };

typedef struct {
  int32_t acts_on;
  int64_t percentile_ppm;
  int64_t target_us;
  int64_t epoch_requests;
  int64_t window_requests;
  uint64_t last_rate_mrps; /* the first rate of the last row of gains */
  int64_t output;
  int64_t output_ppm;
} tailc_controller_info_t;

tailc_status tailc_has_controller(const tailc_policy *policy, uint8_t *is_there);
tailc_status tailc_controller_info(const tailc_policy *policy, tailc_controller_info_t *info);
/* Once in epoch_requests completions, with the tail of the last window_requests latencies. */
tailc_status tailc_controller_step(const tailc_policy *policy, uint64_t measured_us,
                                   uint64_t rate_mrps, int64_t *output_ppm);

typedef struct tailc_tail_table_handle tailc_tail_table_t;

typedef struct {
  const int64_t *frequencies_khz; /* by level */
  const int64_t *power_mw;        /* by level */
  size_t levels;
  size_t positions; /* requests of a core that the table is for */
  int64_t percentile_ppm;
  int64_t bound_us;
  int64_t cores;
  uint64_t last_cycles;
} tailc_tail_table_info_t;

tailc_status tailc_tail_table(const tailc_policy *policy, const tailc_tail_table_t **table);
tailc_status tailc_tail_table_info(const tailc_tail_table_t *table, tailc_tail_table_info_t *info);
/* The level of a core until its next arrival or completion. The age of the running request is first. */
tailc_status tailc_tail_table_level(const tailc_tail_table_t *table, const uint64_t *ages_ns,
                                    size_t requests, uint64_t elapsed_cycles,
                                    uint64_t elapsed_memory_ns, size_t *level);
/* With the bound scaled, 0 to 2,000,000. */
tailc_status tailc_tail_table_level_scaled(const tailc_tail_table_t *table, const uint64_t *ages_ns,
                                           size_t requests, uint64_t elapsed_cycles,
                                           uint64_t elapsed_memory_ns, uint64_t scale_ppm,
                                           size_t *level);

typedef struct {
  int64_t tokens;
  int64_t new_sequences;
} tailc_budget;

typedef struct {
  int64_t kv_blocks;
  int64_t block_tokens;
  int64_t max_sequences;
} tailc_budget_info_t;

/* What the next iteration of a language model's server batches. */
tailc_status tailc_budget_lookup(const tailc_policy *policy, uint64_t decoding,
                                 uint64_t waiting_tokens, tailc_budget *budget);
tailc_status tailc_budget_info(const tailc_policy *policy, tailc_budget_info_t *info);

/* Shares of the machines of a host. A policy keeps their first state; a handle has its own. */
typedef struct tailc_shares tailc_shares;

typedef struct {
  const int64_t *granted_ppm; /* by machine; valid until the next tick */
  size_t machines;
  size_t served; /* machines with a target */
  int64_t window_us;
  int64_t estimate_us; /* between ticks */
  int64_t step_us;
  int64_t enforce_us;
  int64_t host_ppm;
  int64_t least_ppm;
} tailc_shares_info_t;

typedef struct {
  double a;
  double b;
  double believed_a;
  double believed_b;
  int64_t short_steps;
  int64_t cap_ppm;
  uint8_t cannot_meet; /* a lasting shortage means that the target is too high */
} tailc_served;

tailc_status tailc_shares_new(const tailc_policy *policy, tailc_shares **shares);
void tailc_shares_free(tailc_shares *shares);
tailc_status tailc_shares_info(const tailc_shares *shares, tailc_shares_info_t *info);
tailc_status tailc_shares_machine(const tailc_shares *shares, size_t index, tailc_text *name,
                                  int64_t *target_milli);
/* Arrays by served machine. `waiting` are requests that wait; NULL if the host does not know them. */
tailc_status tailc_shares_tick(tailc_shares *shares, const double *throughput,
                               const uint64_t *waiting, size_t served);
tailc_status tailc_shares_served(const tailc_shares *shares, size_t index, tailc_served *served);

/* Admission, delays, climbs, overload rules and the controller of a server, without clock and threads. The
 * server calls it at events, then takes the decisions. docs/scheduler.md of tailc defines them. All times are
 * nanoseconds of one clock, and never less than at an earlier call: read the clock under the lock. */
typedef struct tailc_schedule tailc_schedule;

enum {
  TAILC_DECISION_START = 0,
  TAILC_DECISION_CLIMB = 1,
  TAILC_DECISION_DESCEND = 2,
  TAILC_DECISION_CUT_OFF = 3
};

typedef struct {
  int32_t kind;
  uint8_t is_boosted;
  uint64_t request;
  size_t rung;
  size_t threads; /* of the rung; 0 if the request is cut off */
  int64_t core;
} tailc_decision;

tailc_status tailc_schedule_new(const tailc_policy *policy, uint64_t now_ns,
                                tailc_schedule **schedule);
void tailc_schedule_free(tailc_schedule *schedule);
/* `request` is its number from 1, or 0 if it is refused. `request_class` may be NULL. */
tailc_status tailc_schedule_arrive(tailc_schedule *schedule, uint64_t now_ns,
                                   const char *request_class, uint64_t *request,
                                   uint64_t *work_ppm);
tailc_status tailc_schedule_exit(tailc_schedule *schedule, uint64_t request, uint64_t now_ns);
/* Handles the first timer, if it is due. */
tailc_status tailc_schedule_wake(tailc_schedule *schedule, uint64_t now_ns);
/* Time of the next timer; UINT64_MAX without one. */
tailc_status tailc_schedule_due(tailc_schedule *schedule, uint64_t *due_ns);
/* Uses another policy for waiting and new requests. */
tailc_status tailc_schedule_reload(tailc_schedule *schedule, const tailc_policy *policy,
                                   uint64_t now_ns);
/* Takes the next decisions, at most `most`; call it until `count` is less than `most`. */
tailc_status tailc_schedule_decisions(tailc_schedule *schedule, tailc_decision *decisions,
                                      size_t most, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
