package trommel.hbase.command;

/** What was typed cannot be carried out by any table. */
final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
