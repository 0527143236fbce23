package trommel.hbase;

import java.util.Arrays;
import java.util.Objects;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A column of a table: a family and a qualifier. Immutable.
 *
 * <p>Its text is {@code family:qualifier}, as in the table's {@value #TABLE_VALUE}; a byte that is not printable, a
 * space and a backslash are written {@code \xNN}, as {@link Bytes#toStringBinary(byte[])} does.
 */
public final class Column {
  /** Names the indexed columns in a table's descriptor: texts of columns, separated by spaces. */
  public static final String TABLE_VALUE = "trommel.index";

  private final byte[] family;
  private final byte[] qualifier;

  private Column(byte[] family, byte[] qualifier) {
    this.family = family;
    this.qualifier = qualifier;
  }

  /**
   * Returns the column of a family and a qualifier; the qualifier may be empty. Both are copied.
   *
   * @throws IllegalArgumentException if the family is empty.
   */
  public static Column of(byte[] family, byte[] qualifier) {
    Objects.requireNonNull(qualifier, "qualifier");
    if (family.length == 0) {
      throw new IllegalArgumentException("the family of a column must not be empty");
    }
    return new Column(family.clone(), qualifier.clone());
  }

  /**
   * Returns the column that a text names.
   *
   * @throws IllegalArgumentException if the text has no colon, or nothing before it.
   */
  public static Column parse(String text) {
    int colon = text.indexOf(':');
    if (colon <= 0) {
      throw new IllegalArgumentException("a column is written family:qualifier; got \"" + text + "\"");
    }
    return new Column(
        Bytes.toBytesBinary(text.substring(0, colon)), Bytes.toBytesBinary(text.substring(colon + 1)));
  }

  /** Returns a copy of the family. */
  public byte[] family() {
    return family.clone();
  }

  /** Returns a copy of the qualifier. */
  public byte[] qualifier() {
    return qualifier.clone();
  }

  byte[] familyBytes() {
    return family;
  }

  byte[] qualifierBytes() {
    return qualifier;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Column
        && Arrays.equals(family, ((Column) other).family)
        && Arrays.equals(qualifier, ((Column) other).qualifier);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(family) + Arrays.hashCode(qualifier);
  }

  /** Returns the text that {@link #parse} reads. */
  @Override
  public String toString() {
    return (Bytes.toStringBinary(family) + ":" + Bytes.toStringBinary(qualifier)).replace(" ", "\\x20");
  }
}
