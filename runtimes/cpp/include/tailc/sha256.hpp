// SHA-256 (FIPS 180-4), of bytes that are all in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sha256_rounds.hpp"
#include "sha256_x86.hpp"

namespace tailc {

using Sha256 = std::array<std::uint8_t, 32>;

namespace detail {

inline std::uint32_t rotated(std::uint32_t word, int bits) noexcept {
  return (word >> bits) | (word << (32 - bits));
}

inline std::uint32_t big_endian(const std::uint8_t* at) noexcept {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         std::uint32_t{at[3]};
}

// One block into the state; letters are those of FIPS 180-4, section 6.2.2.
inline void sha256_block(Sha256State& state, const std::uint8_t* block) noexcept {
  std::uint32_t w[64];
  for (int t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kSha256Rounds[t] + w[t];
    const std::uint32_t s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const Sha256State worked = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += worked[i];
}

inline void sha256_blocks(Sha256State& state, const std::uint8_t* bytes,
                          std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) sha256_block(state, bytes + i * kSha256Block);
}

using Sha256Blocks = void (*)(Sha256State&, const std::uint8_t*, std::size_t);

inline Sha256Blocks fastest_sha256_blocks() noexcept {
#ifdef TAILC_HAS_SHA_EXTENSIONS
  static const bool has_extensions = has_sha_extensions();
  if (has_extensions) return sha256_blocks_x86;
#endif
  return sha256_blocks;
}

// The last block or two: what is left of the bytes, a 1, zeros, and the length in bits.
inline void sha256_end(Sha256State& state, Sha256Blocks blocks, const std::uint8_t* left,
                       std::size_t size) noexcept {
  constexpr std::size_t kLength = 8;
  const std::size_t rest = size % kSha256Block;
  const std::size_t count = rest + 1 + kLength <= kSha256Block ? 1 : 2;
  std::uint8_t last[2 * kSha256Block] = {};
  if (rest > 0) std::memcpy(last, left, rest);
  last[rest] = 0x80;
  const std::uint64_t bits = std::uint64_t{size} * 8;
  for (std::size_t i = 0; i < kLength; ++i)
    last[count * kSha256Block - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  blocks(state, last, count);
}

inline Sha256 sha256_by(Sha256Blocks blocks, const std::uint8_t* bytes, std::size_t size) noexcept {
  Sha256State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  blocks(state, bytes, size / kSha256Block);
  sha256_end(state, blocks, bytes + size / kSha256Block * kSha256Block, size);
  Sha256 digest{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

}  // namespace detail

inline Sha256 sha256(const std::uint8_t* bytes, std::size_t size) noexcept {
  return detail::sha256_by(detail::fastest_sha256_blocks(), bytes, size);
}

}  // namespace tailc
