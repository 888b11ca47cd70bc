// An Ed25519 public key that policies may be signed with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sha256.hpp"

namespace tailc {

namespace detail {

constexpr std::string_view kBlanks = " \t\r\n";

inline std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The bytes of base64 with padding (RFC 4648, section 4), blanks aside; empty where it is none.
inline std::vector<std::uint8_t> bytes_in_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0, digits = 0, padding = 0;
  for (const char character : text) {
    if (kBlanks.find(character) != std::string_view::npos) continue;
    const bool is_padding = character == '=';
    const std::size_t digit = is_padding ? 0 : kDigits.find(character);
    if (digit == std::string_view::npos || (padding > 0 && !is_padding)) return {};
    padding += is_padding ? 1 : 0;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++digits % 4 != 0) continue;
    for (const unsigned shift : {16U, 8U, 0U})
      bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  if (digits % 4 != 0 || padding > 2) return {};
  bytes.resize(bytes.size() - padding);
  return bytes;
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
  std::array<std::uint8_t, 32> raw_;
  std::array<std::uint8_t, 8> id_;
};

inline TrustedKey::TrustedKey(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN PUBLIC KEY-----";
  constexpr std::string_view kEnd = "-----END PUBLIC KEY-----";
  // What stands before the key in a SubjectPublicKeyInfo (RFC 8410, section 4).
  constexpr std::uint8_t kBefore[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                      0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
  const std::string_view text = detail::stripped(pem);
  const bool is_framed = text.size() >= kBegin.size() + kEnd.size() &&
                         text.substr(0, kBegin.size()) == kBegin &&
                         text.substr(text.size() - kEnd.size()) == kEnd;
  std::vector<std::uint8_t> bytes;
  if (is_framed)
    bytes = detail::bytes_in_base64(
        text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size()));
  if (bytes.size() != sizeof(kBefore) + raw_.size() ||
      std::memcmp(bytes.data(), kBefore, sizeof(kBefore)) != 0)
    throw std::invalid_argument("a trusted key is the PEM text of an Ed25519 public key");
  std::memcpy(raw_.data(), bytes.data() + sizeof(kBefore), raw_.size());
  std::memcpy(id_.data(), sha256(raw_.data(), raw_.size()).data(), id_.size());
}

}  // namespace tailc
