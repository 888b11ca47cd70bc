package dev.tailc.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The places of a job that the plan does not know, and what they are worth.
 *
 * <p>An exchange of a brown for a green place costs more with each in an epoch, so the cheapest of
 * all epochs, taken in order, are the best.
 */
final class PlanPricing {
  /** Epochs of the plan, from {@code first} to before {@code end}. */
  static final class Within {
    final int first;
    final int end;

    Within(int first, int end) {
      this.first = first;
      this.end = end;
    }
  }

  /** Servers that may go from a brown pool to a green one, and what each costs. */
  private static final class Exchange {
    static final Comparator<Exchange> ORDER =
        Comparator.<Exchange>comparingLong(one -> one.udollars)
            .thenComparingInt(one -> one.epoch)
            .thenComparingInt(one -> one.brown)
            .thenComparingInt(one -> one.green);

    final long udollars;
    final int epoch;
    final int brown;
    final int green;
    final long servers;

    Exchange(long udollars, int epoch, int brown, int green, long servers) {
      this.udollars = udollars;
      this.epoch = epoch;
      this.brown = brown;
      this.green = green;
      this.servers = servers;
    }
  }

  private final Terms terms;
  // By epoch, then by pool.
  private final long[][] prices;
  // Pools of each epoch, the cheapest first.
  private final int[][] cheapest;
  // The number of pools where none is green.
  private final int[] firstGreen;

  PlanPricing(PlanData data) {
    int epochs = data.epochs.length;
    int pools = data.pools.length;
    terms = data.terms;
    prices = new long[epochs][pools];
    cheapest = new int[epochs][];
    firstGreen = new int[epochs];
    for (int epoch = 0; epoch < epochs; ++epoch) {
      for (int pool = 0; pool < pools; ++pool) {
        prices[epoch][pool] = data.prices[pool][epoch];
      }
      cheapest[epoch] = ordered(prices[epoch], pools, 1);
      firstGreen[epoch] = (int) data.epochs[epoch].firstGreenPool.orElse(pools);
    }
  }

  /** The first so many pools by price, ascending or by sign -1 descending; equal ones stay. */
  private static int[] ordered(long[] prices, int count, int sign) {
    Integer[] order = new Integer[count];
    Arrays.setAll(order, pool -> pool);
    Arrays.sort(order, Comparator.comparingLong(pool -> sign * prices[pool]));
    return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
  }

  /** The epochs of a job that are the plan's; null where one has too few free servers. */
  Within within(long[][] free, long firstEpoch, long epochs, long width) {
    if (firstEpoch >= prices.length) {
      return null;
    }
    int first = (int) firstEpoch;
    Within within = new Within(first, (int) Math.min(first + epochs, prices.length));
    for (int epoch = first; epoch < within.end; ++epoch) {
      if (Arrays.stream(free[epoch]).sum() < width) {
        return null;
      }
    }
    return within;
  }

  /** The cheapest servers of each epoch; of equal prices those of the lower pool. */
  long[][] filled(long[][] free, Within within, long width) {
    long[][] places = new long[within.end - within.first][];
    for (int i = 0; i < places.length; ++i) {
      long[] room = free[within.first + i];
      places[i] = new long[room.length];
      long left = width;
      for (int pool : cheapest[within.first + i]) {
        places[i][pool] = Math.min(left, room[pool]);
        left -= places[i][pool];
      }
    }
    return places;
  }

  /** What places cost at the plan's prices. */
  long worth(Within within, long[][] places) {
    long sum = 0;
    for (int i = 0; i < places.length; ++i) {
      for (int pool = 0; pool < places[i].length; ++pool) {
        sum += prices[within.first + i][pool] * places[i][pool];
      }
    }
    return sum;
  }

  /** The best places of a rigid job, and what comes of them. */
  Quote quote(long[][] free, long firstEpoch, long epochs, long width, long greenPpm) {
    Within held = within(free, firstEpoch, epochs, width);
    if (held == null) {
      return Quote.NO_ROOM;
    }
    long slots = (held.end - held.first) * width;
    long ppm = greenPpm * epochs * width + Controller.PPM - 1;
    long promised = Math.min(ppm / Controller.PPM, slots);
    long[][] places = filled(free, held, width);
    long green = makeGreen(free, held, places, promised);
    long missed = Math.max(0, promised - green);
    long pays =
        promised * terms.greenUdollars
            + (slots - promised) * terms.brownUdollars
            - missed * terms.penaltyUdollars;
    return new Quote(pays, worth(held, places), green, spansOf(held, places));
  }

  /** The fewest spans that say the same, in order of epoch, then of pool. */
  static List<Span> spansOf(Within within, long[][] places) {
    List<Span> found = new ArrayList<>();
    for (int pool = 0; pool < places[0].length; ++pool) {
      int begin = 0;
      for (int at = 1; at <= places.length; ++at) {
        long servers = places[begin][pool];
        if (at < places.length && places[at][pool] == servers) {
          continue;
        }
        if (servers > 0) {
          found.add(new Span(pool, within.first + begin, at - begin, servers));
        }
        begin = at;
      }
    }
    found.sort(
        Comparator.<Span>comparingInt(span -> span.firstEpoch)
            .thenComparingInt(span -> span.pool));
    return found;
  }

  /** Exchanges until the promise is met or missing it costs no more; the green places then. */
  private long makeGreen(long[][] free, Within within, long[][] places, long promised) {
    long green = 0;
    List<Exchange> exchanges = new ArrayList<>();
    for (int i = 0; i < places.length; ++i) {
      int epoch = within.first + i;
      for (int pool = firstGreen[epoch]; pool < places[i].length; ++pool) {
        green += places[i][pool];
      }
      addExchanges(exchanges, free[epoch], places[i], epoch);
    }
    exchanges.sort(Exchange.ORDER);
    for (Exchange one : exchanges) {
      long moved = Math.min(one.servers, promised - green);
      if (moved <= 0 || one.udollars >= terms.penaltyUdollars) {
        break;
      }
      long[] row = places[one.epoch - within.first];
      row[one.brown] -= moved;
      row[one.green] += moved;
      green += moved;
    }
    return green;
  }

  /** The dearest brown place for the cheapest green one first. */
  private void addExchanges(List<Exchange> found, long[] room, long[] row, int epoch) {
    long[] price = prices[epoch];
    long[] left = new long[room.length];
    Arrays.setAll(left, pool -> room[pool] - row[pool]);
    for (int brown : ordered(price, firstGreen[epoch], -1)) {
      long held = row[brown];
      for (int green : cheapest[epoch]) {
        long count = Math.min(held, left[green]);
        if (green < firstGreen[epoch] || count == 0) {
          continue;
        }
        found.add(new Exchange(price[green] - price[brown], epoch, brown, green, count));
        left[green] -= count;
        held -= count;
      }
    }
  }
}
