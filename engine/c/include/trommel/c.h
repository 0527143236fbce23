/// @file
/// The C ABI of Trommel: counting filters, for C and for every language that can call C.
///
/// *Handles.* Filters of all types that hold keys are a trommel_filter; maps of columns and filters
/// of tuples have handles of their own. What a function makes is freed by the function that its
/// description names; freeing NULL does nothing. Not here, and in C++ alone: the published
/// structures (matrix, HBase's filters), which exist for reproduction; and planning.
///
/// *Errors.* A function that can fail returns a trommel_code, TROMMEL_OK for success, and takes a
/// trommel_error as its last argument, which may be NULL and is written on failure only. Functions
/// of one key return 1 (yes), 0 (no), or a code times -1; a program that only tests for 0 takes a
/// failed query for "maybe present". A call that fails with TROMMEL_INVALID_ARGUMENT,
/// TROMMEL_MISMATCH or TROMMEL_UNSUPPORTED has changed nothing. NULL where something is required,
/// negative sizes, decreasing offsets and arrays of a wrong size are errors, never a crash. What
/// ends the program: a lack of memory in a batch of updates where the C++ class says so
/// (CountingConfig::side_memory_limit_bytes bounds it), handles that were freed, and pointers to
/// memory that is not there. A thread that writes to keys or offsets during a call, which none
/// should, makes other keys of them and does nothing worse, if trommel_keys::num_bytes is set where
/// there are offsets; slices must not be written to at all meanwhile, for they have pointers.
///
/// *Structs* begin with struct_size, which the caller sets to sizeof: later versions may add fields
/// at the end. In a struct that is passed in, 0 stands for the default of every field that is not
/// required, so a program zeroes it and sets what it means. trommel_key, trommel_slice,
/// trommel_set_budget and trommel_error never change.
///
/// *Bitmaps.* Key i's answer is bit i % 64 of word i / 64; unused high bits are written as zero. On
/// little-endian machines this is Arrow's layout of a boolean array. A bitmap for n keys has
/// trommel_bitmap_words(n) words, and calls are told its size, so that they can refuse another.
/// Where a bitmap is optional, NULL and 0 words leave it out. No output may overlap the keys.
///
/// *Threads.* Any number of threads may use different handles. For one handle each group of
/// functions below says what may run at once; it is the promise of the C++ class:
/// @code{.unparsed}
///   type                    queries            updates              exclusive functions
///   ----------------------  -----------------  -------------------  --------------------------
///   counting                with each other    alone                alone
///   concurrent, scalable,   with everything    with everything      alone
///   window                  but exclusive      but exclusive
///   columns, attributes     the same           the same             alone
/// @endcode
///
/// *Processes.* A child process made by fork may use any handle, if no other thread was inside a
/// call on it at the moment of the fork (else what that thread held, locks among it, stays held for
/// ever); also one with an executor, which in the child has no threads but the calling one.
///
/// *Memory.* The sum of num_bytes of the statistics of all handles is what the library keeps,
/// within 5 % and 512 KB for each; calls need more while they run. Blocks are mapped from the
/// system, where hooks in malloc do not see them.
///
/// *Unloading.* A plugin that has freed its handles may unload the shared library, unless it made
/// an executor. What the library made on first use, some tens of kilobytes, is not given back.
///
/// *Stability.* Functions, constants and fields stay as they are in all versions with one
/// TROMMEL_C_ABI_VERSION, which is the number in the name of the shared library: what was compiled
/// with one of them runs with any later one. Answers and files are those of the C++ library.
#ifndef TROMMEL_C_H_
#define TROMMEL_C_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
/// Marks what the shared library exports.
#define TROMMEL_C_API __attribute__((visibility("default")))
#else
#define TROMMEL_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// @name Versions
/// Thread safety: any thread.
/// @{

/// The version of the ABI that this header describes.
#define TROMMEL_C_ABI_VERSION 1
/// Returns the version of the ABI of the library that was linked.
TROMMEL_C_API int32_t trommel_c_abi_version(void);
/// Returns the version of the library that was linked: "0.1.0".
TROMMEL_C_API const char* trommel_c_version(void);

/// @}

/// @name Errors
/// @{

/// Success, or why a call failed.
typedef int32_t trommel_code;
/// The values of trommel_code.
enum {
  TROMMEL_OK = 0,                 ///< Success.
  TROMMEL_INVALID_ARGUMENT = 1,   ///< A number, name, pointer or size is not legal.
  TROMMEL_OUT_OF_MEMORY = 2,      ///< More memory is needed than a limit or the system grants.
  TROMMEL_MISMATCH = 3,           ///< Two filters, or a file and a filter, do not fit together.
  TROMMEL_CORRUPT = 4,            ///< The bytes are not a complete, valid snapshot.
  TROMMEL_VERSION = 5,            ///< The snapshot has a version or type that is not known here.
  TROMMEL_IO = 6,                 ///< A file operation was refused; a sink or source stopped.
  TROMMEL_EXISTS = 7,             ///< A file that was to be new exists already.
  TROMMEL_NOT_FLUSHED = 8,        ///< The file is in place, but its folder could not be flushed.
  TROMMEL_BUSY = 9,               ///< Something else is being done to it, which must end first.
  TROMMEL_UNSUPPORTED = 10,       ///< Filters of this type do not have this operation.
  TROMMEL_BUFFER_TOO_SMALL = 11,  ///< The bytes do not fit the caller's buffer.
  TROMMEL_INTERNAL = 12           ///< An error that the library should have prevented.
};

/// What a failed call says. The caller owns it; a later failure overwrites it.
typedef struct trommel_error {
  trommel_code code;   ///< As returned.
  char message[1020];  ///< One line that ends with a zero byte; cut to fit.
} trommel_error;

/// Returns the code's name: "invalid_argument"; "unknown" for any other number. Thread safety: any
/// thread.
TROMMEL_C_API const char* trommel_code_name(trommel_code code);

/// @}

/// @name Keys
/// @{

/// How keys are laid out: trommel_keys::kind. Integers are hashed by their little-endian bytes,
/// strings by their bytes without length or terminator, so a key is the same key in every layout of
/// its kind.
enum {
  TROMMEL_KEYS_INT64 = 1,    ///< `data` has int64_t or uint64_t.
  TROMMEL_KEYS_INT32 = 2,    ///< int32_t or uint32_t. Another key than the same value in 64 bits.
  TROMMEL_KEYS_DIGESTS = 3,  ///< uint64_t hashes of the caller's, used as they are.
  /// `data` has bytes, and key i is those from offsets[i] to offsets[i + 1], int32_t: an array of
  /// Arrow's binary or string.
  TROMMEL_KEYS_BYTES32 = 4,
  TROMMEL_KEYS_BYTES64 = 5,  ///< The same with int64_t: Arrow's large_binary and large_string.
  TROMMEL_KEYS_SLICES = 6    ///< `data` has trommel_slice.
};

/// Bytes somewhere.
typedef struct trommel_slice {
  const void* data;  ///< May be NULL if size is 0.
  int64_t size;      ///< Not negative.
} trommel_slice;

/// A view of a batch of keys. What it points at must outlive the call that it is passed to.
typedef struct trommel_keys {
  uint32_t struct_size;  ///< sizeof(trommel_keys).
  int32_t kind;          ///< TROMMEL_KEYS_*.
  int64_t num_keys;      ///< Not negative.
  const void* data;      ///< Integers, digests, bytes or slices; may be NULL if there are none.
  /// Integers and digests: bytes from one to the next, which may be negative; 0: they are adjacent.
  /// All of them must lie at addresses that there can be. With fewer than two keys it may be
  /// anything.
  /// They need not be aligned. Adjacent and aligned ones are read in place; others are copied,
  /// 8 bytes each, for at most 2^20 keys at a time.
  int64_t stride;
  const void* offsets;  ///< BYTES32 and BYTES64: num_keys + 1 offsets, ascending, from 0 or above.
  int64_t num_bytes;    ///< The same: bytes of `data`, beyond which no offset may lie; 0: unknown.
} trommel_keys;

/// A view of one key, passed by value. Made by the functions below.
typedef struct trommel_key {
  uint64_t word;  ///< The integer or digest, or the address of the bytes.
  int64_t size;   ///< The number of bytes; -1: int64, -2: int32, -3: digest.
} trommel_key;

/// Returns the key of an integer of 64 bits.
static inline trommel_key trommel_key_int64(int64_t key) {
  trommel_key result;
  result.word = (uint64_t)key;
  result.size = -1;
  return result;
}
/// Returns the key of an integer of 32 bits.
static inline trommel_key trommel_key_int32(int32_t key) {
  trommel_key result;
  result.word = (uint32_t)key;
  result.size = -2;
  return result;
}
/// Returns the key of a digest of the caller's.
static inline trommel_key trommel_key_digest(uint64_t digest) {
  trommel_key result;
  result.word = digest;
  result.size = -3;
  return result;
}
/// Returns the key of these bytes. `data` may be NULL if size is 0.
static inline trommel_key trommel_key_bytes(const void* data, int64_t size) {
  trommel_key result;
  result.word = (uintptr_t)data;
  result.size = size < 0 ? INT64_MIN : size;
  return result;
}

/// Returns a batch of integers, digests or slices that are adjacent.
static inline trommel_keys trommel_keys_of(int32_t kind, const void* data, int64_t num_keys) {
  trommel_keys result = {sizeof(trommel_keys), 0, 0, NULL, 0, NULL, 0};
  result.kind = kind;
  result.num_keys = num_keys;
  result.data = data;
  return result;
}

/// Returns the words of a bitmap for `num_keys` keys; 0 for a negative number.
static inline int64_t trommel_bitmap_words(int64_t num_keys) {
  return num_keys <= 0 ? 0 : (num_keys - 1) / 64 + 1;
}

/// The hash functions from keys to digests: trommel_digest_policy::kind. SECURITY.md says what an
/// attacker who chooses keys can do to each.
enum {
  TROMMEL_DIGEST_DEFAULT = 0,  ///< XXH3.
  TROMMEL_DIGEST_XXH64 = 1,    ///< XXH64; with seed 0 Parquet's rule.
  TROMMEL_DIGEST_XXH3 = 2,     ///< XXH3 with 64 bits.
  TROMMEL_DIGEST_CALLER = 3,   ///< Only digests are accepted as keys.
  TROMMEL_DIGEST_SIPHASH = 4   ///< SipHash-1-3 under a secret key.
};
/// Bytes of a secret key.
#define TROMMEL_DIGEST_KEY_BYTES 16

/// How keys become digests. Part of a filter's identity: files keep it, and merges compare it.
typedef struct trommel_digest_policy {
  uint32_t struct_size;  ///< sizeof(trommel_digest_policy).
  int32_t kind;          ///< TROMMEL_DIGEST_*.
  uint64_t seed;         ///< Stored in files in the clear. With SIPHASH: 0.
  const uint8_t* key;    ///< SIPHASH: TROMMEL_DIGEST_KEY_BYTES random bytes; else NULL.
} trommel_digest_policy;

/// Writes the digests of a batch; `num_digests` is keys->num_keys. policy NULL: the default. Fails
/// with TROMMEL_INVALID_ARGUMENT. Thread safety: any thread.
TROMMEL_C_API trommel_code trommel_digests(const trommel_digest_policy* policy,
                                           const trommel_keys* keys, uint64_t* digests,
                                           int64_t num_digests, trommel_error* error);

/// @}

/// @name Executors
/// Threads over which large batches are spread. Without one, a call works in its own thread only.
/// Thread safety: any thread, but for trommel_executor_free, which is exclusive.
/// @{

/// An executor.
typedef struct trommel_executor trommel_executor;
/// Makes an executor of `num_threads` threads, the calling one included; 0: as many as the machine
/// has. One may serve any number of filters. Do not unload the library afterwards. Fails with
/// TROMMEL_INVALID_ARGUMENT and TROMMEL_OUT_OF_MEMORY; always with the former where the library has
/// no executors, as by default (build it with -DTROMMEL_C_EXECUTOR=ON). Free it with
/// trommel_executor_free.
TROMMEL_C_API trommel_code trommel_executor_create(int32_t num_threads, trommel_executor** executor,
                                                   trommel_error* error);
/// Returns the number of threads; 0 for NULL.
TROMMEL_C_API int32_t trommel_executor_num_threads(const trommel_executor* executor);
/// Frees the handle. Filters that use the executor keep it.
TROMMEL_C_API void trommel_executor_free(trommel_executor* executor);

/// @}

/// @name Sizing
/// Thread safety: any thread.
/// @{

/// What blocks hold. The C++ header trommel/sizing.h describes them.
enum {
  TROMMEL_ENCODING_DEFAULT = 0,         ///< Runs.
  TROMMEL_ENCODING_PLANES = 1,          ///< Presence bits and counts in three planes.
  TROMMEL_ENCODING_RUNS = 2,            ///< Presence bits and counts in unary: half the memory.
  TROMMEL_ENCODING_FINGERPRINTS16 = 3,  ///< Slots of 16 bits: the fastest updates.
  TROMMEL_ENCODING_DENSE = 4,           ///< Blocks that are nearly full: the least memory.
  TROMMEL_ENCODING_AUTOMATIC = 5        ///< Chosen by a preference.
};
/// What TROMMEL_ENCODING_AUTOMATIC prefers.
enum {
  TROMMEL_PREFER_MEMORY = 0,    ///< The fewest bytes.
  TROMMEL_PREFER_SPEED = 1,     ///< Fingerprints, where they take at most twice the memory.
  TROMMEL_PREFER_HEADROOM = 2,  ///< Answers that stay usable past capacity.
  TROMMEL_PREFER_PARQUET = 3    ///< Parquet's blocks.
};

/// What trommel_size_for is to size.
typedef struct trommel_sizing_request {
  uint32_t struct_size;         ///< sizeof(trommel_sizing_request).
  int32_t encoding;             ///< TROMMEL_ENCODING_*.
  uint64_t capacity;            ///< Distinct keys; required.
  double target_fpr;            ///< False-positive rate at capacity; 0: 0.01.
  uint32_t num_slices;          ///< Of a block; 0: sizing chooses.
  int32_t preference;           ///< TROMMEL_PREFER_*.
  int32_t power_of_two_blocks;  ///< Not 0: round up to a power of two.
  int32_t reserved;             ///< 0.
} trommel_sizing_request;

/// What trommel_size_for found.
typedef struct trommel_sizing {
  uint32_t struct_size;                 ///< sizeof(trommel_sizing); set by the caller.
  int32_t encoding;                     ///< TROMMEL_ENCODING_*, never DEFAULT or AUTOMATIC.
  uint64_t num_bytes;                   ///< Of blocks, without the side table.
  uint64_t predicted_side_table_bytes;  ///< At capacity, on top of num_bytes.
  double bits_per_key;                  ///< Of both together.
  double predicted_fpr;                 ///< At capacity; never above target_fpr.
  double predicted_undecided_share;     ///< At capacity, of queries beside writers, on top of it.
  double predicted_promoted_share;      ///< Of blocks, at capacity.
  uint64_t num_blocks;                  ///< Blocks of one or two cache lines.
  uint32_t num_slices;                  ///< Slices per block; 0 with fingerprints.
  uint32_t fingerprint_bits;            ///< Bits per fingerprint; 0 without.
} trommel_sizing;

/// Returns memory and rate of a counting filter for a number of keys and a target, without making
/// it. Fails with TROMMEL_INVALID_ARGUMENT. Cost: microseconds to milliseconds.
TROMMEL_C_API trommel_code trommel_size_for(const trommel_sizing_request* request,
                                            trommel_sizing* sizing, trommel_error* error);
/// Writes the rate of such a filter, sized for `request`, when it holds `num_keys` distinct keys.
TROMMEL_C_API trommel_code trommel_predicted_fpr(const trommel_sizing_request* request,
                                                 uint64_t num_keys, double* fpr,
                                                 trommel_error* error);

/// @}

/// @name Creating filters
/// Each fails with TROMMEL_INVALID_ARGUMENT, naming the value and the legal range, and with
/// TROMMEL_OUT_OF_MEMORY. Free the filter with trommel_filter_free. Thread safety: any thread.
/// @{

/// A filter of any type that holds keys.
typedef struct trommel_filter trommel_filter;

/// The types, numbered as in files where they have files of their own.
enum {
  TROMMEL_TYPE_ANY = 0,          ///< Of trommel_load_options: whatever type it is.
  TROMMEL_TYPE_COUNTING = 1,     ///< A filter of one size: C++ CountingFilter.
  TROMMEL_TYPE_SCALABLE = 2,     ///< Grows with its keys: ScalableFilter.
  TROMMEL_TYPE_WINDOW = 3,       ///< Keys of a sliding window of time: WindowFilter.
  TROMMEL_TYPE_ATTRIBUTES = 6,   ///< A file for trommel_attributes_load.
  TROMMEL_TYPE_CONCURRENT = 100  ///< A counting filter for any threads: ConcurrentFilter. Its files
                                 ///< are those of counting filters.
};

/// Of counting and concurrent filters. C++ CountingConfig says more of each field.
typedef struct trommel_counting_config {
  uint32_t struct_size;                 ///< sizeof(trommel_counting_config).
  int32_t encoding;                     ///< TROMMEL_ENCODING_*.
  uint64_t capacity;                    ///< Distinct keys to size for; required.
  double target_fpr;                    ///< False-positive rate at capacity; 0: 0.01.
  uint32_t num_slices;                  ///< Of a block; 0: sizing chooses.
  int32_t preference;                   ///< TROMMEL_PREFER_*, of TROMMEL_ENCODING_AUTOMATIC.
  int32_t power_of_two_blocks;          ///< Not 0: round up, for repeated folding.
  int32_t reserved;                     ///< 0.
  uint64_t memory_limit_bytes;          ///< 0: the machine's physical memory.
  uint64_t side_memory_limit_bytes;     ///< The most side memory; 0: no limit.
  const trommel_digest_policy* digest;  ///< NULL: XXH3 with seed 0.
  const trommel_executor* executor;     ///< NULL: the calling thread only.
} trommel_counting_config;

/// Makes an empty counting filter.
TROMMEL_C_API trommel_code trommel_counting_create(const trommel_counting_config* config,
                                                   trommel_filter** filter, trommel_error* error);
/// Makes an empty counting filter that any thread may use at any time.
TROMMEL_C_API trommel_code trommel_concurrent_create(const trommel_counting_config* config,
                                                     trommel_filter** filter, trommel_error* error);

/// Of scalable filters. C++ ScalableConfig says more of each field.
typedef struct trommel_scalable_config {
  uint32_t struct_size;         ///< sizeof(trommel_scalable_config).
  uint32_t reserved;            ///< 0.
  uint64_t first_capacity;      ///< Distinct keys of the first size; 0: the least size, which keeps
                                ///< whole digests.
  double target_fpr;            ///< Of the whole filter at every size; 0: 0.01.
  uint64_t max_capacity;        ///< Beyond which it may refuse to grow; 0: 10^9, or first_capacity.
  uint64_t memory_limit_bytes;  ///< 0: the machine's physical memory.
  uint64_t side_memory_limit_bytes;     ///< The most side memory; 0: no limit.
  const trommel_digest_policy* digest;  ///< NULL: XXH3 with seed 0.
  const trommel_executor* executor;     ///< NULL: the calling thread only.
} trommel_scalable_config;

/// Makes an empty scalable filter.
TROMMEL_C_API trommel_code trommel_scalable_create(const trommel_scalable_config* config,
                                                   trommel_filter** filter, trommel_error* error);

/// Of window filters. C++ WindowConfig says more of each field.
typedef struct trommel_window_config {
  uint32_t struct_size;                 ///< sizeof(trommel_window_config).
  uint32_t num_buckets;                 ///< Of the window; 0: 8.
  uint64_t window;                      ///< Length of the window in ticks; required.
  uint64_t capacity;                    ///< Distinct keys within a window and one bucket; required.
  double target_fpr;                    ///< Over all live buckets; 0: 0.01.
  int32_t is_insert_only;               ///< Not 0: keys cannot be erased; less memory.
  uint32_t reserved;                    ///< 0.
  uint64_t memory_limit_bytes;          ///< 0: the machine's physical memory.
  const trommel_digest_policy* digest;  ///< NULL: XXH3 with seed 0.
  const trommel_executor* executor;     ///< NULL: the calling thread only.
  uint64_t side_memory_limit_bytes;     ///< The most side memory of all buckets; 0: no limit.
} trommel_window_config;

/// Makes an empty window filter, at time 0.
TROMMEL_C_API trommel_code trommel_window_create(const trommel_window_config* config,
                                                 trommel_filter** filter, trommel_error* error);

/// @}

/// @name Updates of batches
/// In input order; the result is the same for any split of a batch. `outcome` and bitmaps may be
/// NULL where their description does not require them. All fail with TROMMEL_INVALID_ARGUMENT and
/// TROMMEL_UNSUPPORTED. Thread safety: updates.
/// @{

/// Why a filter refused keys.
enum {
  TROMMEL_REFUSAL_NONE = 0,              ///< It refused none, or erasures of absent keys.
  TROMMEL_REFUSAL_LARGEST_CAPACITY = 1,  ///< A scalable filter has reached its largest capacity.
  TROMMEL_REFUSAL_MEMORY_LIMIT = 2,      ///< Growth would exceed the memory limit.
  TROMMEL_REFUSAL_OUT_OF_MEMORY = 3,     ///< The system refused memory for growth.
  TROMMEL_REFUSAL_SIDE_MEMORY_LIMIT = 4  ///< The limit of side memory leaves no space.
};

/// What a batch of updates did.
typedef struct trommel_outcome {
  uint32_t struct_size;  ///< sizeof(trommel_outcome); set by the caller.
  int32_t refusal;       ///< TROMMEL_REFUSAL_*, of insertions; an absent key's erasure has none.
  uint64_t num_done;     ///< Keys that were inserted or erased.
  uint64_t num_refused;  ///< Keys for which nothing changed, and which must not be erased.
  uint64_t num_expired;  ///< Window: erasures from a bucket that is not live.
  uint64_t time;         ///< Window: the time of insertion, which an erasure needs.
} trommel_outcome;

/// Inserts every key. `inserted`, optional, gets the bits of the keys that were not refused.
/// Window: into the current bucket.
TROMMEL_C_API trommel_code trommel_insert(trommel_filter* filter, const trommel_keys* keys,
                                          uint64_t* inserted, int64_t num_words,
                                          trommel_outcome* outcome, trommel_error* error);
/// Inserts every key that is absent, and leaves alone those that are maybe present. `inserted`,
/// required, gets the bits of those that were inserted: only these may be erased on account of this
/// call. `refused`, optional and as large, those of absent keys that the filter had no space for;
/// scalable filters cannot tell them, nor can windows with a limit of side memory, of which only
/// trommel_get_stats counts them. Window: the outcome's time is that of the last 2,048 keys; where
/// other threads advance meanwhile, trommel_window_insert_if_absent says when the others were
/// inserted.
TROMMEL_C_API trommel_code trommel_insert_if_absent(trommel_filter* filter,
                                                    const trommel_keys* keys, uint64_t* inserted,
                                                    int64_t num_words, uint64_t* refused,
                                                    trommel_outcome* outcome, trommel_error* error);
/// Erases every key, or refuses a key that is certainly absent. A key may be erased as often as it
/// was inserted; erasing a non-member goes undetected with the false-positive rate and takes counts
/// of other keys. `erased`, optional, gets the bits of the keys that were erased. Not of a window.
TROMMEL_C_API trommel_code trommel_erase(trommel_filter* filter, const trommel_keys* keys,
                                         uint64_t* erased, int64_t num_words,
                                         trommel_outcome* outcome, trommel_error* error);
/// Erases every key, or changes nothing if one is certainly absent, or counted less often than the
/// batch has it (C++ CountingFilter::EraseAll): for a list that a job may erase a second time.
/// num_refused is how many keys are missing. `missing`, optional, gets their bits: of the copies of
/// a key the last ones. Counting, concurrent, scalable. Fails with TROMMEL_OUT_OF_MEMORY, too.
TROMMEL_C_API trommel_code trommel_erase_all(trommel_filter* filter, const trommel_keys* keys,
                                             uint64_t* missing, int64_t num_words,
                                             trommel_outcome* outcome, trommel_error* error);

/// Asks the caller's table about some keys of a batch. `asked` has their `num_asked` indices in the
/// batch, ascending. Writes those of these indices whose keys the table has to `existing`, which
/// has `num_asked` entries, in any order, and their number to `num_existing`. Returns 0 to go on;
/// any other number ends the call with TROMMEL_IO. It must return: neither pthread_exit nor
/// longjmp.
typedef int32_t (*trommel_exist)(void* context, const uint32_t* asked, int64_t num_asked,
                                 uint32_t* existing, int64_t* num_existing);
/// Makes the filter of a table hold every key of the batch, if it holds each key of the table once:
/// inserts those that the table does not have, and changes nothing for the others. `exist` is
/// called at most once, in the calling thread, with the keys that look present; of keys that are
/// equal to each other, with the first. `inserted`, required, gets the bits of the keys that were
/// inserted: if a put of such a key fails afterwards, erase it. Apply the puts after the call. The
/// outcome counts these keys and those that the filter refused.
///
/// Requires that no other thread puts or deletes the same keys between the begin of the call and
/// the puts. Counting, concurrent and scalable filters; fewer than 2^32 keys. Where `exist` returns
/// another number than 0, or writes what is not in `asked`, the call fails, the filter holds the
/// keys that it held before, and no bit of `inserted` is set. C++ trommel/upsert.h says why
/// trommel_insert_if_absent is not enough.
TROMMEL_C_API trommel_code trommel_upsert(trommel_filter* filter, const trommel_keys* keys,
                                          trommel_exist exist, void* context, uint64_t* inserted,
                                          int64_t num_words, trommel_outcome* outcome,
                                          trommel_error* error);

/// @}

/// @name Queries of batches
/// Fail with TROMMEL_INVALID_ARGUMENT. Thread safety: queries.
/// @{

/// Sets the bits in `maybe_present`, required, of the keys that are maybe present. A key that is in
/// is never answered "absent". `num_maybe_present`, optional, gets how many bits are set.
TROMMEL_C_API trommel_code trommel_query(const trommel_filter* filter, const trommel_keys* keys,
                                         uint64_t* maybe_present, int64_t num_words,
                                         int64_t* num_maybe_present, trommel_error* error);
/// Writes the indices of the keys that are maybe present (answer 1) or absent (answer 0) to the
/// front of `selection`, ascending; it has keys->num_keys entries, at most 2^32 - 1.
TROMMEL_C_API trommel_code trommel_select(const trommel_filter* filter, const trommel_keys* keys,
                                          int32_t answer, uint32_t* selection, int64_t num_entries,
                                          int64_t* num_selected, trommel_error* error);
/// Writes an upper bound of how often each key is in the filter; 0 means certainly absent. `counts`
/// has keys->num_keys entries.
TROMMEL_C_API trommel_code trommel_count_estimates(const trommel_filter* filter,
                                                   const trommel_keys* keys, uint64_t* counts,
                                                   int64_t num_counts, trommel_error* error);

/// @}

/// @name One key
/// Batches of one. Each returns 1, 0, or a code times -1. Thread safety: as the batch.
/// @{

/// Returns 1 if the key was inserted, 0 if it was refused.
TROMMEL_C_API int32_t trommel_insert_key(trommel_filter* filter, trommel_key key,
                                         trommel_error* error);
/// Returns 1 if the key was absent and is now in. Window: at trommel_window_now, unless another
/// thread advances meanwhile; then only the batch tells the time.
TROMMEL_C_API int32_t trommel_insert_key_if_absent(trommel_filter* filter, trommel_key key,
                                                   trommel_error* error);
/// Returns 1 if the key was erased, 0 if it was refused. Not of a window.
TROMMEL_C_API int32_t trommel_erase_key(trommel_filter* filter, trommel_key key,
                                        trommel_error* error);
/// Returns 0 if the key is certainly absent, 1 if it is maybe present.
TROMMEL_C_API int32_t trommel_may_contain(const trommel_filter* filter, trommel_key key,
                                          trommel_error* error);
/// As trommel_insert_key, of the key that trommel_key_bytes makes. This function and the next three
/// are for languages that pass no structs by value and cannot call inline functions.
TROMMEL_C_API int32_t trommel_insert_bytes(trommel_filter* filter, const void* data, int64_t size,
                                           trommel_error* error);
/// As trommel_insert_key_if_absent.
TROMMEL_C_API int32_t trommel_insert_bytes_if_absent(trommel_filter* filter, const void* data,
                                                     int64_t size, trommel_error* error);
/// As trommel_erase_key.
TROMMEL_C_API int32_t trommel_erase_bytes(trommel_filter* filter, const void* data, int64_t size,
                                          trommel_error* error);
/// As trommel_may_contain.
TROMMEL_C_API int32_t trommel_may_contain_bytes(const trommel_filter* filter, const void* data,
                                                int64_t size, trommel_error* error);
/// Writes an upper bound of how often the key is in the filter. Returns a code.
TROMMEL_C_API trommel_code trommel_count_estimate(const trommel_filter* filter, trommel_key key,
                                                  uint64_t* count, trommel_error* error);

/// @}

/// @name Windows of time
/// Of window filters; others fail with TROMMEL_UNSUPPORTED. Time is the caller's: ticks of any
/// unit, which never decrease. C++ WindowFilter has the guarantees. Thread safety:
/// trommel_window_now is a query, the others are updates.
/// @{

/// Keys of a batch that have one time (trommel_window_insert_if_absent).
#define TROMMEL_WINDOW_CHUNK_KEYS 2048

/// Sets the time. Returns 1, or 0 if `now` is before the time already reached, which changes
/// nothing, or a code times -1.
TROMMEL_C_API int32_t trommel_window_advance(trommel_filter* filter, uint64_t now,
                                             trommel_error* error);
/// Writes the time of the last advance that has taken effect; 0 at first.
TROMMEL_C_API trommel_code trommel_window_now(const trommel_filter* filter, uint64_t* now,
                                              trommel_error* error);
/// Inserts every key into the bucket of `time`, or refuses all if it has expired or lies in the
/// future. `inserted`, optional, gets the bits of the keys that were not refused.
TROMMEL_C_API trommel_code trommel_window_insert(trommel_filter* filter, const trommel_keys* keys,
                                                 uint64_t time, uint64_t* inserted,
                                                 int64_t num_words, trommel_outcome* outcome,
                                                 trommel_error* error);
/// As trommel_insert_if_absent. times[c] receives the time of the keys from c *
/// TROMMEL_WINDOW_CHUNK_KEYS on, so many of them; `num_times` is the number of such chunks.
TROMMEL_C_API trommel_code trommel_window_insert_if_absent(
    trommel_filter* filter, const trommel_keys* keys, uint64_t* inserted, int64_t num_words,
    uint64_t* times, int64_t num_times, trommel_outcome* outcome, trommel_error* error);
/// Erases every key from the bucket of `inserted_at`, or refuses one that is certainly absent from
/// it. If the bucket is not live, all keys count as num_expired. `erased` is optional.
TROMMEL_C_API trommel_code trommel_window_erase(trommel_filter* filter, const trommel_keys* keys,
                                                uint64_t inserted_at, uint64_t* erased,
                                                int64_t num_words, trommel_outcome* outcome,
                                                trommel_error* error);
/// As trommel_erase_all, each key from the bucket of its time: `inserted_at` has `num_times` of
/// them, one for each key, or one for all. Keys of buckets that are not live count as num_expired,
/// and are not missing.
TROMMEL_C_API trommel_code trommel_window_erase_all(trommel_filter* filter,
                                                    const trommel_keys* keys,
                                                    const uint64_t* inserted_at, int64_t num_times,
                                                    uint64_t* missing, int64_t num_words,
                                                    trommel_outcome* outcome, trommel_error* error);
/// Inserts one key into the bucket of `time`. Returns 1, 0 if it was refused, or a code times -1.
TROMMEL_C_API int32_t trommel_window_insert_key(trommel_filter* filter, trommel_key key,
                                                uint64_t time, trommel_error* error);
/// Erases one key that was inserted at that time. Returns 1, 0 if it was refused, or a code times
/// -1.
TROMMEL_C_API int32_t trommel_window_erase_key(trommel_filter* filter, trommel_key key,
                                               uint64_t inserted_at, trommel_error* error);

/// @}

/// @name Whole filters
/// Fail with TROMMEL_UNSUPPORTED where the type does not have the operation. Thread safety:
/// exclusive, but trommel_clone, trommel_equals and the second argument of merges as a query.
/// @{

/// Adds the counts of `other`, as if its keys had been inserted here. Counting, window and scalable
/// filters take one of their own type, a concurrent filter a counting one. Fails with
/// TROMMEL_MISMATCH, naming the field that differs, and as C++ Merge.
TROMMEL_C_API trommel_code trommel_merge(trommel_filter* filter, const trommel_filter* other,
                                         trommel_error* error);
/// Subtracts the counts of `other`. Counting. Fails with TROMMEL_INVALID_ARGUMENT if a
/// counter would fall below zero.
TROMMEL_C_API trommel_code trommel_subtract(trommel_filter* filter, const trommel_filter* other,
                                            trommel_error* error);
/// Halves the number of blocks. Counting.
TROMMEL_C_API trommel_code trommel_fold(trommel_filter* filter, trommel_error* error);
/// Doubles the number of blocks, with fingerprints. Counting.
TROMMEL_C_API trommel_code trommel_grow(trommel_filter* filter, trommel_error* error);
/// Removes all keys.
TROMMEL_C_API trommel_code trommel_clear(trommel_filter* filter, trommel_error* error);
/// Spreads large batches over the executor's threads from now on; NULL: the calling thread only.
/// Not of a concurrent filter, which takes it when it is made.
TROMMEL_C_API trommel_code trommel_use_executor(trommel_filter* filter,
                                                const trommel_executor* executor,
                                                trommel_error* error);
/// Limits side memory from now on, which is not part of snapshots; 0: no limit. Fails with
/// TROMMEL_INVALID_ARGUMENT if the limit is too low, and with TROMMEL_OUT_OF_MEMORY if what is in
/// needs more.
TROMMEL_C_API trommel_code trommel_limit_side_memory(trommel_filter* filter, uint64_t limit_bytes,
                                                     trommel_error* error);
/// Makes another filter with the same contents and executor, of the same type. Counting and
/// concurrent filters keep their limits; the others have that of the machine, and keep their limit
/// of side memory; counts of refusals begin at 0. Fails with TROMMEL_OUT_OF_MEMORY. Free it with
/// trommel_filter_free.
TROMMEL_C_API trommel_code trommel_clone(const trommel_filter* filter, trommel_filter** clone,
                                         trommel_error* error);
/// Returns 1 if both filters have one type and the same snapshot, 0 if not, or a code times -1.
TROMMEL_C_API int32_t trommel_equals(const trommel_filter* a, const trommel_filter* b,
                                     trommel_error* error);
/// Makes a counting filter concurrent, or a concurrent one counting, in place; cost: no pass over
/// the blocks. `type` is TROMMEL_TYPE_COUNTING or TROMMEL_TYPE_CONCURRENT.
TROMMEL_C_API trommel_code trommel_convert(trommel_filter* filter, int32_t type,
                                           trommel_error* error);
/// Frees a filter.
TROMMEL_C_API void trommel_filter_free(trommel_filter* filter);

/// @}

/// @name Properties
/// Thread safety: queries.
/// @{

/// Statistics of a filter of any type. Fields that its type does not have are 0.
typedef struct trommel_stats {
  uint32_t struct_size;              ///< sizeof(trommel_stats); set by the caller.
  int32_t type;                      ///< TROMMEL_TYPE_*.
  uint64_t num_keys;                 ///< Insertions less erasures; duplicates count.
  uint64_t num_bytes;                ///< Of all blocks and side tables.
  uint64_t side_table_bytes;         ///< Part of num_bytes.
  uint64_t capacity;                 ///< As configured: the keys to size for, or the first size.
  double target_fpr;                 ///< As configured.
  double predicted_fpr;              ///< By the model, for num_keys distinct keys.
  double undecided_share;            ///< Beside writers, to be added to it (C++ Stats).
  uint64_t num_refused_inserts;      ///< Since creation, load or clear.
  uint64_t num_refused_erases;       ///< The same.
  uint64_t num_interrupted_queries;  ///< The same (C++ Stats).
  uint64_t num_promoted;             ///< Blocks whose counts are in the side table.
  uint64_t num_blocks;               ///< Of the whole filter.
  uint64_t num_parts;                ///< Live buckets of a window; else 1.
  uint64_t now;                      ///< Window: the time.
  uint64_t num_expired_erases;       ///< Window: since creation, load or clear.
  uint64_t num_excess_keys;          ///< Window (C++ WindowStats).
} trommel_stats;

/// Returns the filter's type, TROMMEL_TYPE_*; 0 for NULL.
TROMMEL_C_API int32_t trommel_filter_type(const trommel_filter* filter);
/// Writes statistics that are kept as running figures; no pass over the blocks.
TROMMEL_C_API trommel_code trommel_get_stats(const trommel_filter* filter, trommel_stats* stats,
                                             trommel_error* error);

/// @}

/// @name Files and bytes
/// Files are those of the C++ library, byte for byte; FORMAT.md describes them. Thread safety:
/// saving is a query, loading any thread.
/// @{

/// What saving does.
typedef struct trommel_save_options {
  uint32_t struct_size;    ///< sizeof(trommel_save_options).
  int32_t keep_existing;   ///< Not 0: fail with TROMMEL_EXISTS rather than replace a file.
  int32_t point_in_time;   ///< Not 0: as it is at one moment. Concurrent.
  int32_t reserved;        ///< 0.
  const void* metadata;    ///< Bytes of the caller's own to keep in the file, or NULL.
  int64_t metadata_bytes;  ///< Of `metadata`; at most 65,536.
} trommel_save_options;

/// What loading is given.
typedef struct trommel_load_options {
  uint32_t struct_size;         ///< sizeof(trommel_load_options).
  int32_t type;                 ///< The type that it must be, or TROMMEL_TYPE_ANY. CONCURRENT makes
                                ///< a concurrent filter of a counting one.
  uint64_t memory_limit_bytes;  ///< 0: the machine's physical memory.
  const uint8_t* digest_key;  ///< The secret key of its digest, TROMMEL_DIGEST_KEY_BYTES; or NULL.
} trommel_load_options;

/// Receives the next bytes of a snapshot. Returns 0 to go on; any other number ends the call with
/// TROMMEL_IO.
typedef int32_t (*trommel_sink)(void* context, const void* bytes, int64_t num_bytes);

/// Fills `buffer` with the bytes of a snapshot from `offset` on, which are never more than there
/// are. It is called with ranges in any order, some of them twice. Returns 0 to go on; any other
/// number ends the call with TROMMEL_IO. It must return: neither pthread_exit nor longjmp.
typedef int32_t (*trommel_source)(void* context, int64_t offset, void* buffer, int64_t num_bytes);

/// Writes the type of a file by its header, TROMMEL_TYPE_*. The rest may still be damaged. Fails as
/// trommel_load.
TROMMEL_C_API trommel_code trommel_type_of_file(const char* path, int32_t* type,
                                                trommel_error* error);
/// The same of a snapshot in memory.
TROMMEL_C_API trommel_code trommel_type_of_bytes(const void* bytes, int64_t num_bytes,
                                                 int32_t* type, trommel_error* error);
/// Saves a filter: to a temporary file beside `path`, flushed, then renamed. options NULL: the
/// defaults. Fails with TROMMEL_IO, TROMMEL_OUT_OF_MEMORY, TROMMEL_EXISTS and TROMMEL_NOT_FLUSHED.
TROMMEL_C_API trommel_code trommel_save(const trommel_filter* filter, const char* path,
                                        const trommel_save_options* options, trommel_error* error);
/// Loads a filter of any type but attributes. options NULL: the defaults. Fails with
/// TROMMEL_IO, TROMMEL_VERSION, TROMMEL_OUT_OF_MEMORY, TROMMEL_MISMATCH, TROMMEL_CORRUPT, and
/// TROMMEL_INVALID_ARGUMENT for a key that is not the file's. No bytes make it crash.
TROMMEL_C_API trommel_code trommel_load(const char* path, const trommel_load_options* options,
                                        trommel_filter** filter, trommel_error* error);
/// Writes the metadata that a file of any type was saved with into a buffer, and their number to
/// `num_bytes`, as trommel_serialize does; 0 bytes if it has none. Fails as trommel_load for what
/// the beginning of the file and the metadata show.
TROMMEL_C_API trommel_code trommel_load_metadata(const char* path, void* buffer,
                                                 int64_t buffer_size, int64_t* num_bytes,
                                                 trommel_error* error);
/// The same of the bytes of such a file in memory.
TROMMEL_C_API trommel_code trommel_metadata_of_bytes(const void* bytes, int64_t num_bytes,
                                                     void* buffer, int64_t buffer_size,
                                                     int64_t* num_metadata_bytes,
                                                     trommel_error* error);
/// As trommel_load, from memory.
TROMMEL_C_API trommel_code trommel_load_bytes(const void* bytes, int64_t num_bytes,
                                              const trommel_load_options* options,
                                              trommel_filter** filter, trommel_error* error);
/// Writes the bytes that trommel_save writes into a buffer, and their number to `num_bytes`. With
/// buffer NULL and size 0 only the number. Fails with TROMMEL_BUFFER_TOO_SMALL, which sets
/// num_bytes too, and TROMMEL_OUT_OF_MEMORY. Beside writers the number may change from call to
/// call.
TROMMEL_C_API trommel_code trommel_serialize(const trommel_filter* filter, void* buffer,
                                             int64_t buffer_size, int64_t* num_bytes,
                                             trommel_error* error);
/// Passes the same bytes to a sink.
TROMMEL_C_API trommel_code trommel_write(const trommel_filter* filter, trommel_sink sink,
                                         void* context, trommel_error* error);
/// As trommel_load, from a source of `num_bytes` bytes, which is called in the calling thread.
/// Bytes that change meanwhile can make it fail and do nothing worse.
TROMMEL_C_API trommel_code trommel_read(trommel_source source, void* context, int64_t num_bytes,
                                        const trommel_load_options* options,
                                        trommel_filter** filter, trommel_error* error);

/// @}

/// @name Columns
/// A map from keys to the columns that have them: which columns may hold this key? C++ ColumnMap.
/// All fail with TROMMEL_INVALID_ARGUMENT, also for a column that does not exist and, where it must
/// be open, for one that is closed. Thread safety: any thread at any time, but for
/// trommel_column_map_free, which is exclusive. Queries and statistics wait for nothing; other
/// calls of one column wait for each other.
/// @{

/// A map of columns.
typedef struct trommel_column_map trommel_column_map;

/// What trommel_column_map_create makes.
typedef struct trommel_column_map_config {
  uint32_t struct_size;         ///< sizeof(trommel_column_map_config).
  uint32_t num_columns;         ///< Most columns; required, 1 to 65,535.
  uint64_t capacity;            ///< Pairs of a key and a column to size for; required.
  double target_fpr;            ///< Of one column at the capacity; 0: 0.004.
  uint64_t num_blocks;          ///< With fingerprint_bits: this geometry; 0: sizing chooses.
  uint32_t fingerprint_bits;    ///< With num_blocks; 0: sizing chooses.
  uint32_t reserved;            ///< 0.
  uint64_t memory_limit_bytes;  ///< Of the blocks; 0: the machine's physical memory.
  const trommel_digest_policy* digest;  ///< NULL: XXH3 with seed 0.
} trommel_column_map_config;

/// Statistics of a map: C++ MapStats, and its geometry.
typedef struct trommel_column_map_stats {
  uint32_t struct_size;              ///< sizeof(trommel_column_map_stats); set by the caller.
  uint32_t fingerprint_bits;         ///< Of the geometry.
  uint64_t num_blocks;               ///< Of the geometry.
  uint64_t num_pairs;                ///< Different pairs of place and column.
  uint64_t num_slots;                ///< Of all blocks.
  uint64_t num_slots_in_use;         ///< By pairs and marks.
  uint64_t num_pairs_elsewhere;      ///< Part of num_pairs: not in slots.
  uint64_t num_places_elsewhere;     ///< To which these belong.
  uint64_t num_hidden_places;        ///< Part of these: without a slot.
  double predicted_false_columns;    ///< Expected of a query of a non-member.
  uint64_t num_bytes;                ///< Of blocks and all that is kept elsewhere.
  uint64_t num_refused_inserts;      ///< Insertions that the system refused memory.
  uint64_t num_interrupted_queries;  ///< Answered "maybe present" for all columns, beside writers.
} trommel_column_map_stats;

/// Makes a map whose columns are all closed. Fails with TROMMEL_OUT_OF_MEMORY, too. Free it with
/// trommel_column_map_free.
TROMMEL_C_API trommel_code trommel_column_map_create(const trommel_column_map_config* config,
                                                     trommel_column_map** map,
                                                     trommel_error* error);
/// Frees a map.
TROMMEL_C_API void trommel_column_map_free(trommel_column_map* map);
/// Returns the words of one answer, num_columns / 64 rounded up; 0 for NULL.
TROMMEL_C_API int64_t trommel_column_map_row_words(const trommel_column_map* map);
/// Opens a closed column, with no keys.
TROMMEL_C_API trommel_code trommel_column_map_open(trommel_column_map* map, uint32_t column,
                                                   trommel_error* error);
/// Removes a column's keys; does nothing if it is closed. Cost: one pass over the map.
TROMMEL_C_API trommel_code trommel_column_map_close(trommel_column_map* map, uint32_t column,
                                                    trommel_error* error);
/// Returns 1 if the column is open, 0 if it is closed, or a code times -1.
TROMMEL_C_API int32_t trommel_column_map_is_open(const trommel_column_map* map, uint32_t column,
                                                 trommel_error* error);
/// Inserts every key into an open column. A key that the system refuses memory is refused: nothing
/// changes for it. `inserted`, optional, gets the bits of the keys that were not refused;
/// `outcome`, which may be NULL, their number.
TROMMEL_C_API trommel_code trommel_column_map_insert(trommel_column_map* map, uint32_t column,
                                                     const trommel_keys* keys, uint64_t* inserted,
                                                     int64_t num_words, trommel_outcome* outcome,
                                                     trommel_error* error);
/// Erases every key from an open column, or refuses one that is certainly absent from it.
TROMMEL_C_API trommel_code trommel_column_map_erase(trommel_column_map* map, uint32_t column,
                                                    const trommel_keys* keys,
                                                    trommel_outcome* outcome, trommel_error* error);
/// Writes every key's answer: that of key i is the trommel_column_map_row_words words from i times
/// that on, with bit c % 64 of word c / 64 for column c. `num_words` is that of all keys.
TROMMEL_C_API trommel_code trommel_column_map_query(const trommel_column_map* map,
                                                    const trommel_keys* keys, uint64_t* answers,
                                                    int64_t num_words, trommel_error* error);
/// Returns 0 if the column is closed or the key certainly absent from it, 1 if it is maybe present,
/// or a code times -1.
TROMMEL_C_API int32_t trommel_column_map_may_contain(const trommel_column_map* map, uint32_t column,
                                                     trommel_key key, trommel_error* error);
/// Writes the number of keys of an open column, duplicates included.
TROMMEL_C_API trommel_code trommel_column_map_num_keys(const trommel_column_map* map,
                                                       uint32_t column, uint64_t* num_keys,
                                                       trommel_error* error);
/// Writes statistics of the map.
TROMMEL_C_API trommel_code trommel_column_map_get_stats(const trommel_column_map* map,
                                                        trommel_column_map_stats* stats,
                                                        trommel_error* error);
/// Writes the bytes of an open column, as trommel_serialize does. Cost: one pass over the map.
TROMMEL_C_API trommel_code trommel_column_map_serialize(const trommel_column_map* map,
                                                        uint32_t column, void* buffer,
                                                        int64_t buffer_size, int64_t* num_bytes,
                                                        trommel_error* error);
/// Opens a closed column with the keys that trommel_column_map_serialize wrote. Fails as
/// trommel_load_bytes, and with TROMMEL_MISMATCH for another geometry or digest policy.
TROMMEL_C_API trommel_code trommel_column_map_load(trommel_column_map* map, uint32_t column,
                                                   const void* bytes, int64_t num_bytes,
                                                   trommel_error* error);

/// @}

/// @name Attributes
/// Tuples of several attributes, and queries for any of them together: C++ AttributeFilter. A set
/// of attributes is a mask: bit i stands for attribute i. Tuples are passed as one batch of keys
/// per attribute, all of `num_tuples` keys: `columns` has `num_columns` pointers, the number of
/// attributes, of which those that a query does not read may be NULL.
///
/// All fail with TROMMEL_INVALID_ARGUMENT. Thread safety: any thread at any time, but for clear,
/// use_executor and free, which are exclusive.
/// @{

/// A filter of tuples.
typedef struct trommel_attributes trommel_attributes;

/// What the filter of one set is sized for.
typedef struct trommel_set_budget {
  uint64_t set;       ///< The set.
  uint64_t capacity;  ///< Distinct projections; 0: as without a budget.
  double target_fpr;  ///< 0: as without a budget.
} trommel_set_budget;

/// What trommel_attributes_create makes. C++ AttributeConfig says more of each field.
typedef struct trommel_attributes_config {
  uint32_t struct_size;                 ///< sizeof(trommel_attributes_config).
  int32_t num_attributes;               ///< Required.
  const uint64_t* cuts;                 ///< Sets that are never queried as a whole.
  int64_t num_cuts;                     ///< Of `cuts`.
  const char* const* names;             ///< num_attributes names, or NULL: "0", "1", ..
  uint64_t capacity;                    ///< Tuples to size for; required. More may be inserted.
  const uint64_t* num_values;           ///< Distinct values of each attribute, or NULL: as many.
  double target_fpr;                    ///< Of every allowed set, up to max_capacity; 0: 0.01.
  const trommel_set_budget* budgets;    ///< Other numbers for some sets.
  int64_t num_budgets;                  ///< Of `budgets`.
  uint64_t max_capacity;                ///< Tuples up to which sets keep their rate; 0: as C++.
  uint32_t max_together;                ///< Most attributes of a set that is kept; 0: no limit.
  uint32_t reserved;                    ///< 0.
  uint64_t memory_limit_bytes;          ///< 0: the machine's physical memory.
  const trommel_digest_policy* digest;  ///< Of values; NULL: XXH3 with seed 0.
  const trommel_executor* executor;     ///< NULL: the calling thread only.
  const uint64_t* kept;                 ///< Exactly the sets to keep, instead of cuts and a limit.
  int64_t num_kept;                     ///< Of `kept`; 0: as cuts and the limit say.
} trommel_attributes_config;

/// Makes an empty filter. Fails with TROMMEL_OUT_OF_MEMORY, too. Free it with
/// trommel_attributes_free.
TROMMEL_C_API trommel_code trommel_attributes_create(const trommel_attributes_config* config,
                                                     trommel_attributes** filter,
                                                     trommel_error* error);
/// Frees a filter of tuples.
TROMMEL_C_API void trommel_attributes_free(trommel_attributes* filter);
/// Returns the number of attributes; 0 for NULL.
TROMMEL_C_API int32_t trommel_attributes_num_attributes(const trommel_attributes* filter);
/// Returns the name of an attribute, which lives as long as the filter; NULL if there is none.
TROMMEL_C_API const char* trommel_attributes_name(const trommel_attributes* filter,
                                                  int32_t attribute);
/// Inserts every tuple into all sets, or into none if any refuses it. `inserted` is optional.
TROMMEL_C_API trommel_code trommel_attributes_insert(trommel_attributes* filter,
                                                     const trommel_keys* const* columns,
                                                     int32_t num_columns, int64_t num_tuples,
                                                     uint64_t* inserted, int64_t num_words,
                                                     trommel_outcome* outcome,
                                                     trommel_error* error);
/// Erases every tuple from all sets, or refuses it if any certainly lacks it. Erase only what was
/// inserted. `erased` is optional.
TROMMEL_C_API trommel_code trommel_attributes_erase(trommel_attributes* filter,
                                                    const trommel_keys* const* columns,
                                                    int32_t num_columns, int64_t num_tuples,
                                                    uint64_t* erased, int64_t num_words,
                                                    trommel_outcome* outcome, trommel_error* error);
/// Erases every tuple from all sets, or changes nothing, as trommel_erase_all; a tuple is missing
/// if it is in any set. `missing` is optional.
TROMMEL_C_API trommel_code trommel_attributes_erase_all(trommel_attributes* filter,
                                                        const trommel_keys* const* columns,
                                                        int32_t num_columns, int64_t num_tuples,
                                                        uint64_t* missing, int64_t num_words,
                                                        trommel_outcome* outcome,
                                                        trommel_error* error);
/// Sets the bits in `maybe_present`, required, of the tuples of which one with these values in the
/// attributes of `set` may be in. `num_maybe_present` is optional.
TROMMEL_C_API trommel_code trommel_attributes_query(const trommel_attributes* filter, uint64_t set,
                                                    const trommel_keys* const* columns,
                                                    int32_t num_columns, int64_t num_tuples,
                                                    uint64_t* maybe_present, int64_t num_words,
                                                    int64_t* num_maybe_present,
                                                    trommel_error* error);
/// Writes an upper bound of how many tuples match each query; `num_counts` is num_tuples.
TROMMEL_C_API trommel_code trommel_attributes_count_estimates(
    const trommel_attributes* filter, uint64_t set, const trommel_keys* const* columns,
    int32_t num_columns, int64_t num_tuples, uint64_t* counts, int64_t num_counts,
    trommel_error* error);
/// Returns 0 if certainly no tuple has these values in the attributes of `set`, 1 if one may have
/// them, or a code times -1. `tuple` has the number of attributes; what is not in the set is not
/// read.
TROMMEL_C_API int32_t trommel_attributes_may_contain(const trommel_attributes* filter, uint64_t set,
                                                     const trommel_key* tuple,
                                                     int32_t num_attributes, trommel_error* error);
/// Removes all tuples.
TROMMEL_C_API trommel_code trommel_attributes_clear(trommel_attributes* filter,
                                                    trommel_error* error);
/// As trommel_use_executor.
TROMMEL_C_API trommel_code trommel_attributes_use_executor(trommel_attributes* filter,
                                                           const trommel_executor* executor,
                                                           trommel_error* error);
/// Writes statistics: num_keys counts tuples, num_parts sets.
TROMMEL_C_API trommel_code trommel_attributes_get_stats(const trommel_attributes* filter,
                                                        trommel_stats* stats, trommel_error* error);
/// As trommel_save.
TROMMEL_C_API trommel_code trommel_attributes_save(const trommel_attributes* filter,
                                                   const char* path,
                                                   const trommel_save_options* options,
                                                   trommel_error* error);
/// As trommel_load; options->type is not read.
TROMMEL_C_API trommel_code trommel_attributes_load(const char* path,
                                                   const trommel_load_options* options,
                                                   trommel_attributes** filter,
                                                   trommel_error* error);
/// As trommel_load_bytes.
TROMMEL_C_API trommel_code trommel_attributes_load_bytes(const void* bytes, int64_t num_bytes,
                                                         const trommel_load_options* options,
                                                         trommel_attributes** filter,
                                                         trommel_error* error);
/// As trommel_read.
TROMMEL_C_API trommel_code trommel_attributes_read(trommel_source source, void* context,
                                                   int64_t num_bytes,
                                                   const trommel_load_options* options,
                                                   trommel_attributes** filter,
                                                   trommel_error* error);
/// As trommel_serialize.
TROMMEL_C_API trommel_code trommel_attributes_serialize(const trommel_attributes* filter,
                                                        void* buffer, int64_t buffer_size,
                                                        int64_t* num_bytes, trommel_error* error);
/// As trommel_clone.
TROMMEL_C_API trommel_code trommel_attributes_clone(const trommel_attributes* filter,
                                                    trommel_attributes** clone,
                                                    trommel_error* error);
/// As trommel_write.
TROMMEL_C_API trommel_code trommel_attributes_write(const trommel_attributes* filter,
                                                    trommel_sink sink, void* context,
                                                    trommel_error* error);

/// @}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TROMMEL_C_H_
