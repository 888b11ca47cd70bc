package dev.tailc.examples.lucene;

import dev.tailc.runtime.ParallelWork;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.queryparser.simple.SimpleQueryParser;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.Weight;

/** The ten best passages for a query, and how many match; each slice of the index is a part. */
final class Search implements ParallelWork<TopScoreDocCollector, Void> {
  private static final int BEST = 10;

  /** Sends what was found, as the last part of the request. */
  interface Answer {
    void send(Timing timing, TopDocs found) throws IOException;
  }

  private final SlicedSearcher searcher;
  private final String words;
  private final Answer answer;
  private final Timing timing = new Timing();
  private final TopScoreDocCollectorManager manager =
      new TopScoreDocCollectorManager(BEST, null, Integer.MAX_VALUE, true);

  Search(SlicedSearcher searcher, String words, Answer answer) {
    this.searcher = searcher;
    this.words = words;
    this.answer = answer;
  }

  @Override
  public List<Callable<TopScoreDocCollector>> begin() throws Exception {
    Weight weight = timing.measured(this::parsed);
    return IntStream.range(0, searcher.getSlices().length)
        .<Callable<TopScoreDocCollector>>mapToObj(slice -> () -> searched(slice, weight))
        .collect(Collectors.toList());
  }

  private Weight parsed() throws IOException {
    // A parser is for one thread.
    Query query = new SimpleQueryParser(new StandardAnalyzer(), BuildIndex.TEXT).parse(words);
    return searcher.createWeight(searcher.rewrite(query), ScoreMode.COMPLETE, 1);
  }

  private TopScoreDocCollector searched(int slice, Weight weight) throws Exception {
    Turns.end();
    return timing.measured(
        () -> {
          TopScoreDocCollector collector = manager.newCollector();
          searcher.search(slice, weight, collector);
          return collector;
        });
  }

  @Override
  public Void end(List<TopScoreDocCollector> collectors) throws Exception {
    TopDocs found = timing.measured(() -> manager.reduce(collectors));
    answer.send(timing, found);
    return null;
  }
}
