#include "tests/support/scripted_mpi.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {

Script& script() {
  static Script one;
  return one;
}

namespace {

// A request is a number here; none is one that no number has.
MPI_Request request_of(std::size_t number) {
  return reinterpret_cast<MPI_Request>((number + 1) * 64);  // NOLINT: never looked into
}
std::size_t request_number(MPI_Request request) {
  return reinterpret_cast<std::uintptr_t>(request) / 64 - 1;  // NOLINT: as above
}

int begin_transfer(const char* name, MPI_Request* request) {
  Script& now = script();
  now.calls.emplace_back(name);
  now.in_flight.push_back(++now.open);
  *request = request_of(now.tests.size());
  now.tests.push_back(0);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft

extern "C" {
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  *made = comm;
  return MPI_SUCCESS;
}
int MPI_Comm_free(MPI_Comm* /*comm*/) {
  return MPI_SUCCESS;
}
int MPI_Comm_set_errhandler(MPI_Comm /*comm*/, MPI_Errhandler /*handler*/) {
  return MPI_SUCCESS;
}
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* /*made*/) {
  weft::script().handler = function;
  return MPI_SUCCESS;
}
int MPI_Errhandler_free(MPI_Errhandler* /*handler*/) {
  return MPI_SUCCESS;
}
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* /*copy*/,
                           MPI_Comm_delete_attr_function* /*forget*/, int* /*key*/,
                           void* /*state*/) {
  return MPI_SUCCESS;
}
int MPI_Comm_set_attr(MPI_Comm /*comm*/, int /*key*/, void* value) {
  weft::script().link = value;
  return MPI_SUCCESS;
}
int MPI_Comm_get_attr(MPI_Comm /*comm*/, int /*key*/, void* value, int* found) {
  *static_cast<void**>(value) = weft::script().link;
  *found = 1;
  return MPI_SUCCESS;
}
int MPI_Irecv(void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/, int /*tag*/,
              MPI_Comm /*comm*/, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int MPI_Testall(int /*count*/, MPI_Request /*requests*/[], int* done,  // NOLINT: MPI's own
                MPI_Status /*statuses*/[]) {
  *done = 1;
  return MPI_SUCCESS;
}
int MPI_Rput(const void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/,
             MPI_Aint /*at*/, int /*there*/, MPI_Datatype /*kind*/, MPI_Win /*window*/,
             MPI_Request* request) {
  return weft::begin_transfer("put", request);
}
int MPI_Rget(void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/, MPI_Aint /*at*/,
             int /*there*/, MPI_Datatype /*kind*/, MPI_Win /*window*/, MPI_Request* request) {
  return weft::begin_transfer("get", request);
}
int MPI_Put(const void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/,
            MPI_Aint /*at*/, int /*there*/, MPI_Datatype /*kind*/, MPI_Win /*window*/) {
  weft::script().calls.emplace_back("plain put");
  return MPI_SUCCESS;
}
int MPI_Get(void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/, MPI_Aint /*at*/,
            int /*there*/, MPI_Datatype /*kind*/, MPI_Win /*window*/) {
  weft::script().calls.emplace_back("plain get");
  return MPI_SUCCESS;
}
int MPI_Win_flush(int /*rank*/, MPI_Win /*window*/) {
  weft::script().calls.emplace_back("flush");
  return MPI_SUCCESS;
}
int MPI_Isend(const void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/, int /*tag*/,
              MPI_Comm /*comm*/, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int MPI_Send_init(const void* /*data*/, int /*count*/, MPI_Datatype /*type*/, int /*rank*/,
                  int /*tag*/, MPI_Comm /*comm*/, MPI_Request* request) {
  weft::script().calls.emplace_back("made");
  *request = weft::request_of(++weft::script().persistent);
  return MPI_SUCCESS;
}
int MPI_Start(MPI_Request* request) {
  EXPECT_NE(*request, MPI_REQUEST_NULL);
  weft::script().calls.emplace_back("started");
  return MPI_SUCCESS;
}
int MPI_Request_free(MPI_Request* request) {
  EXPECT_NE(*request, MPI_REQUEST_NULL);
  --weft::script().persistent;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return MPI_Send_init(data, count, type, rank, tag, comm, request);
}
int MPI_Wait(MPI_Request* request, MPI_Status* /*status*/) {
  weft::script().calls.emplace_back("one");
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
// As Open MPI: the call tells that one failed, and the handler why.
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {  // NOLINT: MPI's own
  weft::Script& now = weft::script();
  EXPECT_EQ(statuses, MPI_STATUSES_IGNORE);
  now.calls.push_back("all of " + std::to_string(count));
  std::fill_n(requests, count, MPI_REQUEST_NULL);
  if (!now.fails) return MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_WORLD;
  int code = MPI_ERR_TRUNCATE;
  now.handler(&comm, &code);
  return MPI_ERR_IN_STATUS;
}
int MPI_Error_string(int /*code*/, char* text, int* length) {
  text[0] = '\0';
  *length = 0;
  return MPI_SUCCESS;
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* /*status*/) {
  weft::Script& now = weft::script();
  now.ticks += 100;
  *done = 1;
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  *done = ++now.tests.at(weft::request_number(*request)) > 1 ? 1 : 0;
  if (*done == 0) return MPI_SUCCESS;
  now.calls.emplace_back("ended");
  --now.open;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
}
