#include "formats/quantization.hpp"

namespace napkin::formats {

void read_quantization(ConfigKeys& keys, const json::Value* beside, const Catalog& catalog,
                       Model& model) {
    (void)keys;
    (void)beside;
    (void)catalog;
    (void)model;
}

}  // namespace napkin::formats
