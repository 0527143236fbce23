// The members that save, load, copy, describe and close a filter, for every class.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_FILE_MEMBERS_H_
#define TROMMEL_ENGINE_PYTHON_SRC_FILE_MEMBERS_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/python/src/arguments.h"
#include "engine/python/src/description.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/without_gil.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/save_options.h"

namespace trommel::python {

template <class T>
T FromBytes(std::span<const std::byte> bytes, uint64_t limit, const DigestKey& key) {
  if constexpr (std::is_same_v<T, ConcurrentFilter>) {
    return Unwrap(ConcurrentFilter::Adopt(Unwrap(CountingFilter::Deserialize(bytes, limit, key))));
  } else {
    return Unwrap(T::Deserialize(bytes, limit, key));
  }
}

// What Python then owns.
template <class T>
Guarded<T>* NewObject(T&& filter) {
  return new Guarded<T>(std::move(filter));
}

template <class T>
Guarded<T>* LoadFile(Argument path, Argument limit, Argument key) {
  const std::filesystem::path file = PathOf(path);
  const uint64_t limit_bytes = CountOf(limit, "memory_limit_bytes");
  const DigestKey digest_key = DigestKeyOf(key);
  return NewObject([&] {
    const WithoutGil without_gil;
    return Unwrap(T::Load(file, limit_bytes, digest_key));
  }());
}

template <class T>
Guarded<T>* LoadBytes(Argument data, Argument limit, Argument key) {
  const BytesView view(data);
  const uint64_t limit_bytes = CountOf(limit, "memory_limit_bytes");
  const DigestKey digest_key = DigestKeyOf(key);
  return NewObject([&] {
    const WithoutGil without_gil;
    return FromBytes<T>(view.bytes(), limit_bytes, digest_key);
  }());
}

// What an object of a class that Python derives has beside its filter; others have no attributes.
inline nanobind::object AttributesOf(nanobind::handle object) {
  return nanobind::getattr(object, "__dict__", nanobind::dict());
}

// A copy of the object, of its class and with its attributes. The filter's copy has the key of its
// digests, but no executor and limits, which snapshots leave out.
template <class T>
nanobind::object Copy(const Guarded<T>& self) {
  T filter = self.Query([](const T& source) {
    return FromBytes<T>(source.Serialize(), 0, source.digest_policy().digest_key);
  });
  const nanobind::object object = nanobind::find(self);
  nanobind::object copy = nanobind::inst_alloc(object.type());
  new (nanobind::inst_ptr<Guarded<T>>(copy)) Guarded<T>(std::move(filter));
  nanobind::inst_mark_ready(copy);
  AttributesOf(copy).attr("update")(AttributesOf(object));
  return copy;
}

template <class T>
void Save(const Guarded<T>& self, Argument path, Argument replace, Argument point_in_time,
          Argument metadata) {
  SaveOptions options;
  const BytesView bytes(metadata, "metadata");
  options.metadata = bytes.bytes();
  options.replace = FlagOf(replace, "replace");
  options.point_in_time = FlagOf(point_in_time, "point_in_time");
  const std::filesystem::path file = PathOf(path);
  self.Query([&](const T& filter) { Check(filter.Save(file, options)); });
}

template <class T, class Class>
void DefineFiles(Class& bound) {
  namespace nb = nanobind;
  using Self = Guarded<T>;
  // Signatures name the class; nanobind keeps the pointers.
  static const std::string name = nb::cast<std::string>(nb::type<Self>().attr("__name__"));
  static const std::string options =
      ", *, memory_limit_bytes: int = 0, digest_key: bytes | None = None) -> " + name;
  static const std::string load = "def load(path: str | bytes | os.PathLike[str]" + options;
  static const std::string from_bytes =
      "def from_bytes(data: bytes | bytearray | memoryview" + options;
  static const std::string copy = "def __copy__(self) -> " + name;
  static const std::string deepcopy =
      "def __deepcopy__(self, memo: dict[int, typing.Any], /) -> " + name;
  bound.def(
      "save", Save<T>, nb::arg("path"), nb::kw_only(), nb::arg("replace") = true,
      nb::arg("point_in_time") = false, nb::arg("metadata") = nb::bytes("", 0),
      nb::sig("def save(self, path: str | bytes | os.PathLike[str], *, replace: bool = True, "
              "point_in_time: bool = False, metadata: bytes | bytearray | memoryview = b'') -> "
              "None"),
      "Writes a snapshot to the path atomically. With replace=False it fails with ExistsError\n"
      "if anything has that name. point_in_time is for a ConcurrentFilter: its writers wait\n"
      "while all of it is copied, so that the file has one moment. metadata: at most 65,536\n"
      "bytes of your own to keep beside the filter, which trommel_filters.load_metadata returns.");
  bound.def_static("load", LoadFile<T>, nb::arg("path"), nb::kw_only(),
                   nb::arg("memory_limit_bytes") = 0, nb::arg("digest_key") = nb::none(),
                   nb::sig(load.c_str()),
                   "Reads a file of this type. trommel_filters.load reads one of any type.");
  bound.def(
      "to_bytes",
      [](const Self& self) {
        return BytesFrom(self.Query([](const T& filter) { return filter.Serialize(); }));
      },
      nb::sig("def to_bytes(self) -> bytes"),
      "Returns the bytes that save writes. The same contents give the same bytes.");
  bound.def_static("from_bytes", LoadBytes<T>, nb::arg("data"), nb::kw_only(),
                   nb::arg("memory_limit_bytes") = 0, nb::arg("digest_key") = nb::none(),
                   nb::sig(from_bytes.c_str()), "Reads what to_bytes returned.");
  bound.def("__copy__", Copy<T>, nb::sig(copy.c_str()));
  bound.def(
      "__deepcopy__",
      [](const Self& self, nb::object memo) {
        nb::object made = Copy(self);
        memo[nb::int_(reinterpret_cast<uintptr_t>(nb::find(self).ptr()))] = made;
        nb::object attributes = AttributesOf(made);  // which may have this object itself
        attributes.attr("update")(nb::module_::import_("copy").attr("deepcopy")(attributes, memo));
        return made;
      },
      nb::sig(deepcopy.c_str()));
  bound.def(
      "__getstate__",
      [](const Self& self) {
        return nb::make_tuple(
            BytesFrom(self.Query([](const T& filter) { return filter.Serialize(); })),
            AttributesOf(nb::find(self)));
      },
      nb::sig("def __getstate__(self) -> tuple[bytes, dict[str, typing.Any]]"),
      "Pickles the snapshot: without executor, limits and digest_key, which it leaves out.");
  bound.def(
      "__setstate__",
      [](Self& self, const nb::tuple& state) {
        const BytesView view(state[0]);
        AttributesOf(nb::find(self)).attr("update")(state[1]);
        const WithoutGil without_gil;
        new (&self) Self(FromBytes<T>(view.bytes(), 0, {}));
      },
      nb::sig("def __setstate__(self, state: tuple[bytes, dict[str, typing.Any]], /) -> None"));
}

template <class T, class Class>
void DefineObject(Class& bound) {
  namespace nb = nanobind;
  using Self = Guarded<T>;
  bound.def("close", &Self::Close, nb::sig("def close(self) -> None"),
            "Frees the filter's memory now. Later calls fail with ClosedError.");
  bound.def_prop_ro(
      "closed", [](const Self& self) { return !self.is_open(); },
      "Whether the filter was closed or given away.");
  bound.def_prop_ro(
      "digest",
      [](const Self& self) {
        return self.QueryOne([](const T& f) { return DigestKindName(f.digest_policy().kind); });
      },
      "How keys are hashed: 'xxh3', 'xxh64', 'siphash' or 'caller'.");
  bound.def_prop_ro(
      "seed",
      [](const Self& self) {
        return self.QueryOne([](const T& f) { return f.digest_policy().seed; });
      },
      "The seed of the digest; with 'siphash' the check value of the key.");
  bound.def(
      "__eq__",
      [](const Self& self, const Self& other) {
        return self.QueryWith(other, [](const T& a, const T& b) { return a == b; });
      },
      nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"),
      "Whether both have the same contents and shape: to_bytes returns the same.");
  bound.attr("__hash__") = nb::none();  // contents change
  bound.def("__repr__", [](const Self& self) {
    if (!self.is_open()) return ClosedText(nb::type<Self>());
    return TextOf(nb::type<Self>(), self.Query([](const T& f) { return Describe(f); }));
  });
  bound.def("_repr_html_", [](const Self& self) {
    if (!self.is_open()) return ClosedText(nb::type<Self>());
    return HtmlOf(nb::type<Self>(), self.Query([](const T& f) { return Describe(f); }));
  });
}

template <class T, class Class>
void DefineClear(Class& bound) {
  bound.def(
      "clear", [](Guarded<T>& self) { self.Exclusively([](T& filter) { filter.Clear(); }); },
      nanobind::sig("def clear(self) -> None"),
      "Removes all keys. Waits for calls of other threads.");
}

template <class T, class Class>
void DefineUseExecutor(Class& bound) {
  bound.def(
      "use_executor",
      [](Guarded<T>& self, Argument object) {
        auto executor = ExecutorOf(object);
        self.Exclusively([&](T& filter) { filter.UseExecutor(std::move(executor)); });
      },
      nanobind::arg("executor").none(),
      nanobind::sig("def use_executor(self, executor: Executor | None) -> None"),
      "Spreads large batches over the executor's threads from now on; None: no threads.");
}

// Sets the limit of side memory.
template <class T, class Class>
void DefineLimitSideMemory(Class& bound) {
  bound.def(
      "limit_side_memory",
      [](Guarded<T>& self, Argument limit) {
        const uint64_t limit_bytes = CountOf(limit, "limit_bytes");
        self.Exclusively([&](T& filter) { Check(filter.LimitSideMemory(limit_bytes)); });
      },
      nanobind::arg("limit_bytes"),
      nanobind::sig("def limit_side_memory(self, limit_bytes: int) -> None"),
      "Limits the side memory from now on; 0: no limit.");
}

template <class T, class Other>
void Merge(Guarded<T>& self, const Guarded<Other>& other) {
  self.With(other, [](T& filter, const Other& source) { Check(filter.Merge(source)); });
}

// Defines filter |= other and filter | other. `doc` says what of the other is added, and what both
// must share.
template <class T, class Other = T, class Class>
void DefineMerge(Class& bound, const char* doc) {
  namespace nb = nanobind;
  using Self = Guarded<T>;
  static const std::string name = nb::cast<std::string>(nb::type<Self>().attr("__name__"));
  static const std::string types =
      "(self, other: " + nb::cast<std::string>(nb::type<Guarded<Other>>().attr("__name__")) +
      ", /) -> " + name;
  static const std::string in_place = "def __ior__" + types;
  static const std::string merged = "def __or__" + types;
  bound.def(
      "__ior__",
      [](nb::object self, const Guarded<Other>& other) {
        Self& filter = nb::cast<Self&>(self);
        if constexpr (std::is_same_v<T, Other>) {
          // Exclusive and shared would be the same lock.
          if (&filter == &other) ThrowValueError("a filter cannot be merged with itself: copy it");
        }
        Merge(filter, other);
        return self;
      },
      nb::is_operator(), nb::sig(in_place.c_str()), doc);
  bound.def(
      "__or__",
      [](const Self& self, const Guarded<Other>& other) {
        nb::object copy = Copy(self);
        Merge(nb::cast<Self&>(copy), other);
        return copy;
      },
      nb::is_operator(), nb::sig(merged.c_str()),
      "Returns a copy of this filter, as copy.copy makes it, into which the other one is merged:\n"
      "counts are added, as by |=.");
}
template <class T, class Class>
void DefineSubtract(Class& bound) {
  bound.def(
      "subtract",
      [](Guarded<T>& self, const Guarded<T>& other) {
        if (&self == &other) ThrowValueError("a filter cannot be subtracted from itself: clear it");
        self.With(other, [](T& filter, const T& source) { Check(filter.Subtract(source)); });
      },
      nanobind::arg("other"),
      "Subtracts the other filter's counts, as if its keys had been erased here.");
}

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_FILE_MEMBERS_H_
