// Checks of a policy before it is used, in addition to the check for damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"
#include "policy.hpp"
#include "trusted_key.hpp"

namespace tailc {

// By default there are no further checks.
struct Options {
  // With one at least, the policy must be signed with one of them. A text that is no key throws
  // std::invalid_argument where the key is made of it.
  std::vector<TrustedKey> trusted;
  // The name that the policy must have.
  std::optional<std::string> service;
  // The generation that it must have at least.
  std::optional<std::int64_t> held_generation;
  // The moment at which a signature may have expired [Unix seconds]; none: now.
  std::optional<std::int64_t> now_s;
};

namespace detail {

inline void check_expected(const Policy& opened, const Options& options) {
  if (options.service && opened.name() != *options.service)
    throw PolicyError(Refusal::other_service, "the policy is for `" + opened.name() + "`");
  if (options.held_generation && opened.generation() < *options.held_generation)
    throw PolicyError(Refusal::older_generation, "the generation is older than the one in use");
}

}  // namespace detail
}  // namespace tailc
