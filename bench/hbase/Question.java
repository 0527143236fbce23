package trommel.hbase.demo;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import trommel.hbase.Query;

/** Conditions on attributes, as a query of the index and as a filtered scan. Immutable. */
final class Question {
  private final String text;
  private final Map<String, byte[]> conditions = new LinkedHashMap<>();

  /** Reads {@code attribute=value}, several with spaces between them. */
  Question(String text) {
    this.text = text;
    for (String condition : text.split(" ")) {
      int equals = condition.indexOf('=');
      conditions.put(condition.substring(0, equals), Bytes.toBytes(condition.substring(equals + 1)));
    }
  }

  Iterable<String> attributes() {
    return conditions.keySet();
  }

  Query query() {
    Query query = new Query();
    conditions.forEach((attribute, value) -> query.where(Source.column(attribute), value));
    return query;
  }

  Scan scan() {
    Scan scan = new Scan().setCaching(1000).setScanMetricsEnabled(true);
    FilterList all = new FilterList(FilterList.Operator.MUST_PASS_ALL);
    conditions.forEach(
        (attribute, value) -> {
          byte[] qualifier = Bytes.toBytes(attribute);
          SingleColumnValueFilter filter =
              new SingleColumnValueFilter(Source.FAMILY, qualifier, CompareOperator.EQUAL, value);
          filter.setFilterIfMissing(true);
          all.addFilter(filter);
          scan.addColumn(Source.FAMILY, qualifier);
        });
    return scan.setFilter(all);
  }

  @Override
  public String toString() {
    return text;
  }
}
