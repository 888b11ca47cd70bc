package dev.tailc.examples.lucene;

import java.io.IOException;
import java.util.List;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Weight;

/** Searches one slice at a time, on the thread that asks; every segment is a slice. */
final class SlicedSearcher extends IndexSearcher {
  SlicedSearcher(IndexReader reader) {
    // An executor makes slices; what it would run nobody asks for.
    super(reader, Runnable::run);
    // The same query must take the same time whenever it comes.
    setQueryCache(null);
  }

  @Override
  protected LeafSlice[] slices(List<LeafReaderContext> leaves) {
    return slices(leaves, 1, 1);
  }

  void search(int slice, Weight weight, Collector collector) throws IOException {
    search(List.of(getSlices()[slice].leaves), weight, collector);
  }
}
