// From a preset's JSON, valid by its schema, to the core's inputs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json/json.hpp"
#include "napkin/assumptions.hpp"
#include "napkin/machine.hpp"
#include "napkin/mix.hpp"
#include "napkin/model.hpp"

namespace napkin::catalog {

[[nodiscard]] Accelerator read_accelerator(const json::Value& entry);

/// Looks a number format up by name.
using FormatNamed = std::function<NumberFormat(std::string_view)>;
[[nodiscard]] Model read_model(const json::Value& entry, const FormatNamed& format);
[[nodiscard]] NumberFormat read_format(const json::Value& entry);

/// The mix of that name in a file of mixes; empty if it holds none.
[[nodiscard]] std::optional<Mix> read_mix(const json::Value& file, std::string_view name,
                                          const FormatNamed& format);
/// Ids and aliases of all mixes of a file.
[[nodiscard]] std::vector<std::string> mix_names(const json::Value& file);

[[nodiscard]] std::vector<DatedPrice> read_prices(const json::Value& list, std::string_view key);

[[nodiscard]] Engine read_engine(const json::Value& entry);
[[nodiscard]] Reserve read_reserve(const json::Value& file);
[[nodiscard]] std::vector<PublishedRun> read_runs(const json::Value& file);
[[nodiscard]] std::vector<FailureRecord> read_failures(const json::Value& file);
[[nodiscard]] std::vector<CollectiveLaw> read_collectives(const json::Value& file);

/// A quantity that the schema has made sure of: its pattern admits only what the reader reads.
template <class Q, class Reader>
[[nodiscard]] Q quantity(const json::Value& group, std::string_view name, Reader read) {
    const std::string text = group.text(name);
    return text.empty() ? Q(0) : read(text).value.value_or(Q(0));
}

}  // namespace napkin::catalog
