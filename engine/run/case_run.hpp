// One batch of a case on one rank: memory taken, an untimed pass with every message checked, the
// timed pass, and a closing message that shows whether one was lost or came twice.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "contract/application.hpp"
#include "host/clock.hpp"
#include "run/batch.hpp"
#include "run/buffer_set.hpp"
#include "run/case_memory.hpp"
#include "run/case_plan.hpp"
#include "run/control_messages.hpp"
#include "run/link_control.hpp"
#include "run/pass.hpp"
#include "run/report.hpp"

namespace weft {

class CaseRun {
 public:
  CaseRun(LinkControl& link, Bootstrap& boot, MessageMemory& kept, const CasePlan& plan)
      : link_(&link), boot_(&boot), kept_(&kept), plan_(&plan) {}

  /// Collective. False once the link has a fault: the ranks may be out of step. `report` gets what
  /// this rank has to tell rank 0; the batch is rank 0's. Throws GaveUp where a rank could not do
  /// its part, on all ranks.
  bool run(Batch& batch, Report& report);
  /// What a rank does before the first pass without any other but those that it connects with.
  /// Why the case cannot run; empty when it can. Where the ranks go on by pairs the caller has them
  /// agree to it, and `run` follows; else it is part of `run`. Throws.
  std::string begin(Batch& batch, Report& report);
  /// Throws CannotConnect.
  void connect();

 private:
  /// One of the two passes over a case's messages: what its loop gets, and the number of its first
  /// message.
  struct Prepared {
    Task task;
    std::optional<Pass> pass;
    std::uint64_t first = 0;
  };

  [[nodiscard]] bool opens() const { return plan_->pattern->opens != Opens::none; }
  /// All before the first pass. Why the case cannot run; empty when it can.
  std::string prepare(Batch& batch, Report& report);
  /// Ranks that a case leaves out sleep until all have done it.
  template <class Act>
  std::string agree_awake_or_asleep(const Act& act);
  /// Why the ranks of this host cannot share the memory that they open; empty when they can.
  [[nodiscard]] std::string refuse_opening() const;
  void open_memory();
  /// Why the pages cannot be had; empty when they can.
  std::string take_memory();
  void prepare_application();
  void prepare_checked();
  /// Room for the series that the pass fills, before anyone may wait for this rank.
  void prepare_timed(Batch& batch, Report& report);
  void prepare_passes(Batch& batch, Report& report);
  void prepare_pass(Prepared& prepared, std::uint64_t first);
  bool timed_pass(Batch& batch, Report& report);
  bool run_pass(Prepared& prepared, Outcome& outcome);

  LinkControl* link_;
  Bootstrap* boot_;
  MessageMemory* kept_;
  const CasePlan* plan_;
  std::optional<CaseMemory> memory_;
  std::optional<ControlMessages> control_messages_;
  std::optional<OpenedMemory> opened_;
  std::unique_ptr<Application> application_;
  std::vector<std::uint32_t> held_;
  Prepared checked_;
  Prepared timed_;
  /// Where the checked one has its times.
  std::array<Ticks, 1 + most_parts> ignored_{};
  Spent spent_;
  PagesGot pages_;
};

}  // namespace weft
