package trommel.hbase.command;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operands and options of one command; options may stand anywhere, and {@code --} ends them. */
final class Arguments {
  private final List<String> operands = new ArrayList<>();
  private final Map<String, List<String>> options = new HashMap<>();

  /** Splits what was typed; {@code flags} are the options without a value, {@code valued} those with one. */
  Arguments(List<String> typed, Set<String> flags, Set<String> valued) throws UsageException {
    boolean onlyOperands = false;
    for (int i = 0; i < typed.size(); ++i) {
      String word = typed.get(i);
      if (onlyOperands || !word.startsWith("-") || word.equals("-")) {
        operands.add(word);
      } else if (word.equals("--")) {
        onlyOperands = true;
      } else if (flags.contains(word)) {
        options.computeIfAbsent(word, k -> new ArrayList<>());
      } else if (valued.contains(word)) {
        if (++i == typed.size()) {
          throw new UsageException(word + " needs a value");
        }
        options.computeIfAbsent(word, k -> new ArrayList<>()).add(typed.get(i));
      } else {
        throw new UsageException("no option is named " + Text.print(word));
      }
    }
  }

  /** Returns the first operand, which each command has. */
  String table() throws UsageException {
    if (operands.isEmpty()) {
      throw new UsageException("TABLE is missing");
    }
    return operands.get(0);
  }

  /** Returns the operands after the table; {@code what} names them if there must be one. */
  List<String> rest(String what) throws UsageException {
    table();
    if (what != null && operands.size() == 1) {
      throw new UsageException(what + " is missing");
    }
    return operands.subList(1, operands.size());
  }

  /** Fails if there are operands after the table. */
  void endAfterTable() throws UsageException {
    if (!rest(null).isEmpty()) {
      throw new UsageException("one argument too many: " + Text.print(operands.get(1)));
    }
  }

  boolean has(String flag) {
    return options.containsKey(flag);
  }

  List<String> values(String option) {
    return options.getOrDefault(option, List.of());
  }

  /** Returns the last value of an option, or null. */
  String value(String option) {
    List<String> values = values(option);
    return values.isEmpty() ? null : values.get(values.size() - 1);
  }

  long number(String option, long least, long most, long byDefault) throws UsageException {
    String text = value(option);
    if (text == null) {
      return byDefault;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UsageException(
        option + " must be a whole number from " + least + " to " + most + "; got \"" + Text.print(text) + "\"");
  }
}
