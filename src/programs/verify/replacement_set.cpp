#include "autokernel/programs/replacement_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "autokernel/base/files.h"
#include "autokernel/compile/module_objects.h"
#include "programs/profile/product_json.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;
using Kind = trial::ReadyParameter::Kind;

[[nodiscard]] std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

[[nodiscard]] std::string extents(const std::array<std::uint32_t, 3>& of) {
  return fmt::format("{}", fmt::join(of, "\t"));
}

[[nodiscard]] std::size_t index_of(const trial::ReadyKernel& kernel, const std::string& tensor) {
  const auto found = std::ranges::find(kernel.tensors, tensor, &trial::ReadyTensor::name);
  return static_cast<std::size_t>(found - kernel.tensors.begin());
}

class Text {
 public:
  explicit Text(const KernelToReplace& kernel) : kernel_(kernel), own_(kernel.own) {}

  // `code`: the name of the file beside the list.
  [[nodiscard]] std::string made(const std::string& code) {
    line("replacement\t{}", kernel_.extracted.folder);
    if (kernel_.original) {
      add_original(*kernel_.original);
    } else if (kernel_.extracted.product) {
      line("product\t{}", product_text(*kernel_.extracted.product));
    }
    add_tensors();
    line("code\t{}", code);
    const compile::Declaration& declaration = own_.program.declaration;
    if (declaration.workspace_bytes > 0) {
      line("workspace\t{}\t{}", declaration.workspace_bytes, declaration.workspace_zeroed ? 1 : 0);
    }
    for (const trial::ReadyMap& map : own_.maps) {
      line("map\t{}\t{}\t{}", map.buffer, map.offset,
           fmt::join(driver::encoding_numbers(map.layout), "\t"));
    }
    if (compile::uses_objects(own_.program)) {
      for (const compile::ModuleObject& object : own_.program.objects) {
        line("object\t{}", object.name);
      }
    }
    for (const trial::ReadyLaunch& launch : own_.launches) add_launch(launch);
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + '\n';
  }

  void add_original(const trial::ReadyKernel& original) {
    const trial::ReadyLaunch& ready = original.launches.front();
    line("kernel\t{}", kernel_.extracted.kernel);
    line("image\t{}", kernel_.extracted.image);
    line("grid\t{}", extents(ready.launch.grid));
    line("block\t{}", extents(ready.launch.block));
    line("dynamic_shared\t{}", ready.launch.shared_bytes);
    line("cluster\t{}", extents(ready.launch.cluster));
    line("cooperative\t{}", ready.launch.cooperative ? 1 : 0);
    for (const trial::ReadyParameter& parameter : ready.parameters) {
      if (parameter.kind == Kind::tensor) {
        line("parameter\t{}", std::string(2 * compile::kPointerBytes, '0'));
        line("pointer\t0\t{}\t0", parameter.index);
        continue;
      }
      const trial::ReadyValue& value = original.values[parameter.index];
      line("parameter\t{}", hexadecimal(value.bytes));
      std::vector<cases::ByValue::Pointer> pointers = value.pointers;
      std::ranges::sort(pointers, {}, &cases::ByValue::Pointer::at);
      for (const cases::ByValue::Pointer& pointer : pointers) {
        line("pointer\t{}\t{}\t{}", pointer.at, index_of(original, pointer.tensor), pointer.offset);
      }
    }
  }

  void add_tensors() {
    for (const trial::ReadyTensor& tensor : own_.tensors) {
      line("tensor\t{}\t{}\t{}\t{}\t{}\t{:.17g}\t{:.17g}", tensor.bytes, trial::judged_alignment(),
           spelling(tensor.role), spelling(tensor.dtype), cases::size_of(tensor.dtype),
           tensor.tolerance.absolute, tensor.tolerance.relative);
    }
  }

  void add_launch(const trial::ReadyLaunch& ready) {
    const compile::Launch& launch = ready.launch;
    line("launch\t{}\t{}\t{}\t{}\t{}\t{}\t{}", launch.kernel, extents(launch.grid),
         extents(launch.block), launch.shared_bytes, extents(launch.cluster),
         launch.cooperative ? 1 : 0, launch.programmatic ? 1 : 0);
    for (const trial::ReadyParameter& parameter : ready.parameters) add_pass(parameter);
  }

  void add_pass(const trial::ReadyParameter& parameter) {
    switch (parameter.kind) {
      case Kind::tensor:
        return line("pass\ttensor\t{}\t{}", parameter.index, parameter.number);
      case Kind::value:
        return line("pass\tparameter\t{}", original_parameter(parameter.index));
      case Kind::workspace:
        return line("pass\tworkspace\t{}", parameter.number);
      case Kind::map:
        return line("pass\tmap\t{}", parameter.index);
      case Kind::size:
        return line("pass\tnumber\t{}", static_cast<std::uint64_t>(parameter.number));
    }
  }

  // Which of the original's parameters has that value.
  [[nodiscard]] std::size_t original_parameter(std::size_t value) const {
    if (!kernel_.original) return 0;  // a product passes none
    const auto& parameters = kernel_.original->launches.front().parameters;
    const auto found = std::ranges::find_if(parameters, [&](const auto& each) {
      return each.kind == Kind::value && each.index == value;
    });
    return static_cast<std::size_t>(found - parameters.begin());
  }

  const KernelToReplace& kernel_;
  const trial::ReadyKernel& own_;
  std::string text_;
};

}  // namespace

std::optional<std::string> why_not_replaceable(const KernelToReplace& kernel) {
  const auto passes_value = [](const trial::ReadyLaunch& launch) {
    return std::ranges::any_of(launch.parameters,
                               [](const auto& each) { return each.kind == Kind::value; });
  };
  for (const std::string& name :
       {kernel.extracted.folder, kernel.extracted.kernel, kernel.extracted.image}) {
    if (std::ranges::any_of(name, [](unsigned char letter) { return letter < ' '; })) {
      return "a name of it has signs that no name has";
    }
  }
  if (!kernel.original) {
    if (!kernel.extracted.product) {
      return "it is a case of an operation that is called in no known way: extract the kernel "
             "without --operations";
    }
    if (std::ranges::any_of(kernel.own.launches, passes_value)) {
      return "it takes numbers that a product does not have";
    }
    return std::nullopt;
  }
  if (kernel.extracted.image.empty()) {
    return "it was extracted by an earlier version, which did not note whose code it is: extract "
           "it again";
  }
  if (kernel.original->launches.size() != 1 || !kernel.original->maps.empty()) {
    return "its captured kernel is not one launch";
  }
  for (const trial::ReadyValue& value : kernel.original->values) {
    if (value.bytes.empty()) return "it takes the number " + value.name + ", which is not fixed";
  }
  if (compile::may_read_objects(kernel.original->program, kernel.extracted.kernel)) {
    return "its captured kernel may read variables of its module, which the program can change";
  }
  // A pointer must lead to each tensor.
  for (const trial::ReadyTensor& tensor : kernel.original->tensors) {
    const bool is_passed =
        std::ranges::any_of(kernel.original->launches.front().parameters, [&](const auto& each) {
          if (each.kind == Kind::tensor) {
            return kernel.original->tensors[each.index].name == tensor.name;
          }
          return std::ranges::any_of(
              kernel.original->values[each.index].pointers,
              [&](const auto& pointer) { return pointer.tensor == tensor.name; });
        });
    if (!is_passed) return "no pointer leads to its tensor " + tensor.name;
  }
  return std::nullopt;
}

void write_replacements(const fs::path& folder, const std::vector<KernelToReplace>& kernels,
                        bool for_emulated_device) {
  std::string text = "autokernel-replacements\t1\n";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const compile::Program& program = kernels[i].own.program;
    const bool is_ptx = for_emulated_device || program.cubin.empty();
    const std::string code = fmt::format("kernel-{}.{}", i, is_ptx ? "ptx" : "cubin");
    write_file_atomically(
        folder / code, is_ptx
                           ? std::string_view(program.ptx)
                           : std::string_view(reinterpret_cast<const char*>(program.cubin.data()),
                                              program.cubin.size()));
    text += Text(kernels[i]).made(code);
  }
  write_file_atomically(folder / "replacements.txt", text + "end\n");
}

}  // namespace autokernel::programs
