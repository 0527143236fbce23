package trommel.hbase;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * That a region has no row with the value of a condition, as the server's filter says. It holds if at one moment after
 * the filter was asked (a) the filter has counted everything until then, (b) the state of the store is the one that was
 * taken before, so that each of its sources was counted while the filter was asked, and (c) these sources are complete
 * and cover the store's files. A cell that was visible when the query began has an entry in them (HBASE.md, "Why no row is
 * lost", 4): then the filter would have had its value. If it does not hold, the region is looked into.
 */
final class Exclusion {
  private final PairFilter.Question question;
  private final RegionIndex.Family family;
  private final Object state;

  private Exclusion(PairFilter.Question question, RegionIndex.Family family, Object state) {
    this.question = question;
    this.family = family;
    this.state = state;
  }

  /** Returns exclusions of regions; there is none where the filter excludes nothing. */
  static Map<RegionIndex, Exclusion> ask(
      PairFilter filter, Set<RegionIndex> regions, Map<Column, byte[]> conditions) {
    Map<RegionIndex, Exclusion> exclusions = new HashMap<>();
    PairFilter.Question question = filter.question(2 * regions.size() * conditions.size());
    if (question == null) {
      return exclusions;
    }
    List<Exclusion> possible = new ArrayList<>();
    for (RegionIndex region : regions) {
      for (Map.Entry<Column, byte[]> condition : conditions.entrySet()) {
        RegionIndex.Family family = region.family(condition.getKey().familyBytes());
        int attribute = family == null ? -1 : region.attributeOrNone(condition.getKey());
        possible.add(attribute < 0 ? null : new Exclusion(question, family, family.index.state()));
        for (byte[] key : ValueKey.all(attribute, condition.getValue())) {
          question.add(region.number(), key);
        }
      }
    }
    BitSet maybe = question.ask();
    int pair = 0;
    for (RegionIndex region : regions) {
      for (int condition = 0; condition < conditions.size(); ++condition, pair += 2) {
        if (!maybe.get(pair) && !maybe.get(pair + 1)) {
          exclusions.putIfAbsent(region, possible.get(pair / 2));
        }
      }
    }
    return exclusions;
  }

  /** To be asked under the region's operation lock. */
  boolean holds() {
    return question.stillRight() && family.index.covers(state, family.files());
  }
}
