package dev.tailc.runtime;

/** Why a policy was refused; the words are the same in every language's runtime. */
public enum Refusal {
  /** The file has another length than it was sealed with. */
  TRUNCATED("truncated"),
  /** The bytes do not match their SHA-256. */
  HASH_MISMATCH("hash-mismatch"),
  /** Keys are trusted, and the file has no signature. */
  UNSIGNED("unsigned"),
  /** The file was signed with none of the keys that are trusted. */
  UNKNOWN_KEY("unknown-key"),
  /** The signature is not one of these bytes by that key. */
  BAD_SIGNATURE("bad-signature"),
  /** The signature was good until a moment that has passed. */
  EXPIRED("expired"),
  /** Keys are trusted, but this Java cannot check signatures. */
  NO_SIGNATURES("no-signatures"),
  /** The bytes are whole, but not laid out as a policy is. */
  BAD_STRUCTURE("bad-structure"),
  /** The policy contradicts itself. */
  BAD_MEANING("bad-meaning"),
  /** The policy needs a rule that is unknown to this version. */
  UNKNOWN_RULE("unknown-rule"),
  /** The policy has a form that is unknown to this version. */
  UNKNOWN_FORM("unknown-form"),
  /** The policy has another major version of the schema. */
  UNKNOWN_SCHEMA("unknown-schema"),
  /** The policy has no ladder for the requested class. */
  UNKNOWN_CLASS("unknown-class"),
  /** The policy is valid, but has another form than the requested one. */
  OTHER_FORM("other-form"),
  /** The policy is fine, but for another service. */
  OTHER_SERVICE("other-service"),
  /** The policy is older than the one held. */
  OLDER_GENERATION("older-generation");

  private final String word;

  Refusal(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }
}
