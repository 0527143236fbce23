package trommel.hbase;

/** What a query has cost so far. For one thread. */
public final class QueryStatistics {
  long calls;
  long byIndex;
  long byScan;
  long candidates;
  long verified;

  QueryStatistics() {}

  /** Returns the calls that regions answered; each is one page. */
  public long calls() {
    return calls;
  }

  /** Returns the pages that were answered by the index. */
  public long byIndex() {
    return byIndex;
  }

  /** Returns the pages that were answered by a scan, because an index was not built or had no memory. */
  public long byScan() {
    return byScan;
  }

  /** Returns the rows that regions verified by a get. */
  public long candidates() {
    return candidates;
  }

  /** Returns the rows that met the conditions. */
  public long verified() {
    return verified;
  }

  void add(Answer answer) {
    ++calls;
    if (answer.how == Answer.How.INDEX) {
      ++byIndex;
    } else {
      ++byScan;
    }
    candidates += answer.candidates;
    verified += answer.results.size();
  }

  @Override
  public String toString() {
    return calls + " calls (" + byIndex + " by index, " + byScan + " by scan), " + candidates + " candidates, "
        + verified + " rows";
  }
}
