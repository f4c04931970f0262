#include "autokernel/programs/captured_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/image_front_end.h"
#include "autokernel/compile/image_parts.h"
#include "programs/capture/arguments.h"
#include "programs/profile/kernel_name.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "capture";

[[nodiscard]] std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// How exact outputs of a floating type are rounded: half a unit in the last place of 1.
[[nodiscard]] double rounding(cases::DType dtype) {
  switch (dtype) {
    case cases::DType::bf16:
      return 0x1p-9;
    case cases::DType::f16:
      return 0x1p-12;
    case cases::DType::f64:
      return 0x1p-54;
    default:
      return 0x1p-25;
  }
}

class Writing {
 public:
  explicit Writing(const CapturedCase& captured)
      : captured_(captured),
        launch_(captured.launch),
        arguments_(arguments_of(captured.launch, captured.study)),
        readable_(visible_line(demangled(captured.launch.kernel))) {}

  [[nodiscard]] WrittenCase written();

 private:
  void write(const fs::path& name, std::string_view bytes);
  [[nodiscard]] std::string images();
  [[nodiscard]] std::string values_of(const CaseTensor& tensor);
  [[nodiscard]] std::string tensor_text(const CaseTensor& tensor);
  [[nodiscard]] std::string check_text() const;
  [[nodiscard]] std::string case_text();
  [[nodiscard]] std::string description_text() const;
  [[nodiscard]] std::string kernel_text() const;
  [[nodiscard]] std::string source_text() const;
  // Where the tensor lies in another launch of the kernel; none where that is no other launch of
  // the same problem.
  [[nodiscard]] bool is_like_first(const CapturedLaunch& other) const;
  [[nodiscard]] std::optional<std::span<const std::byte>> part_in(const CapturedLaunch& other,
                                                                  const CaseTensor& tensor) const;

  const CapturedCase& captured_;
  const CapturedLaunch& launch_;
  CaseArguments arguments_;
  std::string readable_;
  std::vector<const CapturedLaunch*> others_;                // with tensors like those of the first
  std::vector<std::pair<std::string, std::string>> images_;  // key of the description, and file
  std::string ptx_;                                          // empty: there is none
  WrittenCase written_;
};

void Writing::write(const fs::path& name, std::string_view bytes) {
  write_file_atomically(captured_.folder / name, bytes);
  written_.files.push_back(name.string());
}

// Into capture/; their names and digests as [reference] has them.
std::string Writing::images() {
  compile::ImageParts parts = compile::parts_of_image(launch_.image, launch_.major, launch_.minor);
  std::vector<std::string> names;
  std::vector<std::string> digests;
  const auto keep = [&](const char* key, std::string_view bytes) {
    const std::string name = fmt::format("{}/original.{}", kFolder, key);
    write(name, bytes);
    images_.emplace_back(key, name);
    names.push_back('"' + name + '"');
    digests.push_back('"' + sha256(std::string(bytes)) + '"');
  };
  if (!parts.cubin.empty()) keep("cubin", as_text(parts.cubin));
  if (!parts.ptx.empty()) keep("ptx", parts.ptx);
  ptx_ = parts.ptx;
  if (names.empty()) {
    throw Error(Stop::usage, fmt::format("its code cannot be used: {}",
                                         parts.trouble.empty() ? "there is none for this device"
                                                               : parts.trouble));
  }
  if (parts.ptx.empty()) {
    written_.notes.emplace_back("there is no PTX of it, so that it cannot run without a GPU");
  }
  return fmt::format("images = [{}]\nimages_sha256 = [{}]\n", fmt::join(names, ", "),
                     fmt::join(digests, ", "));
}

std::optional<std::span<const std::byte>> Writing::part_in(const CapturedLaunch& other,
                                                           const CaseTensor& tensor) const {
  if (other.bytes.size() != launch_.bytes.size()) return std::nullopt;
  const StudiedTensor& studied = *tensor.studied;
  for (const CapturedPointer& pointer : launch_.pointers) {
    if (pointer.address < studied.address || pointer.address >= studied.address + studied.bytes()) {
      continue;
    }
    const auto same = std::ranges::find(other.pointers, pointer.offset, &CapturedPointer::offset);
    if (same == other.pointers.end()) return std::nullopt;
    const std::uint64_t begin = same->address - (pointer.address - studied.address);
    for (const CapturedRange& range : other.ranges) {
      if (begin >= range.kept && begin - range.kept + studied.bytes() <= range.before.size()) {
        return std::span(range.before).subspan(begin - range.kept, studied.bytes());
      }
    }
    return std::nullopt;
  }
  return std::nullopt;
}

// Those of all launches that were captured, one after the other; once where they are the same, as
// weights are.
std::string Writing::values_of(const CaseTensor& tensor) {
  const StudiedTensor& studied = *tensor.studied;
  const auto own =
      std::span(launch_.ranges[studied.range].before).subspan(studied.begin, studied.bytes());
  std::string values(as_text(own));
  bool differ = false;
  for (const CapturedLaunch* other : others_) {
    const std::string_view text = as_text(*part_in(*other, tensor));
    differ = differ || text != as_text(own);
    values += text;
  }
  return differ ? values : std::string(as_text(own));
}

std::string Writing::tensor_text(const CaseTensor& tensor) {
  std::string text = fmt::format(
      "[[tensor]]\nname = \"{0}\"\nrole = \"{1}\"\ndtype = \"{2}\"\nshape = [\"COUNT_{0}\"]\n",
      tensor.name, spelling(tensor.role), spelling(tensor.dtype));
  if (tensor.role == cases::Role::out) return text + "\n";
  const std::string values = values_of(tensor);
  const std::string file = fmt::format("{}/{}.bin", kFolder, tensor.name);
  write(file, values);
  const bool is_plain = captured_.study.draws && is_drawn(*tensor.studied);
  return text +
         fmt::format("fill = \"captured\"\nfile = \"{}\"\nsha256 = \"{}\"\nvalues = \"{}\"\n\n",
                     file, sha256(values), is_plain ? "drawn" : "kept");
}

std::string Writing::check_text() const {
  double absolute = 0;
  double relative = 0;
  bool has_floats = false;
  for (const CaseTensor& tensor : arguments_.tensors) {
    if (tensor.role == cases::Role::in || !cases::is_floating(tensor.dtype)) continue;
    has_floats = true;
    absolute = std::max(absolute, tensor.studied->change);
    // Each of two kernels may round once, to either side.
    relative = std::max(relative, 2 * 2 * rounding(tensor.dtype));
  }
  if (!has_floats) return "[check]\nexact = \"always\"\n\n";
  return fmt::format(
      "# Outputs may differ from the captured kernel's by twice as much as they change when its\n"
      "# inputs move by one unit in the last place ({:.3g}), and by the rounding of both.\n"
      "[check]\nexact = \"never\"\nabsolute = {:.6e}\nrelative = {:.6e}\n\n",
      absolute, 2 * absolute, relative);
}

std::string Writing::case_text() {
  std::string sizes;
  std::string bytes;
  std::string outputs;
  for (const CaseTensor& tensor : arguments_.tensors) {
    sizes += fmt::format("COUNT_{} = {}\n", tensor.name, tensor.count);
    const int moves = tensor.role == cases::Role::inout ? 2 : 1;
    bytes +=
        fmt::format("{}{}*COUNT_{}", bytes.empty() ? "" : " + ",
                    static_cast<std::size_t>(moves) * cases::size_of(tensor.dtype), tensor.name);
    if (tensor.role != cases::Role::in) {
      outputs += fmt::format("{}COUNT_{}", outputs.empty() ? "" : " + ", tensor.name);
    }
  }
  const std::string name = short_name(readable_);
  std::string text = fmt::format(
      "# {}\n# captured from: {}\n# launch {} of it, grid {} x {} x {}, block {} x {} x {}, in {} "
      "stream;\n"
      "# the code and the values are in {}/.\n",
      readable_, visible_line(captured_.program), launch_.occurrence, launch_.grid.x,
      launch_.grid.y, launch_.grid.z, launch_.block.x, launch_.block.y, launch_.block.z,
      launch_.default_stream ? "the default" : "a", kFolder);
  std::string title = name;
  std::erase_if(title, [](char letter) {
    return letter == '"' || letter == '\\' || letter == '{' || letter == '}';
  });
  text += fmt::format("name = \"{}\"\nproblem = \"{} as captured\"\n\n", title, title);
  for (const char* size : {"default", "check"})
    text += fmt::format("[sizes.{}]\n{}\n", size, sizes);
  for (const CaseTensor& tensor : arguments_.tensors) text += tensor_text(tensor);
  for (const CaseStruct& each : arguments_.structs) {
    std::vector<std::string> pointers;
    for (const auto& pointer : each.pointers) {
      pointers.push_back(fmt::format("\"{} {} {}\"", pointer.at, pointer.tensor, pointer.offset));
    }
    text += fmt::format("[[struct]]\nname = \"{}\"\nbytes = \"{}\"\n", each.name, each.bytes);
    if (!pointers.empty()) text += fmt::format("pointers = [{}]\n", fmt::join(pointers, ", "));
    text += "\n";
  }
  for (const CaseScalar& scalar : arguments_.scalars) {
    text += fmt::format("[[scalar]]\nname = \"{}\"\ndtype = \"{}\"\nvalue = {}\n\n", scalar.name,
                        spelling(scalar.dtype), scalar.value);
  }
  text += "[reference]\nkind = \"kernel\"\nfile = \"original.toml\"\n" + images() + "\n";
  text += check_text();
  text += fmt::format(
      "# Of operations nothing is known: one for each element that is written.\n"
      "[cost]\nflops = \"{}\"\nbytes = \"{}\"\n",
      outputs, bytes);
  return text;
}

std::string Writing::description_text() const {
  std::string text = compile::kImageDescription;
  text += "# The captured kernel, and how it is launched.\n";
  for (const auto& [key, file] : images_) text += fmt::format("{} = \"{}\"\n", key, file);
  const auto extents = [](const Extent& extent) {
    return fmt::format("[{}, {}, {}]", extent.x, extent.y, extent.z);
  };
  text += fmt::format("\n[[launch]]\nkernel = \"{}\"\ngrid = {}\nblock = {}\nshared_bytes = {}\n",
                      launch_.kernel, extents(launch_.grid), extents(launch_.block),
                      launch_.dynamic_shared);
  if (launch_.cluster.count() > 1) text += fmt::format("cluster = {}\n", extents(launch_.cluster));
  if (launch_.cooperative) text += "cooperative = true\n";
  std::vector<std::string> names;
  for (const std::string& name : arguments_.order) names.push_back('"' + name + '"');
  return text + fmt::format("arguments = [{}]\n", fmt::join(names, ", "));
}

// Where the kernel was compiled from, if its PTX has lines and the file is still there.
std::string Writing::source_text() const {
  const std::size_t entry = ptx_.find(".entry " + launch_.kernel);
  const std::size_t place = ptx_.find(".loc", entry);
  if (entry == std::string::npos || place == std::string::npos) return {};
  std::istringstream in(ptx_.substr(place + std::string_view(".loc").size(), 64));
  std::uint64_t file = 0;
  std::uint64_t line = 0;
  if (!(in >> file >> line)) return {};
  const std::string declared = fmt::format(".file\t{} \"", file);
  const std::size_t begin = ptx_.find(declared);
  if (begin == std::string::npos) return {};
  const std::size_t name = begin + declared.size();
  const std::string path = ptx_.substr(name, ptx_.find('"', name) - name);
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return {};
  return fmt::format("// It was compiled from {}, line {}.\n", visible_line(path), line);
}

std::string Writing::kernel_text() const {
  const auto extents = [](const Extent& extent) {
    return fmt::format("{{{}, {}, {}}}", extent.x, extent.y, extent.z);
  };
  std::string text =
      source_text() + fmt::format(
                          "// {}\n//\n// AUTOKERNEL_ORIGINAL stands for the captured kernel "
                          "itself, which is measured "
                          "as "
                          "long as there is\n// nothing else here. Replace that line by a kernel "
                          "of your own, such as "
                          "the "
                          "one below, which takes the\n// same parameters and is launched in the "
                          "same way. It may take "
                          "others and be launched otherwise:\n// .arguments names any of those of "
                          "case.toml, in any "
                          "order.\n#include <autokernel.cuh>\n\nAUTOKERNEL_ORIGINAL;\n\n",
                          readable_);
  text += "// AUTOKERNEL_LAUNCH({.kernel = \"replacement\",\n";
  text += fmt::format("//                    .grid = {},\n//                    .block = {},\n",
                      extents(launch_.grid), extents(launch_.block));
  if (launch_.dynamic_shared > 0) {
    text += fmt::format("//                    .shared_bytes = {},\n", launch_.dynamic_shared);
  }
  if (launch_.cluster.count() > 1) {
    text += fmt::format("//                    .cluster = {},\n", extents(launch_.cluster));
  }
  if (launch_.cooperative) text += "//                    .cooperative = true,\n";
  text += fmt::format("//                    .arguments = \"{}\"}});\n//\n",
                      fmt::join(arguments_.order, ", "));
  text += "// extern \"C\" __global__ void replacement(\n";
  for (std::size_t i = 0; i < arguments_.declarations.size(); ++i) {
    text += fmt::format("//     {}{}\n", arguments_.declarations[i],
                        i + 1 < arguments_.declarations.size() ? "," : ") {");
  }
  return text + "// }\n";
}

// Whether it is the same problem, with other values: everything but addresses is equal.
bool Writing::is_like_first(const CapturedLaunch& other) const {
  if (other.bytes.size() != launch_.bytes.size() || !other.trouble.empty()) return false;
  std::vector<std::byte> first = launch_.bytes;
  std::vector<std::byte> second = other.bytes;
  for (const CapturedPointer& pointer : launch_.pointers) {
    std::memset(first.data() + pointer.offset, 0, sizeof pointer.address);
    std::memset(second.data() + pointer.offset, 0, sizeof pointer.address);
  }
  return first == second && std::ranges::all_of(arguments_.tensors, [&](const CaseTensor& tensor) {
           return part_in(other, tensor).has_value();
         });
}

WrittenCase Writing::written() {
  for (const CapturedLaunch& other : captured_.others) {
    if (is_like_first(other)) others_.push_back(&other);
  }
  std::error_code failed;
  make_folders(captured_.folder / kFolder);
  fs::permissions(captured_.folder / kFolder, fs::perms::owner_all, failed);
  if (failed) {
    throw Error(Stop::environment,
                fmt::format("cannot keep {} to this user: {}",
                            (captured_.folder / kFolder).string(), failed.message()));
  }
  write(fs::path(kFolder) / ".gitignore", "# Values and code of the program: they stay here.\n*\n");
  write("case.toml", case_text());
  write("original.toml", description_text());
  write("kernel.cu", kernel_text());
  if (!captured_.study.draws) {
    written_.notes.emplace_back(
        "its inputs belong together, so that they are always as captured and never drawn anew");
  }
  if (launch_.programmatic) {
    written_.notes.emplace_back(
        "it was launched to begin before the kernel before it had ended, which is not repeated");
  }
  return std::move(written_);
}

}  // namespace

WrittenCase write_captured_case(const CapturedCase& captured) {
  std::error_code failed;
  if (fs::exists(captured.folder / "case.toml", failed)) {
    throw Error(Stop::usage,
                fmt::format("cannot write a case to {}: there is one", captured.folder.string()));
  }
  return Writing(captured).written();
}

}  // namespace autokernel::programs
