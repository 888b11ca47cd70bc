// The places of a job that the plan does not know, and what they are worth.
//
// An exchange of a brown for a green place costs more with each in an epoch, so the cheapest of all
// epochs, taken in order, are the best.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "controller.hpp"
#include "plan_battery.hpp"
#include "plan_data.hpp"

namespace tailc {

// What a job brings, less the penalty for promised slots that its places do not meet, and what its
// places are worth [millionths of a dollar]; no places: there is no room.
struct Quote {
  std::int64_t pays_udollars = 0, worth_udollars = 0, green_slots = 0;
  std::optional<std::vector<Span>> places;

  // Whether it pays more than it takes from others.
  bool is_admitted() const noexcept { return places && pays_udollars > worth_udollars; }
};

namespace detail {

// Epochs of the plan, from `first` to before `end`.
struct Within {
  std::int64_t first, end;
};

// The fewest spans that say the same, in order of epoch, then of pool.
inline std::vector<Span> spans_of(const Within& within, const Servers& places) {
  std::vector<Span> found;
  const std::size_t epochs = places.size();
  for (std::size_t pool = 0; pool < places[0].size(); ++pool) {
    for (std::size_t begin = 0, at = 1; at <= epochs; ++at) {
      const std::int64_t servers = places[begin][pool];
      if (at < epochs && places[at][pool] == servers) continue;
      const auto length = static_cast<std::int64_t>(at - begin);
      const auto first = within.first + static_cast<std::int64_t>(begin);
      if (servers > 0) found.push_back({static_cast<std::int64_t>(pool), first, length, servers});
      begin = at;
    }
  }
  std::sort(found.begin(), found.end(), [](const Span& one, const Span& other) {
    return std::tie(one.first_epoch, one.pool) < std::tie(other.first_epoch, other.pool);
  });
  return found;
}

// The prices of a plan, put in order once.
class Pricing {
 public:
  explicit Pricing(const PlanData& data);

  // The epochs of a job that are the plan's; none where one has too few free servers.
  std::optional<Within> within(const Servers& free, std::int64_t first_epoch, std::int64_t epochs,
                               std::int64_t width) const;
  // The cheapest servers of each epoch; of equal prices those of the lower pool.
  Servers filled(const Servers& free, const Within& within, std::int64_t width) const;
  // What places cost at the plan's prices.
  std::int64_t worth(const Within& within, const Servers& places) const;
  // The best places of a rigid job, and what comes of them.
  Quote quote(const Servers& free, std::int64_t first_epoch, std::int64_t epochs,
              std::int64_t width, std::int64_t green_ppm) const;

 private:
  // What one more costs, epoch, brown pool, green pool, servers.
  using Exchange =
      std::tuple<std::int64_t, std::int64_t, std::size_t, std::size_t, std::int64_t>;

  std::int64_t make_green(const Servers& free, const Within& within, Servers& places,
                          std::int64_t promised) const;
  void add_exchanges(std::vector<Exchange>& found, const std::vector<std::int64_t>& room,
                     const std::vector<std::int64_t>& row, std::int64_t epoch) const;

  std::optional<Terms> terms_;
  Servers prices_;                              // by epoch, then by pool
  std::vector<std::vector<std::size_t>> cheapest_;  // pools of each epoch, the cheapest first
  std::vector<std::size_t> first_green_;        // the number of pools where none is green
};

inline Pricing::Pricing(const PlanData& data) : terms_(data.terms) {
  for (std::size_t epoch = 0; epoch < data.epochs.size(); ++epoch) {
    std::vector<std::int64_t> row;
    for (const auto& one : data.prices) row.push_back(one[epoch]);
    std::vector<std::size_t> order(row.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t one, std::size_t other) { return row[one] < row[other]; });
    prices_.push_back(std::move(row));
    cheapest_.push_back(std::move(order));
    const auto first = data.epochs[epoch].first_green_pool;
    first_green_.push_back(first ? place(*first) : data.pools.size());
  }
}

inline std::optional<Within> Pricing::within(const Servers& free, std::int64_t first_epoch,
                                             std::int64_t epochs, std::int64_t width) const {
  const auto all = static_cast<std::int64_t>(prices_.size());
  if (first_epoch >= all) return std::nullopt;
  const Within within{first_epoch, std::min(first_epoch + epochs, all)};
  for (std::int64_t epoch = within.first; epoch < within.end; ++epoch) {
    const auto& room = free[place(epoch)];
    if (std::accumulate(room.begin(), room.end(), std::int64_t{0}) < width) return std::nullopt;
  }
  return within;
}

inline Servers Pricing::filled(const Servers& free, const Within& within,
                               std::int64_t width) const {
  Servers places;
  for (std::int64_t epoch = within.first; epoch < within.end; ++epoch) {
    const auto& room = free[place(epoch)];
    std::vector<std::int64_t> row(room.size(), 0);
    std::int64_t left = width;
    for (const std::size_t pool : cheapest_[place(epoch)]) {
      row[pool] = std::min(left, room[pool]);
      left -= row[pool];
    }
    places.push_back(std::move(row));
  }
  return places;
}

inline std::int64_t Pricing::worth(const Within& within, const Servers& places) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& prices = prices_[place(within.first) + i];
    sum += std::inner_product(prices.begin(), prices.end(), places[i].begin(), std::int64_t{0});
  }
  return sum;
}

inline Quote Pricing::quote(const Servers& free, std::int64_t first_epoch, std::int64_t epochs,
                            std::int64_t width, std::int64_t green_ppm) const {
  const auto held = within(free, first_epoch, epochs, width);
  if (!held || !terms_) return {};
  const std::int64_t slots = (held->end - held->first) * width;
  const std::int64_t promised = std::min((green_ppm * epochs * width + kPpm - 1) / kPpm, slots);
  Servers places = filled(free, *held, width);
  const std::int64_t green = make_green(free, *held, places, promised);
  const auto [green_udollars, brown_udollars, penalty_udollars] = *terms_;
  const std::int64_t missed = std::max(std::int64_t{0}, promised - green);
  const std::int64_t pays = promised * green_udollars + (slots - promised) * brown_udollars -
                            missed * penalty_udollars;
  return {pays, worth(*held, places), green, spans_of(*held, places)};
}

// Exchanges until the promise is met or missing it costs no more; the green places then.
inline std::int64_t Pricing::make_green(const Servers& free, const Within& within, Servers& places,
                                        std::int64_t promised) const {
  std::int64_t green = 0;
  std::vector<Exchange> exchanges;
  for (std::int64_t epoch = within.first; epoch < within.end; ++epoch) {
    const auto& row = places[place(epoch - within.first)];
    const auto first = static_cast<std::ptrdiff_t>(first_green_[place(epoch)]);
    green = std::accumulate(row.begin() + first, row.end(), green);
    add_exchanges(exchanges, free[place(epoch)], row, epoch);
  }
  std::sort(exchanges.begin(), exchanges.end());
  for (const auto& [udollars, epoch, brown, ready, servers] : exchanges) {
    const std::int64_t moved = std::min(servers, promised - green);
    if (moved <= 0 || udollars >= terms_->penalty_udollars) break;
    auto& row = places[place(epoch - within.first)];
    row[brown] -= moved;
    row[ready] += moved;
    green += moved;
  }
  return green;
}

// The dearest brown place for the cheapest green one first.
inline void Pricing::add_exchanges(std::vector<Exchange>& found,
                                   const std::vector<std::int64_t>& room,
                                   const std::vector<std::int64_t>& row, std::int64_t epoch) const {
  const auto& price = prices_[place(epoch)];
  const std::size_t first = first_green_[place(epoch)];
  std::vector<std::size_t> dearest(first);
  std::iota(dearest.begin(), dearest.end(), std::size_t{0});
  std::stable_sort(dearest.begin(), dearest.end(),
                   [&](std::size_t one, std::size_t other) { return price[one] > price[other]; });
  std::vector<std::int64_t> left(room.size());
  for (std::size_t pool = first; pool < room.size(); ++pool) left[pool] = room[pool] - row[pool];
  for (const std::size_t brown : dearest) {
    std::int64_t held = row[brown];
    for (const std::size_t ready : cheapest_[place(epoch)]) {
      const std::int64_t count = std::min(held, left[ready]);
      if (ready < first || count == 0) continue;
      found.emplace_back(price[ready] - price[brown], epoch, brown, ready, count);
      left[ready] -= count;
      held -= count;
    }
  }
}

}  // namespace detail
}  // namespace tailc
