// From a path to a policy in memory; nothing is used before it is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "counters.hpp"
#include "error.hpp"
#include "flat_form.hpp"
#include "options.hpp"
#include "policy.hpp"
#include "seal.hpp"
#include "signature.hpp"

namespace tailc {

namespace detail {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// Length and hash first, then the signature, then structure, then meaning, then what is expected.
inline Policy opened(const void* bytes, std::size_t size, const Options& options,
                     std::shared_ptr<Counters> counters) {
  if (size > kMostBytes)
    throw PolicyError(Refusal::bad_structure, "the file is larger than the limit for a policy");
  constexpr std::size_t kAlignment = 8;
  std::vector<std::uint64_t> aligned;
  if (reinterpret_cast<std::uintptr_t>(bytes) % kAlignment != 0) {
    aligned.resize(size / kAlignment + 1);
    bytes = std::memcpy(aligned.data(), bytes, size);
  }
  const auto* file = static_cast<const std::uint8_t*>(bytes);
  const Unsealed whole = unsealed(file, size);
  const std::uint64_t expires_s =
      options.trusted.empty() ? 0 : check_signature(whole, options.trusted, options.now_s);
  Policy policy(flat_form_in(file, whole.payload_size), std::move(counters), expires_s);
  check_expected(policy, options);
  return policy;
}

// The same of a file's bytes; what is thrown names the file.
inline Policy opened_of(const std::string& path, const std::vector<std::uint8_t>& bytes,
                        const Options& options, std::shared_ptr<Counters> counters) {
  try {
    return opened(bytes.data(), bytes.size(), options, std::move(counters));
  } catch (const PolicyError& error) {
    throw PolicyError(error.refusal(), path + ": " + error.what());
  }
}

// What `open` does in place of the policy held; what it throws is counted.
template <class Open>
auto counted(Counters& counters, const Open& open) {
  try {
    return open();
  } catch (const PolicyError& error) {
    counters.refuse(name_of(error.refusal()));
    throw;
  } catch (const std::exception&) {
    counters.refuse("unreadable");
    throw;
  }
}

// The options of what takes the place of the policy held.
inline Options replacing(const Policy& held, Options options) {
  options.held_generation = held.generation();
  return options;
}

}  // namespace detail

// The policy in a `.tailc` file. Throws PolicyError, or std::system_error where the file cannot be
// read.
inline Policy open(const std::string& path, const Options& options = {}) {
  const std::vector<std::uint8_t> bytes = detail::bytes_of(path, detail::kMostBytes + 1);
  return detail::opened_of(path, bytes, options, std::make_shared<Counters>());
}

// The policy in the bytes of a `.tailc` file; the bytes may be freed afterwards.
inline Policy open(const void* bytes, std::size_t size, const Options& options = {}) {
  return detail::opened(bytes, size, options, std::make_shared<Counters>());
}

// A policy in place of the one held, with its counters. One that is refused, is of an older
// generation, or cannot be read, is counted, and its error thrown: go on with the one held.
inline Policy open_newer(const std::string& path, const Policy& held, const Options& options = {}) {
  return detail::counted(*held.counters(), [&] {
    const std::vector<std::uint8_t> bytes = detail::bytes_of(path, detail::kMostBytes + 1);
    return detail::opened_of(path, bytes, detail::replacing(held, options), held.counters());
  });
}

}  // namespace tailc
