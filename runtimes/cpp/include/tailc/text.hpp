// Which bytes are text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tailc::detail {

// Whether no code point is cut, longer than need be, a surrogate, or beyond U+10FFFF.
inline bool is_utf8(std::string_view text) noexcept {
  constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    if (lead < 0x80) continue;
    const std::size_t more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - at < more) return false;
    std::uint32_t point = lead & (0x3fU >> more);
    for (const std::size_t end = at + more; at < end; ++at) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if ((byte & 0xc0U) != 0x80) return false;
      point = point << 6 | (byte & 0x3fU);
    }
    const bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
    if (point < kLeast[more] || point > 0x10ffff || is_surrogate) return false;
  }
  return true;
}

}  // namespace tailc::detail
