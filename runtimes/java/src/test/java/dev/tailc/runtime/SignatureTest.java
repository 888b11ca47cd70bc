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

  /** The y of 0, 1, both of order 8, -1, and of the prime and 3 above it; some with the sign. */
  @Test
  void aPointThatAnybodyCanSignForIsNoKey() throws IOException {
    String pem = Files.readString(SIGNED.resolve("test-key-1.pem"));
    String own = pem.substring(pem.indexOf("AyEA") + 4, pem.indexOf("=\n") + 1);
    String[] points = {
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
      "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
      "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o=",
      "7P///////////////////////////////////////38=",
      "7f///////////////////////////////////////38=",
      "8P////////////////////////////////////////8=",
    };
    for (String point : points) {
      refuses(pem.replace(own, point));
    }
  }

  @Test
  void aKeyHasOneLayout() throws IOException {
    String pem = Files.readString(SIGNED.resolve("test-key-1.pem"));
    Options.none().trusting(pem.strip());
    Options.none().trusting(pem.replace("\n", "\r\n"));
    refuses("\n" + pem);
    refuses(pem + "\n");
    refuses(pem.replace("=\n", "= \n"));
    refuses(pem.replace("AyEA", "AyEA\n"));
    refuses(pem.replace("\n", ""));
    refuses(pem.replace("dM=", "dN="));
  }

  private static void refuses(String pem) {
    assertThrows(IllegalArgumentException.class, () -> Options.none().trusting(pem), pem);
  }
}
