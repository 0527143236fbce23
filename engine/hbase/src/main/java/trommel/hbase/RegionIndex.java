package trommel.hbase;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The indexes of one region: one per family that has an indexed column. Thread safety: all members.
 */
final class RegionIndex {
  static final int MAX_COLUMNS = 255;  // An attribute is one byte of a key.

  /** A family with indexed columns. */
  static final class Family {
    final byte[] name;
    final StoreIndex index;
    private final Region region;
    private byte[][] qualifiers = {};
    private int[] attributes = {};

    private Family(byte[] name, Region region, StoreIndex index) {
      this.name = name;
      this.region = region;
      this.index = index;
    }

    /** Returns the store's published files. */
    Collection<? extends StoreFile> files() {
      Store store = region.getStore(name);
      return store == null ? List.of() : store.getStorefiles();
    }

    /** Returns the names of the store's published files. */
    Set<String> live() {
      return names(files());
    }

    static Set<String> names(Collection<? extends StoreFile> files) {
      return files.stream().map(Family::name).collect(Collectors.toSet());
    }

    /** Returns the name of a file, which no other file of a store ever has; a half has one of its own. */
    static String name(StoreFile file) {
      return file.getPath().getName();
    }

    /**
     * Returns the key of a cell of this family, or null if it has no entry: its column is not indexed, or it is a
     * delete. Whether a cell hides another one is decided by the verifying get (rule 9).
     */
    byte[] key(Cell cell) {
      if (cell.getType() != Cell.Type.Put) {
        return null;
      }
      for (int i = 0; i < qualifiers.length; ++i) {
        if (CellUtil.matchingQualifier(cell, qualifiers[i])) {
          int mobLength = Internals.mobLength(cell);
          return mobLength < 0 ? ValueKey.of(attributes[i], cell) : ValueKey.ofMob(attributes[i], mobLength);
        }
      }
      return null;
    }
  }

  private final Region region;
  private final PairFilter filter;
  private final long number = PairFilter.newRegion();
  private final List<Family> families = new ArrayList<>();
  private final Map<Column, Integer> attributes = new LinkedHashMap<>();
  private final StringBuilder wrong = new StringBuilder();
  private volatile boolean closed;

  /** Reads the columns from the table's descriptor. What is wrong there fails queries, never the region. */
  RegionIndex(Region region, Host host, PairFilter filter) {
    this.region = region;
    this.filter = filter;
    TableDescriptor table = region.getTableDescriptor();
    String columns = table.getValue(Column.TABLE_VALUE);
    for (String text : columns == null ? new String[0] : columns.trim().split("\\s+")) {
      try {
        Column column = Column.parse(text);
        if (!table.hasColumnFamily(column.familyBytes())) {
          throw new IllegalArgumentException("family of \"" + text + "\" does not exist");
        }
        if (attributes.size() == MAX_COLUMNS) {
          throw new IllegalArgumentException("at most " + MAX_COLUMNS + " columns have an index");
        }
        if (attributes.putIfAbsent(column, attributes.size()) == null) {
          add(column, host);
        }
      } catch (IllegalArgumentException e) {
        wrong.append("; ").append(e.getMessage());
      }
    }
  }

  private void add(Column column, Host host) {
    Family family = family(column.familyBytes());
    if (family == null) {
      family = new Family(column.familyBytes(), region, new StoreIndex(host::account, filter, number));
      families.add(family);
    }
    int n = family.qualifiers.length;
    family.qualifiers = Arrays.copyOf(family.qualifiers, n + 1);
    family.attributes = Arrays.copyOf(family.attributes, n + 1);
    family.qualifiers[n] = column.qualifierBytes();
    family.attributes[n] = attributes.get(column);
  }

  List<Family> families() {
    return families;
  }

  /** Returns the family of this name, if it has an indexed column, or null. */
  Family family(byte[] name) {
    for (Family family : families) {
      if (Bytes.equals(family.name, name)) {
        return family;
      }
    }
    return null;
  }

  /** Returns the region's number in the server's filter. */
  long number() {
    return number;
  }

  /** Returns the count of a new source in the server's filter. */
  PairFilter.Counted counted() {
    return filter.counted(number);
  }

  /** Returns the number of an indexed column, or -1. */
  int attributeOrNone(Column column) {
    return attributes.getOrDefault(column, -1);
  }

  /** Returns the number of an indexed column, or fails with which columns there are. */
  int attribute(Column column) throws DoNotRetryIOException {
    Integer attribute = attributes.get(column);
    if (attribute == null) {
      checkFamily(column);
      throw new DoNotRetryIOException(
          "column " + column + " of table " + region.getTableDescriptor().getTableName() + " is not indexed; "
              + (attributes.isEmpty() ? "no column is" : "indexed are " + attributes.keySet()) + " ("
              + Column.TABLE_VALUE + " in the table's descriptor" + wrong + ")");
    }
    return attribute;
  }

  /** Fails with a clear text if the table has no such family. */
  void checkFamily(Column column) throws DoNotRetryIOException {
    TableDescriptor table = region.getTableDescriptor();
    if (!table.hasColumnFamily(column.familyBytes())) {
      throw new DoNotRetryIOException(
          "column " + column + ": table " + table.getTableName() + " has no such family; it has "
              + table.getColumnFamilyNames().stream().map(Bytes::toStringBinary).collect(Collectors.toList()));
    }
  }

  /** Adds the entries of cells that are about to be written, all of a family at once. */
  void write(Collection<Cell> cells) {
    for (Family family : families) {
      List<byte[]> keys = new ArrayList<>();
      List<Cell> indexed = new ArrayList<>();
      for (Cell cell : cells) {
        byte[] key = CellUtil.matchingFamily(cell, family.name) ? family.key(cell) : null;
        if (key != null) {
          keys.add(key);
          indexed.add(cell);
        }
      }
      if (!keys.isEmpty()) {
        family.index.add(keys, indexed);
      }
    }
  }

  /** Says that entries of writes under way may be missing. */
  void lose() {
    families.forEach(family -> family.index.lose());
  }

  /** Returns whether the region has ended, or is about to. */
  boolean closed() {
    return closed || region.isClosing() || region.isClosed();
  }

  /** Returns the indexed columns. */
  Set<Column> columns() {
    return attributes.keySet();
  }

  void close() {
    closed = true;
    families.forEach(family -> family.index.close());
  }

  @Override
  public String toString() {
    return region.getRegionInfo().getRegionNameAsString();
  }
}
