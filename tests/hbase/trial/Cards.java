package trommel.hbase.trial;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Names in random order, each again only after all others: within a short time everything happens. */
final class Cards {
  private final List<String> cards;
  private final Random random;
  private int at;

  Cards(Random random, String... cards) {
    this.cards = Arrays.asList(cards);
    this.random = random;
    this.at = cards.length;
  }

  String next() {
    if (at == cards.size()) {
      Collections.shuffle(cards, random);
      at = 0;
    }
    return cards.get(at++);
  }
}
