/* What a host counts as the library's memory is the sum of num_bytes over its handles: beside what
 * the system has given the process, for every type. */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trommel/c.h"

static trommel_error error;

static void must(trommel_code code) {
  if (code == TROMMEL_OK) return;
  fprintf(stderr, "memory.c: %s: %s\n", trommel_code_name(code), error.message);
  exit(1);
}

/* Resident bytes of this process, without files and what malloc keeps for later. */
static int64_t resident(void) {
  char line[256];
  long long kilobytes = -1;
  FILE* status;
  malloc_trim(0);
  status = fopen("/proc/self/status", "r");
  if (status == NULL) exit(3);
  while (fgets(line, sizeof(line), status) != NULL) {
    if (sscanf(line, "RssAnon: %lld", &kilobytes) == 1) break;
  }
  fclose(status);
  return kilobytes * 1024;
}

enum { NUM_KEYS = 2000000, CHUNK = 50000 };
static int64_t numbers[CHUNK];

/* Inserts NUM_KEYS keys and returns what the statistics say. */
static uint64_t filled(trommel_filter* filter) {
  const trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, numbers, CHUNK);
  trommel_stats stats;
  int64_t key;
  for (key = 0; key < NUM_KEYS; ++key) {
    numbers[key % CHUNK] = key;
    if (key % CHUNK == CHUNK - 1) must(trommel_insert(filter, &keys, NULL, 0, NULL, &error));
  }
  stats.struct_size = sizeof(stats);
  must(trommel_get_stats(filter, &stats, &error));
  return stats.num_bytes;
}

/* The same of a map of 8 columns, each key in one. */
static uint64_t filled_map(trommel_column_map* map) {
  const trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, numbers, CHUNK);
  trommel_column_map_stats stats;
  uint32_t column;
  int64_t key;
  for (column = 0; column < 8; ++column) must(trommel_column_map_open(map, column, &error));
  for (key = 0; key < NUM_KEYS; ++key) {
    numbers[key % CHUNK] = key;
    if (key % CHUNK < CHUNK - 1) continue;
    column = (uint32_t)(key / CHUNK % 8);
    must(trommel_column_map_insert(map, column, &keys, NULL, 0, NULL, &error));
  }
  stats.struct_size = sizeof(stats);
  must(trommel_column_map_get_stats(map, &stats, &error));
  return stats.num_bytes;
}

/* The same of tuples of two attributes: sets of one and of both. */
static uint64_t filled_tuples(trommel_attributes* filter) {
  const trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, numbers, CHUNK);
  const trommel_keys* columns[2] = {&keys, &keys};
  trommel_stats stats;
  int64_t key;
  for (key = 0; key < NUM_KEYS; ++key) {
    numbers[key % CHUNK] = key;
    if (key % CHUNK < CHUNK - 1) continue;
    must(trommel_attributes_insert(filter, columns, 2, CHUNK, NULL, 0, NULL, &error));
  }
  stats.struct_size = sizeof(stats);
  must(trommel_attributes_get_stats(filter, &stats, &error));
  return stats.num_bytes;
}

static int num_wrong = 0;

/* Compares what the statistics count with what the process uses more than `before`. */
static void compare(const char* name, uint64_t num_bytes, int64_t before) {
  const int64_t counted = (int64_t)num_bytes;
  const int64_t used = resident() - before;
  printf("%-28s counted %10lld  resident %10lld\n", name, (long long)counted, (long long)used);
  /* A filter that grows keeps some freed memory, and its last huge page is not full; pages that no
     key has touched are not resident. */
  if (used > counted + counted / 20 + 2097152 || used < counted - counted / 20 - 131072)
    ++num_wrong;
}

static trommel_filter* make(int type, int32_t encoding) {
  trommel_counting_config counting = {.struct_size = sizeof(counting), .capacity = NUM_KEYS};
  trommel_scalable_config scalable = {.struct_size = sizeof(scalable)};
  trommel_window_config window = {
      .struct_size = sizeof(window), .window = 100, .capacity = NUM_KEYS};
  trommel_filter* filter = NULL;
  counting.encoding = encoding;
  if (type == TROMMEL_TYPE_COUNTING) must(trommel_counting_create(&counting, &filter, &error));
  if (type == TROMMEL_TYPE_CONCURRENT) must(trommel_concurrent_create(&counting, &filter, &error));
  if (type == TROMMEL_TYPE_SCALABLE) must(trommel_scalable_create(&scalable, &filter, &error));
  if (type == TROMMEL_TYPE_WINDOW) must(trommel_window_create(&window, &filter, &error));
  return filter;
}

int main(void) {
  static const struct {
    const char* name;
    int type;
    int32_t encoding;
  } kCases[] = {
      {"counting, runs", TROMMEL_TYPE_COUNTING, TROMMEL_ENCODING_RUNS},
      {"counting, planes", TROMMEL_TYPE_COUNTING, TROMMEL_ENCODING_PLANES},
      {"counting, dense", TROMMEL_TYPE_COUNTING, TROMMEL_ENCODING_DENSE},
      {"concurrent, fingerprints16", TROMMEL_TYPE_CONCURRENT, TROMMEL_ENCODING_FINGERPRINTS16},
      {"scalable", TROMMEL_TYPE_SCALABLE, TROMMEL_ENCODING_DEFAULT},
      {"window", TROMMEL_TYPE_WINDOW, TROMMEL_ENCODING_DEFAULT},
  };
  trommel_column_map_config columns = {
      .struct_size = sizeof(columns), .num_columns = 8, .capacity = NUM_KEYS};
  trommel_attributes_config tuples = {
      .struct_size = sizeof(tuples), .num_attributes = 2, .capacity = NUM_KEYS};
  trommel_column_map* map = NULL;
  trommel_attributes* attributes = NULL;
  int64_t before;
  size_t i;
  /* What is made once per process: kernel tables, and here the batch. */
  memset(numbers, 1, sizeof(numbers));
  trommel_filter_free(make(TROMMEL_TYPE_COUNTING, TROMMEL_ENCODING_RUNS));
  for (i = 0; i < sizeof(kCases) / sizeof(kCases[0]); ++i) {
    trommel_filter* filter;
    before = resident();
    filter = make(kCases[i].type, kCases[i].encoding);
    compare(kCases[i].name, filled(filter), before);
    trommel_filter_free(filter);
  }
  before = resident();
  must(trommel_column_map_create(&columns, &map, &error));
  compare("columns", filled_map(map), before);
  trommel_column_map_free(map);
  before = resident();
  must(trommel_attributes_create(&tuples, &attributes, &error));
  compare("attributes", filled_tuples(attributes), before);
  trommel_attributes_free(attributes);
  if (num_wrong != 0) {
    fprintf(stderr, "memory.c: %d types use other than what they count\n", num_wrong);
  }
  return num_wrong == 0 ? 0 : 1;
}
