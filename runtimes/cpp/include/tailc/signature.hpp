// Who signed a policy: the second trailer of a file, against the keys that are trusted.
//
// Define TAILC_SIGNATURES (CMake does for its option of that name) in all of a program or in nothing
// of it, and link to libcrypto of OpenSSL. Without it no key can be trusted: `no_signatures`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "error.hpp"
#include "seal.hpp"
#include "trusted_key.hpp"

#ifdef TAILC_SIGNATURES
#include <openssl/evp.h>
#endif

namespace tailc {

// Whether this program can check signatures.
#ifdef TAILC_SIGNATURES
constexpr bool kChecksSignatures = true;
#else
constexpr bool kChecksSignatures = false;
#endif

namespace detail {

#ifdef TAILC_SIGNATURES

inline bool has_signed(const TrustedKey& key, const std::uint8_t* message, std::size_t size,
                       const std::uint8_t* signature) {
  const auto free_key = [](EVP_PKEY* made) { EVP_PKEY_free(made); };
  const auto free_context = [](EVP_MD_CTX* made) { EVP_MD_CTX_free(made); };
  const std::unique_ptr<EVP_PKEY, decltype(free_key)> public_key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.raw().data(), key.raw().size()),
      free_key);
  const std::unique_ptr<EVP_MD_CTX, decltype(free_context)> context(EVP_MD_CTX_new(), free_context);
  return public_key && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, public_key.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature, kSignatureValueSize, message, size) == 1;
}

// Refused unless one of the keys signed it and the signature has not expired at that time; the Unix
// second at which it expires, 0 for never.
inline std::uint64_t check_signature(const Unsealed& file, const std::vector<TrustedKey>& keys,
                            std::optional<std::int64_t> now_s) {
  if (file.signature == nullptr) throw PolicyError(Refusal::not_signed, "the policy is not signed");
  const std::uint8_t* key_id = file.signature + kSignatureMagicSize + kExpirySize;
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const TrustedKey& trusted) {
    return std::memcmp(trusted.id().data(), key_id, kKeyIdSize) == 0;
  });
  if (key == keys.end())
    throw PolicyError(Refusal::unknown_key, "the policy is signed with a key that is not trusted");
  const std::uint8_t* value = key_id + kKeyIdSize;
  // The seal and the begin of the signature lie side by side.
  const std::uint8_t* signed_from = file.signature - kTrailerSize;
  if (!has_signed(*key, signed_from, static_cast<std::size_t>(value - signed_from), value))
    throw PolicyError(Refusal::bad_signature, "the signature does not match the policy");
  const std::uint64_t expires_s = little_endian(file.signature + kSignatureMagicSize);
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t moment_s =
      now_s.value_or(std::chrono::duration_cast<std::chrono::seconds>(since).count());
  if (expires_s > 0 && moment_s >= 0 && static_cast<std::uint64_t>(moment_s) >= expires_s)
    throw PolicyError(Refusal::expired, "the signature has expired");
  return expires_s;
}

#else

[[noreturn]] inline std::uint64_t check_signature(const Unsealed&, const std::vector<TrustedKey>&,
                                                  std::optional<std::int64_t>) {
  throw PolicyError(Refusal::no_signatures, "this program was built without signatures");
}

#endif

}  // namespace detail
}  // namespace tailc
