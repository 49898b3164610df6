// How what the ranks have to say of a case comes to rank 0: fixed heads first, with short series
// or a reason behind them, which is all then; or what is wanted of long ones, of many ranks at a
// time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "run/batch_line.hpp"
#include "run/report.hpp"

namespace weft {

/// What all ranks do behind their heads, as rank 0 says.
enum class Wanted : std::uint8_t { nothing, whole, over_ranks };
struct Asked {
  /// Of a series, and what rank 0's tick is worth.
  std::uint64_t values = 0;
  double tick_ns = 1;
  std::uint64_t warmup = 0;
  /// Whose reason is wanted; -1: nobody's.
  std::int32_t reason_of = -1;
  Wanted wanted = Wanted::nothing;
};

/// Collective, on a rank other than 0. Ticks of another counter become rank 0's.
void hand_over(Bootstrap& boot, Report& report);

/// Rank 0's side of it.
class Gathering {
 public:
  /// Hears all heads and puts what they come to into the batch: the failure of any rank is the
  /// batch's; verified bytes add up. A report that cannot be one fails the case.
  Gathering(Bootstrap& boot, const Report& own, Batch& batch);

  /// The parts of a batch, in the order of ranks, and of each by name: rank 0's own, `rankN` for
  /// the samples of rank N, `rankN.name` for its other series; or rank 0's own and what is kept of
  /// all ranks. Of a batch that is not ok nothing. Collective. Throws std::runtime_error where
  /// other bytes come than were due: the ranks are out of step then.
  void parts(Answer& answer);

 private:
  /// One series of a rank.
  struct Named {
    int rank;
    std::size_t series;
  };

  /// Whether all that ranks have to say came with their heads: nobody waits for what is wanted.
  [[nodiscard]] bool has_all() const { return of_rank_ > sizeof(ReportHead); }
  void add_rises(int rank, const ReportHead& head);
  void merge(int rank, const ReportHead& head);
  [[nodiscard]] std::vector<std::byte> reason_of(int rank, const ReportHead& head);
  /// Hears the reason of a rank, once all know that it is wanted.
  void say(const Asked& asked);
  [[nodiscard]] Wanted wanted() const;
  void own_parts(Answer& answer) const;
  [[nodiscard]] std::vector<Named> filled() const;
  void with_heads(Answer& answer);
  void whole(Answer& answer);
  void over_ranks(Answer& answer);

  Bootstrap* boot_;
  const Report* own_;
  Batch* batch_;
  std::vector<ReportHead> heads_;
  /// What came first, of each rank as many bytes: its head, and behind it series that are short.
  std::vector<std::byte> came_;
  std::size_t of_rank_;
  Asked asked_;
};

/// The text of every rank, in rank order, on rank 0; nothing on the others. Texts are short.
std::vector<std::string> gather_texts(Bootstrap& boot, const std::string& mine);

}  // namespace weft
