// Times the parser from outside. The parser runs in another process, the worker, which is handed a
// batch of texts and answers with what it read, in canonical form. The clock starts before the
// first byte of a batch is sent, and stops when the whole answer is there: nothing in the worker
// can stop it earlier, and no work can be moved out of the interval.
//
//     AUTOKERNEL_SEED=0123456789abcdef ./bench templates.bin out.bin
//
// The seed says which texts. out.bin gets the answers, for hidden/check.py.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "confine.h"
#include "pipe.h"

namespace {

// A batch takes about a millisecond. Switching between the processes takes a few per cent of that.
constexpr std::size_t kTextsOfBatch = 200;
// An answer is about as long as its texts, 60 kB; what is a hundred times that is none.
constexpr std::size_t kLongestAnswer = 8 << 20;
// A batch and an answer fit into the pipe, so they are handed over at once.
constexpr int kPipeBytes = 1 << 20;

using Texts = std::vector<std::string>;

[[noreturn]] void fail(const std::string& reason) {
  std::fprintf(stderr, "%s\n", reason.c_str());
  std::_Exit(1);
}

[[nodiscard]] Texts take_texts(std::string_view& from) {
  Texts texts(take_length(from));
  for (std::string& text : texts) {
    const std::size_t length = take_length(from);
    text = from.substr(0, length);
    from.remove_prefix(length);
  }
  return texts;
}

// splitmix64, as in fixtures.py.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) {
    std::uint64_t value = state_ += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return (value ^ (value >> 31)) % limit;
  }

 private:
  std::uint64_t state_;
};

// What fixtures.py has made, and the same as its texts_of().
class Fixtures {
 public:
  explicit Fixtures(std::string_view file)
      : words_(take_texts(file)), fragments_(take_texts(file)), templates_(take_texts(file)) {}

  [[nodiscard]] Texts texts_of(std::uint64_t seed) const {
    Draws draws(seed);
    Texts order = templates_;
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      std::swap(order[i], order[draws.below(i + 1)]);
    }
    Texts texts(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) fill(order[i], draws, texts[i]);
    return texts;
  }

 private:
  void fill(const std::string& holes, Draws& draws, std::string& text) const {
    for (const char byte : holes) {
      char digits[8];
      switch (byte) {
        case 1:
          text += std::to_string(draws.below(1'000'000));
          break;
        case 2:
          text += words_[draws.below(words_.size())];
          break;
        case 3:
          std::snprintf(digits, sizeof digits, "%04x", static_cast<unsigned>(draws.below(0xD800)));
          text += digits;
          break;
        case 4:
          fill(fragments_[draws.below(fragments_.size())], draws, text);
          break;
        default:
          text += byte;
      }
    }
  }

  Texts words_;
  Texts fragments_;
  Texts templates_;
};

// The process with the parser, at the other end of two pipes.
class Worker {
 public:
  Worker() {
    int to[2];
    int from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) fail("no pipes");
    // A smaller pipe works as well, only slower.
    ::fcntl(to[1], F_SETPIPE_SZ, kPipeBytes);
    ::fcntl(from[1], F_SETPIPE_SZ, kPipeBytes);
    process_ = ::fork();
    if (process_ < 0) fail("cannot start the worker");
    if (process_ == 0) run(to[0], from[1]);
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] bool asked(const std::string& batch, std::string& answer) const {
    return write_exactly(to_, batch) && read_message(from_, answer, kLongestAnswer);
  }

  // What it used, once it and all that it may have started has ended: what lives on could write
  // answers later than it was asked. What does not end is ended by the limit on this program's
  // time.
  [[nodiscard]] rusage ended() {
    ::close(to_);
    ::kill(process_, SIGKILL);
    while (::wait(nullptr) > 0) {
    }
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    return used;
  }

 private:
  [[noreturn]] static void run(int in, int out) {
    // It has neither this program's output nor its seed.
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) ::_exit(1);
    char name[] = "./worker";
    char* arguments[] = {name, nullptr};
    char* environment[] = {nullptr};
    if (confine()) ::execve(name, arguments, environment);
    ::_exit(1);
  }

  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
};

[[nodiscard]] std::vector<std::string> batches_of(const Texts& texts) {
  std::vector<std::string> batches;
  for (std::size_t first = 0; first < texts.size(); first += kTextsOfBatch) {
    const std::size_t last = std::min(first + kTextsOfBatch, texts.size());
    std::string body;
    for (std::size_t i = first; i < last; ++i) {
      append_length(body, texts[i].size());
      body += texts[i];
    }
    std::string& batch = batches.emplace_back();
    append_length(batch, body.size());
    batch += body;
  }
  return batches;
}

[[nodiscard]] double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

[[nodiscard]] long microseconds_of(const timeval& time) {
  return time.tv_sec * 1'000'000 + time.tv_usec;
}

}  // namespace

int main(int count, char** arguments) {
  const char* seed = std::getenv("AUTOKERNEL_SEED");
  if (count != 3 || seed == nullptr) fail("usage: AUTOKERNEL_SEED=SEED ./bench TEMPLATES OUT");
  ::signal(SIGPIPE, SIG_IGN);
  // Others than root cannot look into this process; where there is root, Landlock has to do.
  ::prctl(PR_SET_DUMPABLE, 0);
  // What the worker leaves behind becomes a child of this process, which waits for it.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Before this process holds the texts: what it holds now counts as the most that the worker has
  // held.
  Worker worker;

  std::ifstream stream(arguments[1], std::ios::binary);
  const std::string file(std::istreambuf_iterator<char>(stream), {});
  if (file.empty()) fail(std::string("cannot read ") + arguments[1]);
  const auto batches = batches_of(Fixtures(file).texts_of(std::strtoull(seed, nullptr, 16)));

  std::vector<double> microseconds;
  std::string answer;
  answer.reserve(kLongestAnswer);
  std::string answers;
  answers.reserve(batches.size() << 17U);
  for (const std::string& batch : batches) {
    const auto start = std::chrono::steady_clock::now();
    const bool answered = worker.asked(batch, answer);
    const auto end = std::chrono::steady_clock::now();
    if (!answered) fail("the parser crashed in batch " + std::to_string(microseconds.size()));
    microseconds.push_back(std::chrono::duration<double, std::micro>(end - start).count());
    answers += answer;
  }
  const rusage used = worker.ended();

  std::ofstream out(arguments[2], std::ios::binary);
  out.write(answers.data(), static_cast<std::streamsize>(answers.size()));
  if (!out.flush()) fail(std::string("cannot write ") + arguments[2]);
  std::ranges::sort(microseconds);
  std::printf("{\"median_us\": %.3f, \"p95_us\": %.3f, \"batches\": %zu, ",
              quantile(microseconds, 0.5), quantile(microseconds, 0.95), microseconds.size());
  std::printf("\"cpu_us\": %ld, \"peak_kb\": %ld}\n",
              microseconds_of(used.ru_utime) + microseconds_of(used.ru_stime), used.ru_maxrss);
}
