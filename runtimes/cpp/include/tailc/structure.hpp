// The structure of a FlatBuffer, verified before any accessor follows an offset.
//
// The verifiers that the library has differ between languages in what they refuse. This one follows
// the rules of docs/artifact-format.md, "Structure", in the order of all readers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "ladder_meaning.hpp"
#include "layout.hpp"
#include "text.hpp"

namespace tailc::detail {

inline void require_structure(bool holds, const char* otherwise) {
  if (!holds) throw PolicyError(Refusal::bad_structure, otherwise);
}

class Structure {
 public:
  Structure(const std::uint8_t* payload, std::uint64_t size)
      : payload_(payload), size_(size), left_(size) {}

  // The root and its first two fields: another major version may change all the rest.
  void check_version() {
    const Table root = start(target(0));
    for (const std::size_t id : {0, 1}) check_field(root, policy_fields(), id);
  }

  // Everything; forms come first, so that one that is not known is refused by its name.
  void check_all() {
    const Table root = start(target(0));
    check_field(root, policy_fields(), kFormsId);
    for (std::size_t id = 0; id < policy_fields().size(); ++id)
      if (id != kFormsId) check_field(root, policy_fields(), id);
  }

  // Everything from a root that is no policy.
  void check_root(std::string_view name) { check_table(target(0), name); }

 private:
  static constexpr std::uint64_t kOffsetSize = 4, kSlotSize = 2, kLongSize = 8, kRowSize = 32;
  // A list of fields begins with its own size and that of its table.
  static constexpr std::uint64_t kHeadSize = 4;
  static constexpr std::int64_t kLargest = (std::int64_t{1} << 53) - 1;
  // Ids in Policy, in FormBox and in Ladder, and places in Row.
  static constexpr std::size_t kFormsId = 8;
  static constexpr std::size_t kFormType = 0, kForm = 1, kFormName = 2;
  static constexpr std::size_t kRules = 4, kRuleNamesId = 5, kRows = 7, kClimbs = 8;
  static constexpr std::uint64_t kFirstClimbAt = 16, kClimbCountAt = 20;

  // Where a table begins, its size, and where its list of fields lies.
  struct Table {
    std::uint64_t at, size, slots, slots_size;
  };

  static const std::vector<Field>& policy_fields() { return layouts().find("Policy")->second; }

  void check_table(std::uint64_t at, std::string_view name) {
    const std::vector<Field>& fields = layouts().find(name)->second;
    const Table table = start(at);
    for (std::size_t id = 0; id < fields.size(); ++id) check_field(table, fields, id);
    if (name == "FormBox") check_form(table);
    if (name == "Ladder") {
      check_rules(table);
      check_rows(table);
    }
  }

  void check_field(const Table& table, const std::vector<Field>& fields, std::size_t id) {
    const Field& field = fields[id];
    const std::uint64_t at = field_at(table, id, field.size_in_table());
    if (at == 0)
      require_structure(!field.is_required, "a required field is missing");
    else if (field.is_vector)
      check_vector(target(at), field);
    else if (field.size > 0)
      check_numbers(at, 1, field.size);
    else
      check_element(target(at), field);
  }

  void check_vector(std::uint64_t at, const Field& field) {
    const std::uint64_t count = counted(at, field.size > 0 ? field.size : kOffsetSize);
    const std::uint64_t first = at + kOffsetSize;
    if (field.size > 0) return check_numbers(first, count, field.size);
    for (std::uint64_t i = 0; i < count; ++i) check_element(target(first + i * kOffsetSize), field);
  }

  // A form is followed once its box names one that is known.
  void check_element(std::uint64_t at, const Field& field) {
    if (field.kind == "text")
      check_text(at);
    else if (field.kind != "Form")
      check_table(at, field.kind);
  }

  // UTF-8, with a 0 behind it.
  void check_text(std::uint64_t at) {
    const std::uint64_t end = at + kOffsetSize + counted(at, 1);
    require_structure(end < size_ && payload_[end] == 0, "a string does not end with a zero byte");
    require_structure(is_utf8(text(at)), "a string is not UTF-8");
  }

  // Scalars or structs: aligned, with whole numbers of 8 bytes within 2^53 - 1. Such numbers are the
  // first half of every struct, and have no sign there.
  void check_numbers(std::uint64_t at, std::uint64_t count, std::uint64_t size) const {
    if (count == 0) return;
    require_structure(at % std::min(size, kLongSize) == 0, "a number is not aligned");
    const bool is_struct = size > kLongSize;
    const std::uint64_t wholes = size / kLongSize / (is_struct ? 2 : 1);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::uint64_t j = 0; j < wholes; ++j) {
        const auto number =
            flatbuffers::ReadScalar<std::int64_t>(payload_ + at + i * size + j * kLongSize);
        require_structure((is_struct ? 0 : -kLargest) <= number && number <= kLargest,
                          "a number is outside -(2^53 - 1) to 2^53 - 1");
      }
    }
  }

  // Checks the form in a box whose fields have been verified, and its number and name.
  void check_form(const Table& box) {
    const std::uint64_t type_at = field_at(box, kFormType, 1);
    const std::size_t number = type_at == 0 ? 0 : payload_[type_at];
    const std::string name(text(target_of(box, kFormName)));
    const bool is_number = number > 0 && number <= std::size(detail::kForms);
    const std::vector<std::string_view> form = words_of(is_number ? detail::kForms[number - 1] : "");
    if (!is_number || form[0] != name)
      throw PolicyError(Refusal::unknown_form, "unknown form `" + name + "`");
    check_table(target_of(box, kForm), form[1]);
  }

  // Checks that the numbers of rules are known, and that each has the right name.
  void check_rules(const Table& ladder) const {
    const std::uint64_t at = target_of(ladder, kRules), names_at = target_of(ladder, kRuleNamesId);
    const std::uint64_t count = word(at);
    require_structure(count == word(names_at),
                      "`rules` and `rule_names` must have the same number of entries");
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t number = payload_[at + kOffsetSize + i];
      const std::string name(text(target(names_at + kOffsetSize + i * kOffsetSize)));
      if (number == 0 || number >= kRuleNames.size() || name != kRuleNames[number])
        throw PolicyError(Refusal::unknown_rule, "unknown rule `" + name + "`");
    }
  }

  // Rows that follow each other in the climbs, to the last one.
  void check_rows(const Table& ladder) const {
    const std::uint64_t at = target_of(ladder, kRows), count = word(at);
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t row = at + kOffsetSize + i * kRowSize;
      require_structure(word(row + kFirstClimbAt) == next,
                        "climbs of successive rows are not consecutive in `climbs`");
      next += word(row + kClimbCountAt);
    }
    require_structure(next == word(target_of(ladder, kClimbs)),
                      "the rows do not have all entries of `climbs`");
  }

  // The table there, with its list of fields; both are within the payload.
  Table start(std::uint64_t at) const {
    constexpr const char* kBroken = "a table has an invalid list of fields";
    const auto distance = static_cast<std::int32_t>(word(at));
    const std::int64_t slots = static_cast<std::int64_t>(at) - distance;
    const auto size = static_cast<std::int64_t>(size_);
    require_structure(slots >= 0 && slots % std::int64_t{kSlotSize} == 0, kBroken);
    require_structure(slots <= size - std::int64_t{kHeadSize}, kBroken);
    const auto begin = static_cast<std::uint64_t>(slots);
    const Table table{at, half(begin + kSlotSize), begin, half(begin)};
    require_structure(table.slots_size >= kHeadSize && table.slots_size % kSlotSize == 0, kBroken);
    require_structure(begin + table.slots_size <= size_, kBroken);
    require_structure(table.size >= kOffsetSize && table.size <= size_ - at, kBroken);
    return table;
  }

  // Offset of the field with that id and size in bytes; 0: it is absent.
  std::uint64_t field_at(const Table& table, std::size_t id, std::uint64_t size) const {
    const std::uint64_t slot = kHeadSize + kSlotSize * id;
    const std::uint64_t offset = slot < table.slots_size ? half(table.slots + slot) : 0;
    if (offset == 0) return 0;
    require_structure(offset >= kOffsetSize && offset + size <= table.size,
                      "a field is outside its table");
    return table.at + offset;
  }

  // Where a field leads that has been verified to be there.
  std::uint64_t target_of(const Table& table, std::size_t id) const {
    return target(field_at(table, id, kOffsetSize));
  }

  // Target of the offset at that place.
  std::uint64_t target(std::uint64_t at) const {
    require_structure(at % kOffsetSize == 0, "an offset is not aligned");
    const std::uint64_t offset = word(at);
    require_structure(offset > 0 && offset % kOffsetSize == 0, "an offset has no valid target");
    check_within(at + offset, kOffsetSize);
    return at + offset;
  }

  // How many elements of a size the vector there has; all are in the payload. Vectors and strings
  // share no bytes, so all of them together fit into it.
  std::uint64_t counted(std::uint64_t at, std::uint64_t size) {
    const std::uint64_t count = word(at), spent = kOffsetSize + count * size;
    check_within(at, spent);
    require_structure(spent <= left_,
                      "vectors and strings are together larger than the FlatBuffer");
    left_ -= spent;
    return count;
  }

  std::string_view text(std::uint64_t at) const {
    return {reinterpret_cast<const char*>(payload_) + at + kOffsetSize, word(at)};
  }

  std::uint32_t word(std::uint64_t at) const {
    check_within(at, kOffsetSize);
    return flatbuffers::ReadScalar<std::uint32_t>(payload_ + at);
  }

  std::uint16_t half(std::uint64_t at) const {
    return flatbuffers::ReadScalar<std::uint16_t>(payload_ + at);
  }

  void check_within(std::uint64_t at, std::uint64_t size) const {
    require_structure(at + size <= size_, "an offset points beyond the end of the FlatBuffer");
  }

  const std::uint8_t* payload_;
  std::uint64_t size_, left_;
};

}  // namespace tailc::detail
