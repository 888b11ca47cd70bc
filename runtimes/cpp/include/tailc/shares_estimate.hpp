// The model of a machine: recursive least squares with forgetting, in stated double arithmetic.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "shares_cap.hpp"
#include "shares_numbers.hpp"

namespace tailc {

// A machine with a target, and what is remembered of it.
struct Served {
  Served(std::string its_name, std::int64_t target_milli, std::int64_t first_a_ppm,
         std::int64_t first_b_milli, double first_covariance, std::int64_t host_ppm);

  // Begins the estimate with the first model.
  void begin(double first_covariance);

  // Cap of its share if its throughput does not follow its share, else the whole host.
  std::int64_t cap_ppm() const noexcept { return cap.ppm; }

  // Whether the model that is believed needs more than the host for the target.
  bool needs_more(double host) const {
    return 1.0 - believed.first > detail::rounded(believed.second * host);
  }

  std::string name;
  double target;                           // work per second
  std::pair<double, double> first;         // the model that its estimate begins with
  double a, b;                             // the estimate of its model, in units of its target
  std::pair<double, double> believed;      // the last a and b that were believed
  std::int64_t short_steps = 0;            // steps in a row with too little, and below the target
  std::array<double, 3> covariance;        // aa, ab, bb
  std::vector<double> levels;              // of the last ticks, as many as a step has, in a ring
  double level = 0.0;                      // throughput relative to the target, now
  std::optional<double> level_before;      // at the last step
  double missed = 0.0;                     // what the model was off at the last step
  std::int64_t busy_ticks = 0;             // since the last at which it had no request waiting
  detail::Cap cap;
};

namespace detail {

struct Forgetting {
  double factor, first_covariance, least_b;
};

// One more sample, in this order of operations. x, y: the level a lag ago and now; u: the mean
// share since.
inline void estimate(Served& one, const Forgetting& forgetting, double x, double u, double y) {
  auto [p_aa, p_ab, p_bb] = one.covariance;
  const double h_a = rounded(p_aa * x) + rounded(p_ab * u);
  const double h_b = rounded(p_ab * x) + rounded(p_bb * u);
  const double weight = forgetting.factor + (rounded(x * h_a) + rounded(u * h_b));
  const double k_a = h_a / weight, k_b = h_b / weight;
  const double error = y - (rounded(one.a * x) + rounded(one.b * u));
  one.a += rounded(k_a * error);
  one.b += rounded(k_b * error);
  p_aa -= rounded(k_a * h_a);
  p_ab -= rounded(k_a * h_b);
  p_bb -= rounded(k_b * h_b);
  // Without this limit a machine whose share never changes would wind them up.
  if (p_aa + p_bb <= rounded(2.0 * forgetting.first_covariance * forgetting.factor)) {
    p_aa /= forgetting.factor;
    p_ab /= forgetting.factor;
    p_bb /= forgetting.factor;
  }
  one.covariance = {p_aa, p_ab, p_bb};
  if (std::fabs(one.a) < 1.0 && one.b > forgetting.least_b) one.believed = {one.a, one.b};
}

// The smaller of two errors, 0 where they are of two signs: a disturbance that may last.
inline double common(double one, double other) {
  if (one > 0.0 && other > 0.0) return std::fmin(one, other);
  return one < 0.0 && other < 0.0 ? std::fmax(one, other) : 0.0;
}

}  // namespace detail

inline Served::Served(std::string its_name, std::int64_t target_milli, std::int64_t first_a_ppm,
                      std::int64_t first_b_milli, double first_covariance, std::int64_t host_ppm)
    : name(std::move(its_name)),
      target(detail::quotient(target_milli, 1'000)),
      first(detail::quotient(first_a_ppm, 1'000'000), detail::quotient(first_b_milli, target_milli)),
      cap{(1.0 - first.first) / first.second, host_ppm} {
  begin(first_covariance);
}

inline void Served::begin(double first_covariance) {
  believed = first;
  std::tie(a, b) = first;
  covariance = {first_covariance, 0.0, first_covariance};
}

}  // namespace tailc
