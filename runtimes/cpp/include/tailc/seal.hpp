// The trailers of a `.tailc` file: its seal (a magic, the payload's length, the payload's SHA-256),
// and below that, if it is signed, its signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "error.hpp"
#include "sha256.hpp"

namespace tailc::detail {

constexpr char kMagic[] = "TLCSEAL1";
constexpr std::size_t kMagicSize = 8, kLengthSize = 8;
constexpr std::size_t kTrailerSize = kMagicSize + kLengthSize + sizeof(Sha256);

// A magic, when it expires, by which key it is, the signature itself, and the begin of the SHA-256 of
// all that.
constexpr char kSignatureMagic[] = "TLCSIGN1";
constexpr std::size_t kSignatureMagicSize = 8, kExpirySize = 8, kKeyIdSize = 8;
constexpr std::size_t kSignatureValueSize = 64, kCheckSize = 8;
constexpr std::size_t kSignatureSize =
    kSignatureMagicSize + kExpirySize + kKeyIdSize + kSignatureValueSize + kCheckSize;

inline std::uint64_t little_endian(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(value); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

// Why bytes without a right seal are no policy; `has_magic`: whether they have a seal of another length.
inline const char* why_unsealed(const std::uint8_t* bytes, std::size_t size, bool has_magic) {
  const std::size_t first = [&] {
    std::size_t at = 0;
    while (at < size && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r')) ++at;
    return at;
  }();
  const bool has_identifier = size >= 8 && (std::memcmp(bytes + 4, "TLC1", 4) == 0 ||
                                            std::memcmp(bytes + 4, "TLS1", 4) == 0);
  if (size == 0) return "the file is empty";
  if (has_identifier && has_magic) return "the file does not have the length in its seal";
  if (has_identifier) return "the seal is missing, or the end of the file";
  if (first < size && (bytes[first] == '{' || bytes[first] == '['))
    return "the file looks like JSON: open the `.tailc` file instead";
  if (size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
    return "the file looks compressed by gzip: decompress it";
  return "the file is neither a policy nor a state: it has no identifier `TLC1` or `TLS1`";
}

// Seals a payload.
inline void append_seal(std::vector<std::uint8_t>& payload) {
  const std::size_t size = payload.size();
  const Sha256 digest = sha256(payload.data(), size);
  payload.insert(payload.end(), kMagic, kMagic + kMagicSize);
  for (std::size_t i = 0; i < kLengthSize; ++i)
    payload.push_back(static_cast<std::uint8_t>(std::uint64_t{size} >> (8 * i)));
  payload.insert(payload.end(), digest.begin(), digest.end());
}

// The size of the payload at the begin of sealed bytes; PolicyError unless all of it is whole.
inline std::size_t unsealed_size(const std::uint8_t* bytes, std::size_t size) {
  if (size < kTrailerSize)
    throw PolicyError(Refusal::truncated, why_unsealed(bytes, size, false));
  const std::size_t payload = size - kTrailerSize;
  const std::uint8_t* trailer = bytes + payload;
  const std::uint64_t length = little_endian(trailer + kMagicSize);
  const bool has_magic = std::memcmp(trailer, kMagic, kMagicSize) == 0;
  if (!has_magic || length != payload)
    throw PolicyError(Refusal::truncated, why_unsealed(bytes, size, has_magic));
  const Sha256 digest = sha256(bytes, payload);
  if (std::memcmp(digest.data(), trailer + kMagicSize + kLengthSize, digest.size()) != 0)
    throw PolicyError(Refusal::hash_mismatch, "the bytes do not match their SHA-256");
  return payload;
}

// Where the signature of a file begins, below its seal; null: it is not signed.
inline const std::uint8_t* signature_in(const std::uint8_t* bytes, std::size_t size) {
  if (size < kTrailerSize + kSignatureSize) return nullptr;
  const std::uint8_t* signature = bytes + (size - kSignatureSize);
  if (std::memcmp(signature, kSignatureMagic, kSignatureMagicSize) != 0) return nullptr;
  constexpr std::size_t kChecked = kSignatureSize - kCheckSize;
  if (std::memcmp(sha256(signature, kChecked).data(), signature + kChecked, kCheckSize) != 0)
    throw PolicyError(Refusal::hash_mismatch, "the signature does not match its check");
  return signature;
}

// A file that is whole; `signature` is null where it has none. The signer was not checked.
struct Unsealed {
  std::size_t payload_size;
  const std::uint8_t* signature;
};

inline Unsealed unsealed(const std::uint8_t* bytes, std::size_t size) {
  const std::uint8_t* signature = signature_in(bytes, size);
  return {unsealed_size(bytes, size - (signature != nullptr ? kSignatureSize : 0)), signature};
}

}  // namespace tailc::detail
