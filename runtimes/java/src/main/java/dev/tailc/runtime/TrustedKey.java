package dev.tailc.runtime;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An Ed25519 public key, by which policies may be signed. */
final class TrustedKey {
  private static final Pattern PEM =
      Pattern.compile(
          "-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\\s]+)-----END PUBLIC KEY-----\\s*");
  // SubjectPublicKeyInfo of an Ed25519 key up to its 32 bytes (RFC 8410).
  private static final byte[] PREFIX = {
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
  };
  private static final int KEY_BYTES = 32;
  private static final int ID_BYTES = 8;

  private final byte[] encoded;
  private final byte[] id;

  /** {@code pem}: as {@code openssl pkey -pubout} writes it. */
  TrustedKey(String pem) {
    Matcher text = PEM.matcher(pem.strip());
    encoded = text.matches() ? decoded(text.group(1)) : new byte[0];
    boolean isKey = encoded.length == PREFIX.length + KEY_BYTES;
    if (!isKey || !Arrays.equals(encoded, 0, PREFIX.length, PREFIX, 0, PREFIX.length)) {
      throw new IllegalArgumentException("a trusted key is the PEM of an Ed25519 public key");
    }
    id = Arrays.copyOf(Seal.sha256(encoded, PREFIX.length, KEY_BYTES), ID_BYTES);
  }

  private static byte[] decoded(String base64) {
    return Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
  }

  boolean hasId(byte[] other) {
    return Arrays.equals(id, other);
  }

  void check(byte[] signed, byte[] signature) {
    if (!isBy(signed, signature)) {
      throw new PolicyException(Refusal.BAD_SIGNATURE, "the signature is not of this policy");
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
