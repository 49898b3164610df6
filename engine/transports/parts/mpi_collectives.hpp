// Operations of all ranks of MPI on bytes, for MPI and for its simulator; each gives MPI's code.
#pragma once

#include <cstddef>

#include "contract/transport.hpp"

// Behind the MPI whose calls these are: <mpi.h>, or SimGrid's <smpi/smpi.h>.
namespace weft::mpi_collectives {

/// The bytes of one of so many equal parts.
inline int part_of(const Buffer& whole, int parts) noexcept {
  return static_cast<int>(whole.bytes / static_cast<std::size_t>(parts));
}
/// A sum of floats by MPI_SUM, or by another operation that adds them.
inline int allreduce(const Buffer& out, const Buffer& in, MPI_Comm comm,
                     MPI_Op sum = MPI_SUM) noexcept {
  return MPI_Allreduce(out.data, in.data, static_cast<int>(in.bytes / sizeof(float)), MPI_FLOAT,
                       sum, comm);
}
inline int broadcast(Peer root, const Buffer& buffer, MPI_Comm comm) noexcept {
  return MPI_Bcast(buffer.data, part_of(buffer, 1), MPI_BYTE, root.rank, comm);
}
inline int alltoall(const Buffer& out, const Buffer& in, int size, MPI_Comm comm) noexcept {
  const int part = part_of(out, size);
  return MPI_Alltoall(out.data, part, MPI_BYTE, in.data, part, MPI_BYTE, comm);
}
inline int allgather(const Buffer& out, const Buffer& in, MPI_Comm comm) noexcept {
  const int part = part_of(out, 1);
  return MPI_Allgather(out.data, part, MPI_BYTE, in.data, part, MPI_BYTE, comm);
}

}  // namespace weft::mpi_collectives
