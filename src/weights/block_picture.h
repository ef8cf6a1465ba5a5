// A small text picture of a grid: for a few places, which block of the reference stands there. They
// are the first ones, or, where these are right, those from the first wrong one on.
#pragma once

#include <string>

#include "weights/hypothesis.h"

namespace packed {

//   belongs             stands there
//   (0,0) (0,1) (0,2)   (0,0) (1,1) (2,2)
//   (1,0) (1,1) (1,2)   (0,1)   ?   (3,0)
//   (2 more rows)
//   ? no block of the reference
//
// Of a PLAIN encoding, the values themselves.
// `-` is missing, `=` is one of several equal blocks none of which is the right one. At most 4 x 4
// places are shown; `..` where there are more.
std::string pictureOf(const Observation& seen);

}  // namespace packed
