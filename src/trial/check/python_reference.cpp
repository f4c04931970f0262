#include "trial/check/python_reference.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/confined_python.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;
using document::Json;

constexpr const char* kScript = "python_reference.py";

const cases::PythonReference& reference_of(const cases::Case& problem) {
  return std::get<cases::PythonReference>(problem.reference);
}

[[noreturn]] void broken(const cases::Case& problem, const std::string& reason) {
  throw Error(Stop::usage, fmt::format("cannot run the reference {} of case {}: {}; fix it in {}",
                                       reference_of(problem).file.string(), problem.name, reason,
                                       problem.directory.string()));
}

// In elements, of each dimension.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t i = extents.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * extents[i - 1];
  return strides;
}

// A number that is handed over by value; 64-bit ones are whole there.
Json scalar_json(const SizedTensor& scalar, const Bytes& bytes) {
  const auto as = [&](auto value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  };
  switch (scalar.tensor->dtype) {
    case cases::DType::f64:
      return as(double{});
    case cases::DType::f32:
      return as(float{});
    case cases::DType::i64:
      return as(std::int64_t{});
    case cases::DType::i32:
      return as(std::int32_t{});
    case cases::DType::u32:
      return as(std::uint32_t{});
    case cases::DType::i16:
      return as(std::int16_t{});
    case cases::DType::i8:
      return as(std::int8_t{});
    case cases::DType::boolean:
      return as(std::uint8_t{}) != 0;
    default:
      return nullptr;
  }
}

// A file that was not there before: the process that reads it may have put a link in its place.
void write_bytes(const fs::path& file, const Bytes& bytes) {
  ::unlink(file.c_str());
  constexpr mode_t kOwn = 0600;
  const Descriptor created(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwn));
  std::size_t written = 0;
  while (created.is_open() && written < bytes.size()) {
    const ssize_t count = ::write(created.get(), bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  if (!created.is_open() || written < bytes.size()) {
    throw Error(Stop::environment,
                fmt::format("cannot write {} bytes for the reference to {}: make room there, or "
                            "set TMPDIR",
                            bytes.size(), file.parent_path().string()));
  }
}

// None for a link, and for what is no file.
std::optional<std::string> read_written(const fs::path& file, std::uint64_t most) {
  try {
    return read_file_below(file.parent_path(), file.filename(), "a result", most);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Json> parsed_answer(const std::string& text) {
  try {
    return document::parsed(text);
  } catch (const document::Unreadable&) {
    return std::nullopt;
  }
}

}  // namespace

PythonProcess::PythonProcess(const cases::Case& problem, const std::string& python)
    : problem_(&problem), folder_(fs::canonical(scratch_.path())) {
  const cases::PythonReference& reference = reference_of(problem);
  fs::path named = reference.python.empty() ? python : reference.python;
  if (named.is_relative() && named.has_parent_path()) named = problem.directory / named;
  const fs::path found = compile::runnable_python(
      named.string(), "run the reference " + reference.file.string(), "[reference]");
  const fs::path files = folder_ / compile::kFilesFolder;
  write_file_atomically(folder_ / kScript, compile::python_reference_driver(), Sync::no);
  make_folders((files / reference.file).parent_path());
  write_file_atomically(files / reference.file, reference.source, Sync::no);
  for (const auto& [path, text] : reference.files) {
    make_folders((files / path).parent_path());
    write_file_atomically(files / path, text, Sync::no);
  }
  child_ = std::make_unique<Child>(
      Child::start(compile::confined_python(found, folder_, kScript, compile::Talk::by_channels)));
  say(document::line(Json{{"module", reference.file.stem().string()}}));
}

void PythonProcess::say(const std::string& line) {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::write(child_->input().get(), line.data() + sent, line.size() - sent);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EINTR) {
      pollfd waiting{.fd = child_->input().get(), .events = POLLOUT, .revents = 0};
      ::poll(&waiting, 1, -1);
    } else {
      return;  // it has ended, which whoever waits for its answer finds
    }
  }
}

std::string PythonProcess::printed() {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = ::read(child_->output().get(), part.data(), part.size());
    if (count <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  constexpr std::size_t kMost = 400;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kMost) text.erase(0, text.size() - kMost);
  return visible_text(text);
}

// A line; empty where it ended without one. What it prints is dropped meanwhile.
std::string PythonProcess::heard() {
  std::string last_printed;
  std::array<char, 4096> part{};
  for (;;) {
    const std::size_t end = received_.find('\n');
    if (end != std::string::npos) {
      const std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    std::array<pollfd, 2> waiting{{{.fd = child_->messages().get(), .events = POLLIN, .revents = 0},
                                   {.fd = child_->output().get(), .events = POLLIN, .revents = 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return {};
    if ((waiting[1].revents & POLLIN) != 0) last_printed = printed();
    if ((waiting[0].revents & (POLLIN | POLLHUP)) == 0) continue;
    const ssize_t count = ::read(child_->messages().get(), part.data(), part.size());
    if (count > 0) {
      received_.append(part.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      throw Error(Stop::environment, fmt::format("cannot run the reference {}: its Python ended{}",
                                                 reference_of(*problem_).file.string(),
                                                 last_printed.empty() ? "" : ": " + last_printed));
    }
  }
}

void PythonProcess::require_answer() {
  const auto json = parsed_answer(heard());
  if (!json || !json->is_object()) broken(*problem_, "its answer cannot be read");
  const auto error = json->find("error");
  if (error == json->end()) return;
  const std::string what = error->is_string() ? visible_text(error->get<std::string>()) : "";
  if (what.starts_with("ModuleNotFoundError")) {
    throw Error(
        Stop::environment,
        fmt::format("cannot run the reference {}: {}; install it for the Python that runs it, "
                    "or name another one: [reference] python = \"PATH\"",
                    reference_of(*problem_).file.string(), what));
  }
  broken(*problem_, what);
}

void PythonProcess::compute(const SizedCase& sized, const std::vector<Bytes>& inputs,
                            std::vector<Bytes>& expected) {
  if (!is_loaded_) require_answer();
  is_loaded_ = true;
  Json call = {{"module", reference_of(*problem_).file.stem().string()},
               {"inputs", Json::array()},
               {"scalars", Json::object()},
               {"outputs", Json::array()}};
  expected.resize(sized.tensors.size());
  const auto file_of = [&](std::size_t index, const char* kind) {
    return folder_ / fmt::format("{}{}", kind, index);
  };
  for (std::size_t i = 0; i < sized.tensors.size(); ++i) {
    const SizedTensor& tensor = sized.tensors[i];
    if (tensor.tensor->is_scalar) {
      call["scalars"][tensor.tensor->name] = scalar_json(tensor, inputs[i]);
      continue;
    }
    std::vector<std::int64_t> shape = tensor.extents;
    if (tensor.has_padding()) shape.back() = static_cast<std::int64_t>(tensor.row_length);
    const Json described = {{"name", tensor.tensor->name},
                            {"dtype", cases::spelling(tensor.tensor->dtype)},
                            {"shape", shape},
                            {"strides", strides_of(tensor.extents)},
                            {"bytes", tensor.bytes}};
    if (tensor.is_read()) {
      write_bytes(file_of(i, "in"), inputs[i]);
      call["inputs"].push_back(described);
      call["inputs"].back()["file"] = file_of(i, "in").string();
    }
    if (tensor.is_written()) {
      // Padding is not compared.
      write_bytes(file_of(i, "out"), Bytes(tensor.bytes));
      call["outputs"].push_back(described);
      call["outputs"].back()["file"] = file_of(i, "out").string();
    }
  }
  say(document::line(call));
  require_answer();
  for (std::size_t i = 0; i < sized.tensors.size(); ++i) {
    if (!sized.tensors[i].is_written()) continue;
    Bytes& whole = expected[i];
    whole.resize(sized.tensors[i].bytes);
    const auto written = read_written(file_of(i, "out"), whole.size());
    if (!written || written->size() != whole.size())
      broken(*problem_, "what it wrote cannot be read");
    std::memcpy(whole.data(), written->data(), whole.size());
  }
}

}  // namespace autokernel::trial
