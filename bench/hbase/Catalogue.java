package trommel.hbase.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A catalogue of products, as bench/sides/catalogue.h makes it, but with one value for each attribute, as a column has
 * it. Product i depends on i alone, so that threads make any part of it.
 *
 * <pre>
 *   key        supplier and number, "S0042-00000017": a supplier's products are neighbours
 *   ean        different for each product              supplier  500, Zipf
 *   series     of its brand, 20 each                   brand     2,000, Zipf; a supplier has few of them
 *   tag        3,000, Zipf; none for one in seven      category  300, Zipf
 *   warehouse  120                                     country   60, Zipf
 *   colour     24; none for a quarter                  material  40; none for half
 *   price      50 bands                                year      2005 to 2024
 * </pre>
 */
final class Catalogue implements Source {
  private static final List<String> ATTRIBUTES =
      List.of(
          "series", "brand", "tag", "category", "supplier", "warehouse", "country", "colour", "material", "price",
          "year", "ean");
  private static final String[] COLOURS = {
    "black", "white", "grey", "silver", "red", "crimson", "orange", "amber", "gold", "beige", "brown", "green",
    "olive", "lime", "teal", "cyan", "blue", "navy", "azure", "violet", "pink", "magenta", "clear", "copper"
  };
  private static final long SEED = 20240229;
  private static final int SAMPLED = 20_000;

  private final Zipf suppliers = new Zipf(500);
  private final Zipf brands = new Zipf(8);  // Of those that a supplier has.
  private final Zipf categories = new Zipf(300);
  private final Zipf tags = new Zipf(3000);
  private final Zipf countries = new Zipf(60);
  private final long products;

  Catalogue(long products) {
    this.products = products;
  }

  /** Ranks from 0 with probabilities in proportion to 1 / (rank + 1). */
  private static final class Zipf {
    private final double[] cumulated;

    Zipf(int ranks) {
      cumulated = new double[ranks];
      double sum = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        sum += 1.0 / (rank + 1);
        cumulated[rank] = sum;
      }
    }

    int rank(double uniform) {
      double wanted = uniform * cumulated[cumulated.length - 1];
      int low = 0;
      for (int high = cumulated.length - 1; low < high; ) {
        int middle = (low + high) / 2;
        if (cumulated[middle] > wanted) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }
  }

  /** SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). */
  private static final class Numbers {
    private long state;

    Numbers(long state) {
      this.state = state;
    }

    long next() {
      state += 0x9E3779B97F4A7C15L;
      long z = state;
      z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      return z ^ (z >>> 31);
    }

    double uniform() {
      return (next() >>> 11) * 0x1p-53;
    }

    int below(int n) {
      return (int) (uniform() * n);
    }
  }

  private static Numbers numbers(long i) {
    return new Numbers(new Numbers(SEED ^ (i * 0xD1342543DE82EF95L)).next());
  }

  private static String numbered(String prefix, long number, int width) {
    String digits = Long.toString(number);
    return prefix + "0".repeat(Math.max(0, width - digits.length())) + digits;
  }

  @Override
  public TableName table() {
    return TableName.valueOf("catalogue");
  }

  @Override
  public String noun() {
    return "product";
  }

  @Override
  public List<String> attributes() {
    return ATTRIBUTES;
  }

  @Override
  public long rows() {
    return products;
  }

  @Override
  public Put row(long i) {
    Numbers numbers = numbers(i);
    int supplier = suppliers.rank(numbers.uniform());
    int brand = (supplier * 37 + brands.rank(numbers.uniform()) * 251) % 2000;
    String brandName = numbered("brand-", brand, 4);
    Put put = new Put(Bytes.toBytes(key(supplier, i)));
    Source.add(put, "brand", brandName);
    Source.add(put, "series", brandName + numbered("/series-", numbers.below(20), 2));
    Source.add(put, "category", numbered("category-", categories.rank(numbers.uniform()), 3));
    Source.add(put, "supplier", numbered("S", supplier, 4));
    Source.add(put, "country", numbered("country-", countries.rank(numbers.uniform()), 2));
    Source.add(put, "warehouse", numbered("W", numbers.below(120), 3));
    Source.add(put, "price", numbered("band-", numbers.below(50), 2));
    Source.add(put, "year", Integer.toString(2005 + numbers.below(20)));
    Source.add(put, "ean", Long.toString(4_000_000_000_000L + i));
    if (numbers.below(4) != 0) {
      Source.add(put, "colour", COLOURS[numbers.below(COLOURS.length)]);
    }
    if (numbers.below(2) == 0) {
      Source.add(put, "material", numbered("material-", numbers.below(40), 2));
    }
    if (numbers.below(7) != 0) {
      Source.add(put, "tag", numbered("tag-", tags.rank(numbers.uniform()), 4));
    }
    return put;
  }

  private static String key(int supplier, long i) {
    return numbered("S", supplier, 4) + numbered("-", i, 8);
  }

  @Override
  public byte[][] splits(int regions) {
    List<String> keys = new ArrayList<>();
    for (long i = 0, step = Math.max(products / SAMPLED, 1); i < products; i += step) {
      keys.add(key(suppliers.rank(numbers(i).uniform()), i));
    }
    keys.sort(null);
    return Source.cut(keys, regions);
  }

  @Override
  public List<String> questions() {
    return List.of(
        String.format(Locale.ROOT, "ean=%d", 4_000_000_000_000L + products / 3),
        "ean=0000000000000",
        "series=brand-0037/series-07",
        "series=brand-1999/series-11",
        "tag=tag-2500",
        "tag=tag-0800 country=country-12",
        "category=category-250 country=country-40",
        "brand=brand-0037 colour=red year=2012",
        "warehouse=W007 year=2012 price=band-11 material=material-07",
        "category=category-250");
  }
}
