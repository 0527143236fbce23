/* Calls of filters that hold keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

/* --- Options. */

static void set_filter(struct named* entry, trommel_filter* filter) {
  trommel_filter_free(entry->filter);
  entry->filter = filter;
}

static int32_t number_of(const char* const* names, const char* name) {
  int32_t i;
  for (i = 0; names[i] != NULL; ++i) {
    if (strcmp(names[i], name) == 0) return i;
  }
  return 0;
}

static const char* const kDigests[] = {"", "xxh64", "xxh3", "caller", "siphash", NULL};
static const char* const kEncodings[] = {"",      "planes",    "runs", "fingerprints16",
                                         "dense", "automatic", NULL};
static const char* const kPreferences[] = {"memory", "speed", "headroom", "parquet", NULL};

const char* type_name(int32_t type) {
  static const char* const kTypes[] = {"any", "counting", "scalable", "window",
                                       "4",   "5",        "attribute"};
  return type == TROMMEL_TYPE_CONCURRENT ? "concurrent" : kTypes[type];
}

static int32_t type_of(const char* name) {
  int32_t type;
  for (type = 1; type <= TROMMEL_TYPE_ATTRIBUTES; ++type) {
    if (strcmp(name, type_name(type)) == 0) return type;
  }
  return strcmp(name, "concurrent") == 0 ? TROMMEL_TYPE_CONCURRENT : TROMMEL_TYPE_ANY;
}

trommel_digest_policy policy_option(const struct line* line, uint8_t secret[16]) {
  trommel_digest_policy policy = {sizeof(policy), 0, 0, NULL};
  policy.kind = number_of(kDigests, option(line, "digest", ""));
  policy.seed = number_option(line, "seed");
  if (from_hex(option(line, "key", "-"), secret, 16) == 16) policy.key = secret;
  return policy;
}

int32_t encoding_option(const struct line* line) {
  return number_of(kEncodings, option(line, "encoding", ""));
}

static trommel_code create_counting(const struct line* line, const trommel_digest_policy* policy,
                                    trommel_filter** made, trommel_error* error) {
  trommel_counting_config config;
  memset(&config, 0, sizeof(config));
  config.struct_size = sizeof(config);
  config.capacity = number_option(line, "capacity");
  config.target_fpr = rate_option(line, "fpr");
  config.digest = policy;
  config.encoding = encoding_option(line);
  config.preference = number_of(kPreferences, option(line, "preference", "memory"));
  config.num_slices = (uint32_t)number_option(line, "slices");
  config.power_of_two_blocks = (int32_t)number_option(line, "power_of_two");
  config.memory_limit_bytes = number_option(line, "memory_limit");
  config.side_memory_limit_bytes = number_option(line, "side_limit");
  return strcmp(line->words[2], "counting") == 0 ? trommel_counting_create(&config, made, error)
                                                 : trommel_concurrent_create(&config, made, error);
}

static trommel_code create_scalable(const struct line* line, const trommel_digest_policy* policy,
                                    trommel_filter** made, trommel_error* error) {
  trommel_scalable_config config;
  memset(&config, 0, sizeof(config));
  config.struct_size = sizeof(config);
  config.first_capacity = number_option(line, "first_capacity");
  config.target_fpr = rate_option(line, "fpr");
  config.max_capacity = number_option(line, "max_capacity");
  config.memory_limit_bytes = number_option(line, "memory_limit");
  config.side_memory_limit_bytes = number_option(line, "side_limit");
  config.digest = policy;
  return trommel_scalable_create(&config, made, error);
}

static trommel_code create_window(const struct line* line, const trommel_digest_policy* policy,
                                  trommel_filter** made, trommel_error* error) {
  trommel_window_config config;
  memset(&config, 0, sizeof(config));
  config.struct_size = sizeof(config);
  config.window = number_option(line, "window");
  config.num_buckets = (uint32_t)number_option(line, "buckets");
  config.capacity = number_option(line, "capacity");
  config.target_fpr = rate_option(line, "fpr");
  config.is_insert_only = (int32_t)number_option(line, "insert_only");
  config.memory_limit_bytes = number_option(line, "memory_limit");
  config.side_memory_limit_bytes = number_option(line, "side_limit");
  config.digest = policy;
  return trommel_window_create(&config, made, error);
}

static trommel_code create(const struct line* line, struct named* entry, trommel_error* error) {
  static const struct {
    const char* type;
    trommel_code (*create)(const struct line*, const trommel_digest_policy*, trommel_filter**,
                           trommel_error*);
  } kCreators[] = {{"counting", create_counting},
                   {"concurrent", create_counting},
                   {"scalable", create_scalable},
                   {"window", create_window}};
  uint8_t secret[16];
  const trommel_digest_policy policy = policy_option(line, secret);
  trommel_filter* made = NULL;
  size_t i;
  for (i = 0; i < sizeof(kCreators) / sizeof(kCreators[0]); ++i) {
    trommel_code code;
    if (strcmp(kCreators[i].type, line->words[2]) != 0) continue;
    code = kCreators[i].create(line, &policy, &made, error);
    if (code == TROMMEL_OK) set_filter(entry, made);
    return code;
  }
  check(0, line->words[2]);
  return TROMMEL_INTERNAL;
}
int32_t read_named(void* context, int64_t offset, void* buffer, int64_t num_bytes) {
  const struct named* from = context;
  if (offset < 0 || num_bytes < 0 || offset > from->num_bytes - num_bytes) return 1;
  if (num_bytes > 0) memcpy(buffer, from->bytes + offset, (size_t)num_bytes);
  return 0;
}
/* From memory and through a source: both must be the same. */
static trommel_code load(const struct line* line, struct named* entry, const struct named* from,
                         trommel_error* error) {
  uint8_t secret[16];
  trommel_filter* loaded = NULL;
  trommel_filter* read = NULL;
  trommel_load_options options = {sizeof(options), 0, 0, NULL};
  trommel_code code;
  options.type = type_of(option(line, "as", "any"));
  options.memory_limit_bytes = number_option(line, "limit");
  if (from_hex(option(line, "key", "-"), secret, 16) == 16) options.digest_key = secret;
  code = trommel_load_bytes(from->bytes, from->num_bytes, &options, &loaded, error);
  check(trommel_read(read_named, (void*)from, from->num_bytes, &options, &read, NULL) == code,
        "trommel_read returns what trommel_load_bytes returns");
  check(code != TROMMEL_OK || trommel_equals(loaded, read, NULL) == 1, "both are one filter");
  trommel_filter_free(read);
  if (code == TROMMEL_OK) set_filter(entry, loaded);
  return code;
}
void size_text(const struct line* line, struct text* out) {
  trommel_sizing_request request;
  trommel_sizing sizing;
  trommel_error error;
  memset(&request, 0, sizeof(request));
  request.struct_size = sizeof(request);
  request.capacity = number_option(line, "capacity");
  request.target_fpr = rate_option(line, "fpr");
  request.encoding = encoding_option(line);
  request.preference = number_of(kPreferences, option(line, "preference", "memory"));
  request.num_slices = (uint32_t)number_option(line, "slices");
  sizing.struct_size = sizeof(sizing);
  if (trommel_size_for(&request, &sizing, &error) != TROMMEL_OK) {
    add_text(out, "error %s", trommel_code_name(error.code));
    return;
  }
  add_text(out, "num_bytes=%llu num_blocks=%llu num_slices=%u fpr=%.6g",
           (unsigned long long)sizing.num_bytes, (unsigned long long)sizing.num_blocks,
           (unsigned)sizing.num_slices, sizing.predicted_fpr);
}
static void stats_text(const trommel_filter* filter, struct text* out) {
  trommel_stats stats;
  stats.struct_size = sizeof(stats);
  check(trommel_get_stats(filter, &stats, NULL) == TROMMEL_OK, "trommel_get_stats");
  add_text(
      out,
      "type=%s num_keys=%llu capacity=%llu parts=%llu refused_inserts=%llu refused_erases=%llu",
      type_name(stats.type), (unsigned long long)stats.num_keys, (unsigned long long)stats.capacity,
      (unsigned long long)stats.num_parts, (unsigned long long)stats.num_refused_inserts,
      (unsigned long long)stats.num_refused_erases);
}
/* --- Bytes and texts. */

static int32_t collect(void* context, const void* bytes, int64_t num_bytes) {
  struct named* entry = context;
  entry->bytes = grown(entry->bytes, (size_t)(entry->num_bytes + num_bytes));
  memcpy(entry->bytes + entry->num_bytes, bytes, (size_t)num_bytes);
  entry->num_bytes += num_bytes;
  return 0;
}
void make_room(struct named* to, int64_t num_bytes) {
  free(to->bytes);
  to->bytes = zeroed((size_t)num_bytes);
  to->num_bytes = num_bytes;
}

void bytes_text(const struct named* bytes, struct text* out) {
  add_text(out, "size=%lld xxh64=", (long long)bytes->num_bytes);
  add_xxh64(out, bytes->bytes, bytes->num_bytes);
}

void code_text(trommel_code code, const trommel_error* error, struct text* out) {
  if (code == TROMMEL_OK) {
    add_text(out, "ok");
  } else {
    check(error->code == code && error->message[0] != '\0', "an error has its code and a message");
    add_text(out, "error %s", trommel_code_name(code));
  }
}

void numbers_text(const uint64_t* numbers, int64_t size, struct text* out) {
  int64_t i;
  for (i = 0; i < size; ++i) {
    add_text(out, i == 0 ? "%llu" : " %llu", (unsigned long long)numbers[i]);
  }
}
void done_text(const trommel_outcome* outcome, struct text* out) {
  add_text(out, "done=%llu refused=%llu", (unsigned long long)outcome->num_done,
           (unsigned long long)outcome->num_refused);
}

void bits_text(const uint64_t* bitmap, int64_t num_keys, struct text* out) {
  const int64_t num_bytes = (num_keys + 7) / 8;
  int64_t i;
  uint8_t* bytes;
  if (num_keys == 0) {
    add_text(out, "bits=-");
    return;
  }
  bytes = zeroed((size_t)num_bytes);
  for (i = 0; i < num_bytes; ++i) bytes[i] = (uint8_t)(bitmap[i / 8] >> (8 * (i % 8)));
  if (num_keys > 1024) {
    add_text(out, "bits=xxh64:");
    add_xxh64(out, bytes, num_bytes);
  } else {
    add_text(out, "bits=");
    for (i = 0; i < num_bytes; ++i) add_text(out, "%02x", bytes[i]);
  }
  free(bytes);
}
/* Into a buffer and through a sink: both must be the same. */
static void serialize(const trommel_filter* filter, struct named* to, struct text* out) {
  struct named sunk;
  int64_t num_bytes = 0;
  memset(&sunk, 0, sizeof(sunk));
  check(trommel_serialize(filter, NULL, 0, &num_bytes, NULL) == TROMMEL_OK,
        "the size of a snapshot");
  make_room(to, num_bytes);
  check(trommel_serialize(filter, to->bytes, num_bytes - 1, &num_bytes, NULL) ==
            TROMMEL_BUFFER_TOO_SMALL,
        "a buffer that is too small");
  check(trommel_serialize(filter, to->bytes, num_bytes, &num_bytes, NULL) == TROMMEL_OK,
        "trommel_serialize");
  check(trommel_write(filter, collect, &sunk, NULL) == TROMMEL_OK, "trommel_write");
  check(sunk.num_bytes == num_bytes && memcmp(sunk.bytes, to->bytes, (size_t)num_bytes) == 0,
        "the sink's bytes are those of the buffer");
  free(sunk.bytes);
  bytes_text(to, out);
}
/* --- Calls. */

static void update_text(const trommel_outcome* outcome, const uint64_t* bitmap, int64_t num_keys,
                        struct text* out) {
  done_text(outcome, out);
  add_text(out, " ");
  bits_text(bitmap, num_keys, out);
}

/* An update or query of a batch that answers with a bitmap. Returns 0 for other calls. */
static int bitmap_call(const struct line* line, trommel_filter* filter, const trommel_keys* keys,
                       uint64_t* bitmap, struct text* out) {
  const char* verb = line->words[0];
  const int64_t num_words = trommel_bitmap_words(keys->num_keys);
  const int is_window = trommel_filter_type(filter) == TROMMEL_TYPE_WINDOW;
  trommel_outcome outcome;
  trommel_error error;
  trommel_code code;
  memset(&outcome, 0, sizeof(outcome));
  outcome.struct_size = sizeof(outcome);
  if (strcmp(verb, "insert") == 0) {
    code = trommel_insert(filter, keys, bitmap, num_words, &outcome, &error);
    check(code == TROMMEL_OK, error.message);
    update_text(&outcome, bitmap, keys->num_keys, out);
    if (is_window) add_text(out, " time=%llu", (unsigned long long)outcome.time);
  } else if (strcmp(verb, "insert_if_absent") == 0 && is_window) {
    const int64_t num_times =
        (keys->num_keys + TROMMEL_WINDOW_CHUNK_KEYS - 1) / TROMMEL_WINDOW_CHUNK_KEYS;
    uint64_t* times = zeroed((size_t)num_times * sizeof(uint64_t));
    code = trommel_window_insert_if_absent(filter, keys, bitmap, num_words, times, num_times,
                                           &outcome, &error);
    check(code == TROMMEL_OK, error.message);
    update_text(&outcome, bitmap, keys->num_keys, out);
    add_text(out, " time=");
    numbers_text(times, num_times, out);
    free(times);
  } else if (strcmp(verb, "insert_if_absent") == 0) {
    code = trommel_insert_if_absent(filter, keys, bitmap, num_words, NULL, &outcome, &error);
    check(code == TROMMEL_OK, error.message);
    update_text(&outcome, bitmap, keys->num_keys, out);
  } else if (strcmp(verb, "erase") == 0) {
    code = trommel_erase(filter, keys, bitmap, num_words, &outcome, &error);
    check(code == TROMMEL_OK, error.message);
    update_text(&outcome, bitmap, keys->num_keys, out);
  } else if (strcmp(verb, "erase_all") == 0) {
    code = trommel_erase_all(filter, keys, bitmap, num_words, &outcome, &error);
    check(code == TROMMEL_OK, error.message);
    update_text(&outcome, bitmap, keys->num_keys, out);
  } else if (strcmp(verb, "query") == 0) {
    int64_t num_present = -1;
    code = trommel_query(filter, keys, bitmap, num_words, &num_present, &error);
    check(code == TROMMEL_OK, error.message);
    add_text(out, "present=%lld ", (long long)num_present);
    bits_text(bitmap, keys->num_keys, out);
  } else {
    return 0;
  }
  return 1;
}

static void batch(const struct line* line, trommel_filter* filter, const trommel_keys* keys,
                  struct text* out) {
  uint64_t* numbers = zeroed((size_t)keys->num_keys * sizeof(uint64_t));
  trommel_error error;
  error.message[0] = '\0';
  if (strcmp(line->words[0], "select") == 0) {
    const int32_t answer = strcmp(line->words[3], "present") == 0;
    uint32_t* selection = zeroed((size_t)keys->num_keys * sizeof(uint32_t));
    int64_t num_selected = 0;
    int64_t i;
    check(trommel_select(filter, keys, answer, selection, keys->num_keys, &num_selected, &error) ==
              TROMMEL_OK,
          error.message);
    for (i = 0; i < num_selected; ++i) numbers[i] = selection[i];
    numbers_text(numbers, num_selected, out);
    free(selection);
  } else if (strcmp(line->words[0], "counts") == 0) {
    check(trommel_count_estimates(filter, keys, numbers, keys->num_keys, &error) == TROMMEL_OK,
          error.message);
    numbers_text(numbers, keys->num_keys, out);
  } else {
    check(bitmap_call(line, filter, keys, numbers, out), line->words[0]);
  }
  free(numbers);
}

static void each(const struct line* line, trommel_filter* filter, const struct owned_keys* keys,
                 struct text* out) {
  const char* verb = line->words[0];
  const uint64_t time = parse_number(line->words[2]); /* of the calls that have one */
  uint64_t* bitmap = zeroed((size_t)trommel_bitmap_words(keys->num_keys) * sizeof(uint64_t));
  int64_t num_yes = 0;
  int64_t i;
  for (i = 0; i < keys->num_keys; ++i) {
    const trommel_key key = key_of(keys, i);
    int32_t answer;
    if (strcmp(verb, "insert_each") == 0) {
      answer = trommel_insert_key(filter, key, NULL);
    } else if (strcmp(verb, "insert_if_absent_each") == 0) {
      answer = trommel_insert_key_if_absent(filter, key, NULL);
    } else if (strcmp(verb, "insert_at_each") == 0) {
      answer = trommel_window_insert_key(filter, key, time, NULL);
    } else if (strcmp(verb, "erase_at_each") == 0) {
      answer = trommel_window_erase_key(filter, key, time, NULL);
    } else if (strcmp(verb, "erase_each") == 0) {
      answer = trommel_erase_key(filter, key, NULL);
    } else {
      answer = trommel_may_contain(filter, key, NULL);
    }
    check(answer == 0 || answer == 1, verb);
    bitmap[i / 64] |= (uint64_t)answer << (i % 64);
    num_yes += answer;
  }
  add_text(out, strcmp(verb, "query_each") == 0 ? "present=%lld " : "done=%lld ",
           (long long)num_yes);
  bits_text(bitmap, keys->num_keys, out);
  free(bitmap);
}
/* Returns 0 for calls that say more than whether they succeeded. */
static int whole(struct program* program, const struct line* line, struct named* entry,
                 struct text* out) {
  const char* verb = line->words[0];
  const char* third = line->num_words > 2 ? line->words[2] : "";
  trommel_error error;
  trommel_code code;
  if (strcmp(verb, "create") == 0) {
    code = create(line, entry, &error);
  } else if (strcmp(verb, "load") == 0) {
    code = load(line, entry, named(program, third), &error);
  } else if (strcmp(verb, "merge") == 0) {
    code = trommel_merge(entry->filter, named(program, third)->filter, &error);
  } else if (strcmp(verb, "subtract") == 0) {
    code = trommel_subtract(entry->filter, named(program, third)->filter, &error);
  } else if (strcmp(verb, "fold") == 0) {
    code = trommel_fold(entry->filter, &error);
  } else if (strcmp(verb, "grow") == 0) {
    code = trommel_grow(entry->filter, &error);
  } else if (strcmp(verb, "clear") == 0) {
    code = trommel_clear(entry->filter, &error);
  } else if (strcmp(verb, "convert") == 0) {
    code = trommel_convert(entry->filter, type_of(third), &error);
  } else {
    return 0;
  }
  code_text(code, &error, out);
  return 1;
}

/* Returns 0 for calls without a time. */
static int timed(struct program* program, const struct line* line, trommel_filter* filter,
                 struct text* out) {
  const char* verb = line->words[0];
  trommel_outcome outcome;
  memset(&outcome, 0, sizeof(outcome));
  outcome.struct_size = sizeof(outcome);
  if (strcmp(verb, "advance") == 0) {
    const int32_t advanced = trommel_window_advance(filter, parse_number(line->words[2]), NULL);
    check(advanced == 0 || advanced == 1, verb);
    add_text(out, advanced == 1 ? "yes" : "no");
  } else if (strcmp(verb, "now") == 0) {
    uint64_t now = 0;
    check(trommel_window_now(filter, &now, NULL) == TROMMEL_OK, verb);
    numbers_text(&now, 1, out);
  } else if (strcmp(verb, "insert_at") == 0) {
    const trommel_keys keys = view_of(&named(program, line->words[3])->keys, line->num_calls % 3);
    check(trommel_window_insert(filter, &keys, parse_number(line->words[2]), NULL, 0, &outcome,
                                NULL) == TROMMEL_OK,
          verb);
    done_text(&outcome, out);
  } else if (strcmp(verb, "erase_at") == 0 || strcmp(verb, "erase_all_at") == 0) {
    const trommel_keys keys = view_of(&named(program, line->words[3])->keys, line->num_calls % 3);
    const int64_t num_words = trommel_bitmap_words(keys.num_keys);
    const uint64_t time = parse_number(line->words[2]);
    uint64_t* bitmap = zeroed((size_t)num_words * sizeof(uint64_t));
    const trommel_code code =
        strcmp(verb, "erase_at") == 0
            ? trommel_window_erase(filter, &keys, time, bitmap, num_words, &outcome, NULL)
            : trommel_window_erase_all(filter, &keys, &time, 1, bitmap, num_words, &outcome, NULL);
    check(code == TROMMEL_OK, verb);
    done_text(&outcome, out);
    add_text(out, " expired=%llu ", (unsigned long long)outcome.num_expired);
    bits_text(bitmap, keys.num_keys, out);
    free(bitmap);
  } else {
    return 0;
  }
  return 1;
}

void run_on_filter(struct program* program, const struct line* line, struct text* out) {
  const char* verb = line->words[0];
  struct named* entry = named(program, line->words[1]);
  const struct owned_keys* keys;
  trommel_keys view;
  if (whole(program, line, entry, out) || timed(program, line, entry->filter, out)) return;
  if (strcmp(verb, "stats") == 0) {
    stats_text(entry->filter, out);
    return;
  }
  if (strcmp(verb, "serialize") == 0) {
    serialize(entry->filter, named(program, line->words[2]), out);
    return;
  }
  keys = &named(program, line->words[strstr(verb, "_at_each") != NULL ? 3 : 2])->keys;
  if (strstr(verb, "_each") != NULL) {
    each(line, entry->filter, keys, out);
  } else {
    view = view_of(keys, line->num_calls % 3);
    batch(line, entry->filter, &view, out);
  }
}
