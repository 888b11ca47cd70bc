// Why a policy was refused; the words of `name_of` are the same in every language's runtime.
#pragma once

#include <stdexcept>
#include <string>

namespace tailc {

enum class Refusal {
  truncated,         // the file has another length than it was sealed with
  hash_mismatch,     // the bytes do not match their SHA-256
  not_signed,        // keys are trusted, and the file is not signed
  unknown_key,       // the file is signed with a key that is not trusted
  bad_signature,     // the signature is not one of its key, or not of this file
  expired,           // the signature is good no longer
  no_signatures,     // keys are trusted, and this program cannot check a signature
  bad_structure,     // the bytes are whole, but not laid out as a policy is
  bad_meaning,       // the policy contradicts itself
  unknown_rule,      // the policy needs a rule that is unknown to this version
  unknown_form,      // the policy has a form that is unknown to this version
  unknown_schema,    // the policy has another major version of the schema
  unknown_class,     // the policy has no ladder for the class asked for
  other_form,        // the policy is fine, but has another form than the one asked for
  other_service,     // the policy is for another service than the one asked for
  older_generation,  // the policy is older than the one held
};

inline const char* name_of(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::truncated: return "truncated";
    case Refusal::hash_mismatch: return "hash-mismatch";
    case Refusal::not_signed: return "unsigned";
    case Refusal::unknown_key: return "unknown-key";
    case Refusal::bad_signature: return "bad-signature";
    case Refusal::expired: return "expired";
    case Refusal::no_signatures: return "no-signatures";
    case Refusal::bad_structure: return "bad-structure";
    case Refusal::bad_meaning: return "bad-meaning";
    case Refusal::unknown_rule: return "unknown-rule";
    case Refusal::unknown_form: return "unknown-form";
    case Refusal::unknown_schema: return "unknown-schema";
    case Refusal::unknown_class: return "unknown-class";
    case Refusal::other_form: return "other-form";
    case Refusal::other_service: return "other-service";
    case Refusal::older_generation: return "older-generation";
  }
  return "refused";
}

// The bytes are not a policy that this program may act on.
class PolicyError : public std::runtime_error {
 public:
  PolicyError(Refusal refusal, const std::string& why)
      : std::runtime_error(why), refusal_(refusal) {}

  Refusal refusal() const noexcept { return refusal_; }

 private:
  Refusal refusal_;
};

namespace detail {

inline void require(bool holds, const char* otherwise) {
  if (!holds) throw PolicyError(Refusal::bad_meaning, otherwise);
}

}  // namespace detail
}  // namespace tailc
