// What this process records: its two files, and the thread that writes them ten times a second. A
// program that is killed, or leaves by _exit(), loses what came after the last time; of what its
// GPUs did, up to a second.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "lock.h"
#include "record_file.h"
#include "spool.h"

namespace recording {

enum class Moment : std::uint8_t { meanwhile, context_ends, at_end };

class Recorder {
 public:
  explicit Recorder(const char* folder);

  // What the GPUs do, and which calls had them do it.
  RecordFile gpu_file;
  Spool gpu{gpu_file};
  // What the program says of itself.
  RecordFile program_file;
  Spool program{program_file};

  // A context is about to be destroyed, and with it what CUPTI knows of its work.
  void context_ends();
  // A sentence for the user, in gpu_file.
  void warn(std::string_view sentence);

  // Something that is to hand over what it has, before each time the files are written.
  using Source = void (*)(Recorder&, Moment);
  void set_gpu_source(Source source) { gpu_source_.store(source, std::memory_order_release); }
  void set_program_source(Source source) {
    program_source_.store(source, std::memory_order_release);
  }

  void start_writing();
  // The program ends by itself. May be called where the process is not the one that made this.
  void end();
  void abandon_files();

 private:
  static void* write_until_told(void* recorder);
  void write(Moment moment);
  [[nodiscard]] bool wait_for_next_time();
  void stop_writing();

  const pid_t process_;
  std::atomic<Source> gpu_source_{nullptr};
  std::atomic<Source> program_source_{nullptr};
  pthread_t writer_{};
  bool writer_runs_ = false;
  pthread_mutex_t told_lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t told_changed_{};
  bool told_to_stop_ = false;
};

// The one of this process; null where nothing is recorded.
[[nodiscard]] Recorder* recorder();
// Makes it, in the first call of a process that AUTOKERNEL_PROFILE_DIR names a folder to. Null
// otherwise, and after the end.
Recorder* started_recorder();
// Has the record closed before everything that is there now is taken down at the end of the
// program.
void close_before_what_is_loaded();

}  // namespace recording
