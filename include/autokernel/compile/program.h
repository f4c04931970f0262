// What a kernel's files are made into: images for a driver, and everything the harness must know
// about them (launches, parameters, module objects, resources, lines), whatever made them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace autokernel::compile {

// The files of one kernel, or of one reference.
struct Source {
  std::string name;  // of the main file, for messages: "kernel.cu"
  std::string text;
  // What the main file, and they among themselves, may include beside it, by path from its folder:
  // "include/tile.cuh".
  std::map<std::string, std::string> files = {};

  friend bool operator==(const Source&, const Source&) = default;
};

// Blocks of a cluster where there are none.
inline constexpr std::array<std::uint32_t, 3> kNoCluster = {1, 1, 1};

// One launch as the file declares it.
struct Launch {
  std::string
      kernel;  // the name in the module; the declaration may give the C++ name, or a pointer
  std::array<std::uint32_t, 3> grid;                  // blocks
  std::array<std::uint32_t, 3> block;                 // threads
  std::uint32_t shared_bytes = 0;                     // dynamic shared memory
  std::array<std::uint32_t, 3> cluster = kNoCluster;  // blocks; the declaration's or the kernel's
  bool cooperative = false;                           // all blocks run at once
  bool programmatic = false;                          // may begin before the one above has ended
  std::vector<std::string> arguments = {};            // by name; empty: all there are, in order
};

// What AUTOKERNEL_TENSOR_MAP said, as it was written: which tensor it is of, the compiler does not
// know. Dimension 0 is the innermost.
struct TensorMap {
  std::string name;
  std::string file;  // "kernel.cu"
  std::uint32_t line = 0;
  std::string place;                  // "kernel.cu:12: ", for messages
  std::string tensor;                 // of the case, or "workspace"
  std::string type;                   // empty: the tensor's
  std::array<std::int64_t, 5> box{};  // elements; 0 from the map's rank on
  std::int64_t swizzle = 0;           // bytes, as all three
  std::int64_t interleave = 0;
  std::int64_t l2_promotion = 0;
  std::string oob_fill;
  std::array<std::int64_t, 5> element_strides{};
  struct View {
    std::array<std::int64_t, 5> dims{};     // elements
    std::array<std::int64_t, 4> strides{};  // elements, of dimensions 1 and up
    std::int64_t offset = 0;                // elements
  } view;
  struct Im2col {
    std::array<std::int64_t, 3> lower{};
    std::array<std::int64_t, 3> upper{};
    std::int64_t channels = 0;
    std::int64_t pixels = 0;
  } im2col;
};

// A number that a launch hands over, which is none of the case's: an external compiler's.
struct Constant {
  std::string name;              // by which a launch asks for it
  std::vector<std::byte> bytes;  // 1, 2, 4 or 8
};

// A pointer into the middle of a tensor, or of the workspace: an external compiler's.
struct OffsetPointer {
  std::string name;          // by which a launch asks for it
  std::string buffer;        // a tensor of the case, or "workspace"
  std::uint64_t offset = 0;  // bytes from its beginning
};

// What AUTOKERNEL_LAUNCH (and AUTOKERNEL_WORKSPACE) said: one to sixteen launches, in order, all
// timed.
struct Declaration {
  std::vector<Launch> launches;
  std::string file;                   // in which AUTOKERNEL_LAUNCH stands: "kernel.cu"
  std::uint32_t line = 0;             // of it; 0: it does not say
  std::uint64_t workspace_bytes = 0;  // 0: none, and no workspace parameter
  bool workspace_zeroed = false;      // it asks for zeros at each launch; the filling is then timed
  std::vector<TensorMap> tensor_maps;  // in the order of the kernels' parameters
  std::vector<Constant> constants;
  std::vector<OffsetPointer> offset_pointers;
};

// An object of the candidate's that lives as long as its module: in device memory (.nv.global,
// .nv.global.init) or constant memory, whose generic address can be stored to as well. The harness
// restores it before each launch, so that nothing is remembered from one launch to the next.
// Constants of the language (constexpr int) are among them.
struct ModuleObject {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<std::byte> initial;  // empty: zeros
  friend bool operator==(const ModuleObject&, const ModuleObject&) = default;
};

// One parameter of a kernel, as a launch hands it over.
struct Parameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// What one kernel takes: from the cubin, but for the spills, which only ptxas's log tells.
struct Resources {
  std::uint32_t registers = 0;    // per thread
  std::uint64_t spill_bytes = 0;  // stores and loads, per thread
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t local_bytes = 0;  // stack frame, per thread
};

struct Program {
  std::string ptx;
  std::vector<std::byte> cubin;  // empty when compiled for the emulated device only
  Declaration declaration;
  std::vector<ModuleObject> objects;
  std::map<std::string, Resources> resources;  // by kernel name
  // By kernel name, in order; of those that are launched.
  std::map<std::string, std::vector<Parameter>> parameters;
  std::vector<std::string> warnings;  // ptxas's that cost speed (C7510 and its like)
  std::string log;                    // everything the compiler said
  double seconds = 0;                 // wall clock of the compile
  bool from_cache = false;
};

// What a launch can hand over as one parameter.
inline constexpr std::size_t kPointerBytes = 8;
struct Argument {
  std::string name;                   // by which a launch may ask for it: "x", "workspace", "N"
  std::string text;                   // as the parameter may be written: "const float* x"
  std::size_t bytes = kPointerBytes;  // of a size of the case they may also be 8
  bool is_size = false;               // handed over to none that does not ask for it
  bool is_constant = false;           // nor is this, or a pointer into the middle
};

// All arguments there are: those of the case (its tensors as pointers, then its scalars by value),
// a pointer where a workspace is declared, the tensor maps, the sizes of the case, the constants,
// and the pointers into the middle.
[[nodiscard]] std::vector<Argument> arguments_of(const Declaration& declaration,
                                                 std::vector<Argument> of_case);
// Which of them a launch hands over, by their index, in the order of the kernel's parameters: those
// that it names, or else all but the sizes. A name that there is not is a sentence instead.
[[nodiscard]] std::variant<std::vector<std::size_t>, std::string> chosen_arguments(
    const Launch& launch, const std::vector<Argument>& arguments);

// Each kernel of the declaration must take what its launch hands over. The driver reads as many
// bytes as the kernel has parameters, whatever it is given. What the eight bytes of a pointer are
// called in the source is the kernel's affair. The reason why this program does not; none where it
// does.
[[nodiscard]] std::optional<std::string> wrong_parameters(const Program& program,
                                                          const std::vector<Argument>& of_case,
                                                          const Source& source);

// What the source calls a variable or function of the PTX: "tile" for _ZZ4stepE4tile.
[[nodiscard]] std::string source_name(const std::string& name);

// What is no mistake to the compiler, and may be one: a kernel whose parameters are called like
// what its launch hands over, but in another order; a programmatic launch that waits for nothing.
[[nodiscard]] std::vector<std::string> doubts(const Program& program,
                                              const std::vector<Argument>& of_case,
                                              const Source& source);

// A line of one of a kernel's files, from 1.
struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};
// What a line of the program's PTX (from 1) was made from; none where the compiler does not say.
[[nodiscard]] std::optional<SourceLine> source_line(const std::string& ptx, const Source& source,
                                                    std::uint32_t ptx_line);

}  // namespace autokernel::compile
