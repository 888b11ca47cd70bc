// Events of servers, and the decisions of their schedules.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <tailc/schedule.hpp>
#include <tailc/tailc.hpp>

#include "lines.hpp"

class ScheduleVectors {
 public:
  explicit ScheduleVectors(const std::string& path)
      : schedule_(std::make_shared<tailc::Policy>(tailc::open(path)), 0) {}

  // `event,work_ppm,decisions` of what the event of a row leads to.
  std::string answer(const Row& row) {
    const std::int64_t now_ns = whole(row.at("now_ns"));
    made_.clear();
    for (auto due = schedule_.due_ns(); due && *due < now_ns; due = schedule_.due_ns()) {
      schedule_.wake(*due);
      take(*due);
    }
    const std::string event = call(row, now_ns);
    take(now_ns);
    return event + "," + made_;
  }

 private:
  std::string call(const Row& row, std::int64_t now_ns) {
    const std::string& event = row.at("event");
    const std::int64_t number = whole(row.at("request"));
    if (event == "exit") {
      schedule_.exit(*requests_.at(number), now_ns);
    } else if (event == "wake") {
      schedule_.wake(now_ns);
    } else {
      tailc::Request* request = schedule_.arrive(now_ns, row.at("request_class"));
      if (request == nullptr) return "refuse,1000000";
      requests_[number] = request;
      return "arrive," + std::to_string(request->work_ppm);
    }
    return event + ",1000000";
  }

  void take(std::int64_t now_ns) {
    for (const tailc::Decision& one : schedule_.decisions) {
      made_ += (made_.empty() ? "" : ";") + std::to_string(now_ns) + " " + name_of(one.kind) + " " +
               std::to_string(one.request->number) + " " + std::to_string(one.rung) +
               (one.is_boosted ? " 1" : " 0");
      if (one.core >= 0) made_ += " " + std::to_string(one.core);
    }
    schedule_.decisions.clear();
  }

  tailc::Schedule schedule_;
  std::map<std::int64_t, tailc::Request*> requests_;
  std::string made_;
};
