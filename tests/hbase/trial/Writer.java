package trommel.hbase.trial;

import static trommel.hbase.trial.TrialTable.A;
import static trommel.hbase.trial.TrialTable.B;
import static trommel.hbase.trial.TrialTable.C;
import static trommel.hbase.trial.TrialTable.F;
import static trommel.hbase.trial.TrialTable.G;
import static trommel.hbase.trial.TrialTable.N;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.protobuf.generated.ClientProtos.MutationProto.MutationType;
import org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MultiRowMutationService;
import org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MutateRowsRequest;
import org.apache.hadoop.hbase.util.Bytes;

/** Random changes of the trial's rows, of every kind that HBase has, by seed. Not thread safe. */
final class Writer {
  static final int VALUES_A = 40;
  static final int VALUES_B = 200;
  static final int VALUES_C = 20;
  /** The time stamp of all puts "at one fixed time". */
  static final long FIXED_TIME = 1000;

  private final Table table;
  private final Random random;
  private final boolean skipLog;

  Writer(Table table, Random random, boolean skipLog) {
    this.table = table;
    this.random = random;
    this.skipLog = skipLog;
  }

  /** Makes one random change and returns its name. */
  String change() throws Exception {
    byte[] row = row();
    switch (random.nextInt(24)) {
      case 0:
      case 1:
        table.put(with(new Put(row).addColumn(F, A, a()).addColumn(F, B, b())));
        return "put";
      case 2:
        table.put(with(new Put(row).addColumn(F, A, a()).addColumn(G, C, c())));
        return "put of two families";
      case 3:
        table.put(puts(40));
        return "batch of puts";
      case 4:
        table.batch(mixed(), new Object[5]);
        return "batch of changes of all kinds";
      case 5:
        table.put(with(new Put(row).addColumn(F, A, System.currentTimeMillis() - random.nextInt(20000), a())));
        return "put in the past";
      case 6:
        table.put(with(new Put(row).addColumn(F, A, FIXED_TIME, a()).addColumn(F, B, FIXED_TIME, b())));
        return "put at a fixed time";
      case 7:
        return sameMillisecond(row);
      case 8:
        table.delete(with(new Delete(row)));
        return "delete of a row";
      case 9:
        table.delete(with(new Delete(row).addFamily(random.nextBoolean() ? F : G)));
        return "delete of a family";
      case 10:
        table.delete(with(new Delete(row).addColumns(F, B)));
        return "delete of a column";
      case 11:
        table.delete(with(new Delete(row).addColumn(F, A)));
        return "delete of the latest version";
      case 12:
        table.delete(with(new Delete(row).addColumn(F, A, FIXED_TIME)));
        return "delete of one version";
      case 13:
        table.delete(with(new Delete(row).addFamilyVersion(F, FIXED_TIME)));
        return "delete of a family's version";
      case 14:
      case 15:
        table.increment(with(increment(row)));
        return "increment";
      case 16:
      case 17:
        return append(row);
      case 18:
        table.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(F, A).build(with(new Put(row).addColumn(F, A, a()))));
        return "checkAndMutate: put";
      case 19:
        table.checkAndMutate(CheckAndMutate.newBuilder(row).ifEquals(F, A, a()).build(with(new Delete(row).addColumns(F, A))));
        table.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(F, N).build(with(increment(row))));
        return "checkAndMutate: delete, increment";
      case 20:
        table.checkAndMutate(CheckAndMutate.newBuilder(row).ifNotExists(G, C).build(mutations(row)));
        return "checkAndMutate: mutations of a row";
      case 21:
        table.mutateRow(mutations(row));
        return "mutations of a row";
      default:
        return severalRows();
    }
  }

  private byte[] row() {
    return TrialTable.row(random.nextInt(TrialTable.ROWS));
  }

  private byte[] a() {
    return Bytes.toBytes("a" + random.nextInt(VALUES_A));
  }

  private byte[] b() {
    return Bytes.toBytes("b" + random.nextInt(VALUES_B));
  }

  /** One of the values is empty. */
  private byte[] c() {
    int i = random.nextInt(VALUES_C);
    return Bytes.toBytes(i == 0 ? "" : "c" + i);
  }

  private <M extends Mutation> M with(M mutation) {
    if (skipLog && random.nextBoolean()) {
      mutation.setDurability(Durability.SKIP_WAL);
    } else if (random.nextInt(5) == 0) {
      mutation.setDurability(Durability.ASYNC_WAL);
    }
    return mutation;
  }

  private Increment increment(byte[] row) {
    return new Increment(row).addColumn(F, N, random.nextInt(3));
  }

  private List<Put> puts(int n) {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < n; ++i) {
      puts.add(with(new Put(row()).addColumn(F, A, a()).addColumn(F, B, b())));
    }
    return puts;
  }

  private List<Row> mixed() {
    List<Row> rows = new ArrayList<>();
    rows.add(with(new Put(row()).addColumn(G, C, c())));
    rows.add(with(new Delete(row()).addColumn(F, B)));
    rows.add(with(increment(row())));
    rows.add(with(new Append(row()).addColumn(G, C, Bytes.toBytes("y"))));
    byte[] row = row();
    rows.add(mutations(row));
    return rows;
  }

  private RowMutations mutations(byte[] row) {
    try {
      return new RowMutations(row)
          .add((Mutation) new Put(row).addColumn(F, A, a()).addColumn(G, C, c()))
          .add((Mutation) new Delete(row).addColumns(F, B))
          .add((Mutation) increment(row));
    } catch (java.io.IOException e) {
      throw new AssertionError("the row is the same", e);
    }
  }

  /** Value, another value, the first again, with one time stamp, which is what happens within one millisecond. */
  private String sameMillisecond(byte[] row) throws Exception {
    long now = System.currentTimeMillis();
    byte[] first = a();
    for (byte[] value : new byte[][] {first, a(), first}) {
      table.put(with(new Put(row).addColumn(F, A, now, value)));
    }
    return "three puts within a millisecond";
  }

  /** Values that grow without limit would make every check longer than the one before. */
  private String append(byte[] row) throws Exception {
    var result = table.append(with(new Append(row).addColumn(F, B, Bytes.toBytes("x"))));
    byte[] value = result.getValue(F, B);
    if (value != null && value.length > 8) {
      table.put(with(new Put(row).addColumn(F, B, b())));
    }
    return "append";
  }

  /** Puts, deletes of neighbours in one atomic step; fails where a region ends between them. */
  private String severalRows() throws Exception {
    int at = random.nextInt(TrialTable.ROWS - 1);
    MutateRowsRequest.Builder request = MutateRowsRequest.newBuilder();
    Put put = new Put(TrialTable.row(at)).addColumn(F, A, a()).addColumn(F, B, b());
    Delete delete = new Delete(TrialTable.row(at + 1)).addColumns(F, A);
    request.addMutationRequest(ProtobufUtil.toMutation(MutationType.PUT, put));
    request.addMutationRequest(ProtobufUtil.toMutation(MutationType.DELETE, delete));
    MultiRowMutationService.newBlockingStub(table.coprocessorService(TrialTable.row(at)))
        .mutateRows(null, request.build());
    return "mutations of several rows";
  }
}
