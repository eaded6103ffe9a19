#include "napkin/catalog.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "catalog/embedded.hpp"
#include "catalog/preset_file.hpp"
#include "catalog/read.hpp"
#include "catalog/user_files.hpp"
#include "napkin/text.hpp"

namespace napkin {
namespace {

constexpr std::array<std::string_view, 8> kind_names{
    "accelerator", "system", "model", "format", "family", "engine", "assumptions", "schema"};
constexpr std::array<std::string_view, 8> list_commands{"gpu", "gpu", "model", "", "", "", "", ""};

std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

json::Value read_embedded(const catalog::EmbeddedEntry& entry) {
    const std::string name = "preset " + std::string(entry.id);
    json::Value value = json::parse({name, entry.text});
    catalog::resolve_sources(value, json::parse({name, entry.sources}));
    return value;
}

// What a name leads to: one entry, or several ids to choose from.
struct Hits {
    std::vector<std::string> ids{};
    std::optional<std::size_t> user{};
    std::optional<std::size_t> embedded{};
    bool choice{};
};

}  // namespace

struct Catalog::State {
    std::vector<catalog::Preset> user{};

    [[nodiscard]] Hits look_up(PresetKind kind, std::string_view name) const;
    [[nodiscard]] json::Value entry(PresetKind kind, std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names(PresetKind kind) const;
};

Hits Catalog::State::look_up(PresetKind kind, std::string_view name) const {
    const std::string plain = normalized(name);
    const std::string written = lowered(name);
    for (std::size_t i = user.size(); i-- > 0;) {  // the last file added wins
        const auto& names = user[i].names;
        const bool found = user[i].kind == kind &&
                           std::any_of(names.begin(), names.end(), [&](const std::string& one) {
                               return normalized(one) == plain;
                           });
        if (found) return {.ids = {user[i].id}, .user = i, .embedded = {}, .choice = false};
    }
    const auto entries = catalog::embedded_entries();
    const auto table = catalog::embedded_names();
    auto at = std::lower_bound(
        table.begin(), table.end(), std::string_view(plain),
        [](const auto& row, std::string_view key) { return row.normalized < key; });
    Hits hits;
    std::optional<std::size_t> exact;
    for (; at != table.end() && at->normalized == plain; ++at) {
        if (at->kind != kind) continue;
        hits.choice = hits.choice || at->choice;
        if (!at->choice && lowered(at->written) == written) exact = at->entry;
        const std::string id(entries[at->entry].id);
        if (std::find(hits.ids.begin(), hits.ids.end(), id) == hits.ids.end()) {
            hits.ids.push_back(id);
            hits.embedded = at->entry;
        }
    }
    // Names that differ in punctuation only (opt-1.3b, opt-13b) are told apart as written.
    if (hits.ids.size() > 1 && exact && !hits.choice) {
        hits.ids = {std::string(entries[*exact].id)};
        hits.embedded = exact;
    }
    return hits;
}

std::vector<std::string> Catalog::State::names(PresetKind kind) const {
    std::vector<std::string> result;
    for (const auto& preset : user) {
        if (preset.kind == kind) {
            result.insert(result.end(), preset.names.begin(), preset.names.end());
        }
    }
    for (const auto& entry : catalog::embedded_entries()) {
        if (entry.kind == kind) result.emplace_back(entry.id);
    }
    for (const auto& row : catalog::embedded_names()) {
        if (row.kind == kind) result.push_back(lowered(row.written));
    }
    return result;
}

json::Value Catalog::State::entry(PresetKind kind, std::string_view name) const {
    const auto index = static_cast<std::size_t>(kind);
    const Hits hits = look_up(kind, name);
    if (hits.user) return user[*hits.user].entry;
    const std::string shown = std::string("'").append(name.substr(0, 100)) + "'";
    if (hits.ids.empty()) {
        const std::string_view lister = list_commands[index];
        throw Error(
            {.id = "unknown-" + std::string(kind_names[index]),
             .message = "unknown " + std::string(kind_names[index]) + " " + shown,
             .where = {},
             .expected = {},
             .suggestions = nearest(name, names(kind)),
             .hint = lister.empty() ? "" : "`napkin " + std::string(lister) + "` lists all"});
    }
    if (hits.ids.size() > 1) {
        throw Error({.id = "ambiguous-" + std::string(kind_names[index]),
                     .message = shown + " could be any of several, which differ",
                     .where = {},
                     .expected = {},
                     .suggestions = hits.ids,
                     .hint = {}});
    }
    return read_embedded(catalog::embedded_entries()[*hits.embedded]);
}

Catalog::Catalog() : state_(std::make_unique<State>()) {}
Catalog::~Catalog() = default;
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;

std::vector<std::pair<PresetKind, std::string>> Catalog::add_file(const std::string& path) {
    const std::string text = catalog::read_text(path);
    const json::Source source{path, text};
    json::Value file = json::parse(source);
    const std::string name = catalog::schema_name(file);
    if (name.empty() || !has(PresetKind::schema, name)) {
        throw Error({.id = "unknown-schema",
                     .message = "not a preset file: it does not name one of our schemas",
                     .where = json::where_in(source, file.at("schema").offset),
                     .expected = "\"schema\": \"napkin/models/1\" or \"napkin/accelerators/1\"",
                     .suggestions = {},
                     .hint = "`napkin schema` lists them"});
    }
    const std::string schema_text = schema(name);
    const json::Value schema_tree = json::parse({"schema " + name, schema_text});
    if (auto problems = json::validate(file, schema_tree, source); !problems.empty()) {
        throw Error(std::move(problems));
    }
    const json::Value sources = file.at("sources");
    catalog::resolve_sources(file, sources);
    std::vector<std::pair<PresetKind, std::string>> added;
    for (auto& preset : catalog::presets_of(file, catalog::stem_of(path))) {
        added.emplace_back(preset.kind, preset.id);
        state_->user.push_back(std::move(preset));
    }
    return added;
}

bool Catalog::add_folder(const std::string& path) {
    const auto files = catalog::json_files(path);
    if (!files) return false;
    for (const std::string& file : *files) add_file(file);
    return true;
}

Accelerator Catalog::accelerator(std::string_view name) const {
    return catalog::read_accelerator(state_->entry(PresetKind::accelerator, name));
}

NumberFormat Catalog::format(std::string_view name) const {
    return catalog::read_format(state_->entry(PresetKind::format, name));
}

Model Catalog::model(std::string_view name) const {
    return catalog::read_model(state_->entry(PresetKind::model, name),
                               [this](std::string_view id) { return format(id); });
}

std::optional<Mix> Catalog::mix(std::string_view name) const {
    return catalog::read_mix(state_->entry(PresetKind::assumptions, "gguf-mixes"), name,
                             [this](std::string_view id) { return format(id); });
}

std::vector<std::string> Catalog::mix_names() const {
    return catalog::mix_names(state_->entry(PresetKind::assumptions, "gguf-mixes"));
}

Engine Catalog::engine(std::string_view name) const {
    return catalog::read_engine(state_->entry(PresetKind::engine, name));
}

Reserve Catalog::reserve() const {
    return catalog::read_reserve(state_->entry(PresetKind::assumptions, "memory-reserve"));
}

std::vector<PublishedRun> Catalog::published_runs() const {
    return catalog::read_runs(state_->entry(PresetKind::assumptions, "published-mfu"));
}

std::vector<FailureRecord> Catalog::failures() const {
    return catalog::read_failures(state_->entry(PresetKind::assumptions, "failures"));
}

std::vector<CollectiveLaw> Catalog::collectives(std::optional<std::string_view> family) const {
    constexpr std::string_view stem = "collectives";
    std::vector<CollectiveLaw> laws;
    for (const std::string& id : ids(PresetKind::assumptions)) {
        if (!id.starts_with(stem)) continue;
        const std::string of = id.size() > stem.size() ? id.substr(stem.size() + 1) : std::string();
        if (family && !family->starts_with(of)) continue;
        const auto more = catalog::read_collectives(state_->entry(PresetKind::assumptions, id));
        laws.insert(laws.end(), more.begin(), more.end());
    }
    return laws;
}

Machine Catalog::machine(std::string_view name, double count) const {
    if (!has(PresetKind::system, name)) return machine_of(accelerator(name), count);
    const json::Value system = state_->entry(PresetKind::system, name);
    const Accelerator part = accelerator(system.text("accelerator"));
    Machine machine = machine_of(part, count * system.count("devices", 1));
    machine.id = (count > 1 ? shortest(count) + "x" : "") + system.text("id");
    machine.name = (count > 1 ? shortest(count) + " x " : "") + system.text("name");
    machine.domain = system.count("domain", machine.domain);
    if (const std::string out = system.text("scale_out"); !out.empty()) {
        machine.scale_out = read_byte_rate(out).value.value_or(machine.scale_out);
    }
    machine.system_power = catalog::quantity<Watts<>>(system, "power", read_power) * count;
    return machine;
}

std::string Catalog::text(PresetKind kind, std::string_view name) const {
    return json::write(state_->entry(kind, name));
}

std::string Catalog::schema(std::string_view name) const {
    return text(PresetKind::schema, name);
}

bool Catalog::has(PresetKind kind, std::string_view name) const {
    return !state_->look_up(kind, name).ids.empty();
}

std::vector<std::string> Catalog::ids(PresetKind kind) const {
    std::vector<std::string> result;
    for (const auto& entry : catalog::embedded_entries()) {
        if (entry.kind == kind) result.emplace_back(entry.id);
    }
    for (const auto& preset : state_->user) {
        const bool known = std::find(result.begin(), result.end(), preset.id) != result.end();
        if (preset.kind == kind && !known) result.push_back(preset.id);
    }
    return result;
}

}  // namespace napkin
