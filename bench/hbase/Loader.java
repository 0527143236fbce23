package trommel.hbase.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import trommel.hbase.Column;
import trommel.hbase.IndexedTable;
import trommel.hbase.RegionStatus;

/** Makes an indexed table of a source's rows. */
final class Loader {
  private static final int THREADS = 4;
  private static final int BATCH = 5000;
  private static final long PATIENCE_NANOSECONDS = 600_000_000_000L;

  private final Connection connection;
  private final Admin admin;
  private final Source source;
  private final List<String> indexed;

  Loader(Connection connection, Source source) throws IOException {
    this.connection = connection;
    this.admin = connection.getAdmin();
    this.source = source;
    this.indexed = new ArrayList<>(source.attributes());
  }

  private Column[] columns() {
    return indexed.stream().map(Source::column).toArray(Column[]::new);
  }

  /** Makes the table, writes all rows and flushes them. */
  void load(int regions) throws IOException, InterruptedException {
    TableDescriptor plain =
        TableDescriptorBuilder.newBuilder(source.table())
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(Source.FAMILY)
                    .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                    .build())
            .setDurability(Durability.ASYNC_WAL)  // The flush at the end makes them durable.
            .build();
    admin.createTable(IndexedTable.index(plain, columns()), source.splits(regions));
    AtomicLong next = new AtomicLong();
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < THREADS; ++i) {
        writers.add(pool.submit(() -> write(next)));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("rows could not be written", e.getCause());
    } finally {
      pool.shutdownNow();
    }
    admin.flush(source.table());
  }

  private Void write(AtomicLong next) throws IOException {
    try (Table table = connection.getTable(source.table())) {
      for (long from = next.getAndAdd(BATCH); from < source.rows(); from = next.getAndAdd(BATCH)) {
        List<Put> batch = new ArrayList<>(BATCH);
        for (long i = from; i < Math.min(from + BATCH, source.rows()); ++i) {
          batch.add(source.row(i));
        }
        table.put(batch);
      }
    }
    return null;
  }

  /**
   * Waits until all regions are built and no compaction runs. As long as regions lack memory, the last attribute loses
   * its index. Returns the attributes that have one.
   */
  List<String> build() throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (IndexedTable table = new IndexedTable(connection, source.table())) {
      while (true) {
        List<RegionStatus> regions = table.status();
        if (regions.stream().anyMatch(r -> r.reason().equals("memory"))) {
          Demo.say("the heaps do not take the index of %s", indexed.remove(indexed.size() - 1));
          admin.modifyTable(IndexedTable.index(admin.getDescriptor(source.table()), columns()));
        } else if (regions.stream().allMatch(RegionStatus::built)
            && admin.getCompactionState(source.table()) == CompactionState.NONE) {
          return indexed;
        } else if (System.nanoTime() - start > PATIENCE_NANOSECONDS) {
          throw new IOException("not built after ten minutes: " + regions);
        }
        Thread.sleep(500);
      }
    }
  }
}
