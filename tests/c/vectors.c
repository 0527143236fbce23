/* Runs the test vectors (tests/vectors/README.md) through the C ABI: vectors FILE... Each batch of
 * keys is passed in every layout that its kind has, one after another. */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Names: keys, filters and bytes, in one table. */

static struct named* named(struct program* program, const char* name) {
  struct named* entry;
  for (entry = program->names; entry != NULL; entry = entry->next) {
    if (strcmp(entry->name, name) == 0) return entry;
  }
  entry = zeroed(sizeof(*entry));
  snprintf(entry->name, sizeof(entry->name), "%s", name);
  entry->next = program->names;
  program->names = entry;
  return entry;
}

static void forget_all(struct program* program) {
  while (program->names != NULL) {
    struct named* entry = program->names;
    program->names = entry->next;
    free_keys(&entry->keys);
    free(entry->bytes);
    trommel_filter_free(entry->filter);
    free(entry);
  }
}

/* --- Calls. */

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
static const char* const kEncodings[] = {
    "", "planes", "runs", "fingerprints16", "fingerprints8", "automatic", NULL};
static const char* const kPreferences[] = {"memory", "speed", "headroom", "parquet", NULL};

static const char* type_name(int32_t type) {
  static const char* const kTypes[] = {"any",     "counting", "scalable", "window",
                                       "layered", "classic",  "attribute"};
  return type == TROMMEL_TYPE_CONCURRENT ? "concurrent" : kTypes[type];
}

static int32_t type_of(const char* name) {
  int32_t type;
  for (type = 1; type <= TROMMEL_TYPE_ATTRIBUTES; ++type) {
    if (strcmp(name, type_name(type)) == 0) return type;
  }
  return strcmp(name, "concurrent") == 0 ? TROMMEL_TYPE_CONCURRENT : TROMMEL_TYPE_ANY;
}

/* The policy of a line, whose key stays in `secret`. */
static trommel_digest_policy policy_option(const struct line* line, uint8_t secret[16]) {
  trommel_digest_policy policy = {sizeof(policy), 0, 0, NULL};
  policy.kind = number_of(kDigests, option(line, "digest", ""));
  policy.seed = number_option(line, "seed");
  if (from_hex(option(line, "key", "-"), secret, 16) == 16) policy.key = secret;
  return policy;
}

static trommel_code create(const struct line* line, struct named* entry, trommel_error* error) {
  uint8_t secret[16];
  const trommel_digest_policy policy = policy_option(line, secret);
  const char* type = line->words[2];
  trommel_filter* made = NULL;
  trommel_code code = TROMMEL_INTERNAL;
  if (strcmp(type, "counting") == 0 || strcmp(type, "concurrent") == 0) {
    trommel_counting_config config;
    memset(&config, 0, sizeof(config));
    config.struct_size = sizeof(config);
    config.capacity = number_option(line, "capacity");
    config.target_fpr = rate_option(line, "fpr");
    config.digest = &policy;
    config.encoding = number_of(kEncodings, option(line, "encoding", ""));
    config.preference = number_of(kPreferences, option(line, "preference", "memory"));
    config.num_slices = (uint32_t)number_option(line, "slices");
    config.power_of_two_blocks = (int32_t)number_option(line, "power_of_two");
    config.memory_limit_bytes = number_option(line, "memory_limit");
    config.side_memory_limit_bytes = number_option(line, "side_limit");
    code = strcmp(type, "counting") == 0 ? trommel_counting_create(&config, &made, error)
                                         : trommel_concurrent_create(&config, &made, error);
  }
  if (code == TROMMEL_OK) set_filter(entry, made);
  return code;
}

static trommel_code load(const struct line* line, struct named* entry, const struct named* from,
                         trommel_error* error) {
  uint8_t secret[16];
  trommel_filter* loaded = NULL;
  trommel_load_options options = {sizeof(options), 0, 0, NULL};
  trommel_code code;
  options.type = type_of(option(line, "as", "any"));
  options.memory_limit_bytes = number_option(line, "limit");
  if (from_hex(option(line, "key", "-"), secret, 16) == 16) options.digest_key = secret;
  code = trommel_load_bytes(from->bytes, from->num_bytes, &options, &loaded, error);
  if (code == TROMMEL_OK) set_filter(entry, loaded);
  return code;
}

static void size_text(const struct line* line, struct text* out) {
  trommel_sizing_request request;
  trommel_sizing sizing;
  trommel_error error;
  memset(&request, 0, sizeof(request));
  request.struct_size = sizeof(request);
  request.capacity = number_option(line, "capacity");
  request.target_fpr = rate_option(line, "fpr");
  request.encoding = number_of(kEncodings, option(line, "encoding", ""));
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

static int32_t collect(void* context, const void* bytes, int64_t num_bytes) {
  struct named* entry = context;
  entry->bytes = grown(entry->bytes, (size_t)(entry->num_bytes + num_bytes));
  memcpy(entry->bytes + entry->num_bytes, bytes, (size_t)num_bytes);
  entry->num_bytes += num_bytes;
  return 0;
}

/* Into a buffer and through a sink: both must be the same. */
static void serialize(const trommel_filter* filter, struct named* to, struct text* out) {
  struct named sunk;
  int64_t num_bytes = 0;
  memset(&sunk, 0, sizeof(sunk));
  check(trommel_serialize(filter, NULL, 0, &num_bytes, NULL) == TROMMEL_OK,
        "the size of a snapshot");
  free(to->bytes);
  to->bytes = zeroed((size_t)num_bytes);
  to->num_bytes = num_bytes;
  check(trommel_serialize(filter, to->bytes, num_bytes - 1, &num_bytes, NULL) ==
            TROMMEL_BUFFER_TOO_SMALL,
        "a buffer that is too small");
  check(trommel_serialize(filter, to->bytes, num_bytes, &num_bytes, NULL) == TROMMEL_OK,
        "trommel_serialize");
  check(trommel_write(filter, collect, &sunk, NULL) == TROMMEL_OK, "trommel_write");
  check(sunk.num_bytes == num_bytes && memcmp(sunk.bytes, to->bytes, (size_t)num_bytes) == 0,
        "the sink's bytes are those of the buffer");
  free(sunk.bytes);
  add_text(out, "size=%lld xxh64=", (long long)num_bytes);
  add_xxh64(out, to->bytes, num_bytes);
}

static void read_sample(const struct program* program, const char* name, struct named* to) {
  char path[1024];
  char buffer[4096];
  size_t num_read;
  FILE* file;
  snprintf(path, sizeof(path), "%s/../../engine/docs/samples/%s", program->folder, name);
  file = fopen(path, "rb");
  check(file != NULL, path);
  to->num_bytes = 0;
  while ((num_read = fread(buffer, 1, sizeof(buffer), file)) > 0)
    collect(to, buffer, (int64_t)num_read);
  fclose(file);
}

/* --- Batches. */

static void bits_text(const uint64_t* bitmap, int64_t num_keys, struct text* out) {
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

static void outcome_text(const trommel_outcome* outcome, const struct owned_keys* keys,
                         const uint64_t* bitmap, const trommel_filter* filter, struct text* out) {
  add_text(out, "done=%llu refused=%llu ", (unsigned long long)outcome->num_done,
           (unsigned long long)outcome->num_refused);
  bits_text(bitmap, keys->num_keys, out);
  if (trommel_filter_type(filter) == TROMMEL_TYPE_WINDOW && outcome->num_expired == 0) {
    add_text(out, " time=%llu", (unsigned long long)outcome->time);
  }
}

static void batch(const struct line* line, trommel_filter* filter, const struct owned_keys* keys,
                  struct text* out) {
  const char* verb = line->words[0];
  const trommel_keys view = view_of(keys, line->num_calls % 3);
  const int64_t num_words = trommel_bitmap_words(view.num_keys);
  uint64_t* bitmap = zeroed((size_t)num_words * sizeof(uint64_t));
  trommel_outcome outcome;
  trommel_error error;
  trommel_code code = TROMMEL_OK;
  int64_t i;
  memset(&outcome, 0, sizeof(outcome));
  outcome.struct_size = sizeof(outcome);
  if (strcmp(verb, "insert") == 0) {
    code = trommel_insert(filter, &view, bitmap, num_words, &outcome, &error);
  } else if (strcmp(verb, "insert_if_absent") == 0) {
    code = trommel_insert_if_absent(filter, &view, bitmap, num_words, NULL, &outcome, &error);
    outcome.num_expired = 1; /* no time in the text */
  } else if (strcmp(verb, "erase") == 0) {
    code = trommel_erase(filter, &view, bitmap, num_words, &outcome, &error);
  } else if (strcmp(verb, "query") == 0) {
    int64_t num_present = -1;
    code = trommel_query(filter, &view, bitmap, num_words, &num_present, &error);
    add_text(out, "present=%lld ", (long long)num_present);
    bits_text(bitmap, keys->num_keys, out);
  } else if (strcmp(verb, "select") == 0) {
    uint32_t* selection = zeroed((size_t)view.num_keys * sizeof(uint32_t));
    int64_t num_selected = 0;
    code = trommel_select(filter, &view, strcmp(line->words[3], "present") == 0, selection,
                          view.num_keys, &num_selected, &error);
    for (i = 0; i < num_selected; ++i) add_text(out, i == 0 ? "%u" : " %u", (unsigned)selection[i]);
    free(selection);
  } else if (strcmp(verb, "counts") == 0) {
    uint64_t* counts = zeroed((size_t)view.num_keys * sizeof(uint64_t));
    code = trommel_count_estimates(filter, &view, counts, view.num_keys, &error);
    for (i = 0; i < view.num_keys; ++i)
      add_text(out, i == 0 ? "%llu" : " %llu", (unsigned long long)counts[i]);
    free(counts);
  } else {
    check(0, verb);
  }
  check(code == TROMMEL_OK, code == TROMMEL_OK ? "" : error.message);
  if (out->size == 0 && strcmp(verb, "select") != 0 && strcmp(verb, "counts") != 0) {
    outcome_text(&outcome, keys, bitmap, filter, out);
  }
  free(bitmap);
}

static void each(const struct line* line, trommel_filter* filter, const struct owned_keys* keys,
                 struct text* out) {
  const char* verb = line->words[0];
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

/* --- Lines. */

static void run(struct program* program, struct line* line, struct text* out) {
  const char* verb = line->words[0];
  const char* third = line->num_words > 2 ? line->words[2] : "";
  struct named* entry = line->num_words > 1 ? named(program, line->words[1]) : NULL;
  trommel_error error;
  trommel_code code = TROMMEL_OK;
  int says_code = 1;
  error.code = TROMMEL_OK;
  if (strcmp(verb, "keys") == 0) {
    free_keys(&entry->keys);
    parse_keys(line, &entry->keys);
  } else if (strcmp(verb, "create") == 0) {
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
  } else if (strcmp(verb, "file") == 0) {
    read_sample(program, third, entry);
  } else if (strcmp(verb, "copy") == 0) {
    const struct named* from = named(program, third);
    entry->num_bytes = 0;
    collect(entry, from->bytes, from->num_bytes);
  } else if (strcmp(verb, "cut") == 0) {
    entry->num_bytes = (int64_t)parse_number(third);
  } else if (strcmp(verb, "flip") == 0) {
    uint8_t mask = 0;
    from_hex(line->words[3], &mask, 1);
    entry->bytes[parse_number(third)] ^= mask;
  } else {
    says_code = 0;
  }
  if (says_code) {
    if (code == TROMMEL_OK) {
      add_text(out, "ok");
    } else {
      check(error.code == code && error.message[0] != '\0', "an error has its code and a message");
      add_text(out, "error %s", trommel_code_name(code));
    }
  } else if (strcmp(verb, "type") == 0) {
    int32_t type = 0;
    code = trommel_type_of_bytes(entry->bytes, entry->num_bytes, &type, &error);
    add_text(out, code == TROMMEL_OK ? "%s" : "error %s",
             code == TROMMEL_OK ? type_name(type) : trommel_code_name(code));
  } else if (strcmp(verb, "size") == 0) {
    size_text(line, out);
  } else if (strcmp(verb, "stats") == 0) {
    stats_text(entry->filter, out);
  } else if (strcmp(verb, "serialize") == 0) {
    serialize(entry->filter, named(program, third), out);
  } else if (strcmp(verb, "digests") == 0) {
    uint8_t secret[16];
    const trommel_digest_policy policy = policy_option(line, secret);
    const trommel_keys view = view_of(&entry->keys, line->num_calls % 3);
    uint64_t* digests = zeroed((size_t)view.num_keys * sizeof(uint64_t));
    int64_t i;
    check(trommel_digests(&policy, &view, digests, view.num_keys, NULL) == TROMMEL_OK,
          "trommel_digests");
    for (i = 0; i < view.num_keys; ++i) {
      add_text(out, i == 0 ? "%016llx" : " %016llx", (unsigned long long)digests[i]);
    }
    free(digests);
  } else if (strlen(verb) > 5 && strcmp(verb + strlen(verb) - 5, "_each") == 0) {
    each(line, entry->filter, &named(program, third)->keys, out);
  } else {
    batch(line, entry->filter, &named(program, third)->keys, out);
  }
}

static int run_file(const char* path) {
  struct program program;
  struct line line;
  struct text out;
  char* slash;
  int num_wrong = 0;
  int num_calls = 0;
  FILE* file = fopen(path, "r");
  check(file != NULL, path);
  memset(&program, 0, sizeof(program));
  memset(&out, 0, sizeof(out));
  memset(&line, 0, sizeof(line));
  snprintf(program.folder, sizeof(program.folder), "%s", path);
  slash = strrchr(program.folder, '/');
  check(slash != NULL, "a path with a folder");
  *slash = '\0';
  while (read_line(file, &line)) {
    if (line.num_words == 0) continue;
    line.num_calls = num_calls++;
    out.size = 0;
    add_text(&out, "");
    run(&program, &line, &out);
    if (strcmp(out.data, line.has_result ? line.expected : "ok") != 0) {
      fprintf(stderr, "%s:%d: %s\n", path, line.number, out.data);
      ++num_wrong;
    }
  }
  fclose(file);
  free(line.text);
  free(out.data);
  forget_all(&program);
  check(num_calls > 0, "a file with calls");
  return num_wrong;
}

int main(int argc, char** argv) {
  int num_wrong = 0;
  int i;
  if (argc < 2) {
    fprintf(stderr, "usage: vectors FILE...\n");
    return 2;
  }
  for (i = 1; i < argc; ++i) num_wrong += run_file(argv[i]);
  return num_wrong == 0 ? 0 : 1;
}
