// SHA-256 (FIPS 180-4), of bytes that are all in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tailc {

using Sha256 = std::array<std::uint8_t, 32>;

namespace detail {

using Sha256State = std::array<std::uint32_t, 8>;
constexpr std::size_t kSha256Block = 64;

constexpr std::array<std::uint32_t, 64> kSha256Rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

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

// The last block or two: what is left of the bytes, a 1, zeros, and the length in bits.
inline void sha256_end(Sha256State& state, const std::uint8_t* left, std::size_t size) noexcept {
  constexpr std::size_t kLength = 8;
  const std::size_t rest = size % kSha256Block;
  const std::size_t padded = rest + 1 + kLength <= kSha256Block ? kSha256Block : 2 * kSha256Block;
  std::uint8_t last[2 * kSha256Block] = {};
  if (rest > 0) std::memcpy(last, left, rest);
  last[rest] = 0x80;
  const std::uint64_t bits = std::uint64_t{size} * 8;
  for (std::size_t i = 0; i < kLength; ++i)
    last[padded - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  for (std::size_t at = 0; at < padded; at += kSha256Block) sha256_block(state, last + at);
}

}  // namespace detail

inline Sha256 sha256(const std::uint8_t* bytes, std::size_t size) noexcept {
  detail::Sha256State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::size_t whole = size - size % detail::kSha256Block;
  for (std::size_t at = 0; at < whole; at += detail::kSha256Block)
    detail::sha256_block(state, bytes + at);
  detail::sha256_end(state, bytes + whole, size);
  Sha256 digest{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

}  // namespace tailc
