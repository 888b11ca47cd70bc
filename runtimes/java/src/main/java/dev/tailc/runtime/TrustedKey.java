package dev.tailc.runtime;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An Ed25519 public key, by which policies may be signed. */
final class TrustedKey {
  private static final Pattern PEM =
      Pattern.compile(
          "-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/]{59}=)\r?\n"
              + "-----END PUBLIC KEY-----(?:\r?\n)?");
  // SubjectPublicKeyInfo of an Ed25519 key up to its 32 bytes (RFC 8410).
  private static final byte[] PREFIX = {
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
  };
  private static final int KEY_BYTES = 32;
  // A key is a y below this prime, little endian, with a sign in the last bit.
  private static final int SIGN_BIT = 255;
  private static final BigInteger PRIME =
      BigInteger.ONE.shiftLeft(SIGN_BIT).subtract(BigInteger.valueOf(19));
  // The y of points whose order divides 8, or their negatives: anybody can make signatures of these.
  private static final Set<BigInteger> SMALL_ORDER =
      Set.of(
          BigInteger.ZERO,
          BigInteger.ONE,
          new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16));
  private static final int ID_BYTES = 8;

  private final byte[] encoded;
  private final byte[] id;

  /** {@code pem}: as {@code openssl pkey -pubout} writes it. */
  TrustedKey(String pem) {
    Matcher text = PEM.matcher(pem);
    encoded = text.matches() ? Base64.getDecoder().decode(text.group(1)) : new byte[0];
    boolean isKey = encoded.length == PREFIX.length + KEY_BYTES;
    if (!isKey
        || !Arrays.equals(encoded, 0, PREFIX.length, PREFIX, 0, PREFIX.length)
        || !Base64.getEncoder().encodeToString(encoded).equals(text.group(1))
        || !isStrong()) {
      throw new IllegalArgumentException(
          "a trusted key must be an Ed25519 public key in PEM (`openssl pkey -pubout`)");
    }
    id = Arrays.copyOf(Seal.sha256(encoded, PREFIX.length, KEY_BYTES), ID_BYTES);
  }

  /** Whether it is a canonical encoding, and of no point of small order. */
  private boolean isStrong() {
    byte[] bigEndian = new byte[KEY_BYTES];
    for (int i = 0; i < KEY_BYTES; ++i) {
      bigEndian[i] = encoded[encoded.length - 1 - i];
    }
    BigInteger y = new BigInteger(1, bigEndian).clearBit(SIGN_BIT);
    boolean isWeak = SMALL_ORDER.contains(y) || SMALL_ORDER.contains(PRIME.subtract(y));
    return !isWeak && y.compareTo(PRIME) < 0;
  }

  boolean hasId(byte[] other) {
    return Arrays.equals(id, other);
  }

  void check(byte[] signed, byte[] signature) {
    if (!isBy(signed, signature)) {
      throw new PolicyException(Refusal.BAD_SIGNATURE, "the signature does not match the policy");
    }
  }

  private boolean isBy(byte[] signed, byte[] signature) {
    try {
      Signature ed25519 = Signature.getInstance("Ed25519");
      ed25519.initVerify(
          KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
      ed25519.update(signed);
      return ed25519.verify(signature);
    } catch (NoSuchAlgorithmException missing) {
      throw new PolicyException(
          Refusal.NO_SIGNATURES, "signatures cannot be checked before Java 15");
    } catch (GeneralSecurityException malformed) {
      return false;
    }
  }
}
