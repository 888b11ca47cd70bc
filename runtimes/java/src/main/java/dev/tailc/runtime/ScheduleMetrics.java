package dev.tailc.runtime;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What a schedule has counted, as OpenMetrics text. */
final class ScheduleMetrics {
  private static final double NS_PER_S = 1e9;
  private static final double S_PER_DAY = 86_400;

  private ScheduleMetrics() {}

  static String text(Schedule schedule, long reloadAgeNs) {
    StringBuilder text = new StringBuilder();
    totals(schedule)
        .forEach(
            (name, value) ->
                text.append("# TYPE tailc_" + name + " counter\n")
                    .append("tailc_" + name + "_total " + value + "\n"));
    ScheduleCounts counts = schedule.counts();
    text.append("# TYPE tailc_lookups counter\n");
    counts.lookups().forEach(
        (rung, value) ->
            text.append("tailc_lookups_total{rung=\"" + escaped(rung) + "\"} " + value + "\n"));
    text.append("# TYPE tailc_tick_lateness_seconds summary\n")
        .append("tailc_tick_lateness_seconds_count " + counts.ticks + "\n")
        .append("tailc_tick_lateness_seconds_sum " + seconds(counts.lateNs) + "\n");
    gauge(text, "in_system", Long.toString(schedule.inSystem()));
    gauge(text, "running", Long.toString(schedule.running()));
    gauge(text, "reload_age_seconds", seconds(reloadAgeNs));
    Policy policy = schedule.policy();
    long expiresUnixS = policy.signatureExpiresUnixS();
    if (expiresUnixS != 0) {
      double leftS = unsigned(expiresUnixS) - System.currentTimeMillis() / 1e3;
      gauge(text, "signature_days_left", String.format(Locale.ROOT, "%.3f", leftS / S_PER_DAY));
    }
    String refusal = policy.counters().lastRefusal().orElse("");
    return text.append("# TYPE tailc_policy info\ntailc_policy_info{name=\"")
        .append(escaped(policy.name()) + "\",generation=\"" + policy.generation())
        .append("\",digest=\"" + policy.policyDigest() + "\",last_refusal=\"" + escaped(refusal))
        .append("\"} 1\n# EOF\n")
        .toString();
  }

  private static Map<String, Long> totals(Schedule schedule) {
    ScheduleCounts counts = schedule.counts();
    Counters counters = schedule.policy().counters();
    Map<String, Long> totals = new LinkedHashMap<>();
    totals.put("requests", counts.arrived);
    totals.put("refused", counts.refused);
    totals.put("degraded", counts.degraded);
    totals.put("starts", counts.started);
    totals.put("waits", counts.waited);
    totals.put("climbs", counts.climbs);
    totals.put("descents", counts.descents);
    totals.put("boosts", counts.boosts);
    totals.put("give_ups", counts.gaveUp);
    totals.put("cut_offs", counts.cutOff);
    totals.put("exits", counts.exits);
    totals.put("reloads", counts.reloads);
    totals.put("refused_reloads", counters.refusedReloads());
    totals.put("lookups_outside", counters.outside());
    return totals;
  }

  private static void gauge(StringBuilder text, String name, String value) {
    text.append("# TYPE tailc_" + name + " gauge\ntailc_" + name + " " + value + "\n");
  }

  private static double unsigned(long number) {
    return new java.math.BigInteger(Long.toUnsignedString(number)).doubleValue();
  }

  private static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.6f", ns / NS_PER_S);
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
