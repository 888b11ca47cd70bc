// The fields of each table of a FlatBuffer (schemas/policy.fbs), written by schemas/layout.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "_generated/layout.hpp"

namespace tailc::detail {

// `size` is in bytes, of a scalar or a struct; 0 of what an offset leads to.
struct Field {
  std::string kind;
  std::uint64_t size = 0;
  bool is_vector = false, is_required = false;

  std::uint64_t size_in_table() const noexcept {
    constexpr std::uint64_t kOffsetSize = 4;
    return size > 0 && !is_vector ? size : kOffsetSize;
  }
};

inline Field field_of(std::string_view word) {
  Field field;
  field.is_vector = word.front() == '[';
  field.is_required = word.back() == '!';
  const std::size_t first = field.is_vector ? 1 : 0;
  field.kind = word.substr(first, word.find_last_not_of("]!") + 1 - first);
  for (const char digit : field.kind)
    if (digit >= '0' && digit <= '9') field.size = field.size * 10 + (digit - '0');
  return field;
}

inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = line.find(' ');
    words.push_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return words;
}

// The fields of each table in the order of their ids.
using Layouts = std::map<std::string, std::vector<Field>, std::less<>>;

inline const Layouts& layouts() {
  static const Layouts parsed = [] {
    Layouts by_name;
    for (const char* line : kTables) {
      const std::vector<std::string_view> words = words_of(line);
      std::vector<Field>& fields = by_name[std::string(words.front())];
      for (std::size_t i = 1; i < words.size(); ++i) fields.push_back(field_of(words[i]));
    }
    return by_name;
  }();
  return parsed;
}

}  // namespace tailc::detail
