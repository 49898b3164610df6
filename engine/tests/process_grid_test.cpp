// A lattice on its ranks: which grid, who is whose neighbour, what is refused.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/process_grid.hpp"

namespace weft {
namespace {

template <class Act>
std::string refusal_of(const Act& act) {
  try {
    act();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ProcessGrid, HasTheMostEvenFactorsAndTheLargestFirst) {
  EXPECT_EQ(even_grid(1, 4).ranks, (Extents{1, 1, 1, 1}));
  EXPECT_EQ(even_grid(2, 4).ranks, (Extents{2, 1, 1, 1}));
  EXPECT_EQ(even_grid(4, 4).ranks, (Extents{2, 2, 1, 1}));
  EXPECT_EQ(even_grid(8, 4).ranks, (Extents{2, 2, 2, 1}));
  EXPECT_EQ(even_grid(16, 4).ranks, (Extents{2, 2, 2, 2}));
  EXPECT_EQ(even_grid(32, 4).ranks, (Extents{4, 2, 2, 2}));
  EXPECT_EQ(even_grid(6, 4).ranks, (Extents{3, 2, 1, 1}));
  EXPECT_EQ(even_grid(12, 4).ranks, (Extents{3, 2, 2, 1}));
  EXPECT_EQ(even_grid(7, 4).ranks, (Extents{7, 1, 1, 1}));
  EXPECT_EQ(even_grid(16, 3).ranks, (Extents{4, 2, 2, 1}));
  EXPECT_EQ(even_grid(16, 2).ranks, (Extents{4, 4, 1, 1}));
  EXPECT_EQ(even_grid(16, 1).ranks, (Extents{16, 1, 1, 1}));
}

TEST(ProcessGrid, SaysWhichDimensionsAreSplit) {
  const ProcessGrid grid = even_grid(12, 4);
  EXPECT_EQ(grid.split_dimensions(), 3U);
  EXPECT_TRUE(grid.is_split(2));
  EXPECT_FALSE(grid.is_split(3));
  EXPECT_EQ(even_grid(1, 4).split_dimensions(), 0U);
}

TEST(ProcessGrid, CoordinatesRunFastestInXAndNameEachRankOnce) {
  const ProcessGrid grid = even_grid(12, 4);
  EXPECT_EQ(grid.coordinates(1), (Extents{1, 0, 0, 0}));
  EXPECT_EQ(grid.coordinates(3), (Extents{0, 1, 0, 0}));
  EXPECT_EQ(grid.coordinates(11), (Extents{2, 1, 1, 0}));
  std::set<Extents> all;
  for (int rank = 0; rank < grid.size(); ++rank) {
    all.insert(grid.coordinates(rank));
    EXPECT_EQ(grid.rank_at(grid.coordinates(rank)), rank);
  }
  EXPECT_EQ(all.size(), 12U);
}

TEST(ProcessGrid, ANeighbourOneWayHasThisRankTheOtherWay) {
  for (const int ranks : {1, 2, 3, 5, 8, 12, 16, 24}) {
    const ProcessGrid grid = even_grid(ranks, 4);
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::size_t dimension = 0; dimension < 4; ++dimension) {
        const int on = grid.neighbour(rank, dimension, 1);
        EXPECT_EQ(grid.neighbour(on, dimension, -1), rank);
        EXPECT_EQ(on == rank, !grid.is_split(dimension));
      }
    }
  }
}

TEST(ProcessGrid, EndsMeet) {
  const ProcessGrid three{{3, 1, 1, 1}};
  EXPECT_EQ(three.neighbour(2, 0, 1), 0);
  EXPECT_EQ(three.neighbour(0, 0, -1), 2);
  const ProcessGrid two = even_grid(2, 4);
  EXPECT_EQ(two.neighbour(0, 0, 1), 1);
  EXPECT_EQ(two.neighbour(0, 0, -1), 1);
}

TEST(Decomposition, OfALatticeThatGrowsHasTheSameExtentsOnEachRank) {
  const Decomposition lattice = grown(std::vector<std::uint32_t>{4, 6, 8, 10}, 4, {4, 2});
  EXPECT_EQ(lattice.local, (Extents{4, 6, 8, 10}));
  EXPECT_EQ(lattice.global(), (Extents{8, 12, 8, 10}));
  EXPECT_EQ(lattice.origin(3), (Extents{4, 6, 0, 0}));
  EXPECT_EQ(lattice.face_sites(0), 480U);
  EXPECT_EQ(lattice.face_sites(3), 192U);
}

TEST(Decomposition, OfTwoDimensionsLeavesTheOthersAtOne) {
  const Decomposition lattice = grown(std::vector<std::uint32_t>{8, 8}, 6);
  EXPECT_EQ(lattice.grid.ranks, (Extents{3, 2, 1, 1}));
  EXPECT_EQ(volume_of(lattice.local), 64U);
  EXPECT_EQ(volume_of(lattice.global()), 384U);
}

TEST(Decomposition, OfALatticeThatIsDividedHasTheSmallestFaces) {
  const auto grid = [](std::vector<std::uint32_t> global, int ranks) {
    return divided(global, ranks, {4, 2}).grid.ranks;
  };
  EXPECT_EQ(grid({16, 16, 16, 16}, 4), (Extents{2, 2, 1, 1}));
  EXPECT_EQ(grid({16, 16, 16, 16}, 2), (Extents{2, 1, 1, 1}));
  // A cut across the longest extent has the smallest face.
  EXPECT_EQ(grid({8, 8, 8, 24}, 2), (Extents{1, 1, 1, 2}));
  EXPECT_EQ(grid({8, 8, 8, 24}, 6), (Extents{1, 1, 1, 6}));
  // A quarter of 20 is odd: another extent takes what is left.
  EXPECT_EQ(grid({8, 8, 8, 20}, 4), (Extents{2, 1, 1, 2}));
  EXPECT_EQ(divided(std::vector<std::uint32_t>{8, 8, 8, 20}, 4, {4, 2}).local,
            (Extents{4, 8, 8, 10}));
}

TEST(Decomposition, RefusesWhatRanksCannotDivide) {
  const auto refusal = [](std::vector<std::uint32_t> global, int ranks) {
    return refusal_of([&] { (void)divided(global, ranks, {4, 2}); });
  };
  EXPECT_EQ(refusal({8, 8, 8, 8}, 3),
            "3 ranks cannot divide a lattice of 8x8x8x8 into even extents of at least 4 on each "
            "rank; choose another --lattice, or other --ranks");
  EXPECT_NE(refusal({8, 8, 8, 8}, 32), "");
  EXPECT_NE(refusal({6, 4, 4, 4}, 2), "");  // 3 is odd
  EXPECT_EQ(refusal({8, 8, 8, 8}, 16), "");
}

TEST(Decomposition, RefusesExtentsThatBreakTheRule) {
  const auto refusal = [](std::vector<std::uint32_t> local) {
    return refusal_of([&] { (void)grown(local, 2, {4, 2}); });
  };
  EXPECT_EQ(refusal({5, 4, 4, 4}),
            "a lattice of 5x4x4x4 on each rank has not even extents of at least 4 on each rank; "
            "choose other --extents");
  EXPECT_NE(refusal({4, 4, 4, 2}), "");
  EXPECT_NE(refusal({}), "");
  EXPECT_NE(refusal({4, 4, 4, 4, 4}), "");
  EXPECT_NE(refusal_of([] { (void)even_grid(0, 4); }), "");
}

}  // namespace
}  // namespace weft
