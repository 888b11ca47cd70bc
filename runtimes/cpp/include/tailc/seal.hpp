// The trailer of a `.tailc` file: a magic, the payload's length, the payload's SHA-256.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "error.hpp"
#include "sha256.hpp"

namespace tailc::detail {

constexpr char kMagic[] = "TLCSEAL1";
constexpr std::size_t kMagicSize = 8, kLengthSize = 8;
constexpr std::size_t kTrailerSize = kMagicSize + kLengthSize + sizeof(Sha256);

// The size of the payload at the begin of sealed bytes; PolicyError unless all of it is whole.
inline std::size_t unsealed_size(const std::uint8_t* bytes, std::size_t size) {
  if (size < kTrailerSize) throw PolicyError(Refusal::truncated, "too few bytes for a policy");
  const std::size_t payload = size - kTrailerSize;
  const std::uint8_t* trailer = bytes + payload;
  std::uint64_t length = 0;
  for (std::size_t i = kLengthSize; i-- > 0;) length = length << 8 | trailer[kMagicSize + i];
  if (std::memcmp(trailer, kMagic, kMagicSize) != 0 || length != payload)
    throw PolicyError(Refusal::truncated, "the file does not have the length it was sealed with");
  const Sha256 digest = sha256(bytes, payload);
  if (std::memcmp(digest.data(), trailer + kMagicSize + kLengthSize, digest.size()) != 0)
    throw PolicyError(Refusal::hash_mismatch, "the bytes do not match their SHA-256");
  return payload;
}

}  // namespace tailc::detail
