#include "autokernel/base/sandbox.h"

#include <asm/sockios.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "autokernel/base/landlock.h"
#include "autokernel/base/owned.h"
#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

constexpr const char* kAttempt =
    "cannot confine the process in which the kernel runs; autokernel needs a Linux with seccomp";

// What computing takes: memory, threads, clocks, signals of its own, and talking on what is open.
constexpr std::array kComputing = {SCMP_SYS(read),
                                   SCMP_SYS(write),
                                   SCMP_SYS(readv),
                                   SCMP_SYS(writev),
                                   SCMP_SYS(close),
                                   SCMP_SYS(lseek),
                                   SCMP_SYS(poll),
                                   SCMP_SYS(ppoll),
                                   SCMP_SYS(restart_syscall),
                                   SCMP_SYS(munmap),
                                   SCMP_SYS(mprotect),
                                   SCMP_SYS(madvise),
                                   SCMP_SYS(mremap),
                                   SCMP_SYS(brk),
                                   SCMP_SYS(membarrier),
                                   SCMP_SYS(mincore),
                                   SCMP_SYS(futex),
                                   SCMP_SYS(set_robust_list),
                                   SCMP_SYS(rseq),
                                   SCMP_SYS(set_tid_address),
                                   SCMP_SYS(sched_yield),
                                   SCMP_SYS(sched_getaffinity),
                                   SCMP_SYS(getcpu),
                                   SCMP_SYS(getpid),
                                   SCMP_SYS(gettid),
                                   SCMP_SYS(clock_gettime),
                                   SCMP_SYS(clock_getres),
                                   SCMP_SYS(clock_nanosleep),
                                   SCMP_SYS(nanosleep),
                                   SCMP_SYS(gettimeofday),
                                   SCMP_SYS(getrusage),
                                   SCMP_SYS(sysinfo),
                                   SCMP_SYS(uname),
                                   SCMP_SYS(getrandom),
                                   SCMP_SYS(rt_sigaction),
                                   SCMP_SYS(rt_sigprocmask),
                                   SCMP_SYS(rt_sigreturn),
                                   SCMP_SYS(sigaltstack),
                                   SCMP_SYS(rt_sigtimedwait),
                                   SCMP_SYS(exit),
                                   SCMP_SYS(exit_group)};

// What no driver needs once its devices are open.
constexpr std::array kRefused = {
    // programs and other processes
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(process_madvise),
    SCMP_SYS(process_mrelease), SCMP_SYS(kcmp), SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(setpriority), SCMP_SYS(ioprio_set),
    SCMP_SYS(migrate_pages), SCMP_SYS(move_pages), SCMP_SYS(setsid), SCMP_SYS(setpgid),
    // files
    SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(creat),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(name_to_handle_at), SCMP_SYS(truncate), SCMP_SYS(unlink),
    SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link),
    SCMP_SYS(linkat), SCMP_SYS(symlink), SCMP_SYS(symlinkat), SCMP_SYS(mkdir), SCMP_SYS(mkdirat),
    SCMP_SYS(rmdir), SCMP_SYS(mknod), SCMP_SYS(mknodat), SCMP_SYS(chmod), SCMP_SYS(fchmod),
    SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(fchown), SCMP_SYS(lchown), SCMP_SYS(fchownat),
    SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(utimensat), SCMP_SYS(futimesat), SCMP_SYS(chdir),
    SCMP_SYS(fchdir), SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(mount), SCMP_SYS(umount2),
    SCMP_SYS(fsopen), SCMP_SYS(fspick), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(open_tree),
    SCMP_SYS(move_mount), SCMP_SYS(inotify_init), SCMP_SYS(inotify_init1), SCMP_SYS(fanotify_init),
    // what is known of files that are not open
    SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs),
    SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink),
    SCMP_SYS(readlinkat), SCMP_SYS(getxattr), SCMP_SYS(lgetxattr), SCMP_SYS(fgetxattr),
    SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr), SCMP_SYS(listxattr),
    SCMP_SYS(llistxattr), SCMP_SYS(flistxattr), SCMP_SYS(removexattr), SCMP_SYS(lremovexattr),
    SCMP_SYS(fremovexattr),
    // network, and messages to other processes
    SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen),
    SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(shmctl),
    SCMP_SYS(semget), SCMP_SYS(semop), SCMP_SYS(semtimedop), SCMP_SYS(semctl), SCMP_SYS(msgget),
    SCMP_SYS(msgsnd), SCMP_SYS(msgrcv), SCMP_SYS(msgctl), SCMP_SYS(mq_open), SCMP_SYS(mq_unlink),
    SCMP_SYS(mq_timedsend), SCMP_SYS(mq_timedreceive), SCMP_SYS(mq_notify), SCMP_SYS(mq_getsetattr),
    // memory that belongs to a file, and is not counted as a process's
    SCMP_SYS(memfd_create),
    // the system itself, and ways round this list
    SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(bpf), SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register), SCMP_SYS(io_setup), SCMP_SYS(io_submit), SCMP_SYS(keyctl),
    SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(init_module), SCMP_SYS(finit_module),
    SCMP_SYS(delete_module), SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot),
    SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(quotactl), SCMP_SYS(acct), SCMP_SYS(sync),
    SCMP_SYS(syncfs), SCMP_SYS(syslog), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime),
    SCMP_SYS(adjtimex), SCMP_SYS(clock_adjtime), SCMP_SYS(personality), SCMP_SYS(iopl),
    SCMP_SYS(ioperm), SCMP_SYS(modify_ldt)};
// What no compiler needs. Its group is killed with it, so nothing of it may leave the group.
constexpr std::array kRefusedToCompilers = {
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise), SCMP_SYS(process_mrelease), SCMP_SYS(kcmp), SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(setsid), SCMP_SYS(setpgid), SCMP_SYS(migrate_pages),
    SCMP_SYS(move_pages), SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(mount),
    SCMP_SYS(umount2), SCMP_SYS(fsopen), SCMP_SYS(fspick), SCMP_SYS(fsconfig), SCMP_SYS(fsmount),
    SCMP_SYS(open_tree), SCMP_SYS(move_mount), SCMP_SYS(open_by_handle_at), SCMP_SYS(inotify_init),
    SCMP_SYS(inotify_init1), SCMP_SYS(fanotify_init), SCMP_SYS(socket), SCMP_SYS(connect),
    SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(shmget),
    SCMP_SYS(shmat), SCMP_SYS(shmctl), SCMP_SYS(semget), SCMP_SYS(semop), SCMP_SYS(semtimedop),
    SCMP_SYS(semctl), SCMP_SYS(msgget), SCMP_SYS(msgsnd), SCMP_SYS(msgrcv), SCMP_SYS(msgctl),
    SCMP_SYS(mq_open), SCMP_SYS(mq_unlink), SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(keyctl), SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon),
    SCMP_SYS(swapoff), SCMP_SYS(quotactl), SCMP_SYS(acct), SCMP_SYS(syslog), SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime), SCMP_SYS(adjtimex), SCMP_SYS(clock_adjtime), SCMP_SYS(personality),
    SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(modify_ldt),
    // of files, what Landlock does not know of: owners, modes, times and attributes
    SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(fchown),
    SCMP_SYS(lchown), SCMP_SYS(fchownat), SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(utimensat),
    SCMP_SYS(futimesat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr),
    SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr),
    // priorities and signals of others
    SCMP_SYS(setpriority), SCMP_SYS(ioprio_set), SCMP_SYS(tkill),
    // memory that belongs to a file, and is not counted as a process's
    SCMP_SYS(memfd_create)};
// The same, by number: libseccomp knows calls by name only up to its own year. These numbers are
// the same on every machine.
constexpr std::array kRefusedByNumber = {
    442,  // mount_setattr
    443,  // quotactl_fd
    447,  // memfd_secret
    450,  // set_mempolicy_home_node
    451,  // cachestat
    452,  // fchmodat2
};
// From statmount on (Linux 6.8), calls are newer than any that a driver cannot do without: among
// them are listmount, those for extended attributes below a folder, open_tree_attr, file_getattr,
// and all that a later kernel brings. They are as if this kernel did not have them. The numbers
// from 512 on mean something else on some machines.
constexpr int kFirstTooNew = 457;
constexpr int kEndOfTooNew = 512;

// What a process may do to its own threads, but is refused for others: the calls take 0 for whoever
// makes them.
constexpr std::array kOnlyForItself = {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity),
                                       SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam),
                                       SCMP_SYS(sched_setattr)};

void expect(int status, const char* call) {
  if (status < 0) throw system_failure(Stop::environment, kAttempt, call, -status);
}

class Filter {
 public:
  enum class Threads : std::uint8_t { all, one };
  explicit Filter(std::uint32_t otherwise, Threads threads = Threads::all)
      : context_(::seccomp_init(otherwise), [](void* context) { ::seccomp_release(context); }) {
    if (context_.get() == nullptr) {
      throw system_failure(Stop::environment, kAttempt, "seccomp_init", ENOMEM);
    }
    // Threads that a library has started are confined as well.
    if (threads == Threads::all)
      expect(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_TSYNC, 1), "seccomp_attr_set");
  }
  template <typename... Comparison>
  void rule(std::uint32_t action, int call, Comparison... compared) {
    const int status = ::seccomp_rule_add(context_.get(), action, call,
                                          static_cast<unsigned>(sizeof...(compared)), compared...);
    // A call that this machine does not have cannot be made either.
    if (status != -EDOM) expect(status, "seccomp_rule_add");
  }
  void load() { expect(::seccomp_load(context_.get()), "seccomp_load"); }
  // Where calls that wait for an answer arrive; of a filter that is loaded and has some.
  [[nodiscard]] Descriptor listener() {
    const int descriptor = ::seccomp_notify_fd(context_.get());
    expect(descriptor, "seccomp_notify_fd");
    // The library keeps its own, which it closes.
    Descriptor copy(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (!copy.is_open()) throw system_failure(Stop::environment, kAttempt, "fcntl");
    return copy;
  }

 private:
  Owned<void*> context_;
};

constexpr std::uint32_t refused(int error) { return SCMP_ACT_ERRNO(static_cast<unsigned>(error)); }

// Memory that processes share belongs to a file of its own: what a process holds of it and does not
// look at is not counted as the process's.
scmp_arg_cmp is_private_mapping() {
  return {.arg = 3, .op = SCMP_CMP_MASKED_EQ, .datum_a = MAP_TYPE, .datum_b = MAP_PRIVATE};
}

scmp_arg_cmp first_argument(scmp_compare how, std::uint64_t value, std::uint64_t second = 0) {
  return {.arg = 0, .op = how, .datum_a = value, .datum_b = second};
}

// A thread shares all memory; what does not would be a process.
constexpr std::uint64_t kThread = CLONE_VM | CLONE_THREAD;

void allow_computing(Filter& filter) {
  for (const int call : kComputing) filter.rule(SCMP_ACT_ALLOW, call);
  filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(clone),
              first_argument(SCMP_CMP_MASKED_EQ, kThread, kThread));
  // Its flags lie in memory, where no filter sees them: libraries take the older call instead.
  filter.rule(refused(ENOSYS), SCMP_SYS(clone3));
  filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
              first_argument(SCMP_CMP_EQ, static_cast<std::uint64_t>(::getpid())));
  filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(mmap), is_private_mapping());
  filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(prctl), first_argument(SCMP_CMP_EQ, PR_SET_NAME));
}

void refuse_the_rest(Filter& filter) {
  const auto own = static_cast<std::uint64_t>(::getpid());
  for (const int call : kRefused) filter.rule(refused(EPERM), call);
  for (const int call : kRefusedByNumber) filter.rule(refused(EPERM), call);
  for (int call = kFirstTooNew; call < kEndOfTooNew; ++call) filter.rule(refused(ENOSYS), call);
  for (const std::uint64_t missing : {std::uint64_t{0}, std::uint64_t{CLONE_VM}}) {
    filter.rule(refused(EPERM), SCMP_SYS(clone),
                first_argument(SCMP_CMP_MASKED_EQ, kThread, missing));
  }
  filter.rule(refused(EPERM), SCMP_SYS(clone),
              first_argument(SCMP_CMP_MASKED_EQ, kThread, CLONE_THREAD));
  filter.rule(refused(ENOSYS), SCMP_SYS(clone3));
  for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)}) {
    filter.rule(refused(EPERM), call, first_argument(SCMP_CMP_NE, own));
  }
  for (const int call : kOnlyForItself) {
    filter.rule(refused(EPERM), call, first_argument(SCMP_CMP_NE, 0));
  }
  // Whom the kernel is to signal when something can be read.
  for (const std::uint64_t command :
       {std::uint64_t{F_SETOWN}, std::uint64_t{F_SETSIG}, std::uint64_t{F_SETOWN_EX}}) {
    filter.rule(refused(EPERM), SCMP_SYS(fcntl),
                scmp_arg_cmp{.arg = 1, .op = SCMP_CMP_EQ, .datum_a = command, .datum_b = 0});
  }
  for (const std::uint64_t command : {std::uint64_t{FIOSETOWN}, std::uint64_t{SIOCSPGRP}}) {
    filter.rule(refused(EPERM), SCMP_SYS(ioctl),
                scmp_arg_cmp{.arg = 1, .op = SCMP_CMP_EQ, .datum_a = command, .datum_b = 0});
  }
}

}  // namespace

void enter_sandbox(Sandbox sandbox) {
  // A second lock on the same door, for calls that the filter does not know; where the kernel has
  // none, the filter is what there is.
  static_cast<void>(confine_to_what_is_open());
  const bool computes = sandbox == Sandbox::computing;
  Filter filter(computes ? refused(EPERM) : SCMP_ACT_ALLOW);
  if (computes) {
    allow_computing(filter);
  } else {
    refuse_the_rest(filter);
  }
  filter.load();
}

namespace {

// What a build does with its own files and process groups.
constexpr std::array kLeftToCommands = {SCMP_SYS(setsid), SCMP_SYS(setpgid)};
// What would let a command slow others down, or measure itself at their cost: priorities above
// theirs, and names of the machine. What compilers have no use for either, but are not refused.
constexpr std::array kRefusedToCommands = {SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam),
                                           SCMP_SYS(sched_setattr), SCMP_SYS(sethostname),
                                           SCMP_SYS(setdomainname)};
constexpr std::array kAnsweredByParent = {SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat),
                                          SCMP_SYS(utimensat)};
constexpr std::array kNetworkCalls = {SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind),
                                      SCMP_SYS(listen), SCMP_SYS(accept),  SCMP_SYS(accept4)};

[[nodiscard]] bool is_among(std::span<const int> calls, int call) {
  return std::ranges::find(calls, call) != calls.end();
}

// What compilers and commands are refused alike, beside the calls by name.
void refuse_ways_out(Filter& filter) {
  for (const int call : kRefusedByNumber) filter.rule(refused(EPERM), call);
  for (int call = kFirstTooNew; call < kEndOfTooNew; ++call) filter.rule(refused(ENOSYS), call);
  // Namespaces of its own are a way round: flags of clone3 lie in memory, where no filter sees
  // them.
  constexpr std::uint64_t kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                        CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  for (std::uint64_t one = 1; one != 0 && one <= kNamespaces; one <<= 1U) {
    if ((kNamespaces & one) != 0) {
      filter.rule(refused(EPERM), SCMP_SYS(clone), first_argument(SCMP_CMP_MASKED_EQ, one, one));
    }
  }
  filter.rule(refused(ENOSYS), SCMP_SYS(clone3));
  for (const int call : kOnlyForItself) {
    filter.rule(refused(EPERM), call, first_argument(SCMP_CMP_NE, 0));
  }
}

// What is shared and not looked at is nobody's memory.
void refuse_shared_memory(Filter& filter) {
  constexpr std::uint64_t kSharedMemory = MAP_SHARED | MAP_ANONYMOUS;
  filter.rule(
      refused(EPERM), SCMP_SYS(mmap),
      scmp_arg_cmp{
          .arg = 3, .op = SCMP_CMP_MASKED_EQ, .datum_a = kSharedMemory, .datum_b = kSharedMemory});
}

void refuse_signals_to_others(Filter& filter) {
  const auto self = static_cast<std::uint64_t>(::getpid());
  for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)}) {
    filter.rule(refused(EPERM), call, first_argument(SCMP_CMP_NE, self));
  }
}

// A pair that carries single messages can send them to any socket that has a path.
void refuse_pairs_for_messages(Filter& filter) {
  constexpr std::uint64_t kTypes = 0xF;
  for (const std::uint64_t type :
       {std::uint64_t{SOCK_DGRAM}, std::uint64_t{SOCK_SEQPACKET}, std::uint64_t{SOCK_RAW}}) {
    filter.rule(
        refused(EPERM), SCMP_SYS(socketpair),
        scmp_arg_cmp{.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = kTypes, .datum_b = type});
  }
}

// Pages of files that all programs read are in memory once: who throws them out slows down whoever
// runs next.
void refuse_emptying_caches(Filter& filter) {
  filter.rule(
      refused(EPERM), SCMP_SYS(fadvise64),
      scmp_arg_cmp{.arg = 3, .op = SCMP_CMP_EQ, .datum_a = POSIX_FADV_DONTNEED, .datum_b = 0});
  constexpr std::uint64_t kCold = 20;     // MADV_COLD, which older headers do not have
  constexpr std::uint64_t kPageOut = 21;  // MADV_PAGEOUT
  for (const std::uint64_t advice : {kCold, kPageOut})
    filter.rule(refused(EPERM), SCMP_SYS(madvise),
                scmp_arg_cmp{.arg = 2, .op = SCMP_CMP_EQ, .datum_a = advice, .datum_b = 0});
}

// Sockets of a command that has no network: none, but what it cannot do without.
struct Sockets {
  bool of_server = false;  // TCP, to listen
  bool of_driver = false;  // local: CUDA's driver listens on one, for others of its kind
};

// It listens, and nothing else: Landlock knows of connect() by TCP, and neither of local sockets,
// nor of connections that are opened by sending, nor of other protocols of the same family.
void refuse_connections(Filter& filter) {
  filter.rule(refused(EPERM), SCMP_SYS(connect));
  constexpr std::uint64_t kTcp = IPPROTO_TCP;
  filter.rule(refused(EPERM), SCMP_SYS(socket),
              scmp_arg_cmp{.arg = 2, .op = SCMP_CMP_GT, .datum_a = kTcp, .datum_b = 0});
  for (std::uint64_t protocol = 1; protocol < kTcp; ++protocol)
    filter.rule(refused(EPERM), SCMP_SYS(socket),
                scmp_arg_cmp{.arg = 2, .op = SCMP_CMP_EQ, .datum_a = protocol, .datum_b = 0});
  struct Sending {
    int call;
    unsigned flags;  // which argument
  };
  for (const auto& [call, flags] : {Sending{SCMP_SYS(sendto), 3}, Sending{SCMP_SYS(sendmsg), 2},
                                    Sending{SCMP_SYS(sendmmsg), 3}})
    filter.rule(refused(EPERM), call,
                scmp_arg_cmp{.arg = flags,
                             .op = SCMP_CMP_MASKED_EQ,
                             .datum_a = MSG_FASTOPEN,
                             .datum_b = MSG_FASTOPEN});
}

void restrict_sockets(Filter& filter, const Sockets& allowed) {
  constexpr std::uint64_t kFamilies = 64;  // AF_MAX is 46 in Linux 6.12
  for (std::uint64_t family = 0; family < kFamilies; ++family) {
    const bool is_of_server = family == AF_INET || family == AF_INET6;
    if ((is_of_server && allowed.of_server) || (family == AF_UNIX && allowed.of_driver)) continue;
    filter.rule(refused(EPERM), SCMP_SYS(socket), first_argument(SCMP_CMP_EQ, family));
  }
  struct Type {
    std::uint64_t type;
    bool is_allowed;
  };
  constexpr std::uint64_t kTypes = 0xF;
  for (const auto& [type, is_allowed] :
       {Type{SOCK_STREAM, allowed.of_server}, Type{SOCK_DGRAM, false}, Type{SOCK_RAW, false},
        Type{SOCK_RDM, false}, Type{SOCK_SEQPACKET, allowed.of_driver}}) {
    if (is_allowed) continue;
    filter.rule(
        refused(EPERM), SCMP_SYS(socket),
        scmp_arg_cmp{.arg = 1, .op = SCMP_CMP_MASKED_EQ, .datum_a = kTypes, .datum_b = type});
  }
  refuse_connections(filter);
}

// Of root, all but its way to files, which Landlock bounds: priorities, the machine's clock and
// settings, attributes of files.
void give_up_capabilities() {
  constexpr int kKept = CAP_DAC_OVERRIDE;
  constexpr int kBits = 32;
  constexpr int kMost = 64;
  // The last is not known to older headers; the call fails behind it.
  for (int capability = 0; capability < kMost; ++capability) {
    if (capability != kKept && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 &&
        errno == EINVAL)
      break;
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return;
  const std::array kept = {1U << static_cast<unsigned>(kKept % kBits), 0U};
  for (std::size_t i = 0; i < sets.size(); ++i) {
    sets.at(i).effective &= kept.at(i);
    sets.at(i).permitted &= kept.at(i);
    sets.at(i).inheritable &= kept.at(i);
  }
  if (::syscall(SYS_capset, &header, sets.data()) != 0)
    throw system_failure(Stop::environment, kAttempt, "capset");
}

}  // namespace

void confine_compiler(std::span<const std::filesystem::path> readable,
                      const std::filesystem::path& own) {
  static_cast<void>(confine_to_folders({.readable = readable, .own = own}));
  Filter filter(SCMP_ACT_ALLOW);
  for (const int call : kRefusedToCompilers) filter.rule(refused(EPERM), call);
  refuse_ways_out(filter);
  refuse_shared_memory(filter);
  refuse_signals_to_others(filter);
  refuse_pairs_for_messages(filter);
  filter.load();
}

Descriptor confine_command(std::span<const std::filesystem::path> readable,
                           const std::filesystem::path& own, const Network& network,
                           std::span<const std::filesystem::path> devices) {
  const Sockets sockets{.of_server = network.kind == Network::Kind::serving,
                        .of_driver = !devices.empty()};
  const bool has_sockets =
      network.kind == Network::Kind::any || sockets.of_server || sockets.of_driver;
  give_up_capabilities();
  static_cast<void>(confine_to_folders({.readable = readable,
                                        .own = own,
                                        .devices = devices,
                                        .has_network = network.kind == Network::Kind::any,
                                        .port = network.port}));
  Filter filter(SCMP_ACT_ALLOW, Filter::Threads::one);
  for (const int call : kRefusedToCompilers) {
    if (is_among(kLeftToCommands, call) || is_among(kAnsweredByParent, call) ||
        (has_sockets && is_among(kNetworkCalls, call))) {
      continue;
    }
    filter.rule(refused(EPERM), call);
  }
  for (const int call : kRefusedToCommands) filter.rule(refused(EPERM), call);
  refuse_emptying_caches(filter);
  for (const int call : kAnsweredByParent) filter.rule(SCMP_ACT_NOTIFY, call);
  // CUDA's driver does not start where it cannot name its threads and read its own maps, and
  // Landlock knows no folder that is each process's own. It takes 10 us for each file.
  if (!devices.empty()) filter.rule(SCMP_ACT_NOTIFY, SCMP_SYS(openat));
  refuse_ways_out(filter);
  // CUDA's driver has memory of the host's as such.
  if (devices.empty()) refuse_shared_memory(filter);
  if (!confines_signals()) refuse_signals_to_others(filter);
  if (has_sockets && network.kind != Network::Kind::any) restrict_sockets(filter, sockets);
  if (network.kind != Network::Kind::any) refuse_pairs_for_messages(filter);
  filter.load();
  return filter.listener();
}

}  // namespace autokernel
