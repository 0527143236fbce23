package trommel.hbase.command;

/** The table or the cluster does not allow what was asked for; the message says why and what to do. */
final class Failure extends Exception {
  private static final long serialVersionUID = 1;

  Failure(String message) {
    super(message);
  }
}
