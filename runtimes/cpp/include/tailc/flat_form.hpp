// The FlatBuffer of a `.tailc` file: of a known version, laid out as a policy is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "_generated/policy_generated.h"
#include "error.hpp"
#include "ladder_meaning.hpp"
#include "text.hpp"

namespace tailc::detail {

constexpr std::uint16_t kSchemaMajor = 1;

inline void require_structure(bool holds) {
  if (!holds) throw PolicyError(Refusal::bad_structure, "the FlatBuffer is broken");
}

using FormBoxes = flatbuffers::Vector<flatbuffers::Offset<policy::FormBox>>;

// The root of a FlatBuffer, of which no more than its list of fields has been verified.
inline const flatbuffers::Table& root_of(flatbuffers::Verifier& verifier,
                                         const std::uint8_t* payload) {
  const std::size_t offset = verifier.VerifyOffset(0);
  require_structure(offset > 0);
  const auto* root = reinterpret_cast<const flatbuffers::Table*>(payload + offset);
  require_structure(root->VerifyTableStart(verifier));
  return *root;
}

// Another major version may lay out anything else otherwise, so its number comes before the rest.
inline void check_version(const std::uint8_t* payload, std::size_t size) {
  constexpr std::size_t kIdentifierEnd = 8;
  if (size < kIdentifierEnd || !policy::PolicyBufferHasIdentifier(payload))
    throw PolicyError(Refusal::bad_structure, "the FlatBuffer's identifier is not TLC1");
  flatbuffers::Verifier verifier(payload, size);
  const flatbuffers::Table& root = root_of(verifier, payload);
  const auto read = [&](flatbuffers::voffset_t field) {
    require_structure(root.VerifyField<std::uint16_t>(verifier, field, sizeof(std::uint16_t)));
    return root.GetField<std::uint16_t>(field, 0);
  };
  const std::uint16_t major = read(policy::Policy::VT_SCHEMA_MAJOR);
  if (major == kSchemaMajor) return;
  const std::uint16_t minor = read(policy::Policy::VT_SCHEMA_MINOR);
  throw PolicyError(Refusal::unknown_schema, "schema `" + std::to_string(major) + "." +
                                                 std::to_string(minor) + "` is not known here");
}

// What the verifier leaves out: that numbers in vectors begin at multiples of their size.
template <class Vector>
void require_aligned(const Vector* vector) {
  constexpr std::size_t kLargestNumber = 8;
  require_structure(vector == nullptr || vector->size() == 0 ||
                    reinterpret_cast<std::uintptr_t>(vector->Data()) % kLargestNumber == 0);
}

inline void check_alignment(const policy::FormBox& box) {
  if (const policy::Ladder* ladder = box.form_as_Ladder()) {
    require_aligned(ladder->rows());
    require_aligned(ladder->climbs());
    for (const policy::Rung* rung : *ladder->rungs()) require_aligned(rung->cost_ppm());
    if (ladder->power() != nullptr) require_aligned(ladder->power()->idle_ppm());
  } else if (const policy::TailTable* table = box.form_as_TailTable()) {
    for (const policy::TailRow* row : *table->cycles()) require_aligned(row->left());
    for (const policy::TailRow* row : *table->memory_ns()) require_aligned(row->left());
  } else if (const policy::Plan* plan = box.form_as_Plan()) {
    for (const policy::PoolPrices* prices : *plan->prices()) require_aligned(prices->udollars());
  }
}

inline void check_forms(const FormBoxes& boxes) {
  for (const policy::FormBox* box : boxes) {
    if (box->form_type() == policy::Form::NONE || box->form_type() > policy::Form::MAX)
      throw PolicyError(Refusal::unknown_form,
                        "form `" + text_of(box->form_name()) + "` is not known here");
    const policy::Ladder* ladder = box->form_as_Ladder();
    if (ladder != nullptr) check_rules(*ladder);
    check_alignment(*box);
    if (ladder != nullptr) check_row_structure(*ladder);
  }
}

// Where the whole is broken a form or a rule that is not known here is still named: its policy may
// lack what those of this version have.
[[noreturn]] inline void refuse_structure(const std::uint8_t* payload, std::size_t size) {
  flatbuffers::Verifier verifier(payload, size);
  const flatbuffers::Table& root = root_of(verifier, payload);
  require_structure(root.VerifyOffsetRequired(verifier, policy::Policy::VT_FORMS));
  const auto* boxes = root.GetPointer<const FormBoxes*>(policy::Policy::VT_FORMS);
  require_structure(verifier.VerifyVector(boxes) && verifier.VerifyVectorOfTables(boxes));
  check_forms(*boxes);
  throw PolicyError(Refusal::bad_structure, "the FlatBuffer is broken");
}

// The policy in a payload, which begins at a multiple of 8; PolicyError unless all of it is verified.
inline const policy::Policy& flat_form_in(const std::uint8_t* payload, std::size_t size) {
  check_version(payload, size);
  flatbuffers::Verifier verifier(payload, size);
  if (!policy::VerifyPolicyBuffer(verifier)) refuse_structure(payload, size);
  const policy::Policy& root = *policy::GetPolicy(payload);
  check_forms(*root.forms());
  return root;
}

}  // namespace tailc::detail
