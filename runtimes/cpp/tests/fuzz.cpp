// Any bytes are refused, or are a policy that answers: for libFuzzer, begun from vector files.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tailc/tailc.hpp>

#include "questions.hpp"

namespace {

void open_and_ask(const std::vector<std::uint8_t>& bytes) {
  try {
    tailc::Policy policy = tailc::open(bytes.data(), bytes.size());
    ask(policy);
  } catch (const tailc::PolicyError&) {
  }
}

// The bytes with a seal below them, which nobody guesses.
std::vector<std::uint8_t> sealed(const std::uint8_t* payload, std::size_t size) {
  std::vector<std::uint8_t> bytes(payload, payload + size);
  bytes.insert(bytes.end(), tailc::detail::kMagic, tailc::detail::kMagic + 8);
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(std::uint64_t{size} >> shift));
  const tailc::Sha256 digest = tailc::sha256(payload, size);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  return bytes;
}

}  // namespace

// Once as they are, and once as the payload of a file: that of a vector file is before its seal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  open_and_ask({bytes, bytes + size});
  const std::size_t seal = tailc::detail::kTrailerSize;
  open_and_ask(sealed(bytes, size > seal ? size - seal : size));
  return 0;
}
