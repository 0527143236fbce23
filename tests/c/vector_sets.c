/* Calls of maps of columns and of filters of tuples. */
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

enum { MAX_PARTS = 64 };

/* Cuts "a,b" at its commas; the parts stay in `text`. */
static int split(const char* text, char buffer[1024], const char* parts[MAX_PARTS]) {
  int num_parts = 0;
  char* part = buffer;
  check(strlen(text) < 1024, "short lists");
  strcpy(buffer, text);
  while (part != NULL && *part != '\0') {
    char* comma = strchr(part, ',');
    if (comma != NULL) *comma++ = '\0';
    check(num_parts < MAX_PARTS, "few parts");
    parts[num_parts++] = part;
    part = comma;
  }
  return num_parts;
}

static int split_numbers(const char* text, uint64_t numbers[MAX_PARTS]) {
  char buffer[1024];
  const char* parts[MAX_PARTS];
  const int num_parts = split(text, buffer, parts);
  int i;
  for (i = 0; i < num_parts; ++i) numbers[i] = parse_number(parts[i]);
  return num_parts;
}

/* --- Columns. */

static void create_columns(const struct line* line, struct named* entry, struct text* out) {
  uint8_t secret[16];
  const trommel_digest_policy policy = policy_option(line, secret);
  trommel_column_map_config config;
  trommel_column_map* made = NULL;
  trommel_error error;
  trommel_code code;
  memset(&config, 0, sizeof(config));
  config.struct_size = sizeof(config);
  config.num_columns = (uint32_t)number_option(line, "columns");
  config.capacity = number_option(line, "capacity");
  config.target_fpr = rate_option(line, "fpr");
  config.num_blocks = number_option(line, "blocks");
  config.fingerprint_bits = (uint32_t)number_option(line, "bits");
  config.memory_limit_bytes = number_option(line, "memory_limit");
  config.digest = &policy;
  code = trommel_column_map_create(&config, &made, &error);
  code_text(code, &error, out);
  if (code != TROMMEL_OK) return;
  trommel_column_map_free(entry->map);
  entry->map = made;
}

static void rows_text(const struct line* line, const struct named* entry,
                      const struct owned_keys* keys, struct text* out) {
  const trommel_keys view = view_of(keys, line->num_calls % 3);
  const int64_t row_words = trommel_column_map_row_words(entry->map);
  const int64_t num_words = row_words * view.num_keys;
  uint64_t* rows = zeroed((size_t)num_words * sizeof(uint64_t));
  int64_t i;
  check(trommel_column_map_query(entry->map, &view, rows, num_words, NULL) == TROMMEL_OK,
        "trommel_column_map_query");
  for (i = 0; i < view.num_keys; ++i) {
    int64_t byte;
    if (i > 0) add_text(out, " ");
    for (byte = 0; byte < (entry->num_columns + 7) / 8; ++byte) {
      const uint64_t word = rows[i * row_words + byte / 8];
      add_text(out, "%02x", (unsigned)(word >> (8 * (byte % 8)) & 255));
    }
  }
  free(rows);
}

/* The calls of one column. */
static void column_call(struct program* program, const struct line* line, struct named* entry,
                        struct text* out) {
  const char* verb = line->words[0];
  const uint32_t column = line->num_words > 2 ? (uint32_t)parse_number(line->words[2]) : 0;
  struct named* fourth = line->num_words > 3 ? named(program, line->words[3]) : NULL;
  trommel_error error;
  if (strcmp(verb, "open") == 0) {
    code_text(trommel_column_map_open(entry->map, column, &error), &error, out);
  } else if (strcmp(verb, "close") == 0) {
    code_text(trommel_column_map_close(entry->map, column, &error), &error, out);
    check(trommel_column_map_is_open(entry->map, column, NULL) == 0, "it is closed");
  } else if (strcmp(verb, "column_keys") == 0) {
    uint64_t num_keys = 0;
    check(trommel_column_map_num_keys(entry->map, column, &num_keys, NULL) == TROMMEL_OK, verb);
    add_text(out, "num_keys=%llu", (unsigned long long)num_keys);
  } else if (strcmp(verb, "column_stats") == 0) {
    trommel_column_map_stats stats;
    stats.struct_size = sizeof(stats);
    check(trommel_column_map_get_stats(entry->map, &stats, NULL) == TROMMEL_OK, verb);
    add_text(out, "pairs=%llu slots=%llu elsewhere=%llu", (unsigned long long)stats.num_pairs,
             (unsigned long long)stats.num_slots_in_use,
             (unsigned long long)stats.num_pairs_elsewhere);
  } else if (strcmp(verb, "column_load") == 0) {
    code_text(trommel_column_map_load(entry->map, column, fourth->bytes, fourth->num_bytes, &error),
              &error, out);
  } else if (strcmp(verb, "column_serialize") == 0) {
    int64_t num_bytes = 0;
    check(trommel_column_map_serialize(entry->map, column, NULL, 0, &num_bytes, NULL) == TROMMEL_OK,
          verb);
    make_room(fourth, num_bytes);
    check(trommel_column_map_serialize(entry->map, column, fourth->bytes, num_bytes, &num_bytes,
                                       NULL) == TROMMEL_OK,
          verb);
    bytes_text(fourth, out);
  } else if (strcmp(verb, "column_insert") == 0) {
    const trommel_keys view = view_of(&fourth->keys, line->num_calls % 3);
    code_text(trommel_column_map_insert(entry->map, column, &view, NULL, 0, NULL, &error), &error,
              out);
  } else if (strcmp(verb, "column_erase") == 0) {
    const trommel_keys view = view_of(&fourth->keys, line->num_calls % 3);
    trommel_outcome outcome;
    outcome.struct_size = sizeof(outcome);
    check(trommel_column_map_erase(entry->map, column, &view, &outcome, NULL) == TROMMEL_OK, verb);
    done_text(&outcome, out);
  } else {
    const int64_t num_keys = fourth->keys.num_keys;
    uint64_t* bitmap = zeroed((size_t)trommel_bitmap_words(num_keys) * sizeof(uint64_t));
    int64_t num_present = 0;
    int64_t i;
    check(strcmp(verb, "column_query_each") == 0, verb);
    for (i = 0; i < num_keys; ++i) {
      const int32_t answer =
          trommel_column_map_may_contain(entry->map, column, key_of(&fourth->keys, i), NULL);
      check(answer == 0 || answer == 1, verb);
      bitmap[i / 64] |= (uint64_t)answer << (i % 64);
      num_present += answer;
    }
    add_text(out, "present=%lld ", (long long)num_present);
    bits_text(bitmap, num_keys, out);
    free(bitmap);
  }
}

int run_on_columns(struct program* program, const struct line* line, struct text* out) {
  const char* verb = line->words[0];
  struct named* entry = named(program, line->words[1]);
  if (strcmp(verb, "create") == 0) {
    if (strcmp(line->words[2], "column_map") != 0) return 0;
    create_columns(line, entry, out);
    entry->num_columns = (int64_t)number_option(line, "columns");
  } else if (strcmp(verb, "columns") == 0) {
    rows_text(line, entry, &named(program, line->words[2])->keys, out);
  } else if (strcmp(verb, "open") == 0 || strcmp(verb, "close") == 0 ||
             strncmp(verb, "column_", 7) == 0) {
    column_call(program, line, entry, out);
  } else {
    return 0;
  }
  return 1;
}

/* --- Tuples. */

static void create_attributes(const struct line* line, struct named* entry, struct text* out) {
  uint8_t secret[16];
  const trommel_digest_policy policy = policy_option(line, secret);
  uint64_t cuts[MAX_PARTS];
  uint64_t kept[MAX_PARTS];
  uint64_t num_values[MAX_PARTS];
  const char* names[MAX_PARTS];
  char buffer[1024];
  trommel_attributes_config config;
  trommel_attributes* made = NULL;
  trommel_error error;
  trommel_code code;
  memset(&config, 0, sizeof(config));
  config.struct_size = sizeof(config);
  config.num_attributes = (int32_t)number_option(line, "attributes");
  config.cuts = cuts;
  config.num_cuts = split_numbers(option(line, "cuts", ""), cuts);
  config.kept = kept;
  config.num_kept = split_numbers(option(line, "kept", ""), kept);
  config.max_together = (uint32_t)number_option(line, "together");
  if (split(option(line, "names", ""), buffer, names) > 0) config.names = names;
  config.capacity = number_option(line, "capacity");
  if (split_numbers(option(line, "values", ""), num_values) > 0) config.num_values = num_values;
  config.target_fpr = rate_option(line, "fpr");
  config.max_capacity = number_option(line, "max_capacity");
  config.memory_limit_bytes = number_option(line, "memory_limit");
  config.digest = &policy;
  code = trommel_attributes_create(&config, &made, &error);
  code_text(code, &error, out);
  if (code != TROMMEL_OK) return;
  trommel_attributes_free(entry->attributes);
  entry->attributes = made;
}

static void load_attributes(struct program* program, const struct line* line, struct named* entry,
                            struct text* out) {
  const struct named* from = named(program, line->words[2]);
  uint8_t secret[16];
  trommel_load_options options = {sizeof(options), 0, 0, NULL};
  trommel_attributes* loaded = NULL;
  trommel_attributes* read = NULL;
  trommel_error error;
  trommel_code code;
  options.memory_limit_bytes = number_option(line, "limit");
  if (from_hex(option(line, "key", "-"), secret, 16) == 16) options.digest_key = secret;
  code = trommel_attributes_load_bytes(from->bytes, from->num_bytes, &options, &loaded, &error);
  check(trommel_attributes_read(read_named, (void*)from, from->num_bytes, &options, &read, NULL) ==
            code,
        "trommel_attributes_read returns what trommel_attributes_load_bytes returns");
  trommel_attributes_free(read);
  code_text(code, &error, out);
  if (code != TROMMEL_OK) return;
  trommel_attributes_free(entry->attributes);
  entry->attributes = loaded;
}

static void serialize_attributes(const trommel_attributes* filter, struct named* to,
                                 struct text* out) {
  int64_t num_bytes = 0;
  check(trommel_attributes_serialize(filter, NULL, 0, &num_bytes, NULL) == TROMMEL_OK, "its size");
  make_room(to, num_bytes);
  check(trommel_attributes_serialize(filter, to->bytes, num_bytes, &num_bytes, NULL) == TROMMEL_OK,
        "its bytes");
  bytes_text(to, out);
}

static void tuple_stats_text(const trommel_attributes* filter, struct text* out) {
  trommel_stats stats;
  stats.struct_size = sizeof(stats);
  check(trommel_attributes_get_stats(filter, &stats, NULL) == TROMMEL_OK, "statistics");
  check(stats.type == TROMMEL_TYPE_ATTRIBUTES, "their type");
  add_text(out, "num_keys=%llu parts=%llu refused_inserts=%llu refused_erases=%llu",
           (unsigned long long)stats.num_keys, (unsigned long long)stats.num_parts,
           (unsigned long long)stats.num_refused_inserts,
           (unsigned long long)stats.num_refused_erases);
}

/* A batch of tuples: a view for each attribute, or NULL. */
struct tuples {
  const struct owned_keys* keys[MAX_PARTS];
  trommel_keys views[MAX_PARTS];
  const trommel_keys* columns[MAX_PARTS];
  int32_t num_columns;
  int64_t num_tuples;
};

static void parse_tuples(struct program* program, const struct line* line, const char* names,
                         struct tuples* tuples) {
  char buffer[1024];
  const char* parts[MAX_PARTS];
  int32_t i;
  memset(tuples, 0, sizeof(*tuples));
  tuples->num_columns = split(names, buffer, parts);
  for (i = 0; i < tuples->num_columns; ++i) {
    if (strcmp(parts[i], "-") == 0) continue;
    tuples->keys[i] = &named(program, parts[i])->keys;
    tuples->views[i] = view_of(tuples->keys[i], line->num_calls % 3);
    tuples->columns[i] = &tuples->views[i];
    tuples->num_tuples = tuples->keys[i]->num_keys;
  }
}

static int32_t may_contain(const trommel_attributes* filter, uint64_t set,
                           const struct tuples* tuples, int64_t i) {
  trommel_key tuple[MAX_PARTS];
  int32_t a;
  for (a = 0; a < tuples->num_columns; ++a) {
    tuple[a] = tuples->keys[a] == NULL ? trommel_key_int64(0) : key_of(tuples->keys[a], i);
  }
  return trommel_attributes_may_contain(filter, set, tuple, tuples->num_columns, NULL);
}

static void tuples_call(struct program* program, const struct line* line,
                        trommel_attributes* filter, struct text* out) {
  const char* verb = line->words[0];
  const int is_insert = strcmp(verb, "tuple_insert") == 0;
  const int is_whole = strcmp(verb, "tuple_erase_all") == 0;
  const int is_update = is_insert || is_whole || strcmp(verb, "tuple_erase") == 0;
  const uint64_t set = parse_number(line->words[2]); /* of queries */
  struct tuples tuples;
  int64_t num_words;
  uint64_t* bitmap;
  parse_tuples(program, line, line->words[is_update ? 2 : 3], &tuples);
  num_words = trommel_bitmap_words(tuples.num_tuples);
  bitmap = zeroed((size_t)num_words * sizeof(uint64_t));
  if (is_update) {
    trommel_outcome outcome;
    trommel_code code;
    outcome.struct_size = sizeof(outcome);
    code = is_insert
               ? trommel_attributes_insert(filter, tuples.columns, tuples.num_columns,
                                           tuples.num_tuples, bitmap, num_words, &outcome, NULL)
           : is_whole
               ? trommel_attributes_erase_all(filter, tuples.columns, tuples.num_columns,
                                              tuples.num_tuples, bitmap, num_words, &outcome, NULL)
               : trommel_attributes_erase(filter, tuples.columns, tuples.num_columns,
                                          tuples.num_tuples, bitmap, num_words, &outcome, NULL);
    check(code == TROMMEL_OK, verb);
    done_text(&outcome, out);
    add_text(out, " ");
    bits_text(bitmap, tuples.num_tuples, out);
  } else if (strcmp(verb, "tuple_counts") == 0) {
    uint64_t* counts = zeroed((size_t)tuples.num_tuples * sizeof(uint64_t));
    check(trommel_attributes_count_estimates(filter, set, tuples.columns, tuples.num_columns,
                                             tuples.num_tuples, counts, tuples.num_tuples,
                                             NULL) == TROMMEL_OK,
          verb);
    numbers_text(counts, tuples.num_tuples, out);
    free(counts);
  } else {
    int64_t num_present = 0;
    int64_t i;
    if (strcmp(verb, "tuple_query") == 0) {
      check(trommel_attributes_query(filter, set, tuples.columns, tuples.num_columns,
                                     tuples.num_tuples, bitmap, num_words, &num_present,
                                     NULL) == TROMMEL_OK,
            verb);
    } else {
      for (i = 0; i < tuples.num_tuples; ++i) {
        const int32_t answer = may_contain(filter, set, &tuples, i);
        check(answer == 0 || answer == 1, verb);
        bitmap[i / 64] |= (uint64_t)answer << (i % 64);
        num_present += answer;
      }
    }
    add_text(out, "present=%lld ", (long long)num_present);
    bits_text(bitmap, tuples.num_tuples, out);
  }
  free(bitmap);
}

int run_on_tuples(struct program* program, const struct line* line, struct text* out) {
  const char* verb = line->words[0];
  struct named* entry = named(program, line->words[1]);
  trommel_error error;
  if (strcmp(verb, "create") == 0) {
    if (strcmp(line->words[2], "attributes") != 0) return 0;
    create_attributes(line, entry, out);
  } else if (strncmp(verb, "tuple_", 6) != 0) {
    return 0;
  } else if (strcmp(verb, "tuple_load") == 0) {
    load_attributes(program, line, entry, out);
  } else if (strcmp(verb, "tuple_serialize") == 0) {
    serialize_attributes(entry->attributes, named(program, line->words[2]), out);
  } else if (strcmp(verb, "tuple_stats") == 0) {
    tuple_stats_text(entry->attributes, out);
  } else if (strcmp(verb, "tuple_clear") == 0) {
    code_text(trommel_attributes_clear(entry->attributes, &error), &error, out);
  } else {
    tuples_call(program, line, entry->attributes, out);
  }
  return 1;
}
