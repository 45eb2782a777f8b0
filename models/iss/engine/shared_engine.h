#pragma once

#include "elf_image.h"

#include <unicorn/unicorn.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace armature::iss {

/// One simulator of Unicorn's for all machines that run an image. Machines never run at the same time, since each call
/// of a machine ends before the next one begins; so they take turns, and code is translated once for all of them, into
/// one buffer (1 GiB of address space, which Unicorn 2.0.1 takes for each simulator). A turn restores the machine's
/// registers and moves the pages of its data memory to where the simulator expects them.
class SharedEngine {
 public:
  /// What a machine is told while it runs.
  class Guest {
   public:
    virtual std::uint32_t bus_read(std::uint32_t address, unsigned bytes) = 0;
    virtual void bus_write(std::uint32_t address, unsigned bytes, std::uint32_t word) = 0;
    virtual void exception(std::uint32_t cause) = 0;
    virtual void bad_access(uc_mem_type type, std::uint32_t address, int bytes) = 0;

   protected:
    ~Guest() = default;
  };

  /// A machine's place at the engine: its registers and its data memory while another one has its turn.
  class Seat {
   public:
    Seat(SharedEngine& engine, Guest& guest);
    ~Seat();
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

   private:
    friend class SharedEngine;
    SharedEngine& engine_;
    Guest& guest_;
    std::uint8_t* memory_;  ///< where it is while the machine has not its turn
    uc_context* registers_ = nullptr;
  };

  /// The one of this image. Throws std::bad_alloc if there is no address space for one.
  static std::shared_ptr<SharedEngine> of(const std::shared_ptr<const Image>& image);
  explicit SharedEngine(std::shared_ptr<const Image> image);
  ~SharedEngine();
  SharedEngine(const SharedEngine&) = delete;
  SharedEngine& operator=(const SharedEngine&) = delete;

  const Image& image() const { return *image_; }
  /// The simulator, with this machine's registers and data memory.
  uc_engine* take_turn(Seat& seat);

 private:
  static std::uint64_t on_read(uc_engine*, std::uint64_t offset, unsigned bytes, void* self);
  static void on_write(uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t word, void* self);
  static void on_exception(uc_engine*, std::uint32_t cause, void* self);
  static bool on_bad_access(uc_engine*, uc_mem_type type, std::uint64_t address, int bytes, std::int64_t, void* self);

  void start();
  void hook(int type, void* function);
  void end_turn();
  void leave(const Seat& seat);

  const std::shared_ptr<const Image> image_;
  uc_engine* engine_ = nullptr;
  std::uint8_t* window_ = nullptr;  ///< where the simulator expects the data memory
  uc_context* power_on_ = nullptr;  ///< registers of a machine that has not run
  Seat* current_ = nullptr;
};

/// Throws std::runtime_error if the simulator refuses what it was asked for.
void check(uc_err error, const char* doing);

}  // namespace armature::iss
