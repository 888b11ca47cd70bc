package dev.tailc.examples.lucene;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.store.FSDirectory;

/** Builds an index of passages, in segments of one size: the pieces in which a query is done. */
final class BuildIndex {
  static final String FILE = "file";
  static final String LINE = "line";
  static final String TEXT = "text";

  private static final double BUFFER_MB = 512;

  private BuildIndex() {}

  static void run(Arguments arguments) throws IOException {
    Corpus corpus = new Corpus(Path.of(arguments.text("corpus")));
    int most = arguments.count("most-passages", Integer.MAX_VALUE);
    int passages = count(corpus, most);
    if (passages == 0) {
      throw new UsageException("there is no text in `" + arguments.text("corpus") + "`");
    }
    // Lucene wants two documents at least in what it buffers.
    int inSegment = Math.max(2, -Math.floorDiv(-passages, arguments.count("segments", 32)));
    write(corpus, passages, inSegment, Path.of(arguments.text("index")));
    System.out.println(passages + " passages");
  }

  private static int count(Corpus corpus, int most) throws IOException {
    int[] counted = {0};
    corpus.each(passage -> ++counted[0] < most);
    return counted[0];
  }

  private static void write(Corpus corpus, int passages, int inSegment, Path index)
      throws IOException {
    IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    config.setMergePolicy(NoMergePolicy.INSTANCE);
    config.setMaxBufferedDocs(inSegment);
    config.setRAMBufferSizeMB(BUFFER_MB);
    try (FSDirectory directory = FSDirectory.open(index);
        IndexWriter writer = new IndexWriter(directory, config)) {
      int[] left = {passages};
      corpus.each(
          passage -> {
            writer.addDocument(document(passage));
            return --left[0] > 0;
          });
    }
  }

  private static Document document(Corpus.Passage passage) {
    FieldType words = new FieldType();
    words.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    words.setStored(true);
    Document document = new Document();
    document.add(new StoredField(FILE, passage.file()));
    document.add(new StoredField(LINE, passage.line()));
    document.add(new Field(TEXT, passage.text(), words));
    return document;
  }
}
