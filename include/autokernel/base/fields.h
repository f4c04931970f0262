// The fields of a struct by name, listed once for every form it is written in and read from:
//
//   template <Of<Budget> Object>
//   void visit_fields(auto&& fields, Object& budget) {
//     fields("hours", budget.hours);
//   }
//
// in the namespace of the struct. What only documents have, worked out from others, is
// fields.derived("clean", [&] { return unclean.empty(); }); what is for our own processes alone is
// fields.internal("detail", result.detail).
#pragma once

#include <concepts>
#include <type_traits>

namespace autokernel {

// An object to write from is const, one to read into is not.
template <typename Object, typename Struct>
concept Of = std::same_as<std::remove_const_t<Object>, Struct>;

struct AnyFields {
  void operator()(const char* /*name*/, auto&& /*value*/) const {}
  void derived(const char* /*name*/, const auto& /*work_out*/) const {}
  void internal(const char* /*name*/, auto&& /*value*/) const {}
};
template <typename Object>
concept HasFields = requires(Object& object) { visit_fields(AnyFields{}, object); };

}  // namespace autokernel
