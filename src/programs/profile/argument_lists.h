// The lists among the arguments of an event: sizes of a launch, and shapes and types of the inputs
// of an operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "programs/profile/trace_event.h"
#include "programs/profile/trace_keys.h"

namespace autokernel::programs {

// Fills the lists of an event, while a parser goes through them.
class ArgumentLists {
 public:
  explicit ArgumentLists(TraceEvent& event) : event_(event) {}

  // Whether the list that begins is one that is read, or a part of one. Only then end() follows.
  [[nodiscard]] bool begin(TraceKey key);
  void end() { --depth_; }
  // What is in such a list.
  void number(TraceKey key, std::int64_t value);
  void text(TraceKey key, const std::string& value);
  // Notes that there is something else than there should be.
  void wrong(TraceKey key);

 private:
  [[nodiscard]] bool begin_triple(Triple& triple);
  void add_to_triple(Triple& triple, std::int64_t value);
  [[nodiscard]] bool begin_shapes(Shapes& shapes);
  void add_to_shape(Shapes& shapes, std::int64_t value);
  [[nodiscard]] bool begin_texts(Texts& texts);
  void add_text(Texts& texts, const std::string& value);
  template <typename Element>
  [[nodiscard]] bool add_element(PerInput<Element>& list);

  TraceEvent& event_;
  std::size_t depth_ = 0;            // of lists
  std::size_t triple_size_ = 0;      // of the triple that is being read
  std::size_t elements_ = 0;         // of the list that is being read, numbers included
  bool is_list_of_tensors_ = false;  // the input that is being read
};

}  // namespace autokernel::programs
