#include "base/result.h"

namespace packed {

// Not make_unique: a failed allocation of an error cannot be reported by an error.
Failure::Failure(Error error) : error_(new Error(std::move(error))) {}
Failure::Failure(const Failure& other) : error_(new Error(other.error())) {}
Failure& Failure::operator=(const Failure& other) {
  error_.reset(new Error(other.error()));
  return *this;
}
Failure::~Failure() = default;

}  // namespace packed
