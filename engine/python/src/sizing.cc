// Geometries, and the functions that size filters and predict their rates.
#include "trommel/sizing.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>

#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/module.h"
#include "engine/python/src/record.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

// The functions of the model require a valid geometry.
const Geometry& Valid(const Geometry& geometry) {
  Check(Validate(geometry));
  return geometry;
}

Sizing SizeForArguments(Argument capacity, Argument target_fpr, Argument encoding,
                        Argument num_slices, Argument power_of_two_blocks, Argument preference) {
  SizingRequest request;
  request.capacity = CountOf(capacity, "capacity");
  request.target_fpr = RateOf(target_fpr, "target_fpr");
  request.encoding = EncodingOf(encoding);
  request.num_slices = Count32Of(num_slices, "num_slices");
  request.power_of_two_blocks = FlagOf(power_of_two_blocks, "power_of_two_blocks");
  request.preference = PreferenceOf(preference, request.encoding);
  return Unwrap(SizeFor(request));
}

}  // namespace

void BindSizing(nb::module_& module) {
  Record<Geometry>(module, "Geometry",
                   "Where a key sets bits. Filters of one geometry and digest can be merged.")
      .Field("num_slices", &Geometry::num_slices, "Slices of a block; 0 for fingerprints.")
      .Field(
          "encoding", [](const Geometry& self) { return EncodingName(self.encoding); },
          "What blocks hold: 'runs', 'planes', 'fingerprints16' or 'dense'.")
      .Field("shard_bits", &Geometry::shard_bits, "Bits of a digest that name its shard.")
      .Field("num_blocks", &Geometry::num_blocks, "The number of blocks.")
      .Field("fingerprint_bits", &Geometry::fingerprint_bits, "Of fingerprints; else 0.")
      .Field("slots", &Geometry::slots, "Of a dense block; else 0.")
      .Field("num_bytes", &Geometry::num_bytes, "Bytes of the blocks, without the side table.");
  Record<Sizing>(module, "Sizing", "What size_for found.")
      .Field("geometry", &Sizing::geometry, "The geometry.")
      .Field("capacity", &Sizing::capacity, "As requested.")
      .Field("target_fpr", &Sizing::target_fpr, "As requested.")
      .Field("predicted_fpr", &Sizing::predicted_fpr, "At capacity; never above target_fpr.")
      .Field("predicted_undecided_share", &Sizing::predicted_undecided_share,
             "At capacity, of queries beside writers.")
      .Field("predicted_promoted_share", &Sizing::predicted_promoted_share,
             "Of blocks, at capacity.")
      .Field("predicted_side_table_bytes", &Sizing::predicted_side_table_bytes, "At capacity.")
      .Field("bits_per_key", &Sizing::bits_per_key, "Of blocks and side table.");
  module.def(
      "size_for", SizeForArguments, nb::arg("capacity"), nb::arg("target_fpr") = 0.01,
      nb::kw_only(), nb::arg("encoding") = "runs", nb::arg("num_slices") = 0,
      nb::arg("power_of_two_blocks") = false, nb::arg("preference") = nb::none(),
      nb::sig("def size_for(capacity: int, target_fpr: float = 0.01, *, encoding: "
              "trommel_filters.typing.Encoding = 'runs', num_slices: int = 0, power_of_two_blocks: "
              "bool = "
              "False, preference: trommel_filters.typing.Preference | None = None) -> Sizing"),
      "Returns the smallest geometry that keeps the rate at capacity distinct keys, and what it\n"
      "takes. Creates nothing.");
  module.def(
      "predicted_fpr",
      [](const Geometry& geometry, Argument num_keys) {
        return PredictedFpr(Valid(geometry), CountOf(num_keys, "num_keys"));
      },
      nb::arg("geometry"), nb::arg("num_keys"),
      nb::sig("def predicted_fpr(geometry: Geometry, num_keys: int) -> float"),
      "Returns the probability that a non-member is answered True when so many distinct keys are "
      "in.");
  module.def(
      "capacity_for",
      [](const Geometry& geometry, Argument target_fpr) {
        return Unwrap(CapacityFor(geometry, RateOf(target_fpr, "target_fpr")));
      },
      nb::arg("geometry"), nb::arg("target_fpr"),
      nb::sig("def capacity_for(geometry: Geometry, target_fpr: float) -> int"),
      "Returns the most distinct keys for which the rate is kept.");
}

}  // namespace trommel::python
