// The version, and what is known: presets and how many of their figure groups were checked.
#include "cli/command.hpp"
#include "cli/question.hpp"

namespace napkin::cli {

Documents version(const Arguments& arguments, const Catalog& catalog) {
    (void)arguments;
    double verified = 0;
    double unverified = 0;
    for (const std::string& id : catalog.ids(PresetKind::accelerator)) {
        const Accelerator part = catalog.accelerator(id);
        for (const Provenance* group :
             {&part.compute.provenance, &part.memory.provenance, &part.caches.provenance,
              &part.links.provenance, &part.power.provenance}) {
            if (group->source.empty()) continue;
            (group->unverified ? unverified : verified) += 1;
        }
    }
    const auto count = [&](std::string key, double value, std::string label, std::string remark) {
        return plain_result(std::move(key), report::number(value, "1", Style::whole),
                            std::move(label), std::move(remark));
    };
    const auto size = [&](PresetKind kind) {
        return static_cast<double>(catalog.ids(kind).size());
    };
    report::Document answer;
    answer.command = "version";
    answer.title = "napkin " NAPKIN_VERSION;
    answer.primary = "version";
    answer.results = {
        plain_result("version", report::word(NAPKIN_VERSION)),
        count("accelerators", size(PresetKind::accelerator), "accelerators", ""),
        count("systems", size(PresetKind::system), "systems", ""),
        count("models", size(PresetKind::model), "models", ""),
        count("formats", size(PresetKind::format), "number formats", ""),
        count("verified_groups", verified, "figure groups", "with a source that could be checked"),
        count("unverified_groups", unverified, "", "")};
    answer.results[5].remark += "; " + with_separators(unverified) + " unverified beside them";
    return {answer};
}

}  // namespace napkin::cli
