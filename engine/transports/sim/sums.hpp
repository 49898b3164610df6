// Additions of a sum over ranks, which take virtual time.
#pragma once

#include <smpi/smpi.h>

namespace weft {

/// MPI_SUM of floats whose additions cost what the platform says: its zone "fabric" may have the
/// property `sum-rate`, the bytes that a rank adds to others in a second. Without it an addition is
/// one operation at the speed of the hosts. One for each rank, which must be there from MPI_Init to
/// MPI_Finalize.
class ChargedSum {
 public:
  ChargedSum();
  ChargedSum(const ChargedSum&) = delete;
  ChargedSum& operator=(const ChargedSum&) = delete;
  ChargedSum(ChargedSum&&) = delete;
  ChargedSum& operator=(ChargedSum&&) = delete;
  ~ChargedSum();

  [[nodiscard]] MPI_Op operation() const { return operation_; }

 private:
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace weft
