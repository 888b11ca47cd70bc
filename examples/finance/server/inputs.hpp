// The requests that the server reads, one a line.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "option.hpp"

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
