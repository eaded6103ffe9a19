// Lists as tables, bands as columns: what stands side by side.
#pragma once

#include "report/document.hpp"

namespace napkin::report {

/// A row each, the labelled results as columns; columns that do not fit are left out.
[[nodiscard]] std::string table(const std::vector<Document>& documents, const Options& options);
/// Results with a band, its ends in columns of their own; empty if there are none.
[[nodiscard]] std::string bands(const std::vector<Result>& results, std::size_t width);

/// The rows of a table below an answer, indented like its results.
[[nodiscard]] std::string rows_of(const Table& table, std::size_t width);

}  // namespace napkin::report
