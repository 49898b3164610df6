// One batch of a case on one rank: memory taken, an untimed pass with every message checked, the
// timed pass, and a closing message that shows whether one was lost or came twice.
#pragma once

#include <functional>
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

 private:
  /// With whom this rank exchanges messages.
  [[nodiscard]] std::vector<int> peers() const;
  void connect();
  void open_memory();
  /// Why the pages cannot be had; empty when they can.
  std::string take_memory();
  /// Ranks that a case leaves out sleep until it is over.
  void wait_for_all();
  bool checked_pass(Outcome& outcome);
  bool timed_pass(Batch& batch, Report& report);
  /// Room for the series that a pass fills, before anyone may wait for this rank.
  void make_series(Batch& batch, Report& report, Task& task);
  bool one_pass(std::uint64_t first, Task& task, Outcome& outcome,
                const std::function<void()>& before);

  LinkControl* link_;
  Bootstrap* boot_;
  MessageMemory* kept_;
  const CasePlan* plan_;
  std::optional<CaseMemory> memory_;
  std::optional<ControlMessages> control_messages_;
  std::optional<OpenedMemory> opened_;
  std::unique_ptr<Application> application_;
  std::vector<std::uint32_t> held_;
  Spent spent_;
  PagesGot pages_;
};

}  // namespace weft
