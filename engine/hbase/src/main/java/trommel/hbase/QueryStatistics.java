package trommel.hbase;

import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.hbase.ServerName;

/** What a query has cost so far. For one thread. */
public final class QueryStatistics {
  private long calls;
  private final Set<ServerName> servers = new HashSet<>();
  private long byIndex;
  private long byScan;
  private long byFilter;
  private long candidates;
  private long verified;

  QueryStatistics() {}

  /** Returns the calls of servers and regions, without those that HBase's client made again or to find regions. */
  public long calls() {
    return calls;
  }

  /** Returns the servers that answered for all their regions at once. */
  public long servers() {
    return servers.size();
  }

  /** Returns the regions that were looked into; a region that needed several pages counts for each. */
  public long regions() {
    return byIndex + byScan;
  }

  /** Returns those that were answered by the index. */
  public long byIndex() {
    return byIndex;
  }

  /** Returns those that were answered by a scan, because an index was not built or had no memory. */
  public long byScan() {
    return byScan;
  }

  /** Returns the regions that were not looked into, because the server's filter has no row of theirs with the values. */
  public long byFilter() {
    return byFilter;
  }

  /** Returns the rows that regions verified by a get. */
  public long candidates() {
    return candidates;
  }

  /** Returns the rows that met the conditions. */
  public long verified() {
    return verified;
  }

  /** Returns the candidates that did not: rows that had a value once, or whose value shares its key. */
  public long falseCandidates() {
    return candidates - verified;
  }

  /** Counts a call: of a server if it is not null, and what it answered unless that is null. */
  void add(ServerName server, Answer answer) {
    ++calls;
    if (answer == null) {
      return;
    }
    if (server != null) {
      servers.add(server);
    }
    for (Answer.Piece piece : answer.pieces) {
      if (piece.how == Answer.How.INDEX) {
        ++byIndex;
      } else if (piece.how == Answer.How.FILTER) {
        ++byFilter;
      } else {
        ++byScan;
      }
    }
    candidates += answer.candidates;
    verified += answer.results.size();
  }

  @Override
  public String toString() {
    return calls + " calls, " + servers() + " servers, " + regions() + " regions (" + byIndex + " by index, " + byScan
        + " by scan), " + byFilter + " not looked into, " + candidates + " candidates, " + verified + " rows";
  }
}
