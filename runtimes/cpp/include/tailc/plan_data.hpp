// What a plan says, as plain values; units are at the end of the names, as in the artifact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "_generated/policy_generated.h"

namespace tailc {

// A group of servers without preference among them; `racks` may be absent.
struct Pool {
  std::string name;
  std::int64_t servers, busy_mw, asleep_mw, migration_mj;
  std::optional<std::int64_t> racks;
};

// What an epoch is expected to bring; without `first_green_pool` there is one bus, without
// `battery_mj`, which is below 0 where it gives, no battery.
struct Epoch {
  std::int64_t green_mw, brown_udollars_per_kwh, brown_mg_per_kwh;
  std::optional<std::int64_t> first_green_pool, battery_mj;
};

// So many servers of a pool, from an epoch on, for so many epochs.
struct Span {
  std::int64_t pool, first_epoch, epochs, servers;
};

// What a server-epoch that was promised to be green pays, and another, and what goes back.
struct Terms {
  std::int64_t green_udollars, brown_udollars, penalty_udollars;
};

struct Malleable {
  std::int64_t delay_udollars, slowdown_ppm;
};

struct Battery {
  std::int64_t capacity_mj, charge_mw, discharge_mw, kept_ppm, first_mj;
};

namespace detail {

struct PlannedJob {
  std::string name;
  std::vector<Span> spans;
  std::int64_t green_slots;
};

// Just one of `terms` and `malleable` is there; `prices` by pool, then by epoch.
struct PlanData {
  std::int64_t start_unix_s, epoch_s, violations_ppm;
  std::vector<Pool> pools;
  std::vector<Epoch> epochs;
  std::vector<PlannedJob> jobs;
  std::vector<std::vector<std::int64_t>> prices;
  std::optional<Terms> terms;
  std::optional<Malleable> malleable;
  std::optional<Battery> battery;
  std::optional<std::int64_t> grid_mw;
  std::optional<std::string> later_jobs;
};

inline std::optional<std::int64_t> optional_of(flatbuffers::Optional<std::int64_t> value) {
  return value.has_value() ? std::optional<std::int64_t>(*value) : std::nullopt;
}

inline PlannedJob job_of(const policy::PlannedJob& form) {
  PlannedJob job{form.name()->str(), {}, form.green_slots()};
  for (const policy::Span* span : *form.spans())
    job.spans.push_back({span->pool(), span->first_epoch(), span->epochs(), span->servers()});
  return job;
}

inline void read_terms(PlanData& data, const policy::Plan& form) {
  if (const policy::Terms* terms = form.terms())
    data.terms = Terms{terms->green_udollars(), terms->brown_udollars(), terms->penalty_udollars()};
  if (const policy::Malleable* malleable = form.malleable())
    data.malleable = Malleable{malleable->delay_udollars(), malleable->slowdown_ppm()};
  if (const policy::Battery* battery = form.battery())
    data.battery = Battery{battery->capacity_mj(), battery->charge_mw(), battery->discharge_mw(),
                           battery->kept_ppm(), battery->first_mj()};
  data.grid_mw = optional_of(form.grid_mw());
  if (form.later_jobs() != nullptr) data.later_jobs = form.later_jobs()->str();
}

inline PlanData plan_data_of(const policy::Plan& form) {
  PlanData data{form.start_unix_s(), form.epoch_s(), form.violations_ppm(), {}, {}, {}, {}, {}, {},
                {}, {}, {}};
  for (const policy::Pool* pool : *form.pools())
    data.pools.push_back({pool->name()->str(), pool->servers(), pool->busy_mw(),
                          pool->asleep_mw(), pool->migration_mj(), optional_of(pool->racks())});
  for (const policy::Epoch* epoch : *form.epochs())
    data.epochs.push_back({epoch->green_mw(), epoch->brown_udollars_per_kwh(),
                           epoch->brown_mg_per_kwh(), optional_of(epoch->first_green_pool()),
                           optional_of(epoch->battery_mj())});
  for (const policy::PlannedJob* job : *form.jobs()) data.jobs.push_back(job_of(*job));
  for (const policy::PoolPrices* prices : *form.prices())
    data.prices.emplace_back(prices->udollars()->begin(), prices->udollars()->end());
  read_terms(data, form);
  return data;
}

}  // namespace detail
}  // namespace tailc
