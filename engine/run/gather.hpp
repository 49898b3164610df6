// How what the ranks have to say of a case comes to rank 0: fixed heads first, then their series,
// one after the other as they are written. No rank holds more than a few pieces of another's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "run/batch_line.hpp"
#include "run/report.hpp"

namespace weft {

/// A rank other than 0 says what it has, and answers rank 0's questions until there are none left.
void hand_over(Bootstrap& boot, const Report& report);

/// Rank 0's side of it. As long as it lives ranks may wait to be asked; its end releases them.
class Gathering {
 public:
  /// Hears all heads and puts what they come to into the batch: the failure of any rank is the
  /// batch's; verified bytes add up. A report that cannot be one fails the case.
  Gathering(Bootstrap& boot, const Report& own, Batch& batch);

  /// The parts of a batch that is ok, in the order of ranks, and of each by name: rank 0's own,
  /// `rankN` for the samples of rank N, `rankN.name` for its other series. Ticks of another
  /// counter become rank 0's. Throws std::runtime_error where a rank is gone or sends what is not
  /// due: the ranks are out of step then.
  void parts(Answer& answer);

 private:
  /// A rank that waits to be asked.
  struct Waiting {
    int rank = 0;
    ReportHead head;
  };
  /// Those that still wait are released at the end.
  struct Questions {
    explicit Questions(Bootstrap& bootstrap) : boot(&bootstrap) {}
    Questions(const Questions&) = delete;
    Questions& operator=(const Questions&) = delete;
    Questions(Questions&&) = delete;
    Questions& operator=(Questions&&) = delete;
    ~Questions();

    Bootstrap* boot;
    std::vector<Waiting> waiting;
  };
  /// A piece of a series.
  struct Piece {
    const Waiting* from;
    std::size_t series;
    std::size_t first;
  };

  void merge(Batch& batch, int rank, const ReportHead& head);
  [[nodiscard]] std::string reason_of(int rank, const ReportHead& head) const;
  [[nodiscard]] std::vector<std::size_t> series_by_name() const;
  [[nodiscard]] std::vector<Piece> pieces() const;
  void take(const Piece& piece, std::vector<Ticks>& room, Answer& answer) const;

  Questions questions_;
  const Report* own_;
};

/// The text of every rank, in rank order, on rank 0; nothing on the others. Texts are short.
std::vector<std::string> gather_texts(Bootstrap& boot, const std::string& mine);

}  // namespace weft
