// Blocks of SHA-256 by the SHA extensions of x86 processors, where compiler and processor have them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sha256_rounds.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define TAILC_HAS_SHA_EXTENSIONS 1

#include <cpuid.h>
#include <immintrin.h>

namespace tailc::detail {

inline bool has_sha_extensions() noexcept {
  constexpr unsigned kSsse3 = 1U << 9, kSse41 = 1U << 19, kSha = 1U << 29;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  const bool has_sse = (ecx & kSsse3) != 0 && (ecx & kSse41) != 0;
  return has_sse && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & kSha) != 0;
}

// The eight words of the state as the instructions want them.
struct ShaRegisters {
  __m128i abef, cdgh;
};

// Rounds 4 i to 4 i + 3, of the words `w` that belong to them.
__attribute__((target("sha,sse4.1"))) inline void sha_rounds(ShaRegisters& state, __m128i w,
                                                             std::size_t i) noexcept {
  const auto* constants = reinterpret_cast<const __m128i*>(kSha256Rounds.data() + 4 * i);
  const __m128i sums = _mm_add_epi32(w, _mm_loadu_si128(constants));
  state.cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, sums);
  state.abef = _mm_sha256rnds2_epu32(state.abef, state.cdgh, _mm_shuffle_epi32(sums, 0x0e));
}

// The four words of the message schedule after w0 to w3, in place of w0.
__attribute__((target("sha,sse4.1"))) inline void sha_schedule(__m128i& w0, __m128i w1, __m128i w2,
                                                               __m128i w3) noexcept {
  const __m128i sums = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
  w0 = _mm_sha256msg2_epu32(sums, w3);
}

__attribute__((target("sha,sse4.1"))) inline void sha_block(ShaRegisters& state,
                                                            const std::uint8_t* block) noexcept {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i w[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i);
    w[i] = _mm_shuffle_epi8(raw, big_endian);
    sha_rounds(state, w[i], i);
  }
  for (std::size_t i = 4; i < 16; i += 4) {
    sha_schedule(w[0], w[1], w[2], w[3]);
    sha_rounds(state, w[0], i);
    sha_schedule(w[1], w[2], w[3], w[0]);
    sha_rounds(state, w[1], i + 1);
    sha_schedule(w[2], w[3], w[0], w[1]);
    sha_rounds(state, w[2], i + 2);
    sha_schedule(w[3], w[0], w[1], w[2]);
    sha_rounds(state, w[3], i + 3);
  }
}

__attribute__((target("sha,sse4.1"))) inline void sha256_blocks_x86(Sha256State& words,
                                                                    const std::uint8_t* bytes,
                                                                    std::size_t count) noexcept {
  auto* halves = reinterpret_cast<__m128i*>(words.data());
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1b);
  ShaRegisters state{_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
  for (std::size_t i = 0; i < count; ++i) {
    const ShaRegisters before = state;
    sha_block(state, bytes + i * kSha256Block);
    state.abef = _mm_add_epi32(state.abef, before.abef);
    state.cdgh = _mm_add_epi32(state.cdgh, before.cdgh);
  }
  const __m128i feba = _mm_shuffle_epi32(state.abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(state.cdgh, 0xb1);
  _mm_storeu_si128(halves, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(halves + 1, _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace tailc::detail

#endif
