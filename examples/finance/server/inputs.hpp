// The files that the server reads: requests, one a line, and the policy, one name and its numbers a
// line.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "schedule.hpp"

struct Request {
  double arrival_us;  // since the beginning
  Option option;
  std::int64_t paths;
  std::uint64_t seed;
};

inline std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

inline std::vector<Request> read_requests(const std::string& path) {
  std::ifstream file = opened(path);
  std::vector<Request> requests;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Request r;
    Option& o = r.option;
    words >> r.arrival_us >> o.spot >> o.strike >> o.rate >> o.volatility >> o.years >> o.dates >>
        r.paths >> r.seed;
    if (!words || o.dates < 1 || r.paths < 1)
      throw std::runtime_error(path + ":" + std::to_string(requests.size() + 1) +
                               ": not a request");
    requests.push_back(r);
  }
  return requests;
}

inline void read_word(const std::string& name, std::istream& words, Policy& policy) {
  Controller& c = policy.controller;
  GainRow row;
  if (name == "climb_us") {
    words >> policy.climb_us;
  } else if (name == "never_climbs") {
    policy.never_climbs = true;
  } else if (name == "controller") {
    words >> c.percentile_ppm >> c.target_us >> c.epoch_requests >> c.window_requests >>
        c.first_ppm >> c.least_ppm >> c.most_ppm >> c.fraction_bits;
  } else if (name == "gains") {
    words >> row.first_rate_mrps >> row.kp >> row.ki >> row.kd;
    c.gains.push_back(row);
  } else {
    throw std::runtime_error("unknown word " + name);
  }
}

inline Policy read_policy(const std::string& path) {
  std::ifstream file = opened(path);
  Policy policy;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    read_word(name, words, policy);
    if (!words) throw std::runtime_error(path + ": too few numbers for " + name);
  }
  if (policy.controller.epoch_requests > 0 && policy.controller.gains.empty())
    throw std::runtime_error(path + ": a controller without gains");
  return policy;
}
