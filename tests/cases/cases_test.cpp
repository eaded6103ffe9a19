// Real questions and bug reports with their right answers, each asked of the command: cases.json;
// and errors seen in other calculators, asked of ours: peer-errors.json.
//
// A case has `asks`, or says with `not_yet` or `no_observation` why nothing can be asked; `remains`
// names the part that `asks` leave out, `contract` what the command line settles otherwise. An ask
// holds what is expected at paths into the JSON answer ("results.mfu", "errors.0.where.flag",
// "terms.flops": the one of that name), their sum ("a + b"), or "exit", "stdout" and "stderr".
// Expected is a value to the bit, or one of:
//   {"value": x, "relative": r} {"value": x, "absolute": a} {"above": x} {"below": x}
//   {"absent": true} {"contains": [words]}, and with "over": [command] the ratio to its answer.
// `files` are written into a folder of the case before it is asked; "FILES" at the beginning of a
// word of a command is that folder. By name, each is one of:
//   {"json": value} {"text": "..."} {"hex": "4747 55..."}
//   {"safetensors": {TENSOR: [type, extents]}}
// and with "size": n zeros follow up to n bytes. Zeros, and the data of tensors, take no room.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "tests/support/safetensors_builder.hpp"

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const std::string source_dir = NAPKIN_SOURCE_DIR;

json cases_in(const std::string& name) {
    return json::parse(std::ifstream(source_dir + "/tests/cases/" + name));
}
const json& cases() {
    static const json all = cases_in("cases.json");
    return all;
}
// Errors that other calculators were seen to make, in the same form: ours must not.
const json& peer_errors() {
    static const json all = cases_in("peer-errors.json");
    return all;
}

using napkin::test::TemporaryFolder;

// Bytes written as pairs of digits; spaces are for readers.
std::string from_hex(std::string digits) {
    digits.erase(std::remove(digits.begin(), digits.end(), ' '), digits.end());
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

napkin::test::SafetensorsBuilder safetensors(const json& tensors) {
    static const std::map<std::string, std::uint64_t> widths{
        {"F32", 4}, {"I32", 4}, {"F16", 2}, {"BF16", 2}, {"U8", 1}};
    napkin::test::SafetensorsBuilder file;
    for (const auto& [name, tensor] : tensors.items()) {
        const std::string type = tensor.at(0);
        const json shape(tensor.begin() + 1, tensor.end());
        std::uint64_t bytes = widths.at(type);
        for (const json& extent : shape) bytes *= extent.get<std::uint64_t>();
        file.add(name, type, shape.dump(), bytes);
    }
    return file;
}

void write_files(const json& files, const TemporaryFolder& folder) {
    for (const auto& [name, file] : files.items()) {
        if (file.contains("safetensors")) {
            (void)safetensors(file.at("safetensors")).write(folder, name);
            continue;
        }
        std::string bytes = file.value("text", "") + from_hex(file.value("hex", ""));
        if (file.contains("json")) bytes = file.at("json").dump();
        (void)folder.write(name, bytes, file.value("size", std::uint64_t{0}));
    }
}

// The answer as JSON where anything in it is asked for, with "exit", "stdout" and "stderr" beside.
json run(Words command, const std::string& files, bool as_json) {
    for (std::string& word : command) {
        if (word.rfind("tests/cases/", 0) == 0) word = source_dir + "/" + word;
        if (word.rfind("FILES", 0) == 0) word.replace(0, 5, files);
    }
    if (as_json) command.emplace_back("--json");
    const napkin::test::Outcome outcome = napkin::test::run_napkin(command);
    json answer = json::parse(as_json ? outcome.out : "{}", nullptr, false);
    if (!answer.is_object()) answer = json::object();
    answer["exit"] = outcome.exit;
    answer["stdout"] = outcome.out;
    answer["stderr"] = outcome.err;
    return answer;
}

// A member, or of a list the item of that number, name or id.
const json* child(const json& node, const std::string& key) {
    if (node.is_object()) {
        const auto found = node.find(key);
        return found == node.end() ? nullptr : &*found;
    }
    if (!node.is_array()) return nullptr;
    if (key.find_first_not_of("0123456789") == std::string::npos) {
        const std::size_t at = std::stoul(key);
        return at < node.size() ? &node[at] : nullptr;
    }
    for (const json& item : node) {
        for (const char* label : {"name", "id"}) {
            const json* name = item.is_object() ? child(item, label) : nullptr;
            if (name != nullptr && *name == key) return &item;
        }
    }
    return nullptr;
}

std::optional<json> look_up(const json& document, const std::string& path) {
    const json* node = &document;
    std::istringstream keys(path);
    for (std::string key; node != nullptr && std::getline(keys, key, '.');) {
        node = child(*node, key);
    }
    if (node == nullptr) return std::nullopt;
    return node->is_object() && node->contains("value") ? node->at("value") : *node;
}

template <class Operator>
std::optional<json> combine(const std::optional<json>& a, const std::optional<json>& b,
                            Operator combined) {
    if (!a || !a->is_number() || !b || !b->is_number()) return std::nullopt;
    return combined(a->get<double>(), b->get<double>());
}

std::optional<json> at(const json& answer, const std::string& path) {
    const std::size_t plus = path.find(" + ");
    if (plus == std::string::npos) return look_up(answer, path);
    return combine(look_up(answer, path.substr(0, plus)), at(answer, path.substr(plus + 3)),
                   std::plus<>());
}

bool contains_all(const json& found, const json& words) {
    const std::string text = found.is_string() ? found.get<std::string>() : found.dump();
    return std::all_of(words.begin(), words.end(), [&](const json& word) {
        return text.find(word.get<std::string>()) != std::string::npos;
    });
}

bool meets(const std::optional<json>& found, const json& expected) {
    if (!expected.is_object()) return found && *found == expected;
    if (expected.contains("absent")) return !found;
    if (!found) return false;
    if (expected.contains("contains")) return contains_all(*found, expected.at("contains"));
    if (!found->is_number()) return false;
    const double number = found->get<double>();
    if (expected.contains("above")) return number > expected.at("above").get<double>();
    if (expected.contains("below")) return number < expected.at("below").get<double>();
    const double value = expected.at("value").get<double>();
    const double allowed = expected.contains("relative")
                               ? expected.at("relative").get<double>() * std::abs(value)
                               : expected.at("absolute").get<double>();
    return std::abs(number - value) <= allowed;
}

std::string in_words(const Words& command) {
    std::string text = "napkin";
    for (const std::string& word : command) {
        text += word.empty() || word.find(' ') < word.size() ? " '" + word + "'" : " " + word;
    }
    return text;
}

// Checks every expectation of an ask; returns whether all are met.
bool check(const json& ask, const std::string& files) {
    const Words command = ask.at("command");
    const json& expectations = ask.at("expect");
    std::size_t streams = 0;
    for (const char* name : {"exit", "stdout", "stderr"}) streams += expectations.count(name);
    const json answer = run(command, files, streams < expectations.size());
    bool all = !expectations.empty();
    for (const auto& [path, expected] : expectations.items()) {
        std::optional<json> found = at(answer, path);
        if (expected.is_object() && expected.contains("over")) {
            found =
                combine(found, at(run(expected.at("over"), files, true), path), std::divides<>());
        }
        const bool met = meets(found, expected);
        INFO(in_words(command) << "\n  " << path << ": expected " << expected.dump() << "\n  got "
                               << (found ? found->dump() : "nothing"));
        CHECK(met);
        all = all && met;
    }
    return all;
}

// What became of the cases of this run, printed when the program ends.
class Tally {
  public:
    ~Tally() {
        if (counts_.empty()) return;
        std::cout << "\ncases\n";
        for (const auto& [what, count] : counts_) {
            std::cout << std::setw(5) << count << "  " << what << "\n";
        }
    }
    // Details behind a colon are for readers of the file.
    void add(const std::string& what, const std::string& why = {}) {
        ++counts_[why.empty() ? what : what + ": " + why.substr(0, why.find(':'))];
    }

  private:
    std::map<std::string, int> counts_{};
};

}  // namespace

TEST_CASE("every question is asked, or says why it is not") {
    std::set<std::string> ids;
    for (const json& one : cases()) {
        CAPTURE(one.at("id"));
        CHECK(ids.insert(one.at("id").get<std::string>()).second);
        CHECK(one.contains("asks") + one.contains("not_yet") + one.contains("no_observation") == 1);
        CHECK((!one.contains("asks") || !one.at("asks").empty()));
    }
    CHECK(ids.size() == 129);
}

TEST_CASE("errors of other calculators are not made here") {
    CHECK(peer_errors().size() == 21);
    for (const json& one : peer_errors()) {
        DYNAMIC_SECTION(one.at("id").get<std::string>()
                        << ": " << one.at("topic").get<std::string>()) {
            for (const json& ask : one.at("asks")) CHECK(check(ask, ""));
        }
    }
}

TEST_CASE("questions get their right answers") {
    static Tally tally;
    for (const json& one : cases()) {
        DYNAMIC_SECTION(one.at("id").get<std::string>()) {
            if (one.contains("not_yet")) {
                tally.add("not yet", one.at("not_yet"));
            } else if (one.contains("no_observation")) {
                tally.add("nothing to observe");
            } else {
                bool passed = true;
                const TemporaryFolder folder;
                write_files(one.value("files", json::object()), folder);
                for (const json& ask : one.at("asks")) {
                    passed = check(ask, folder.path()) && passed;
                }
                if (passed && one.contains("remains")) {
                    tally.add("passed, the rest not yet", one.at("remains"));
                } else {
                    tally.add(passed ? "passed" : "failed", passed ? json("") : one.at("id"));
                }
            }
        }
    }
}
