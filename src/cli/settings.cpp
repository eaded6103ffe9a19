#include "cli/settings.hpp"

namespace napkin::cli {

std::string store_size(std::string_view text, Bytes<>& into) {
    const Reading<Bytes<>> reading = read_bytes(text);
    if (reading.value) into = *reading.value;
    return reading.problem;
}

std::vector<std::string> setting_names() {
    std::vector<std::string> names;
    for (const auto& some :
         {machine_setting_names(), engine_setting_names(), host_setting_names(),
          model_setting_names(), collective_setting_names(), peak_setting_names()}) {
        names.insert(names.end(), some.begin(), some.end());
    }
    return names;
}

}  // namespace napkin::cli
