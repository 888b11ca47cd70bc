package dev.tailc.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Provider;
import java.security.Security;
import org.junit.jupiter.api.Test;

class SignatureTest {
  private static final Path SIGNED = PolicyTest.VECTORS.resolve("signed");

  /** As Java 11 to 14, which know no Ed25519. */
  @Test
  void withoutItsAlgorithmAPolicyIsRefusedAndNotBelieved() throws IOException {
    Options options = Options.none().trusting(Files.readString(SIGNED.resolve("test-key-1.pem")));
    Path good = SIGNED.resolve("good.tailc");
    Provider provider = Security.getProvider("SunEC");
    Security.removeProvider("SunEC");
    try {
      PolicyException refused =
          assertThrows(PolicyException.class, () -> Policy.open(good, options));
      assertEquals(Refusal.NO_SIGNATURES, refused.refusal());
    } finally {
      Security.addProvider(provider);
    }
    assertEquals("smallest", Policy.open(good, options).name());
  }
}
