/* Runs the test vectors (tests/vectors/README.md) through the C ABI: vectors FILE... Each batch of
 * keys is passed in one of the layouts of its kind, in turn. */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Names: keys, filters and bytes, in one table. */

struct named* named(struct program* program, const char* name) {
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
    trommel_column_map_free(entry->map);
    trommel_attributes_free(entry->attributes);
    free(entry);
  }
}

/* --- Bytes. */

static void read_sample(const struct program* program, const char* name, struct named* to) {
  char path[1024];
  char buffer[4096];
  size_t num_read;
  FILE* file;
  snprintf(path, sizeof(path), "%s/../../engine/docs/samples/%s", program->folder, name);
  file = fopen(path, "rb");
  check(file != NULL, path);
  make_room(to, 0);
  while ((num_read = fread(buffer, 1, sizeof(buffer), file)) > 0) {
    to->bytes = grown(to->bytes, (size_t)to->num_bytes + num_read);
    memcpy(to->bytes + to->num_bytes, buffer, num_read);
    to->num_bytes += (int64_t)num_read;
  }
  fclose(file);
}

/* Returns 0 for calls that are not of bytes. */
static int run_on_bytes(struct program* program, const struct line* line, struct text* out) {
  const char* verb = line->words[0];
  const char* third = line->num_words > 2 ? line->words[2] : "";
  struct named* entry = named(program, line->words[1]);
  if (strcmp(verb, "type") == 0) {
    int32_t type = 0;
    trommel_error error;
    if (trommel_type_of_bytes(entry->bytes, entry->num_bytes, &type, &error) == TROMMEL_OK) {
      add_text(out, "%s", type_name(type));
    } else {
      code_text(error.code, &error, out);
    }
    return 1;
  }
  if (strcmp(verb, "metadata") == 0) {
    struct named metadata;
    trommel_error error;
    trommel_code code;
    memset(&metadata, 0, sizeof(metadata));
    code = trommel_metadata_of_bytes(entry->bytes, entry->num_bytes, NULL, 0, &metadata.num_bytes,
                                     &error);
    if (code != TROMMEL_OK) {
      code_text(code, &error, out);
      return 1;
    }
    make_room(&metadata, metadata.num_bytes);
    check(trommel_metadata_of_bytes(entry->bytes, entry->num_bytes, metadata.bytes,
                                    metadata.num_bytes, &metadata.num_bytes, &error) == TROMMEL_OK,
          "metadata is read twice");
    bytes_text(&metadata, out);
    free(metadata.bytes);
    return 1;
  }
  if (strcmp(verb, "file") == 0) {
    read_sample(program, third, entry);
  } else if (strcmp(verb, "copy") == 0) {
    const struct named* from = named(program, third);
    make_room(entry, from->num_bytes);
    memcpy(entry->bytes, from->bytes, (size_t)from->num_bytes);
  } else if (strcmp(verb, "cut") == 0) {
    entry->num_bytes = (int64_t)parse_number(third);
  } else if (strcmp(verb, "flip") == 0) {
    uint8_t mask = 0;
    from_hex(line->words[3], &mask, 1);
    entry->bytes[parse_number(third)] ^= mask;
  } else {
    return 0;
  }
  add_text(out, "ok");
  return 1;
}

/* --- Lines. */

static void digests_text(const struct line* line, const struct owned_keys* keys, struct text* out) {
  uint8_t secret[16];
  const trommel_digest_policy policy = policy_option(line, secret);
  const trommel_keys view = view_of(keys, line->num_calls % 3);
  uint64_t* digests = zeroed((size_t)view.num_keys * sizeof(uint64_t));
  int64_t i;
  check(trommel_digests(&policy, &view, digests, view.num_keys, NULL) == TROMMEL_OK,
        "trommel_digests");
  for (i = 0; i < view.num_keys; ++i) {
    add_text(out, i == 0 ? "%016llx" : " %016llx", (unsigned long long)digests[i]);
  }
  free(digests);
}

static void run(struct program* program, const struct line* line, struct text* out) {
  const char* verb = line->words[0];
  if (strcmp(verb, "keys") == 0) {
    struct named* entry = named(program, line->words[1]);
    free_keys(&entry->keys);
    parse_keys(line, &entry->keys);
    add_text(out, "ok");
  } else if (strcmp(verb, "digests") == 0) {
    digests_text(line, &named(program, line->words[1])->keys, out);
  } else if (strcmp(verb, "size") == 0) {
    size_text(line, out);
  } else if (!run_on_bytes(program, line, out) && !run_on_columns(program, line, out) &&
             !run_on_tuples(program, line, out)) {
    run_on_filter(program, line, out);
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
