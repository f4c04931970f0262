// The fields of what `autokernel noise` finds out, once, for the file that keeps it
// (noise_store.cpp) and for what is printed (noise_text.cpp).
#pragma once

#include "autokernel/base/fields.h"
#include "cli/noise_store.h"

namespace autokernel::trial {

template <Of<NoiseFigures::Reach> Object>
void visit_fields(auto&& fields, Object& reach) {
  fields("seconds", reach.seconds);
  fields("gain", reach.gain);
}

template <Of<NoiseFigures> Object>
void visit_fields(auto&& fields, Object& figures) {
  fields("pairs", figures.pairs);
  fields("pair_seconds", figures.pair_seconds);
  fields("pair_noise", figures.pair_noise);
  fields("mean_noise", figures.mean_noise);
  fields("drift", figures.drift);
  fields("min_gain", figures.min_gain);
  fields("reach", figures.reach);
  fields("longest", figures.longest);
  fields("decisions", figures.decisions);
  fields("false_keeps", figures.false_keeps);
}

}  // namespace autokernel::trial

namespace autokernel::cli {

// Without the figures, which stand beside them.
template <Of<StoredNoise> Object>
void visit_fields(auto&& fields, Object& noise) {
  fields("device", noise.device);
  fields("driver_version", noise.driver_version);
  fields("case", noise.case_directory);
  fields("size", noise.size);
  fields("at", noise.at);
}

}  // namespace autokernel::cli
