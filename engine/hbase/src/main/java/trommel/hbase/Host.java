package trommel.hbase;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the regions of one server share: the memory for indexes, the threads that build them, the metrics. Only the
 * JDK's own types are shared through HBase's map, because tables may load this class by different class loaders.
 */
final class Host {
  private static final Logger LOG = LoggerFactory.getLogger(Host.class);

  private final AtomicLong used;
  private final long limit;
  private final ThreadPoolExecutor builders;
  final long buildBytesPerSecond;
  final int pageRows;
  final long pageBytes;
  final long pageMilliseconds;

  final Counter faults;
  final Counter byIndex;
  final Counter byScan;
  final Counter candidates;
  final Counter verified;
  final Counter builds;
  final Counter buildsFailed;
  final Counter buildsOverLimit;
  final Counter bytesRead;
  final Counter serverAnswers;
  final Counter regionsExcluded;

  Host(RegionCoprocessorEnvironment env, ServerRegions server) {
    Configuration conf = env.getConfiguration();
    used = (AtomicLong) env.getSharedData().computeIfAbsent("memory", k -> new AtomicLong());
    long megabytes = number(conf, "trommel.index.memory.mb", Runtime.getRuntime().maxMemory() / 10 >> 20);
    limit = megabytes << 20;
    int threads = Math.max(1, (int) number(conf, "trommel.index.build.threads", 1));
    builders = (ThreadPoolExecutor) env.getSharedData().computeIfAbsent("builders", k -> executor(threads));
    buildBytesPerSecond = (number(conf, "trommel.index.build.mb.per.second", 0) << 20) / threads;
    pageRows = Math.max(1, (int) number(conf, "trommel.index.page.rows", 10_000));
    pageBytes = number(conf, "trommel.index.page.bytes", 2 << 20);
    pageMilliseconds = number(conf, "trommel.index.page.ms", 5_000);

    MetricRegistry metrics = env.getMetricRegistryForRegionServer();
    faults = metrics.counter("hookFaults");
    byIndex = metrics.counter("answersByIndex");
    byScan = metrics.counter("answersByScan");
    candidates = metrics.counter("candidates");
    verified = metrics.counter("verified");
    builds = metrics.counter("builds");
    buildsFailed = metrics.counter("buildsFailed");
    buildsOverLimit = metrics.counter("buildsOverLimit");
    bytesRead = metrics.counter("buildBytesRead");
    serverAnswers = metrics.counter("serverAnswers");
    regionsExcluded = metrics.counter("regionsExcluded");
    metrics.register("filterBytes", (Gauge<Long>) () -> server.filter(this).bytes());
    metrics.register("filterRebuilds", (Gauge<Long>) () -> server.filter(this).rebuilds());
    metrics.register("memoryBytes", (Gauge<Long>) used::get);
    metrics.register("memoryLimitBytes", (Gauge<Long>) () -> limit);
    metrics.register("buildsWaiting", (Gauge<Integer>) () -> builders.getQueue().size());
  }

  /** Returns a setting, or its default if it is no number: a typing error must not keep regions from opening. */
  private static long number(Configuration conf, String name, long byDefault) {
    try {
      long number = conf.getLong(name, byDefault);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    LOG.error("{} must be a number from 0; got \"{}\", used is {}", name, conf.get(name), byDefault);
    return byDefault;
  }

  private static ThreadPoolExecutor executor(int threads) {
    // Threads end when there is nothing to build, so they need not be stopped. The factory is the JDK's: one of ours
    // would keep this class loader alive.
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads, threads, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Executors.defaultThreadFactory());
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  Executor builders() {
    return builders;
  }

  Account account() {
    return new Account(used, limit);
  }

  /** Returns the bytes that are not taken. */
  long available() {
    return limit - used.get();
  }
}
