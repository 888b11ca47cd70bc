package dev.tailc.runtime;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/**
 * What follows the payload of a {@code .tailc} file: a magic, its length and its SHA-256; and in a
 * signed one a second trailer, which signs the first.
 */
final class Seal {
  static final int BYTES = 48;
  private static final byte[] MAGIC = "TLCSEAL1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] IDENTIFIER = "TLC1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] STATE_IDENTIFIER = "TLS1".getBytes(StandardCharsets.US_ASCII);
  private static final int LENGTH_AT = 8;
  private static final int DIGEST_AT = 16;

  static final int SIGNATURE_BYTES = 96;
  private static final byte[] SIGNATURE_MAGIC = "TLCSIGN1".getBytes(StandardCharsets.US_ASCII);
  private static final int EXPIRY_AT = 8;
  private static final int KEY_AT = 16;
  private static final int SIGNATURE_AT = 24;
  private static final int CHECK_AT = 88;

  private final byte[] file;
  private final boolean isSigned;
  // Where the seal ends, and the second trailer begins.
  private final int end;

  private Seal(byte[] file) {
    this.file = file;
    this.isSigned = isSigned(file);
    this.end = isSigned ? file.length - SIGNATURE_BYTES : file.length;
  }

  /** What a sealed file has. */
  static final class Unsealed {
    final ByteBuffer payload;

    /** Unix second at which the checked signature expires; 0: never. */
    final long expiresUnixS;

    private Unsealed(ByteBuffer payload, long expiresUnixS) {
      this.payload = payload;
      this.expiresUnixS = expiresUnixS;
    }
  }

  /** The payload of a file that is whole, and signed as the options ask. */
  static Unsealed unsealed(byte[] file, Options options) {
    Seal seal = new Seal(file);
    if (seal.isSigned) {
      seal.checkTrailer();
    }
    int payload = seal.unsealed();
    boolean isChecked = !options.keys().isEmpty();
    long expiresUnixS = isChecked ? seal.checkSignature(options.keys(), options.nowUnixS()) : 0;
    ByteBuffer whole = ByteBuffer.wrap(file, 0, payload).slice().order(ByteOrder.LITTLE_ENDIAN);
    return new Unsealed(whole, expiresUnixS);
  }

  /** The payload with its seal. */
  static byte[] sealed(byte[] payload) {
    return ByteBuffer.allocate(payload.length + BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(payload)
        .put(MAGIC)
        .putLong(payload.length)
        .put(sha256(payload, 0, payload.length))
        .array();
  }

  private static boolean isSigned(byte[] file) {
    int at = file.length - SIGNATURE_BYTES;
    return at >= BYTES && hasAt(file, at, SIGNATURE_MAGIC);
  }

  private void checkTrailer() {
    byte[] digest = sha256(file, end, CHECK_AT);
    if (!Arrays.equals(digest, 0, 8, file, end + CHECK_AT, file.length)) {
      throw new PolicyException(Refusal.HASH_MISMATCH, "the signature does not match its check");
    }
  }

  /**
   * Why bytes without a right seal are no policy.
   *
   * @param hasMagic whether they have a seal of another length
   */
  private static String whyUnsealed(byte[] file, boolean hasMagic) {
    boolean hasIdentifier =
        file.length >= 8 && (hasAt(file, 4, IDENTIFIER) || hasAt(file, 4, STATE_IDENTIFIER));
    int first = 0;
    while (first < file.length && " \r\n".indexOf(file[first]) >= 0) {
      ++first;
    }
    if (file.length == 0) {
      return "the file is empty";
    }
    if (hasIdentifier) {
      return hasMagic
          ? "the file does not have the length in its seal"
          : "the seal is missing, or the end of the file";
    }
    if (first < file.length && (file[first] == '{' || file[first] == '[')) {
      return "the file looks like JSON: open the `.tailc` file instead";
    }
    if (file.length >= 2 && file[0] == 0x1f && file[1] == (byte) 0x8b) {
      return "the file looks compressed by gzip: decompress it";
    }
    return "the file is neither a policy nor a state: it has no identifier `TLC1` or `TLS1`";
  }

  private int unsealed() {
    int payload = end - BYTES;
    if (payload < 0) {
      throw new PolicyException(Refusal.TRUNCATED, whyUnsealed(file, false));
    }
    boolean hasMagic = hasAt(file, payload, MAGIC);
    if (!hasMagic || longAt(payload + LENGTH_AT) != payload) {
      throw new PolicyException(Refusal.TRUNCATED, whyUnsealed(file, hasMagic));
    }
    byte[] digest = sha256(file, 0, payload);
    if (!Arrays.equals(digest, 0, digest.length, file, payload + DIGEST_AT, end)) {
      throw new PolicyException(Refusal.HASH_MISMATCH, "the bytes do not match their SHA-256");
    }
    return payload;
  }

  private long checkSignature(List<TrustedKey> keys, long nowUnixS) {
    if (!isSigned) {
      throw new PolicyException(Refusal.UNSIGNED, "the policy is not signed");
    }
    byte[] signed = Arrays.copyOfRange(file, end - BYTES, end + SIGNATURE_AT);
    byte[] signature = Arrays.copyOfRange(file, end + SIGNATURE_AT, end + CHECK_AT);
    keyOf(keys).check(signed, signature);
    long expiresUnixS = longAt(end + EXPIRY_AT);
    if (expiresUnixS != 0 && Long.compareUnsigned(nowUnixS, expiresUnixS) >= 0) {
      throw new PolicyException(
          Refusal.EXPIRED,
          "the signature expired at Unix second `" + Long.toUnsignedString(expiresUnixS) + "`");
    }
    return expiresUnixS;
  }

  private TrustedKey keyOf(List<TrustedKey> keys) {
    byte[] id = Arrays.copyOfRange(file, end + KEY_AT, end + SIGNATURE_AT);
    for (TrustedKey key : keys) {
      if (key.hasId(id)) {
        return key;
      }
    }
    throw new PolicyException(Refusal.UNKNOWN_KEY,
        "the policy is signed with a key that is not trusted");
  }

  private long longAt(int at) {
    return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
  }

  private static boolean hasAt(byte[] file, int at, byte[] magic) {
    return Arrays.equals(file, at, at + magic.length, magic, 0, magic.length);
  }

  static byte[] sha256(byte[] bytes, int first, int count) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes, first, count);
      return digest.digest();
    } catch (NoSuchAlgorithmException missing) {
      throw new AssertionError("every Java has SHA-256", missing);
    }
  }
}
