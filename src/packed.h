// packed-weights: quantized weights that know the order of their blocks.
//
// In reading order: where blocks are (layout), what their bytes mean (encoding), values over them
// (tensor), what a caller does with weights, files and products (weights, gguf, dispatch).
//
//   Scope scope("model");
//   auto storage = scope.allocate(bytes.size(), "ffn_down");
//   ... fill it with the file's bytes ...
//   auto view = TensorView::of(*storage, Encoding::Q4_K, shape, BlockOrder::ROW_MAJOR);
//   auto fast = prepackForMatmul(*view, scope, nullptr);
//   auto done = matmul(registry, workspace, x, *fast, y, {});
#pragma once

#include "base/error.h"
#include "base/result.h"
#include "dispatch/bitnet_gemv.h"
#include "dispatch/explain.h"
#include "dispatch/matmul.h"
#include "dispatch/registry.h"
#include "dispatch/session.h"
#include "encoding/codec.h"
#include "encoding/encoding.h"
#include "encoding/i2s.h"
#include "encoding/quantize.h"
#include "gguf/tensor_load.h"
#include "layout/block_order.h"
#include "layout/layout.h"
#include "layout/permutation.h"
#include "layout/shape_label.h"
#include "tensor/dequantize.h"
#include "tensor/prepack.h"
#include "tensor/prepack_stream.h"
#include "tensor/scope.h"
#include "tensor/tensor_view.h"
#include "tensor/trace.h"
#include "weights/diagnosis.h"
#include "weights/disagreement.h"
#include "weights/fixtures.h"
#include "weights/out_in.h"
#include "weights/packed_weights.h"
