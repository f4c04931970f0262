// From the editable file to something a driver can load: NVRTC gives PTX and cubin in one compile,
// and everything the harness must know about the program (launches, module objects, resources) is
// read from those bytes, without running anything of the candidate's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace autokernel::compile {

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

// What AUTOKERNEL_LAUNCH (and AUTOKERNEL_WORKSPACE) said: one to sixteen launches, in order, all
// timed.
struct Declaration {
  std::vector<Launch> launches;
  std::uint32_t line = 0;             // of AUTOKERNEL_LAUNCH; 0: it does not say
  std::uint64_t workspace_bytes = 0;  // 0: none, and no workspace parameter
  bool workspace_zeroed = false;      // it asks for zeros at each launch; the filling is then timed
  std::vector<TensorMap> tensor_maps;  // in the order of the kernels' parameters
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

// The file does not compile or declares something impossible: a verdict, not an Error.
struct Refusal {
  std::string reason;  // a few lines, the first compiler error with its line of the file
  std::string log;     // all of it
};
using Compilation = std::variant<Program, Refusal>;

// A file as it was compiled, for messages that name a line of it.
struct SourceFile {
  std::string name;  // "kernel.cu"
  std::string text;
};

// What a launch can hand over as one parameter.
inline constexpr std::size_t kPointerBytes = 8;
struct Argument {
  std::string name;                   // by which a launch may ask for it: "x", "workspace", "N"
  std::string text;                   // as the parameter may be written: "const float* x"
  std::size_t bytes = kPointerBytes;  // of a size of the case they may also be 8
  bool is_size = false;               // handed over to none that does not ask for it
};

// All arguments there are: those of the case (its tensors as pointers, then its scalars by value),
// a pointer where a workspace is declared, the tensor maps, and the sizes of the case.
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
                                                          const SourceFile& file);

// What the source calls a variable or function of the PTX: "tile" for _ZZ4stepE4tile.
[[nodiscard]] std::string source_name(const std::string& name);

// The line of `file_name` (as the request called it) that a line of the program's PTX was made
// from, both from 1; none where the compiler does not say.
[[nodiscard]] std::optional<std::uint32_t> source_line(const std::string& ptx,
                                                       const std::string& file_name,
                                                       std::uint32_t ptx_line);

struct Request {
  std::string source;
  std::string file_name;                      // for messages: "kernel.cu"
  std::string architecture;                   // "sm_90a"
  std::map<std::string, std::int64_t> sizes;  // constants of the served header: M, N, K
  // What can be included beside the served header and CUDA's, by the name it is included by.
  std::map<std::string, std::string> headers = {};
  std::vector<std::string> flags = {};  // of NVRTC's: "-maxrregcount=128"
};

// The exit code of a process whose compiler crashed, with a last line on standard error that says
// so. No other part of the program ends with it.
inline constexpr int kCompilerCrashed = 99;

// Whether outputs are taken from, and kept in, the compile cache below the user's cache folder.
enum class Caching : std::uint8_t { no, yes };

// NVRTC, opened at run time. Keep one per process: opening costs about 10 ms, the first compile
// more.
class Compiler {
 public:
  // Finds NVRTC and CUDA's headers by CUDA_HOME, the loader's path, /usr/local/cuda*, the wheels
  // below the build folder and those of the Python on the PATH. Throws Error(environment) saying
  // where it looked and how to install it.
  [[nodiscard]] static Compiler open(Caching caching = Caching::no);
  Compiler(Compiler&&) noexcept;
  Compiler& operator=(Compiler&&) noexcept;
  ~Compiler();

  // NVRTC runs on a thread of its own, which can read nothing but CUDA's headers and libraries
  // where the kernel has Landlock: looking for #include in a source is beaten by macros and
  // digraphs. Throws Error(environment) only when NVRTC itself breaks.
  [[nodiscard]] Compilation compile(const Request& request) const;
  [[nodiscard]] std::string version() const;            // "13.0"
  [[nodiscard]] std::filesystem::path library() const;  // where libnvrtc was found
  // Where CUDA's headers are taken from. With the library's own folder this is all that a compile
  // reads.
  [[nodiscard]] const std::vector<std::filesystem::path>& include_directories() const;

 private:
  class Library;
  explicit Compiler(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace autokernel::compile
