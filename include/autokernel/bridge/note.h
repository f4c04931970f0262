// Something that the reader of an imported case has to know, and where in the source it is about.
#pragma once

#include <string>

namespace autokernel::bridge {

struct Note {
  std::string file;
  int line = 0;
  std::string text;

  friend bool operator==(const Note&, const Note&) = default;
};

}  // namespace autokernel::bridge
