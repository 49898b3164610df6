// A batch as a line of the engine's protocol, written as its series come in.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "run/batch.hpp"
#include "run/over_ranks.hpp"

namespace weft {

/// Where rank 0's answer to a case goes, piece by piece: never more than a piece of it is held.
class Answer {
 public:
  Answer() = default;
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  Answer(Answer&&) = delete;
  Answer& operator=(Answer&&) = delete;
  virtual ~Answer() = default;

  /// All of a batch but its parts and how long it took.
  virtual void begin(const Batch& batch) = 0;
  /// The next part; `values` adds to the one that began last.
  virtual void begin_part(const std::string& name) = 0;
  virtual void values(std::span<const Ticks> ticks) = 0;
  /// Behind the parts: what is kept of ranks whose series are too many for each value.
  virtual void over_ranks(const OverRanks& found) = 0;
  /// How long the batch took, and whether it ended the launch.
  virtual void end(const Batch& batch) = 0;
};

/// The line as text, in pieces to `write`.
class BatchLine final : public Answer {
 public:
  using Write = std::function<void(std::string_view)>;

  explicit BatchLine(Write write) : write_(std::move(write)) {}
  void begin(const Batch& batch) override;
  void begin_part(const std::string& name) override;
  void values(std::span<const Ticks> ticks) override;
  void over_ranks(const OverRanks& found) override;
  void end(const Batch& batch) override;

 private:
  /// Numbers with commas between them.
  template <class Number>
  void numbers(std::span<const Number> all);
  template <class Number>
  void list(std::span<const Number> all);
  /// An object with an entry for each series.
  template <class Each>
  void by_name(const char* key, const OverRanks& found, const Each& each);
  void flush();

  Write write_;
  std::string text_;
  /// No value of the series stands yet, and no part.
  bool first_value_ = true;
  bool first_part_ = true;
};

/// A whole batch as a line, without its end.
std::string to_line(const Batch& batch);

}  // namespace weft
