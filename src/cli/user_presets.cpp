#include "cli/user_presets.hpp"

#include <algorithm>
#include <cstdlib>

namespace napkin::cli {

void add_user_presets(Catalog& catalog, const Arguments& arguments) {
    const auto environment = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    // The last one added wins: system folders, then the user's, then --presets.
    std::string folders = environment("XDG_DATA_DIRS");
    if (folders.empty()) folders = "/usr/local/share:/usr/share";
    std::vector<std::string> list;
    for (std::size_t from = 0; from <= folders.size();) {
        const std::size_t colon = std::min(folders.find(':', from), folders.size());
        if (colon > from) list.push_back(folders.substr(from, colon - from));
        from = colon + 1;
    }
    std::reverse(list.begin(), list.end());
    std::string home = environment("XDG_DATA_HOME");
    if (home.empty() && !environment("HOME").empty()) home = environment("HOME") + "/.local/share";
    if (!home.empty()) list.push_back(home);
    for (const std::string& folder : list) catalog.add_folder(folder + "/napkin/presets");
    if (const auto folder = arguments.get("presets")) {
        if (!catalog.add_folder(*folder)) {
            throw Error(problem_of("--presets", "no-such-folder",
                                   "'" + *folder + "' is not a folder",
                                   "a folder of preset files (*.json)"));
        }
    }
}

}  // namespace napkin::cli
