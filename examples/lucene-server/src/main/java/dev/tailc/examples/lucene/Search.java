package dev.tailc.examples.lucene;

import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.queryparser.simple.SimpleQueryParser;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.Weight;

/** The ten best passages for a query, and how many match; each slice of the index is a piece. */
final class Search implements Work {
  private static final int BEST = 10;

  /** What is done with what was found. */
  interface Answered {
    void answer(Request request, TopDocs found, Throwable failure);
  }

  private final SlicedSearcher searcher;
  private final String words;
  private final Answered answered;
  private final TopScoreDocCollectorManager manager =
      new TopScoreDocCollectorManager(BEST, null, Integer.MAX_VALUE, true);
  private final TopScoreDocCollector[] collectors;
  private Weight weight;

  Search(SlicedSearcher searcher, String words, Answered answered) {
    this.searcher = searcher;
    this.words = words;
    this.answered = answered;
    collectors = new TopScoreDocCollector[searcher.getSlices().length];
  }

  @Override
  public int begin() throws IOException {
    // A parser is for one thread.
    Query query =
        new SimpleQueryParser(new StandardAnalyzer(), BuildIndex.TEXT).parse(words);
    weight = searcher.createWeight(searcher.rewrite(query), ScoreMode.COMPLETE, 1);
    return collectors.length;
  }

  @Override
  public void piece(int number) throws IOException {
    TopScoreDocCollector collector = manager.newCollector();
    searcher.search(number, weight, collector);
    collectors[number] = collector;
  }

  @Override
  public void end(Request request, Throwable failure) {
    if (failure != null) {
      answered.answer(request, null, failure);
      return;
    }
    try {
      answered.answer(request, manager.reduce(Arrays.asList(collectors)), null);
    } catch (IOException failed) {
      answered.answer(request, null, failed);
    }
  }
}
