// What the driver says of its devices, as lines of the record.
#pragma once

#include <atomic>

#include "driver_library.h"
#include "record_file.h"

namespace recording {

class DeviceLines {
 public:
  DeviceLines(const DriverLibrary& driver, RecordFile& file) : driver_(driver), file_(file) {}

  // Once, as soon as the driver has started. Who reads the record wants them before the first work
  // of a device.
  void write_once();

 private:
  [[nodiscard]] bool has_functions() const;
  void write_device(int ordinal);

  const DriverLibrary driver_;
  RecordFile& file_;
  std::atomic<bool> written_{false};
};

}  // namespace recording
