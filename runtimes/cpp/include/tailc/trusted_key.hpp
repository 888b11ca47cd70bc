// An Ed25519 public key that policies may be signed with.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sha256.hpp"

namespace tailc {

namespace detail {

// The bytes of so many characters of base64 (RFC 4648, section 4), the last of which is padding; empty
// where a bit is lost.
inline std::vector<std::uint8_t> bytes_in_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0 || text.empty() || text.back() != '=') return {};
  text.remove_suffix(1);
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char character : text) {
    const std::size_t digit = kDigits.find(character);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count));
    bits &= (1U << count) - 1;
  }
  return bits == 0 ? bytes : std::vector<std::uint8_t>();
}

// The text without that at its begin; none where it begins otherwise.
inline std::optional<std::string_view> after(std::optional<std::string_view> text,
                                             std::string_view begin) {
  if (!text || text->substr(0, begin.size()) != begin) return std::nullopt;
  return text->substr(begin.size());
}

inline std::optional<std::string_view> after_line_end(std::optional<std::string_view> text) {
  const std::optional<std::string_view> found = after(text, "\r\n");
  return found ? found : after(text, "\n");
}

// The line between the first and the last line; empty if the text has another layout.
inline std::string_view base64_in_pem(std::string_view pem) {
  constexpr std::size_t kLineSize = 60;
  const auto body = after_line_end(after(pem, "-----BEGIN PUBLIC KEY-----"));
  if (!body || body->size() < kLineSize) return {};
  const auto end = after(after_line_end(body->substr(kLineSize)), "-----END PUBLIC KEY-----");
  const bool is_ended = end && (end->empty() || *end == "\n" || *end == "\r\n");
  return is_ended ? body->substr(0, kLineSize) : std::string_view();
}

// Whether a key is a canonical encoding (y below 2^255 - 19), and of no point whose order divides 8:
// anybody can make signatures of those.
inline bool is_strong(std::array<std::uint8_t, 32> raw) {
  constexpr std::array<std::uint8_t, 32> kOrder8 = {
      0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
      0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05};
  constexpr std::array<std::uint8_t, 32> kItsNegative = {
      0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
      0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a};
  raw[31] &= 0x7f;
  const auto are = [&](std::uint8_t middle, std::uint8_t last) {
    return raw[31] == last &&
           std::all_of(raw.begin() + 1, raw.end() - 1, [&](auto byte) { return byte == middle; });
  };
  const bool is_0_or_1 = are(0, 0) && raw[0] <= 1;
  const bool is_least_prime_less_1 = are(0xff, 0x7f) && raw[0] >= 0xec;
  return !is_0_or_1 && !is_least_prime_less_1 && raw != kOrder8 && raw != kItsNegative;
}

}  // namespace detail

class TrustedKey {
 public:
  // Of a text such as `openssl pkey -pubout` writes; any other throws std::invalid_argument.
  explicit TrustedKey(std::string_view pem);

  // As in RFC 8032.
  const std::array<std::uint8_t, 32>& raw() const noexcept { return raw_; }
  // The first bytes of its SHA-256, which signatures name it by.
  const std::array<std::uint8_t, 8>& id() const noexcept { return id_; }

 private:
  std::array<std::uint8_t, 32> raw_ = {};
  std::array<std::uint8_t, 8> id_;
};

inline TrustedKey::TrustedKey(std::string_view pem) {
  // The bytes before the key in a SubjectPublicKeyInfo (RFC 8410, section 4).
  constexpr std::uint8_t kBefore[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                      0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
  const std::vector<std::uint8_t> bytes = detail::bytes_in_base64(detail::base64_in_pem(pem));
  const bool is_key = bytes.size() == sizeof(kBefore) + raw_.size() &&
                      std::memcmp(bytes.data(), kBefore, sizeof(kBefore)) == 0;
  if (is_key) std::memcpy(raw_.data(), bytes.data() + sizeof(kBefore), raw_.size());
  if (!is_key || !detail::is_strong(raw_))
    throw std::invalid_argument(
        "a trusted key must be an Ed25519 public key in PEM (`openssl pkey -pubout`)");
  std::memcpy(id_.data(), sha256(raw_.data(), raw_.size()).data(), id_.size());
}

}  // namespace tailc
