// Every format that has a codec, in the order of encodings.inc.
#pragma once

#include "encoding/q4_0.h"
#include "encoding/q4_k.h"
