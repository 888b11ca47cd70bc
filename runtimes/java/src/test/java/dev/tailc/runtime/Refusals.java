package dev.tailc.runtime;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Says as what bytes are refused, one word a line, {@code opened} where they are not.
 *
 * <pre>
 *   Refusals files &lt; LIST   of each file of the list
 *   Refusals damages FILE   of all single-bit flips of a file, all truncations, all appended bytes
 * </pre>
 */
final class Refusals {
  private static final PrintStream OUT =
      new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false);

  private Refusals() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length == 1 && arguments[0].equals("files")) {
      BufferedReader paths =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String path = paths.readLine(); path != null; path = paths.readLine()) {
        OUT.println(openedAs(Files.readAllBytes(Path.of(path))));
      }
    } else if (arguments.length == 2 && arguments[0].equals("damages")) {
      damage(Files.readAllBytes(Path.of(arguments[1])));
    } else {
      System.err.println("usage: Refusals files < LIST | Refusals damages FILE");
      System.exit(64);
    }
    OUT.flush();
  }

  static String openedAs(byte[] bytes) {
    try {
      Questions.ask(Policy.open(bytes));
      return "opened";
    } catch (PolicyException refused) {
      return refused.refusal().word();
    }
  }

  private static void damage(byte[] bytes) {
    for (int bit = 0; bit < bytes.length * 8; ++bit) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      OUT.println(openedAs(flipped));
    }
    for (int size = 0; size < bytes.length; ++size) {
      OUT.println(openedAs(Arrays.copyOf(bytes, size)));
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    for (int last = 0; last < 256; ++last) {
      longer[bytes.length] = (byte) last;
      OUT.println(openedAs(longer));
    }
  }
}
