#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "autokernel/base/error.h"
#include "autokernel/cases/names.h"
#include "cases/case_sections.h"
#include "cases/dtype.h"
#include "cases/fill.h"

namespace autokernel::cases {
namespace {

constexpr std::size_t kMostScalars = 64;
constexpr std::size_t kMostDimensions = 8;
// Each is evaluated for every tensor and formula.
constexpr std::size_t kMostSizes = 256;
// Keeps products of sizes far below the 2^53 up to which doubles, and so formulas, are exact.
constexpr std::int64_t kLargestSize = 1LL << 40;

Role read_role(Section& section) {
  const std::string word = section.word("role", {"in", "out", "inout"});
  if (word == "in") return Role::in;
  return word == "out" ? Role::out : Role::inout;
}

std::string read_name(Section& section, const std::string& title) {
  std::string name = section.text("name");
  if (!is_identifier(name)) {
    section.fail("name",
                 fmt::format("is \"{}\"; write letters, digits and _ only, a letter first", name));
  }
  section.rename(title + " " + name);
  return name;
}

// Types that a size may choose: floating ones, so that one fill serves all of them.
const std::vector<std::string> kTypesOfSizes = {"f32", "f16", "bf16"};

// The element's type; null unless it is an alias. `types` are the symbols of the default size.
const ElementAlias* read_element(Section& section, const Types& types, Tensor& tensor) {
  std::vector<std::string> words = dtype_spellings();
  std::ranges::move(alias_spellings(), std::back_inserter(words));
  for (const auto& [symbol, dtype] : types) words.push_back(symbol);
  const std::string word = section.word("dtype", words);
  if (const auto symbol = types.find(word); symbol != types.end()) {
    tensor.type_symbol = word;
    tensor.dtype = symbol->second;
    return nullptr;
  }
  const ElementAlias* const alias = alias_spelled(word);
  tensor.dtype = alias != nullptr ? alias->dtype : dtype_from(word);
  if (alias != nullptr) tensor.element = alias->cpp_name;
  return alias;
}

void read_tolerance(Section& section, Tensor& tensor) {
  if (!section.has("absolute") && !section.has("relative")) return;
  if (tensor.role == Role::in) {
    section.fail(section.has("absolute") ? "absolute" : "relative",
                 "is for what a kernel writes; this tensor has role \"in\"");
  }
  tensor.tolerance.emplace();
  const auto bound = [&](const char* key) {
    return section.has(key) ? section.number(key, {.low = 0}) : 0;
  };
  tensor.tolerance->absolute = bound("absolute");
  tensor.tolerance->relative = bound("relative");
}

void read_pitch(Section& section, Tensor& tensor) {
  if (!section.has("pitch")) return;
  if (is_of_indices(tensor.fill.distribution))
    section.fail("pitch", "cannot go with a fill of indices; leave one of the two out");
  if (!tensor.element.empty() && tensor.dtype == DType::f32)
    section.fail("pitch", "cannot go with complex64; write f32, with a last dimension of 2");
  tensor.pitch = section.text("pitch");
}

// With the type it has at that size.
Tensor typed(Tensor tensor, const AllSizes& all, const std::string& size) {
  if (!tensor.type_symbol.empty()) tensor.dtype = all.types.at(size).at(tensor.type_symbol);
  return tensor;
}

Tensor read_tensor(Section section, const AllSizes& all) {
  Tensor tensor;
  tensor.name = read_name(section, "[[tensor]]");
  tensor.role = read_role(section);
  const Types none;
  const ElementAlias* const alias =
      read_element(section, all.types.empty() ? none : all.types.at("default"), tensor);
  tensor.shape = section.texts("shape");
  if (tensor.shape.size() > kMostDimensions) {
    section.fail("shape", fmt::format("has {} dimensions; write at most {}", tensor.shape.size(),
                                      kMostDimensions));
  }
  if (alias != nullptr && alias->elements > 1)
    tensor.shape.push_back(std::to_string(alias->elements));
  // Bounds have to fit into each of its types.
  std::set<DType> seen;
  for (const auto& [size, symbols] : all.sizes) {
    const Tensor of_size = typed(tensor, all, size);
    if (seen.insert(of_size.dtype).second) tensor.fill = read_fill(section, of_size, all.sizes);
  }
  read_pitch(section, tensor);
  read_tolerance(section, tensor);
  section.finish();
  for (const auto& [size, symbols] : all.sizes) {
    placed(section, fmt::format(R"(shape, at size "{}")", size),
           [&values = symbols, each = typed(tensor, all, size)] {
             static_cast<void>(element_count(each, values));
           });
  }
  require_indices(section, tensor, all.sizes);
  return tensor;
}

Tensor read_scalar(Section section, const std::map<std::string, Sizes>& sizes) {
  Tensor scalar;
  scalar.is_scalar = true;
  scalar.name = read_name(section, "[[scalar]]");
  scalar.role = Role::in;
  scalar.dtype = dtype_from(section.word("dtype", dtype_spellings()));
  scalar.shape = {"1"};
  scalar.fill = read_range(section, scalar.dtype, sizes);
  section.finish();
  return scalar;
}

// "984 x 0": an address at byte 984, of byte 0 of the tensor x.
ByValue::Pointer read_pointer(const Section& section, const std::string& text,
                              const std::vector<Tensor>& tensors) {
  std::istringstream in(text);
  ByValue::Pointer pointer;
  std::string rest;
  // A stream takes "-1" for the largest number.
  if (text.find('-') != std::string::npos ||
      !(in >> pointer.at >> pointer.tensor >> pointer.offset) || in >> rest) {
    section.fail("pointers", fmt::format("holds \"{}\"; write where the address lies, the tensor "
                                         "and a byte of it: \"16 x 0\"",
                                         shown(text)));
  }
  if (std::ranges::none_of(tensors, [&](const Tensor& tensor) {
        return tensor.name == pointer.tensor && !tensor.is_scalar;
      })) {
    section.fail("pointers", fmt::format("holds \"{}\", and there is no tensor {}", shown(text),
                                         shown(pointer.tensor)));
  }
  return pointer;
}

Tensor read_struct(Section section, const std::vector<Tensor>& tensors) {
  Tensor tensor;
  tensor.is_scalar = true;
  tensor.name = read_name(section, "[[struct]]");
  tensor.role = Role::in;
  tensor.dtype = DType::u8;
  ByValue value;
  value.bytes = section.text("bytes");
  constexpr std::size_t kMostBytes = 32'764;  // of all parameters, since CUDA 12.1
  const std::size_t bytes = value.bytes.size() / 2;
  const bool is_hexadecimal =
      value.bytes.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hexadecimal || value.bytes.size() % 2 != 0 || bytes == 0 || bytes > kMostBytes) {
    section.fail("bytes", "is to be two hexadecimal digits for each byte, in small letters");
  }
  if (section.has("pointers")) {
    for (const std::string& text : section.texts("pointers", R"(["16 x 0"])")) {
      value.pointers.push_back(read_pointer(section, text, tensors));
      constexpr std::size_t kAddressBytes = 8;
      if (bytes < kAddressBytes || value.pointers.back().at > bytes - kAddressBytes) {
        section.fail("pointers", fmt::format("holds \"{}\", which lies behind the {} bytes",
                                             shown(text), bytes));
      }
    }
  }
  tensor.shape = {std::to_string(bytes)};
  tensor.by_value = std::move(value);
  section.finish();
  return tensor;
}

void require_new_name(const Section& section, const std::string& name,
                      std::set<std::string>& names) {
  if (names.insert(name).second) return;
  section.fail("name",
               fmt::format("is \"{}\" for a second time; every tensor and scalar has a name of "
                           "its own",
                           name));
}

struct OneSize {
  Sizes sizes;
  Types types;
};

OneSize read_size(Section section) {
  OneSize size;
  Sizes& sizes = size.sizes;
  for (const std::string& symbol : section.keys()) {
    if (symbol == "editable_files")
      section.fail(symbol, "stands among the sizes; write it above the first [table]");
    if (!is_identifier(symbol) || is_cpp_keyword(symbol) || symbol.starts_with("__")) {
      section.fail(
          symbol,
          "cannot be a size symbol: kernels see it as a C++ constant; write a name such as M");
    }
    if (is_function(symbol)) {
      section.fail(symbol,
                   "cannot be a size symbol: it is a function of formulas; write a name such as M");
    }
    // A number in quotes is a number to its writer.
    if (section.is_text(symbol) && is_identifier(section.text(symbol))) {
      const std::vector<std::string> dtypes = dtype_spellings();
      if (std::ranges::find(dtypes, symbol) != dtypes.end() || alias_spelled(symbol) != nullptr)
        section.fail(symbol, "is the name of a dtype; choose another, such as TYPE");
      size.types[symbol] = dtype_from(section.word(symbol, kTypesOfSizes));
      continue;
    }
    sizes[symbol] = section.integer(symbol, {1, kLargestSize});
    // Some names, such as those of its constants, mean something else to a formula.
    placed(section, symbol, [&] { static_cast<void>(evaluate(symbol, sizes)); });
  }
  if (sizes.empty())
    section.fail("there is no size in it; write one line for each, such as M = 1024");
  return size;
}

template <typename Value>
void require_same_symbols(const Section& section, const std::map<std::string, Value>& symbols,
                          const std::map<std::string, Value>& model) {
  for (const auto& [symbol, value] : model) {
    if (!symbols.contains(symbol))
      section.fail(symbol, "is missing; [sizes.default] has it, so every size must");
  }
  for (const auto& [symbol, value] : symbols) {
    if (!model.contains(symbol))
      section.fail(symbol, "is not in [sizes.default]; every size has the same symbols");
  }
}

void require_same_symbols(const Section& section, const OneSize& size, const OneSize& model) {
  for (const auto& [symbol, type] : size.types) {
    if (model.sizes.contains(symbol))
      section.fail(symbol, "is a type, but a number in [sizes.default]");
  }
  for (const auto& [symbol, value] : size.sizes) {
    if (model.types.contains(symbol))
      section.fail(symbol, "is a number, but a type in [sizes.default]");
  }
  require_same_symbols(section, size.sizes, model.sizes);
  require_same_symbols(section, size.types, model.types);
}

}  // namespace

void placed(const Section& section, const std::string& key, const std::function<void()>& compute) {
  try {
    compute();
  } catch (const Error& error) {
    if (error.stop() != Stop::usage) throw;
    const std::string base = key.substr(0, key.find(','));
    throw Error(Stop::usage, fmt::format("{}: {}{}{}: {}", section.place_of(base), section.title(),
                                         section.title().empty() ? "" : " ", key, error.what()));
  }
}

AllSizes read_sizes(Section& root) {
  Section all = root.section("sizes");
  AllSizes read;
  // The two that every case has come first, so that a missing one is what the message is about.
  const OneSize model = read_size(all.section("default"));
  if (all.keys().size() > kMostSizes) {
    all.fail(fmt::format("there are {}; a case has at most {}", all.keys().size(), kMostSizes));
  }
  for (const std::string& name : all.keys()) {
    if (name != "default" && name != "check") static_cast<void>(all.section(name));
  }
  static_cast<void>(all.section("check"));
  for (const std::string& name : all.keys()) {
    const Section section = all.section(name);
    OneSize size = read_size(section);
    require_same_symbols(section, size, model);
    read.sizes[name] = std::move(size.sizes);
    if (!size.types.empty()) read.types[name] = std::move(size.types);
  }
  return read;
}

std::vector<std::string> read_runtime_sizes(Section& root,
                                            const std::map<std::string, Sizes>& sizes) {
  constexpr const char* kKey = "runtime_sizes";
  if (!root.has(kKey)) return {};
  std::vector<std::string> symbols = root.texts(kKey, R"(["M"])");
  const Sizes& known = sizes.begin()->second;
  std::set<std::string> seen;
  for (const std::string& symbol : symbols) {
    if (!known.contains(symbol)) {
      std::vector<std::string> names;
      for (const auto& [name, value] : known) names.push_back(name);
      root.fail(kKey, fmt::format("holds \"{}\", which is no size symbol; write {}", shown(symbol),
                                  one_of(names)));
    }
    if (!seen.insert(symbol).second)
      root.fail(kKey, fmt::format("has {} twice; leave one out", symbol));
  }
  return symbols;
}

std::vector<Tensor> read_tensors(Section& root, const AllSizes& all) {
  const std::map<std::string, Sizes>& sizes = all.sizes;
  std::vector<Tensor> tensors;
  std::set<std::string> names;
  for (const Value& table : root.tables("tensor")) {
    Section section(root.file(), "[[tensor]]", table);
    if (tensors.size() == kMostTensors) {
      section.fail(
          fmt::format("this is the {}th; a case has at most {}", kMostTensors + 1, kMostTensors));
    }
    tensors.push_back(read_tensor(section, all));
    require_new_name(section, tensors.back().name, names);
    if (!all.types.empty() && all.types.at("default").contains(tensors.back().name)) {
      section.fail("name", fmt::format("is \"{}\", which is a type; write another name",
                                       tensors.back().name));
    }
  }
  if (std::ranges::all_of(tensors, [](const Tensor& tensor) { return tensor.role == Role::in; })) {
    root.fail("tensor", R"(lists inputs only; give at least one the role "out" or "inout")");
  }
  const std::size_t buffers = tensors.size();
  std::size_t scalars = 0;
  const auto add = [&](const Section& section, Tensor scalar) {
    tensors.push_back(std::move(scalar));
    require_new_name(section, tensors.back().name, names);
    // A launch asks for both by their names.
    if (sizes.at("default").contains(tensors.back().name)) {
      section.fail("name", fmt::format("is \"{}\", which is a size; write another name",
                                       tensors.back().name));
    }
  };
  for (const Value& table : root.has("struct") ? root.tables("struct") : Array{}) {
    Section section(root.file(), "[[struct]]", table);
    if (++scalars > kMostScalars) {
      section.fail(fmt::format("this is the {}th; a case has at most {}", scalars, kMostScalars));
    }
    add(section, read_struct(section, {tensors.begin(),
                                       tensors.begin() + static_cast<std::ptrdiff_t>(buffers)}));
  }
  if (!root.has("scalar")) return tensors;
  for (const Value& table : root.tables("scalar")) {
    Section section(root.file(), "[[scalar]]", table);
    if (++scalars > kMostScalars) {
      section.fail(fmt::format("this is the {}th; a case has at most {}", scalars, kMostScalars));
    }
    add(section, read_scalar(section, sizes));
  }
  return tensors;
}

}  // namespace autokernel::cases
