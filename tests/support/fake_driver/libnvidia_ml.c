// A libnvidia-ml.so.1 with one GPU, in the state AUTOKERNEL_TEST_NVML says:
//   fails    it does not start
//   mig      the GPU is in MIG mode, and cut in no slices
//   sliced   it is cut in two
//   busy     another program uses it, it is hot, its power is capped and nothing keeps it awake
//   mute     it tells its name, and nothing else
//   hot:N    it is too hot the first N times somebody asks, and then all is well
//   hangs    it never comes back from its start
//   stuck    it starts, and never says what slows its clocks down
// Otherwise all is well. AUTOKERNEL_TEST_NVML_ADDRESS is where it lies on the PCI bus.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char old_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
} PciInfo;

typedef struct {
  unsigned id;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
} ProcessInfo;

enum { kOk = 0, kNotSupported = 3, kNotFound = 6, kNotLoaded = 9 };

static int is(const char *what) {
  const char *wanted = getenv("AUTOKERNEL_TEST_NVML");
  return wanted != NULL && strcmp(wanted, what) == 0;
}

static void hang_if(const char *state) {
  while (is(state)) pause();
}

static int is_still_hot(void) {
  static int times_asked = 0;
  const char *wanted = getenv("AUTOKERNEL_TEST_NVML");
  if (wanted == NULL || strncmp(wanted, "hot:", 4) != 0) return 0;
  return times_asked++ < atoi(wanted + 4);
}

static int number(unsigned *to, unsigned value) {
  if (is("mute")) return kNotSupported;
  *to = value;
  return kOk;
}

static int say(char *to, unsigned size, const char *text) {
  strncpy(to, text, size);
  return kOk;
}

static int gpu;
static int slices[2];

int nvmlInit_v2(void) {
  hang_if("hangs");
  return is("fails") ? kNotLoaded : kOk;
}
int nvmlShutdown(void) { return kOk; }
const char *nvmlErrorString(int status) { return status == kNotLoaded ? "Driver Not Loaded" : "?"; }
int nvmlSystemGetDriverVersion(char *to, unsigned size) { return say(to, size, "580.65.06"); }
int nvmlDeviceGetCount_v2(unsigned *count) { return *count = 1, kOk; }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  *device = &gpu;
  return index == 0 ? kOk : kNotFound;
}

int nvmlDeviceGetName(void *device, char *to, unsigned size) {
  (void)device;
  return say(to, size, "NVIDIA Fake");
}

int nvmlDeviceGetUUID(void *device, char *to, unsigned size) {
  if (device == &slices[0]) return say(to, size, "MIG-first");
  if (device == &slices[1]) return say(to, size, "MIG-second");
  return say(to, size, "GPU-1234");
}

int nvmlDeviceGetPciInfo_v3(void *device, PciInfo *info) {
  (void)device;
  memset(info, 0, sizeof *info);
  const char *address = getenv("AUTOKERNEL_TEST_NVML_ADDRESS");
  return say(info->bus_id, sizeof info->bus_id - 1, address != NULL ? address : "00000000:1B:00.0");
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *later) {
  (void)device;
  *now = *later = is("mig") || is("sliced");
  return is("mute") ? kNotSupported : kOk;
}

// Numbers of slices that were taken away stay free.
int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count) {
  (void)device;
  return number(count, 7);
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **slice) {
  (void)device;
  if (!is("sliced") || (index != 1 && index != 3)) return kNotFound;
  *slice = &slices[index == 3];
  return kOk;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz) {
  (void)device;
  return number(mhz, type == 1 ? 345 : 2619);
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz) {
  (void)device;
  return number(mhz, type == 1 ? 1980 : 3201);
}

int nvmlDeviceGetPersistenceMode(void *device, unsigned *mode) {
  (void)device;
  return number(mode, !is("busy"));
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons) {
  (void)device;
  hang_if("stuck");
  *reasons = is("busy") || is_still_hot() ? 0x40 : 0x1;
  return is("mute") ? kNotSupported : kOk;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
  (void)device;
  return number(milliwatts, 75500);
}

int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *milliwatts) {
  (void)device;
  return number(milliwatts, is("busy") ? 350000 : 700000);
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *milliwatts) {
  (void)device;
  return number(milliwatts, 700000);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius) {
  (void)device;
  (void)sensor;
  return number(celsius, is("busy") ? 91 : 31);
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, ProcessInfo *list) {
  (void)device;
  if (is("mute")) return kNotSupported;
  *count = is("busy") ? 3 : 0;
  if (*count == 0) return kOk;
  list[0] = (ProcessInfo){.id = 4711, .memory_bytes = 3ULL << 30};
  list[1] = (ProcessInfo){.id = 4712, .memory_bytes = ~0ULL};
  list[2] = (ProcessInfo){.id = 4713, .memory_bytes = ~0ULL};
  return kOk;
}
