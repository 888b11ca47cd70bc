// An Asian call: it pays what the mean price over its dates exceeds the strike by.
//
// The arithmetic mean has no closed price, so it is simulated; the geometric mean of the same paths
// has one, which both corrects the estimate and checks it (Kemna and Vorst, 1990).
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

struct Option {
  double spot, strike, rate, volatility, years;
  std::int64_t dates;
};

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Price of the call on the geometric mean: that mean is log-normal.
inline double geometric_price(const Option& o) {
  const double m = static_cast<double>(o.dates);
  const double drift = o.rate - 0.5 * o.volatility * o.volatility;
  const double mean = std::log(o.spot) + drift * o.years * (m + 1) / (2 * m);
  const double variance =
      o.volatility * o.volatility * o.years * (m + 1) * (2 * m + 1) / (6 * m * m);
  const double d2 = (mean - std::log(o.strike)) / std::sqrt(variance);
  const double d1 = d2 + std::sqrt(variance);
  const double undiscounted =
      std::exp(mean + variance / 2) * normal_cdf(d1) - o.strike * normal_cdf(d2);
  return std::exp(-o.rate * o.years) * undiscounted;
}

struct Price {
  double arithmetic, geometric, geometric_error;  // the error is one standard deviation
};

// A Monte-Carlo estimate that can stop after any path and go on later, on another core.
class Pricing {
 public:
  Pricing(const Option& option, std::int64_t paths, std::uint64_t seed)
      : option_(option), paths_(paths), random_(seed) {}

  bool is_done() const { return done_ == paths_; }

  void next_path() {
    const double step = option_.years / static_cast<double>(option_.dates);
    const double drift = (option_.rate - 0.5 * option_.volatility * option_.volatility) * step;
    const double spread = option_.volatility * std::sqrt(step);
    double log_price = std::log(option_.spot), sum = 0, sum_of_logs = 0;
    for (std::int64_t date = 0; date < option_.dates; ++date) {
      log_price += drift + spread * normal_(random_);
      sum += std::exp(log_price);
      sum_of_logs += log_price;
    }
    const double dates = static_cast<double>(option_.dates);
    add(std::max(sum / dates - option_.strike, 0.0),
        std::max(std::exp(sum_of_logs / dates) - option_.strike, 0.0));
  }

  // The arithmetic price is shifted by how far the geometric one is off on these paths.
  Price price() const {
    const double n = static_cast<double>(done_);
    const double discount = std::exp(-option_.rate * option_.years);
    const double geometric = geometric_ / n;
    const double variance = std::max(geometric_squares_ / n - geometric * geometric, 0.0);
    const double estimate = discount * geometric;
    return {discount * arithmetic_ / n + geometric_price(option_) - estimate, estimate,
            discount * std::sqrt(variance / n)};
  }

 private:
  void add(double arithmetic, double geometric) {
    ++done_;
    arithmetic_ += arithmetic;
    geometric_ += geometric;
    geometric_squares_ += geometric * geometric;
  }

  Option option_;
  std::int64_t paths_, done_ = 0;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double arithmetic_ = 0, geometric_ = 0, geometric_squares_ = 0;
};
