package trommel.hbase.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/**
 * A coprocessor that makes an index wrong in the two ways that its documents exclude, so that there is something to
 * verify: it changes results of increments after the index has seen them, and it shows gets of some rows what scans
 * do not see.
 */
public final class Spoiler implements RegionCoprocessor, RegionObserver {
  /** What an increment is made larger by. */
  static final long MORE = 1_000_000;

  /** Rows that begin with this have, in gets, {@link #FORGED} in each column. */
  static final String FORGED_ROWS = "forged";

  static final byte[] FORGED = Bytes.toBytes("a0");

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public List<Pair<Cell, Cell>> postIncrementBeforeWAL(
      ObserverContext<RegionCoprocessorEnvironment> c, Mutation mutation, List<Pair<Cell, Cell>> cells) {
    List<Pair<Cell, Cell>> changed = new ArrayList<>();
    for (Pair<Cell, Cell> pair : cells) {
      long number = Bytes.toLong(CellUtil.cloneValue(pair.getSecond()));
      changed.add(new Pair<>(pair.getFirst(), withValue(pair.getSecond(), Bytes.toBytes(number + MORE))));
    }
    return changed;
  }

  @Override
  public void postGetOp(ObserverContext<RegionCoprocessorEnvironment> c, Get get, List<Cell> result)
      throws IOException {
    if (Bytes.toString(get.getRow()).startsWith(FORGED_ROWS)) {
      result.replaceAll(cell -> withValue(cell, FORGED));
    }
  }

  private static Cell withValue(Cell cell, byte[] value) {
    return CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
        .setRow(CellUtil.cloneRow(cell))
        .setFamily(CellUtil.cloneFamily(cell))
        .setQualifier(CellUtil.cloneQualifier(cell))
        .setTimestamp(cell.getTimestamp())
        .setType(Cell.Type.Put)
        .setValue(value)
        .build();
  }
}
