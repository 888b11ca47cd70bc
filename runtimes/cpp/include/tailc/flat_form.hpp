// The FlatBuffer of a `.tailc` file: of a known version, laid out as a policy is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "_generated/policy_generated.h"
#include "error.hpp"
#include "structure.hpp"

namespace tailc::detail {

constexpr std::uint16_t kSchemaMajor = 1;

// The policy in a payload, which begins at a multiple of 8; PolicyError unless it is laid out as one.
inline const policy::Policy& flat_form_in(const std::uint8_t* payload, std::size_t size) {
  constexpr std::size_t kIdentifierEnd = 8;
  if (size < kIdentifierEnd || !policy::PolicyBufferHasIdentifier(payload))
    throw PolicyError(Refusal::bad_structure, "the FlatBuffer's identifier is not TLC1");
  Structure structure(payload, size);
  // Another major version may lay out anything else otherwise, so its number comes before the rest.
  structure.check_version();
  const policy::Policy& root = *policy::GetPolicy(payload);
  if (root.schema_major() != kSchemaMajor) {
    const std::string version =
        std::to_string(root.schema_major()) + "." + std::to_string(root.schema_minor());
    throw PolicyError(Refusal::unknown_schema, "unknown schema `" + version + "`");
  }
  structure.check_all();
  return root;
}

}  // namespace tailc::detail
