/* The text of test vectors (tests/vectors/README.md), and keys in all layouts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

enum { APART = 13 }; /* bytes from one integer to the next: not aligned */

void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  exit(1);
}

void* zeroed(size_t num_bytes) {
  void* memory = calloc(num_bytes + 1, 1); /* never NULL for nothing */
  check(memory != NULL, "memory");
  return memory;
}

void* grown(void* memory, size_t num_bytes) {
  memory = realloc(memory, num_bytes + 1);
  check(memory != NULL, "memory");
  return memory;
}

/* --- Lines. */

static void cut_words(struct line* line, char* text) {
  while (*text != '\0') {
    char* end = strchr(text, ' ');
    if (end != NULL) *end = '\0';
    if (strchr(text, '=') != NULL) {
      check(line->num_options < MAX_WORDS, "few options");
      line->options[line->num_options++] = text;
    } else {
      check(line->num_words < MAX_WORDS, "few words");
      line->words[line->num_words++] = text;
    }
    if (end == NULL) break;
    text = end + 1;
  }
}

int read_line(FILE* file, struct line* line) {
  size_t size = 0;
  char* arrow;
  int c;
  while ((c = fgetc(file)) != EOF && c != '\n') {
    if (size + 2 > line->capacity) {
      line->capacity = 2 * line->capacity + 256;
      line->text = grown(line->text, line->capacity);
    }
    line->text[size++] = (char)c;
  }
  ++line->number;
  line->num_words = 0;
  line->num_options = 0;
  if (size == 0) return c != EOF;
  line->text[size] = '\0';
  if (line->text[0] == '#') return 1;
  arrow = strstr(line->text, " ->");
  line->has_result = arrow != NULL;
  line->expected = "";
  if (arrow != NULL) {
    *arrow = '\0';
    if (arrow[3] == ' ') line->expected = arrow + 4;
  }
  cut_words(line, line->text);
  return 1;
}

const char* option(const struct line* line, const char* name, const char* by_default) {
  const size_t size = strlen(name);
  int i;
  for (i = 0; i < line->num_options; ++i) {
    if (strncmp(line->options[i], name, size) == 0 && line->options[i][size] == '=') {
      return line->options[i] + size + 1;
    }
  }
  return by_default;
}

uint64_t parse_number(const char* text) {
  return text[0] == '-' ? (uint64_t)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);
}

uint64_t number_option(const struct line* line, const char* name) {
  return parse_number(option(line, name, "0"));
}

double rate_option(const struct line* line, const char* name) {
  return strtod(option(line, name, "0"), NULL);
}

size_t from_hex(const char* hex, uint8_t* bytes, size_t capacity) {
  size_t num_bytes = 0;
  if (hex[0] == '-') return 0;
  for (; hex[0] != '\0' && hex[1] != '\0'; hex += 2, ++num_bytes) {
    char digits[3];
    digits[0] = hex[0];
    digits[1] = hex[1];
    digits[2] = '\0';
    if (num_bytes < capacity) bytes[num_bytes] = (uint8_t)strtoul(digits, NULL, 16);
  }
  return num_bytes;
}

/* --- Keys. */

static void add_integer(struct owned_keys* keys, uint64_t key) {
  const size_t size = keys->kind == TROMMEL_KEYS_INT32 ? 4 : 8;
  const uint32_t narrow = (uint32_t)key;
  keys->data = grown(keys->data, (size_t)(keys->num_keys + 1) * size);
  memcpy(keys->data + (size_t)keys->num_keys * size, size == 4 ? (const void*)&narrow : &key, size);
  ++keys->num_keys;
}

static void add_bytes(struct owned_keys* keys, const void* bytes, size_t size) {
  keys->data = grown(keys->data, (size_t)keys->num_bytes + size);
  memcpy(keys->data + keys->num_bytes, bytes, size);
  keys->num_bytes += (int64_t)size;
  keys->offsets64 = grown(keys->offsets64, (size_t)(keys->num_keys + 2) * sizeof(int64_t));
  keys->offsets64[0] = 0;
  keys->offsets64[++keys->num_keys] = keys->num_bytes;
}

static uint64_t split_mix(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15ULL;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
  return z ^ z >> 31;
}

static void make_layouts(struct owned_keys* keys) {
  const size_t num_keys = (size_t)keys->num_keys;
  size_t i;
  if (keys->kind == TROMMEL_KEYS_BYTES64) {
    keys->offsets32 = zeroed((num_keys + 1) * sizeof(int32_t));
    keys->slices = zeroed(num_keys * sizeof(trommel_slice));
    for (i = 0; i < num_keys; ++i) {
      keys->offsets32[i + 1] = (int32_t)keys->offsets64[i + 1];
      keys->slices[i].size = keys->offsets64[i + 1] - keys->offsets64[i];
      keys->slices[i].data = keys->slices[i].size == 0 ? NULL : keys->data + keys->offsets64[i];
    }
    return;
  }
  keys->apart = zeroed(num_keys * APART);
  for (i = 0; i < num_keys; ++i) {
    const size_t size = keys->kind == TROMMEL_KEYS_INT32 ? 4 : 8;
    memcpy(keys->apart + (num_keys - 1 - i) * APART, keys->data + i * size, size);
  }
}

void parse_keys(const struct line* line, struct owned_keys* keys) {
  const char* kind = line->words[2];
  uint64_t i;
  memset(keys, 0, sizeof(*keys));
  keys->kind = strcmp(kind, "int64") == 0        ? TROMMEL_KEYS_INT64
               : strcmp(kind, "int32") == 0      ? TROMMEL_KEYS_INT32
               : strncmp(kind, "digest", 6) == 0 ? TROMMEL_KEYS_DIGESTS
                                                 : TROMMEL_KEYS_BYTES64;
  if (strncmp(kind, "int", 3) == 0) {
    for (i = 0; i < parse_number(line->words[4]); ++i) {
      add_integer(keys, parse_number(line->words[3]) + i * parse_number(line->words[5]));
    }
  } else if (strcmp(kind, "digests") == 0) {
    uint64_t state = parse_number(line->words[3]);
    for (i = 0; i < parse_number(line->words[4]); ++i) add_integer(keys, split_mix(&state));
  } else if (strcmp(kind, "strings") == 0) {
    for (i = 0; i < parse_number(line->words[5]); ++i) {
      char key[256];
      const int size = snprintf(key, sizeof(key), "%s%llu", line->words[3],
                                (unsigned long long)(parse_number(line->words[4]) + i));
      add_bytes(keys, key, (size_t)size);
    }
  } else {
    int word;
    for (word = 3; word < line->num_words; ++word) {
      const char* text = line->words[word];
      if (strcmp(kind, "digest") == 0) {
        add_integer(keys, strtoull(text, NULL, 16));
      } else if (strcmp(kind, "bytes") == 0) {
        uint8_t key[256];
        const size_t size = from_hex(text, key, sizeof(key));
        check(size <= sizeof(key), "short keys");
        add_bytes(keys, key, size);
      } else {
        const size_t size = (size_t)parse_number(text);
        uint8_t* ramp = zeroed(size);
        for (i = 0; i < size; ++i) ramp[i] = (uint8_t)(i % 251);
        add_bytes(keys, ramp, size);
        free(ramp);
      }
    }
  }
  make_layouts(keys);
}

void free_keys(struct owned_keys* keys) {
  free(keys->data);
  free(keys->apart);
  free(keys->offsets64);
  free(keys->offsets32);
  free(keys->slices);
  memset(keys, 0, sizeof(*keys));
}

trommel_keys view_of(const struct owned_keys* keys, int variant) {
  trommel_keys view = trommel_keys_of(keys->kind, keys->data, keys->num_keys);
  if (keys->kind != TROMMEL_KEYS_BYTES64) {
    if (variant == 1 && keys->num_keys > 0) {
      view.data = keys->apart + (keys->num_keys - 1) * APART;
      view.stride = -APART;
    }
    return view;
  }
  view.offsets = keys->offsets64;
  view.num_bytes = keys->num_bytes;
  if (variant == 1) {
    view.kind = TROMMEL_KEYS_BYTES32;
    view.offsets = keys->offsets32;
  } else if (variant == 2) {
    view = trommel_keys_of(TROMMEL_KEYS_SLICES, keys->slices, keys->num_keys);
  }
  return view;
}

trommel_key key_of(const struct owned_keys* keys, int64_t i) {
  uint64_t wide;
  uint32_t narrow;
  if (keys->kind == TROMMEL_KEYS_BYTES64) {
    return trommel_key_bytes(keys->data + keys->offsets64[i],
                             keys->offsets64[i + 1] - keys->offsets64[i]);
  }
  if (keys->kind == TROMMEL_KEYS_INT32) {
    memcpy(&narrow, keys->data + 4 * i, 4);
    return trommel_key_int32((int32_t)narrow);
  }
  memcpy(&wide, keys->data + 8 * i, 8);
  return keys->kind == TROMMEL_KEYS_INT64 ? trommel_key_int64((int64_t)wide)
                                          : trommel_key_digest(wide);
}

/* --- Text. */

void add_text(struct text* text, const char* format, ...) {
  va_list args;
  int size;
  if (text->size + 1024 > text->capacity) {
    text->capacity = 2 * text->capacity + 1024;
    text->data = grown(text->data, text->capacity);
  }
  va_start(args, format);
  size = vsnprintf(text->data + text->size, 1024, format, args);
  va_end(args);
  check(size >= 0 && size < 1024, "short words");
  text->size += (size_t)size;
}

void add_xxh64(struct text* text, const uint8_t* bytes, int64_t num_bytes) {
  trommel_digest_policy policy = {sizeof(policy), TROMMEL_DIGEST_XXH64, 0, NULL};
  trommel_slice slice;
  trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_SLICES, &slice, 1);
  uint64_t digest = 0;
  slice.data = bytes;
  slice.size = num_bytes;
  check(trommel_digests(&policy, &keys, &digest, 1, NULL) == TROMMEL_OK, "trommel_digests");
  add_text(text, "%016llx", (unsigned long long)digest);
}
