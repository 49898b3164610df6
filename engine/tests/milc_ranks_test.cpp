// What the solver's ranks say of a solution and of a field, on one rank whose sums a test makes:
// the bound of the true residual on either side, and each bit of a checksum.
#include "patterns/parts/milc_ranks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/support/fake_cases.hpp"

namespace weft::milc {
namespace {

/// A rank without neighbours, whose sums are its own numbers until others' are added.
class OneRank final {
 public:
  static constexpr std::string_view name = "one";
  static constexpr std::string_view summary = "a rank by itself";

  [[nodiscard]] static Buffer adopt(const Buffer& memory) { return memory; }
  void disown(const Buffer& /*buffer*/) const {}
  void reserve(std::size_t /*depth*/, std::span<const int> /*ranks*/) const {}
  void post_send(Peer /*peer*/, const Buffer& /*buffer*/) const noexcept {}
  void post_recv(Peer /*peer*/, const Buffer& /*buffer*/) const noexcept {}
  void poll() const noexcept {}
  [[nodiscard]] static std::uint32_t sends_in_flight() noexcept { return 0; }
  [[nodiscard]] static std::uint32_t receives_in_flight() noexcept { return 0; }
  [[nodiscard]] static std::uint32_t sends_in_flight(Peer /*peer*/) noexcept { return 0; }
  [[nodiscard]] static std::uint32_t receives_in_flight(Peer /*peer*/) noexcept { return 0; }
  [[nodiscard]] static int take_ended() noexcept { return -1; }
  [[nodiscard]] static const Fault* fault() noexcept { return nullptr; }
  void sum(std::span<double> numbers) noexcept {
    lengths.push_back(numbers.size());
    if (others) others(numbers);
  }

  std::function<void(std::span<double>)> others;
  /// Of each sum.
  std::vector<std::size_t> lengths;
};
static_assert(TellsPeers<OneRank> && Summing<OneRank>);

struct Still {
  static constexpr std::string_view name = "still";
  static Ticks now() noexcept { return 0; }
  static Ticks pause(Ticks wanted) noexcept { return wanted; }
  static void compute(std::uint64_t /*rounds*/) noexcept {}
};

Case case_of(double mass) {
  Case spec = fake::make_case("milc", 36, 1);
  spec.lattice.dimensions = 4;
  spec.lattice.extents = {4, 4, 4, 4};
  spec.lattice.sums = 2;
  spec.application = {{"mass", mass}};
  return spec;
}

/// Two sums an iteration, local legs while messages are on their way.
using Usual = Way<false, true>;

/// The rank, its share and what runs on it.
template <class R>
struct World {
  using Own = Ranks<R, Still, SpinOnCompletions, OneRank>;

  explicit World(double mass) : share(case_of(mass), 0, 1) {
    task.size = 1;
    task.application = &share;
  }
  /// The source that is drawn, so many times, and behind it what is given of each site.
  void set_source(double times, const std::function<Vector<R>(const Site&)>& more = {}) {
    share.solver->set_source([&](const Site& site) {
      Vector<double> vector = random_vector(1, number_of(site, share.lattice.global()));
      const Vector<R> other = more ? more(site) : Vector<R>{};
      for (std::size_t i = 0; i < colours; ++i) {
        vector[i].re = times * vector[i].re + other[i].re;
        vector[i].im = times * vector[i].im + other[i].im;
      }
      return vector;
    });
  }

  OneRank link;
  Task task;
  Share<R, false> share;
};

template <class R>
constexpr double tolerance = sizeof(R) == sizeof(float) ? 1e-5 : 1e-10;
constexpr const char* damaged =
    "the true residual is not what the iterations say: a message was damaged";

/// What is said of a residual that is 1 by the iterations and differs by so much.
template <class R>
std::string said_of(double by) {
  World<R> world(0.5);
  typename World<R>::Own ranks(world.link, world.task);
  EXPECT_TRUE(ranks.begin(1));
  world.set_source(1 + by);
  EXPECT_TRUE(ranks.check_residual());
  EXPECT_NEAR(world.share.residual, 1 + by, 1e-2 * tolerance<R>);
  return world.task.wrong == nullptr ? "" : world.task.wrong;
}

// A hundredth of it, and ten times what the precision can tell.
template <class R>
void expect_bound() {
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_EQ(said_of<R>(sign * (0.01 + 9.5 * tolerance<R>)), "");
    EXPECT_EQ(said_of<R>(sign * (0.01 + 10.5 * tolerance<R>)), damaged);
  }
}

TEST(MilcRanksAlone, TakeAResidualThatDiffersByAHundredthAndTenTimesThePrecision) {
  expect_bound<float>();
  expect_bound<double>();
}

/// The same where the solution is so many times as long as its source, and solves another one:
/// what differs, in parts of what is added for a solution's length.
template <class R>
std::string said_of_long(double length, double parts) {
  constexpr double mass = 0.3;
  constexpr double few = 8;
  World<R> world(mass);
  typename World<R>::Own ranks(world.link, world.task);
  EXPECT_TRUE(ranks.begin(1));
  Solver<R>& solver = *world.share.solver;
  (void)solver.advance(static_cast<R>(length));
  solver.apply_to_solution();
  solver.local_legs(Half::to_odd, 0, solver.blocks());
  solver.local_legs(Half::to_even, 0, solver.blocks());
  solver.apply_to_direction();
  const double rounding =
      few * std::numeric_limits<R>::epsilon() * largest_eigenvalue(mass, world.share.u0) * length;
  world.set_source(1 + 0.01 + 10 * tolerance<R> + parts * rounding, [&](const Site& site) {
    Vector<R> minus = solver.applied(site);
    for (Complex<R>& one : minus) one = {-one.re, -one.im};
    return minus;
  });
  EXPECT_TRUE(ranks.check_residual());
  return world.task.wrong == nullptr ? "" : world.task.wrong;
}

TEST(MilcRanksAlone, TakeARoundingOfEightTimesTheLargestEigenvalueAndTheSolutionsLength) {
  EXPECT_EQ(said_of_long<float>(100, 0.95), "");
  EXPECT_EQ(said_of_long<float>(100, 1.05), damaged);
  EXPECT_EQ(said_of_long<double>(1e6, 0.95), "");
  EXPECT_EQ(said_of_long<double>(1e6, 1.05), damaged);
}

TEST(MilcRanksAlone, KeepWhatIsWrongAlready) {
  World<float> world(0.5);
  World<float>::Own ranks(world.link, world.task);
  EXPECT_TRUE(ranks.begin(1));
  world.set_source(3);
  world.task.wrong = "before";
  EXPECT_TRUE(ranks.check_residual());
  EXPECT_STREQ(world.task.wrong, "before");
}

// A solution that is good all the same is not what iterations say that say no number.
TEST(MilcRanksAlone, TakeNoResidualWhereTheIterationsSayNoNumber) {
  for (const bool is_number : {true, false}) {
    World<float> world(10);
    // The last of three iterations' second sums, behind that of the source's length.
    world.link.others = [&](std::span<double> numbers) {
      if (world.link.lengths.size() != 7 || is_number) return;
      numbers[0] = std::numeric_limits<double>::quiet_NaN();
    };
    World<float>::Own ranks(world.link, world.task);
    EXPECT_TRUE(ranks.begin(3));
    Laps<Still> laps;
    Spent spent{};
    for (int left = 3; left > 0; --left) EXPECT_TRUE(ranks.iterate<Usual>(laps, spent));
    EXPECT_TRUE(ranks.check_residual());
    EXPECT_LT(world.share.residual, 1e-4);
    EXPECT_STREQ(world.task.wrong, is_number ? nullptr : damaged);
  }
}

constexpr const char* other_file =
    "the gauge file is another one on some host, or changed; copy it to every host again";

/// Ranks that solve with a field of which each has the same in its checksums.
class FieldOfRanks {
 public:
  FieldOfRanks() : world_(10) {
    // Of the source's length, of the checksums, and from there on of the iterations.
    world_.link.others = [this](std::span<double> numbers) {
      const bool is_of_field = world_.link.lengths.size() > 1 && world_.link.lengths.size() <= 9;
      for (double& number : numbers) number *= is_of_field ? ranks_ : 1;
    };
  }
  /// What so many of them say where the file's checksums are due to be these.
  std::string said(const gauge_files::Sums& own, const gauge_files::Sums& due, int ranks = 1) {
    ranks_ = ranks;
    world_.share.own_sums = own;
    world_.share.due_sums = due;
    world_.task.wrong = nullptr;
    world_.link.lengths.clear();
    World<float>::Own solver(world_.link, world_.task);
    EXPECT_TRUE(solver.solve<Usual>());
    // Four numbers at a time, each of two bits.
    world_.link.lengths.resize(10);
    EXPECT_EQ(world_.link.lengths, (std::vector<std::size_t>{1, 4, 4, 4, 4, 4, 4, 4, 4, 1}));
    return world_.task.wrong == nullptr ? "" : world_.task.wrong;
  }

 private:
  World<float> world_;
  int ranks_ = 1;
};

TEST(MilcRanksAlone, KnowAFieldByEachBitOfItsChecksums) {
  FieldOfRanks field;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    const std::uint32_t one = 1U << bit;
    for (const gauge_files::Sums& own : {gauge_files::Sums{one, ~one}, {~one, one}}) {
      EXPECT_EQ(field.said(own, own), "") << bit;
      EXPECT_EQ(field.said(own, {own.of_29 ^ one, own.of_31}), other_file) << bit;
      EXPECT_EQ(field.said(own, {own.of_29, own.of_31 ^ one}), other_file) << bit;
    }
  }
}

// An XOR of ranks that have the same is theirs where they are odd in number, and nothing else.
TEST(MilcRanksAlone, PutTogetherWhatTheirSitesHaveInAChecksum) {
  FieldOfRanks field;
  const gauge_files::Sums own{0xdeadbeef, 0x12345678};
  for (const int ranks : {3, 7, 1'000'001}) EXPECT_EQ(field.said(own, own, ranks), "");
  for (const int ranks : {2, 4, 1'000'000}) EXPECT_EQ(field.said(own, {}, ranks), "");
  EXPECT_EQ(field.said(own, own, 2), other_file);
}

/// How many sums a solution takes that never ends, with what each of one number gives.
std::size_t sums_without_end(double mass, double number) {
  World<float> world(mass);
  world.link.others = [&](std::span<double> numbers) {
    if (numbers.size() == 1 && world.link.lengths.size() > 2) numbers[0] = number;
  };
  World<float>::Own ranks(world.link, world.task);
  EXPECT_TRUE(ranks.solve<Usual>());
  EXPECT_STREQ(world.task.wrong,
               "the solver did not converge; choose a larger --mass, or --sizes 72");
  return world.link.lengths.size();
}

// Ten iterations of two sums at a time, of a large mass as many as a solution takes, each time
// begun in step; before them the source's length, and behind them the true residual's, in step too.
TEST(MilcRanksAlone, GiveUpAfterFiveHundredTimesTenIterations) {
  EXPECT_EQ(sums_without_end(0.5, 1e6), 1 + 500 * (1 + 10 * 2) + 2U);
  EXPECT_EQ(sums_without_end(10, 1e6), 1 + 500 * (1 + 4 * 2) + 2U);
  // What is no number is given up at once.
  EXPECT_EQ(sums_without_end(0.5, std::numeric_limits<double>::quiet_NaN()), 1 + 21 + 2U);
}

}  // namespace
}  // namespace weft::milc
