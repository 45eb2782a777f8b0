#pragma once

namespace armature {

/// Takes level-sensitive interrupt lines; the interrupt controller implements it.
///
/// A plain interface instead of sc_signal<bool>: a level change is seen in the same delta cycle and costs no update
/// phase, which a request pays ten times.
class InterruptSink {
 public:
  virtual void set_level(unsigned line, bool level) = 0;

 protected:
  ~InterruptSink() = default;
};

/// One interrupt output of a block. Unbound (in a block's unit test) it only remembers its level.
class InterruptLine {
 public:
  void bind(InterruptSink& sink, unsigned line) {
    sink_ = &sink;
    line_ = line;
  }
  void write(bool level) {
    if (level == level_) return;
    level_ = level;
    if (sink_) sink_->set_level(line_, level);
  }
  bool read() const { return level_; }

 private:
  InterruptSink* sink_ = nullptr;
  unsigned line_ = 0;
  bool level_ = false;
};

}  // namespace armature
