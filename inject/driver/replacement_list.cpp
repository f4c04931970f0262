#include "driver/replacement_list.h"

#include <cstdlib>
#include <cstring>
#include <istream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace autokernel::inject {
namespace {

constexpr const char* kFirstLine = "autokernel-replacements\t1";
constexpr const char* kLastLine = "end";

// The fields of a line, one after the other. What is not there throws.
class Fields {
 public:
  explicit Fields(const std::string& line) : in_(line) {}

  [[nodiscard]] std::string text() {
    std::string field;
    if (!std::getline(in_, field, '\t')) throw std::runtime_error("a field is missing");
    return field;
  }
  [[nodiscard]] std::uint64_t number() {
    const std::string field = text();
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(field.c_str(), &end, 10);
    if (field.empty() || *end != '\0') throw std::runtime_error("'" + field + "' is no number");
    return value;
  }
  [[nodiscard]] std::size_t size() { return number(); }
  [[nodiscard]] bool flag() { return number() != 0; }
  [[nodiscard]] double real() { return std::strtod(text().c_str(), nullptr); }
  [[nodiscard]] Extents extents() {
    Extents all{};
    for (unsigned& each : all) each = static_cast<unsigned>(number());
    return all;
  }
  [[nodiscard]] std::vector<unsigned char> bytes() {
    const std::string digits = text();
    std::vector<unsigned char> all;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      constexpr int kHexadecimal = 16;
      all.push_back(static_cast<unsigned char>(
          std::strtoul(digits.substr(i, 2).c_str(), nullptr, kHexadecimal)));
    }
    return all;
  }

 private:
  std::istringstream in_;
};

[[nodiscard]] ReplacedTensor::Element element_of(const std::string& dtype) {
  using Element = ReplacedTensor::Element;
  if (dtype == "f64") return Element::f64;
  if (dtype == "f32") return Element::f32;
  if (dtype == "f16") return Element::f16;
  return dtype == "bf16" ? Element::bf16 : Element::bits;
}

[[nodiscard]] std::size_t bytes_of(ReplacedTensor::Element element) {
  using Element = ReplacedTensor::Element;
  if (element == Element::f64) return sizeof(double);
  return element == Element::f32 ? sizeof(float) : sizeof(std::uint16_t);
}

[[nodiscard]] OwnLaunch::Source source_of(const std::string& kind, Fields& fields) {
  using Kind = OwnLaunch::Source::Kind;
  if (kind == "tensor") {
    const std::size_t index = fields.size();
    return {.kind = Kind::tensor, .index = index, .offset = fields.size()};
  }
  if (kind == "parameter") return {.kind = Kind::parameter, .index = fields.size()};
  if (kind == "workspace") return {.kind = Kind::workspace, .offset = fields.size()};
  if (kind == "map") return {.kind = Kind::map, .index = fields.size()};
  if (kind != "number") throw std::runtime_error("there is no argument '" + kind + "'");
  OwnLaunch::Source source{.kind = Kind::number};
  const std::uint64_t value = fields.number();
  std::memcpy(source.number.data(), &value, sizeof value);
  return source;
}

class Reader {
 public:
  explicit Reader(const CodeOf& code_of) : code_of_(code_of) {}

  [[nodiscard]] std::vector<Replacement> read(std::istream& in) {
    std::string line;
    if (!std::getline(in, line) || line != kFirstLine) throw std::runtime_error("it is no list");
    while (std::getline(in, line) && line != kLastLine) {
      Fields fields(line);
      take(fields.text(), fields);
    }
    if (!in || in.eof()) throw std::runtime_error("it is cut off");
    return std::move(all_);
  }

 private:
  void take(const std::string& what, Fields& fields) {
    if (what == "replacement") {
      all_.emplace_back().name = fields.text();
      return;
    }
    if (all_.empty()) throw std::runtime_error("'" + what + "' belongs to no replacement");
    if (!take_original(what, fields) && !take_own(what, fields)) {
      throw std::runtime_error("there is no line '" + what + "'");
    }
  }
  [[nodiscard]] bool take_original(const std::string& what, Fields& fields);
  [[nodiscard]] bool take_own(const std::string& what, Fields& fields);

  const CodeOf& code_of_;
  std::vector<Replacement> all_;
};

bool Reader::take_original(const std::string& what, Fields& fields) {
  Replacement& last = all_.back();
  if (what == "kernel") {
    last.kernel = fields.text();
  } else if (what == "image") {
    last.image = fields.text();
  } else if (what == "product") {
    last.product = fields.text();
  } else if (what == "grid") {
    last.shape.grid = fields.extents();
  } else if (what == "block") {
    last.shape.block = fields.extents();
  } else if (what == "dynamic_shared") {
    last.shape.shared_bytes = static_cast<unsigned>(fields.number());
  } else if (what == "cluster") {
    last.cluster = fields.extents();
  } else if (what == "cooperative") {
    last.cooperative = fields.flag();
  } else if (what == "parameter") {
    last.parameters.push_back({.bytes = fields.bytes(), .pointers = {}});
  } else if (what == "pointer") {
    if (last.parameters.empty()) throw std::runtime_error("a pointer lies in no parameter");
    ParameterPattern& parameter = last.parameters.back();
    const ParameterPattern::Pointer pointer{
        .at = fields.size(), .tensor = fields.size(), .offset = fields.size()};
    if (pointer.at > parameter.bytes.size() ||
        parameter.bytes.size() - pointer.at < sizeof(CUdeviceptr)) {
      throw std::runtime_error("a pointer lies outside its parameter");
    }
    parameter.pointers.push_back(pointer);
  } else {
    return false;
  }
  return true;
}

bool Reader::take_own(const std::string& what, Fields& fields) {
  Replacement& last = all_.back();
  if (what == "tensor") {
    ReplacedTensor& tensor = last.tensors.emplace_back();
    tensor.bytes = fields.size();
    tensor.alignment = fields.size();
    const std::string role = fields.text();
    tensor.is_read = role != "out";
    tensor.is_written = role != "in";
    tensor.element = element_of(fields.text());
    tensor.element_bytes = fields.size();
    tensor.absolute = fields.real();
    tensor.relative = fields.real();
    if (tensor.alignment == 0 || tensor.element_bytes == 0) {
      throw std::runtime_error("a tensor has no elements");
    }
  } else if (what == "code") {
    last.code = code_of_(fields.text());
    if (last.code.empty()) throw std::runtime_error("the code of " + last.name + " is missing");
    last.code += '\0';  // that ends PTX
  } else if (what == "workspace") {
    last.workspace_bytes = fields.size();
    last.workspace_is_zeroed = fields.flag();
  } else if (what == "map") {
    MapRecipe& map = last.maps.emplace_back();
    map.buffer = fields.size();
    map.offset = fields.size();
    for (std::uint64_t& number : map.numbers) number = fields.number();
  } else if (what == "object") {
    last.objects.push_back(fields.text());
  } else if (what == "launch") {
    OwnLaunch& launch = last.launches.emplace_back();
    launch.kernel = fields.text();
    launch.shape.grid = fields.extents();
    launch.shape.block = fields.extents();
    launch.shape.shared_bytes = static_cast<unsigned>(fields.number());
    launch.cluster = fields.extents();
    launch.cooperative = fields.flag();
    launch.programmatic = fields.flag();
  } else if (what == "pass") {
    if (last.launches.empty()) throw std::runtime_error("a parameter belongs to no launch");
    const std::string kind = fields.text();
    last.launches.back().parameters.push_back(source_of(kind, fields));
  } else {
    return false;
  }
  return true;
}

// Indices lead to something: they are used without a further look.
void require_whole(const Replacement& each) {
  const auto require = [&](bool holds) {
    if (!holds) throw std::runtime_error("the lines of " + each.name + " do not fit each other");
  };
  require(!each.launches.empty() && !each.code.empty());
  require(each.kernel.empty() != each.product.empty());
  std::set<std::size_t> reached;
  for (const ParameterPattern& parameter : each.parameters) {
    for (const ParameterPattern::Pointer& pointer : parameter.pointers) {
      require(pointer.tensor < each.tensors.size() &&
              pointer.offset < each.tensors[pointer.tensor].bytes);
      reached.insert(pointer.tensor);
    }
  }
  constexpr std::size_t kTensorsOfProduct = 3;
  require(each.product.empty()
              ? reached.size() == each.tensors.size()
              : each.tensors.size() == kTensorsOfProduct && each.parameters.empty());
  for (const ReplacedTensor& tensor : each.tensors) {
    require(tensor.bytes > 0 && tensor.bytes % tensor.element_bytes == 0);
    require(tensor.element == ReplacedTensor::Element::bits ||
            tensor.element_bytes == bytes_of(tensor.element));
  }
  for (const MapRecipe& map : each.maps) {
    require(map.buffer < each.tensors.size() ||
            (map.buffer == each.tensors.size() && each.workspace_bytes > 0));
  }
  using Kind = OwnLaunch::Source::Kind;
  for (const OwnLaunch& launch : each.launches) {
    for (const OwnLaunch::Source& source : launch.parameters) {
      require(source.kind != Kind::tensor || (source.index < each.tensors.size() &&
                                              source.offset < each.tensors[source.index].bytes));
      require(source.kind != Kind::parameter || source.index < each.parameters.size());
      require(source.kind != Kind::map || source.index < each.maps.size());
      require(source.kind != Kind::workspace || source.offset < each.workspace_bytes);
    }
  }
}

}  // namespace

std::vector<Replacement> replacements_in(std::istream& list, const CodeOf& code_of) {
  std::vector<Replacement> all = Reader(code_of).read(list);
  for (const Replacement& each : all) require_whole(each);
  return all;
}

}  // namespace autokernel::inject
