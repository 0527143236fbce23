// Prints vectors.txt: what HBase's own classes compute. How to run it: README.md beside this file.
// Each line is a record; its first word says which.
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilterWriter;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.io.hfile.ReaderContext;
import org.apache.hadoop.hbase.io.hfile.ReaderContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.BloomFilterChunk;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.ByteArrayHashKey;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Hash;
import org.apache.hadoop.hbase.util.RowColBloomHashKey;

public class MakeVectors {
  static final Hash MURMUR = Hash.getInstance(Hash.MURMUR_HASH);
  static final byte[] FAMILY = Bytes.toBytes("cf");
  // A number of hash functions per probe of which ROWCOL asks two.
  static float perProbe(float error) { return (float) (1 - Math.sqrt(1 - error)); }

  static String hex(byte[] bytes) { return bytes.length == 0 ? "-" : Bytes.toHex(bytes); }

  static byte[] row(int i) { return Bytes.toBytes(String.format("row%08d", i)); }
  static byte[] qualifier(int i) { return Bytes.toBytes("q" + i); }
  static KeyValue cell(byte[] row, byte[] qualifier) {
    return new KeyValue(row, FAMILY, qualifier, 1000L, KeyValue.Type.Put, Bytes.toBytes("v"));
  }

  static void hashes() {
    for (int length = 0; length <= 11; ++length) {
      // Each key once without, and once per position with a byte above 0x7f.
      for (int high = -1; high < length; ++high) {
        byte[] key = new byte[length];
        for (int i = 0; i < length; ++i) key[i] = (byte) (17 * i + length);
        if (high >= 0) key[high] = (byte) (0x80 + 11 * high);
        for (int seed : new int[] {0, 1, -1, 0x12345678}) {
          int h = MURMUR.hash(new ByteArrayHashKey(key, 0, length), seed);
          System.out.printf("hash %08x %s %08x%n", seed, hex(key), h);
        }
      }
    }
  }

  static void keys() {
    byte[][] rows = {Bytes.toBytes("r1"), Bytes.toBytes(""), {(byte) 0xff, 0, (byte) 0x80},
                     new byte[300]};
    byte[][] qualifiers = {Bytes.toBytes("q1"), Bytes.toBytes(""), {(byte) 0xfe, 0}};
    for (byte[] row : rows) {
      if (row.length == 0) continue;  // HBase has no empty row keys
      for (byte[] qualifier : qualifiers) {
        RowColBloomHashKey key = new RowColBloomHashKey(cell(row, qualifier));
        byte[] bytes = new byte[key.length()];
        for (int i = 0; i < bytes.length; ++i) bytes[i] = key.get(i);
        System.out.printf("rowcol %s %s %s %08x%n", hex(row), hex(qualifier), hex(bytes),
                          MURMUR.hash(key, 0));
      }
    }
  }

  static void shapes() {
    for (BloomType type : new BloomType[] {BloomType.ROW, BloomType.ROWCOL}) {
      for (float error : new float[] {0.01f, 0.05f, 0.001f, 0.1f}) {
        for (int bytes : new int[] {128 * 1024, 4096, 1000}) {
          for (int fold : new int[] {7, 0, 3}) {
            float used = type == BloomType.ROWCOL ? perProbe(error) : error;
            BloomFilterChunk chunk =
                BloomFilterUtil.createBySize(bytes, used, Hash.MURMUR_HASH, fold, type);
            System.out.printf("shape %s %s %d %d %d %d %d%n", type, error, bytes, fold,
                              chunk.getByteSize(), chunk.getHashCount(), chunk.getMaxKeys());
          }
        }
      }
    }
  }

  static long fnv(byte[] bytes) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : bytes) hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    return hash;
  }

  // Cells 0, 3, 6, ..: rows, or four qualifiers per row.
  static KeyValue member(BloomType type, int i) {
    return type == BloomType.ROWCOL ? cell(row(i / 4), qualifier(i % 4)) : cell(row(i), qualifier(1));
  }

  static void compound(BloomType type, int bytes, int fold, int numKeys, boolean whole)
      throws Exception {
    float used = type == BloomType.ROWCOL ? perProbe(0.01f) : 0.01f;
    CellComparator comparator = type == BloomType.ROWCOL ? CellComparator.getInstance() : null;
    CompoundBloomFilterWriter writer = new CompoundBloomFilterWriter(
        bytes, used, Hash.MURMUR_HASH, fold, false, comparator, type);
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    List<byte[]> written = new ArrayList<>();
    for (int i = 0; i <= numKeys; ++i) {
      if (i < numKeys) writer.append(member(type, 3 * i));
      while (writer.shouldWriteBlock(i == numKeys)) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.writeInlineBlock(new DataOutputStream(out));
        writer.blockWritten(chunks.size(), out.size(), out.size());
        chunks.write(out.toByteArray());
        written.add(out.toByteArray());
      }
    }
    ByteArrayOutputStream meta = new ByteArrayOutputStream();
    writer.getMetaWriter().write(new DataOutputStream(meta));
    System.out.printf("compound %s %d %d %d %s%n", type, bytes, fold, numKeys,
                      hex(meta.toByteArray()));
    for (byte[] chunk : written) {
      System.out.printf("chunk %d %016x %s%n", chunk.length, fnv(chunk), whole ? hex(chunk) : "-");
    }
  }

  // A store file, written and read by HBase: which gets read it.
  static void storeFile(BloomType type, int bytes, int numKeys, int prefix) throws Exception {
    Configuration conf = new Configuration();
    conf.setInt("io.storefile.bloom.block.size", bytes);
    if (type == BloomType.ROWPREFIX_FIXED_LENGTH) {
      conf.setInt("RowPrefixBloomFilter.prefix_length", prefix);
    }
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    Path folder = new Path(java.nio.file.Files.createTempDirectory("vectors").toString());
    CacheConfig cache = new CacheConfig(conf);
    StoreFileWriter writer = new StoreFileWriter.Builder(conf, cache, fs)
        .withOutputDir(folder).withBloomType(type).withMaxKeyCount(numKeys)
        .withFileContext(new HFileContextBuilder().build()).build();
    // Every tenth row was deleted. A DeleteFamily sorts before the cells of its row.
    for (int i = 0; i < numKeys; ++i) {
      KeyValue put = member(type, 3 * i);
      byte[] row = put.getRowArray().length == 0 ? null
          : java.util.Arrays.copyOfRange(put.getRowArray(), put.getRowOffset(),
                                         put.getRowOffset() + put.getRowLength());
      if (i % 10 == 0 && (type != BloomType.ROWCOL || 3 * i % 4 == 0)) {
        writer.append(new KeyValue(row, FAMILY, null, 1000L, KeyValue.Type.DeleteFamily));
      }
      writer.append(put);
    }
    writer.appendMetadata(1, false);
    writer.close();
    ReaderContext context = new ReaderContextBuilder().withFileSystemAndPath(fs, writer.getPath()).build();
    HFileInfo info = new HFileInfo(context, conf);
    StoreFileReader reader =
        new StoreFileReader(context, info, cache, new AtomicInteger(0), conf);
    info.initMetaAndIndex(reader.getHFileReader());
    java.util.Map<byte[], byte[]> fileInfo = reader.loadFileInfo();
    reader.loadBloomfilter();
    byte[] last = null;
    for (java.util.Map.Entry<byte[], byte[]> entry : fileInfo.entrySet()) {
      if (Bytes.toString(entry.getKey()).equals("LAST_BLOOM_KEY")) last = entry.getValue();
    }
    StringBuilder gets = new StringBuilder();
    StringBuilder rowGets = new StringBuilder();
    StringBuilder deletes = new StringBuilder();
    java.lang.reflect.Method passes = StoreFileReader.class.getDeclaredMethod(
        "passesBloomFilter", Scan.class, java.util.SortedSet.class);
    passes.setAccessible(true);
    for (int i = -2; i < 3 * numKeys + 100; ++i) {
      KeyValue asked = i < 0 ? cell(Bytes.toBytes("a" + i), qualifier(1)) : member(type, i);
      byte[] row = java.util.Arrays.copyOfRange(asked.getRowArray(), asked.getRowOffset(),
          asked.getRowOffset() + asked.getRowLength());
      byte[] column = java.util.Arrays.copyOfRange(asked.getQualifierArray(),
          asked.getQualifierOffset(), asked.getQualifierOffset() + asked.getQualifierLength());
      TreeSet<byte[]> columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
      columns.add(column);
      gets.append((Boolean) passes.invoke(reader, new Scan(new Get(row)), columns) ? '1' : '0');
      rowGets.append((Boolean) passes.invoke(reader, new Scan(new Get(row)), null) ? '1' : '0');
      deletes.append(reader.passesDeleteFamilyBloomFilter(row, 0, row.length) ? '1' : '0');
    }
    System.out.printf("file %s %d %d %d %s%n", type, bytes, numKeys, prefix, hex(last));
    System.out.printf("gets %s%n", gets);
    System.out.printf("rowgets %s%n", rowGets);
    System.out.printf("deletes %s%n", deletes);
    reader.close(true);
    fs.delete(folder, true);
  }

  public static void main(String[] arguments) throws Exception {
    hashes();
    keys();
    shapes();
    compound(BloomType.ROW, 128, 7, 250, true);      // 2 chunks, and a folded one
    compound(BloomType.ROWCOL, 128, 7, 250, true);
    compound(BloomType.ROW, 128, 0, 7, true);        // folded to a few bytes
    compound(BloomType.ROW, 128 * 1024, 7, 250000, false);
    compound(BloomType.ROWCOL, 128 * 1024, 7, 250000, false);
    compound(BloomType.ROW, 128 * 1024, 7, 1000, false);
    storeFile(BloomType.ROW, 128, 300, 0);
    storeFile(BloomType.ROWCOL, 128, 300, 0);
    storeFile(BloomType.ROWPREFIX_FIXED_LENGTH, 128, 300, 10);
  }
}
