// The calls of a plan, answered as they are written in vector files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tailc/tailc.hpp>

#include "lines.hpp"

// The answer, three amounts and places.
using PlanAnswer = std::vector<std::string>;

inline std::string text_of_spans(const std::vector<tailc::Span>& spans) {
  std::string text;
  for (const auto& [pool, first_epoch, epochs, servers] : spans)
    text += (text.empty() ? "" : " ") + std::to_string(first_epoch) + ":" + std::to_string(pool) +
            ":" + std::to_string(epochs) + ":" + std::to_string(servers);
  return text;
}

inline PlanAnswer only(const std::optional<std::string>& answer) {
  return {answer.value_or(""), "", "", "", ""};
}

inline std::string word_of(tailc::Bus bus) {
  if (bus == tailc::Bus::mixed) return "mixed";
  return bus == tailc::Bus::green ? "green" : "brown";
}

inline PlanAnswer allocated(const tailc::Plan& plan, const Row& row) {
  const auto held = plan.allocation(row.at("job"), whole(row.at("unix_s")));
  if (!held) return only(std::nullopt);
  std::string places;
  for (const auto& [pool, servers] : *held)
    places += (places.empty() ? "" : " ") + std::to_string(pool) + ":" + std::to_string(servers);
  return {"told", "", "", "", places};
}

inline PlanAnswer looked_up(const tailc::Plan& plan, const Row& row) {
  const std::int64_t unix_s = whole(row.at("unix_s"));
  if (row.at("call") == "epoch") {
    const auto epoch = plan.epoch_at(unix_s);
    return only(epoch ? std::to_string(*epoch) : "");
  }
  if (row.at("call") == "source") {
    const auto bus = plan.source(whole(row.at("pool")), unix_s);
    return only(bus ? word_of(*bus) : "");
  }
  const auto stored = plan.stored(unix_s);
  if (!stored) return only(std::nullopt);
  return only(std::to_string(stored->battery_mj) + ":" + std::to_string(stored->stored_mj));
}

inline PlanAnswer quoted(const tailc::Quote& told) {
  const std::string answer = told.is_admitted() ? "admitted" : told.places ? "refused" : "no-room";
  return {answer, std::to_string(told.pays_udollars), std::to_string(told.worth_udollars),
          std::to_string(told.green_slots), told.places ? text_of_spans(*told.places) : ""};
}

inline PlanAnswer cheapest_width(const tailc::Plan& plan, const Row& row) {
  std::map<std::int64_t, std::int64_t> epochs_of;
  for (const std::string& pair : words(row.at("widths")))
    epochs_of[whole(split(pair, ':')[0])] = whole(split(pair, ':')[1]);
  const auto width = plan.cheapest_width(whole(row.at("first_epoch")), epochs_of);
  return only(width ? std::to_string(*width) : "");
}

inline PlanAnswer answered(tailc::Plan& plan, const Row& row) {
  const std::string& call = row.at("call");
  if (call == "epoch" || call == "source" || call == "stored") return looked_up(plan, row);
  if (call == "about")
    return only((plan.grid_mw() ? std::to_string(*plan.grid_mw()) : "") + ":" +
                plan.later_jobs().value_or(""));
  if (call == "allocation") return allocated(plan, row);
  if (call == "width") return cheapest_width(plan, row);
  const std::int64_t first_epoch = whole(row.at("first_epoch"));
  if (call == "release") return plan.release(row.at("job"), first_epoch), only("released");
  const std::int64_t epochs = whole(row.at("epochs")), width = whole(row.at("width"));
  if (call == "take") {
    const auto places = plan.take(row.at("job"), first_epoch, epochs, width);
    if (!places) return only("no-room");
    return {"taken", "", "", "", text_of_spans(*places)};
  }
  const std::int64_t green_ppm = whole(row.at("green_ppm"));
  if (call == "admit")
    return quoted(plan.admit(row.at("job"), first_epoch, epochs, width, green_ppm));
  return quoted(plan.quote(first_epoch, epochs, width, green_ppm));
}
