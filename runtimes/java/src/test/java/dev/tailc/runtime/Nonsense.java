package dev.tailc.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Opens policies that were damaged and sealed again: {@code Nonsense DIR SEED COUNT}. Each is
 * refused as a policy, or opened and safe to ask; whatever else happens is thrown, with the number
 * of the damage. Prints how many were opened, and how many refused as what.
 */
final class Nonsense {
  private static final byte[] EDGES = {0, 1, 4, 127, -128, -1};

  private final SplittableRandom random;
  private final List<byte[]> payloads;
  private final Map<Refusal, Integer> refused = new EnumMap<>(Refusal.class);
  private int opened;

  private Nonsense(Path folder, long seed) throws IOException {
    random = new SplittableRandom(seed);
    try (Stream<Path> files = Files.list(folder)) {
      payloads =
          files
              .filter(file -> file.toString().endsWith(".tailc"))
              .sorted()
              .map(Nonsense::payloadOf)
              .collect(Collectors.toList());
    }
  }

  public static void main(String[] arguments) throws IOException {
    Nonsense nonsense = new Nonsense(Path.of(arguments[0]), Long.parseLong(arguments[1]));
    long count = Long.parseLong(arguments[2]);
    for (long number = 0; number < count; ++number) {
      try {
        nonsense.open(sealed(nonsense.damaged()));
      } catch (RuntimeException | Error wrong) {
        throw new AssertionError("damage number " + number, wrong);
      }
    }
    System.out.println("opened " + nonsense.opened);
    nonsense.refused.forEach((why, times) -> System.out.println(why.word() + " " + times));
  }

  private void open(byte[] file) {
    try {
      Questions.ask(Policy.open(file));
      ++opened;
    } catch (PolicyException refusal) {
      refused.merge(refusal.refusal(), 1, Integer::sum);
    }
  }

  private static byte[] payloadOf(Path file) {
    try {
      byte[] bytes = Files.readAllBytes(file);
      return Arrays.copyOf(bytes, bytes.length - Seal.BYTES);
    } catch (IOException unread) {
      throw new java.io.UncheckedIOException(unread);
    }
  }

  /** Of one payload a few bytes, or whole words, become others; or some of its end goes. */
  private byte[] damaged() {
    byte[] payload = payloads.get(random.nextInt(payloads.size())).clone();
    for (int left = 1 << random.nextInt(3); left > 0; --left) {
      int at = random.nextInt(payload.length - 8);
      switch (random.nextInt(4)) {
        case 0:
          payload[at] = EDGES[random.nextInt(EDGES.length)];
          break;
        case 1:
          payload[at] = (byte) random.nextInt();
          break;
        case 2:
          words(payload).putInt(at & -4, random.nextInt(-payload.length, payload.length));
          break;
        default:
          words(payload).putLong(at & -8, random.nextLong() >> random.nextInt(64));
      }
    }
    boolean isCut = random.nextInt(16) == 0;
    return isCut ? Arrays.copyOf(payload, random.nextInt(payload.length)) : payload;
  }

  private static ByteBuffer words(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] sealed(byte[] payload) {
    byte[] file = Arrays.copyOf(payload, payload.length + Seal.BYTES);
    ByteBuffer trailer = words(file).position(payload.length);
    trailer.put("TLCSEAL1".getBytes(StandardCharsets.US_ASCII)).putLong(payload.length);
    trailer.put(Seal.sha256(payload, 0, payload.length));
    return file;
  }
}
