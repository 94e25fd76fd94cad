// DIR/index.html. The form of its data is described in web/README.md.
#include "sinew/apps/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "sinew/apps/base64.h"
#include "sinew/apps/files.h"
#include "sinew/apps/page_meshes.h"
#include "sinew/apps/page_particles.h"
#include "sinew/apps/page_plan.h"
#include "sinew/apps/page_template.h"
#include "sinew/apps/page_text.h"
#include "sinew/apps/run_files.h"
#include "sinew/apps/text.h"
#include "sinew/io/csv/contacts_csv.h"
#include "sinew/io/csv/csv.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/csv/table_reader.h"
#include "sinew/io/csv/text_reader.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"

namespace sinew {

namespace fs = std::filesystem;

namespace {

// What a browser opens from a disk in a moment: characters of base64.
constexpr double mostPoses = 20e6;
constexpr double mostSeries = 8e6;
constexpr double mostContacts = 8e6;
// Of contacts.csv, those of a contact that the page has: place and force.
constexpr std::size_t contactColumns[] = {4, 5, 6, 10, 11, 12};

// One of the two tables of a run. The time is the first of its columns.
struct RunTable {
    std::string path, header;
    std::size_t columns;

    Result<TableReader> open() const { return TableReader::open(path, header); }
};

// How much of the tables the page holds.
struct Extent {
    std::uint64_t rows = 0;
    std::uint64_t every = 1;          // one row in so many
    std::size_t curves = 0;           // columns of the series, without the time
    std::size_t curvesLeft = 0;       // and those left out
    std::uint64_t contactsEvery = 1;  // contacts of one in so many of the page's frames
    ParticleExtent particles = {};
    MeshExtent meshes = {};

    std::uint64_t frames() const { return (rows + every - 1) / every; }
    double size(std::size_t width) const { return base64Size(static_cast<double>(frames() * width)); }
};

json::Value triple(const Vec3& v)
{
    return json::Value::array({v.x(), v.y(), v.z()});
}

Result<json::Value> parseSummary(const std::string& text, const std::string& path)
{
    Result<json::Value> summary = json::parse(text, path);
    if (summary && !summary.value().isObject()) return fileError(path, "is not the summary of a run");
    return summary;
}

Result<std::uint64_t> countRows(const RunTable& table)
{
    Result<TableReader> reader = table.open();
    if (!reader) return reader.error();
    std::uint64_t rows = 0;
    while (reader.value().skipRow()) ++rows;
    if (!reader.value().fault().empty()) return Diagnostic{reader.value().fault()};
    return rows;
}

// Poses come before curves, and the curves that all scenes have before those of joints.
Extent extentOf(std::uint64_t rows, std::size_t poseWidth, std::size_t curves)
{
    Extent extent{rows, 1, curves, 0};
    const auto thin = [&](std::size_t width, double most) {
        const double size = extent.size(width);
        if (size > most) extent.every *= static_cast<std::uint64_t>(std::ceil(size / most));
    };
    thin(poseWidth, mostPoses);
    if (extent.size(curves) > mostSeries) {
        extent.curves = std::min(curves, measureCount);
        extent.curvesLeft = curves - extent.curves;
        thin(extent.curves, mostSeries);
    }
    return extent;
}

Result<Extent> measure(const RunTable& trajectory, const RunTable& series)
{
    Result<std::uint64_t> rows = countRows(trajectory);
    if (!rows) return rows.error();
    Result<std::uint64_t> others = countRows(series);
    if (!others) return others.error();
    if (rows.value() != others.value())
        return fileError(trajectory.path, fmt::format("has {} rows and {} has {}: one of them is cut off",
                                                      rows.value(), series.path, others.value()));
    if (rows.value() == 0) return fileError(trajectory.path, "holds no frames");
    return extentOf(rows.value(), trajectory.columns - 1, series.columns - 1);
}

// The times of the frames as a JSON array. Gives an empty string, or what is wrong with the table.
std::string writeTimes(WholeFile& page, const RunTable& table, const Extent& extent)
{
    Result<TableReader> reader = table.open();
    if (!reader) return reader.error().text();
    std::string text = "[";
    double last = -std::numeric_limits<double>::infinity();
    for (std::uint64_t row = 0; row < extent.rows; ++row) {
        double time = 0;
        if (row % extent.every != 0) {
            reader.value().skipRow();
        } else if (reader.value().readFirst(time)) {
            if (!(time > last && std::isfinite(time)))
                return fmt::format("{}: the time of row {} must be later than the one before", table.path,
                                   row + 1);
            if (row > 0) text += ',';
            text += json::numberText(time);
            last = time;
        }
        if (text.size() > 1 << 16) page.write(std::exchange(text, {}));
    }
    page.write(text + "]");
    return reader.value().fault();
}

// The first `width` columns after the time, as base64 in quotes.
std::string writeColumns(WholeFile& page, const RunTable& table, const Extent& extent, std::size_t width)
{
    Result<TableReader> reader = table.open();
    if (!reader) return reader.error().text();
    std::vector<double> row(table.columns);
    Base64Writer packed(page);
    page.write("\"");
    for (std::uint64_t i = 0; i < extent.rows; ++i) {
        if (i % extent.every != 0) {
            reader.value().skipRow();
        } else if (reader.value().readRow(row)) {
            for (std::size_t j = 1; j <= width; ++j) packed.add(row[j]);
        }
    }
    packed.finish();
    page.write("\"");
    return reader.value().fault();
}

// The contacts of the page's frames from DIR/contacts.csv, whose rows have the times of frames.
class ContactRows {
public:
    static Result<ContactRows> open(const std::string& path)
    {
        Result<TextReader> reader = TextReader::open(path, contactsHeader());
        if (!reader) return reader.error();
        return ContactRows(std::move(reader.value()));
    }

    // handle(reader) for every contact of the frame at this time; those of earlier frames are passed.
    template <class Handle>
    void take(double time, Handle handle)
    {
        while (hasRow_ && reader_.number(0) <= time && reader_.fault().empty()) {
            if (reader_.number(0) == time && reader_.field(1) != "end") handle(reader_);
            hasRow_ = reader_.readRow();
        }
    }
    const std::string& fault() const { return reader_.fault(); }

private:
    explicit ContactRows(TextReader reader) : reader_(std::move(reader)) { hasRow_ = reader_.readRow(); }

    TextReader reader_;
    bool hasRow_ = false;
};

// visit(rows, time) for those of the page's frames whose contacts it holds.
template <class Visit>
std::string eachContactFrame(const RunTable& trajectory, const std::string& path, const Extent& extent,
                             Visit visit)
{
    Result<TableReader> times = trajectory.open();
    if (!times) return times.error().text();
    Result<ContactRows> rows = ContactRows::open(path);
    if (!rows) return rows.error().text();
    const std::uint64_t every = extent.every * extent.contactsEvery;
    for (std::uint64_t row = 0; row < extent.rows; ++row) {
        double time = 0;
        if (row % every != 0)
            times.value().skipRow();
        else if (times.value().readFirst(time))
            visit(rows.value(), time);
    }
    return times.value().fault().empty() ? rows.value().fault() : times.value().fault();
}

// How many contacts each frame has, as a JSON array, and then the contacts themselves.
std::string writeContacts(WholeFile& page, const RunTable& trajectory, const std::string& path,
                          Extent& extent)
{
    std::vector<std::uint64_t> counts;
    const auto count = [&](ContactRows& rows, double time) {
        counts.push_back(0);
        rows.take(time, [&](TextReader&) { ++counts.back(); });
    };
    std::string fault = eachContactFrame(trajectory, path, extent, count);
    if (!fault.empty()) return fault;
    double sum = 0;
    for (std::uint64_t c : counts) sum += static_cast<double>(c);
    const double size = base64Size(sum * std::size(contactColumns));
    if (size > mostContacts)
        extent.contactsEvery = static_cast<std::uint64_t>(std::ceil(size / mostContacts));
    page.write(fmt::format("{{\"every\": {}, \"counts\": [", extent.contactsEvery));
    for (std::size_t i = 0; i < counts.size(); i += extent.contactsEvery)
        page.write(fmt::format("{}{}", i > 0 ? "," : "", counts[i]));
    page.write("], \"values\": \"");
    Base64Writer packed(page);
    const auto pack = [&](ContactRows& rows, double time) {
        rows.take(time, [&](TextReader& row) {
            for (std::size_t column : contactColumns) packed.add(row.number(column));
        });
    };
    fault = eachContactFrame(trajectory, path, extent, pack);
    packed.finish();
    page.write("\"}");
    return fault;
}

std::string leftLine(const Extent& extent)
{
    std::vector<std::string> parts;
    if (extent.every > 1) parts.push_back(fmt::format("one frame in {}", extent.every));
    if (extent.curvesLeft > 0) parts.push_back("no curves of joints");
    if (extent.contactsEvery > 1)
        parts.push_back(fmt::format("contacts of one in {} of its frames", extent.contactsEvery));
    if (extent.particles.oneIn > 1)
        parts.push_back(fmt::format("one particle in {}", extent.particles.oneIn));
    if (extent.meshes.every > 1)
        parts.push_back(fmt::format("meshes of one in {} of its frames", extent.meshes.every));
    if (parts.empty()) return {};
    return fmt::format("to stay small the page has {}; the tables have all", fmt::join(parts, " and "));
}

}  // namespace

json::Value massesOf(const Model& model)
{
    json::Value masses = json::Value::array();
    for (int index : model.bodyOrder) {
        const Body& body = model.bodies[index];
        json::Value rows = json::Value::array();
        for (int i = 0; i < 3; ++i) rows.add(triple(body.wholeInertia().row(i).transpose()));
        json::Value item = json::Value::object();
        item.add("mass", body.wholeMass());
        item.add("center", triple(body.center));
        item.add("inertia", std::move(rows));
        masses.add(std::move(item));
    }
    return masses;
}

Result<Page> writePage(const RunFiles& files, const Description& description, const Model& model,
                       const std::string& summaryText, const PageCharacter* character)
{
    const std::vector<std::string> curves = seriesNames(model);
    const RunTable trajectory{files.trajectory, trajectoryHeader(model), 1 + 7 * model.bodyOrder.size()};
    const RunTable series{files.series, seriesHeader(model), 1 + curves.size()};
    Result<json::Value> summary = parseSummary(summaryText, files.summary);
    if (!summary) return summary.error();
    Result<Extent> measured = measure(trajectory, series);
    if (!measured) return measured.error();
    Extent& extent = measured.value();
    const json::Value* fps = summary.value().find("fps");

    WholeFile page(files.page);
    page.write(pageTemplate().head);
    page.write("{\"version\": 1,\n");
    if (character) page.write(characterEntry(*character) + ",\n");
    page.write("\"scene\": " + inScript(writeScene(description)));
    page.write(",\"masses\": " + json::write(massesOf(model)));
    page.write(fmt::format(",\"frames\": {{\"fps\": {}, \"count\": {}, \"every\": {}, \"times\": ",
                           json::numberText(fps && fps->isNumber() ? fps->number() : 0), extent.frames(),
                           extent.every));
    std::string fault = writeTimes(page, trajectory, extent);
    page.write(", \"poses\": ");
    if (fault.empty()) fault = writeColumns(page, trajectory, extent, trajectory.columns - 1);
    json::Value names = json::Value::array();
    for (std::size_t i = 0; i < extent.curves; ++i) names.add(curves[i]);
    page.write("},\n\"series\": {\"names\": " + inScript(json::write(names)));
    page.write(fmt::format(", \"left_out\": {}, \"values\": ", extent.curvesLeft));
    if (fault.empty()) fault = writeColumns(page, series, extent, extent.curves);
    page.write("}");
    // Poses alone, of `sinew pull` and `pose`, have neither contacts nor what moves beside bodies.
    const bool isRun = summary.value().find("integrator") != nullptr;
    if (model.contact && isRun) {
        page.write(",\n\"contacts\": ");
        if (fault.empty()) fault = writeContacts(page, trajectory, files.contacts, extent);
    }
    if (!model.particles.empty() && isRun) {
        page.write(",\n\"particles\": ");
        if (fault.empty())
            fault =
                writeParticles(page, files.particles, model, extent.rows, extent.every, extent.particles);
    }
    if (!model.meshes.empty() && isRun) {
        page.write(",\n\"meshes\": ");
        if (fault.empty())
            fault = writeMeshes(page, files.meshes, extent.rows, extent.every, extent.meshes);
    }
    if (fault.empty()) fault = writePlan(page, files);
    page.write(",\n\"summary\": " + inScript(json::write(summary.value())) + "}");
    page.write(pageTemplate().afterData);
    if (character) writeCharacterBytes(page, *character);
    page.write(pageTemplate().afterCharacter);
    page.write(packedEngine());
    page.write(pageTemplate().tail);
    if (fault.empty()) fault = page.finish();
    if (!fault.empty()) return Diagnostic{fault};
    return Page{files.page, page.size(), leftLine(extent)};
}

Result<Page> writePage(const std::string& directory, const std::string& path)
{
    RunFiles files(directory);
    std::error_code code;
    for (const std::string& needed : {files.summary, files.scene}) {
        if (!fs::exists(needed, code))
            return fileError(directory, fmt::format("holds no finished run: {} is missing", needed));
    }
    Result<SceneFile> scene = openScene(files.scene);
    if (!scene) return scene.error();
    Result<Model> model = compile(scene.value().description);
    if (!model) return inScene(model.error(), files.scene);
    Result<std::string> summary = json::readFile(files.summary);
    if (!summary) return summary.error();
    files.page = path;
    return writePage(files, scene.value().description, model.value(), summary.value());
}

std::string characterEntry(const PageCharacter& character)
{
    json::Value look = json::Value::object();
    look.add("name", character.name);
    if (!character.clip.empty()) look.add("clip", character.clip);
    look.add("scale", character.metresPerUnit);
    return "\"character\": " + inScript(json::write(look));
}

void writeCharacterBytes(WholeFile& page, const PageCharacter& character)
{
    constexpr std::size_t block = 3 << 16;  // whole groups of three bytes
    for (std::size_t i = 0; i < character.glb.size(); i += block)
        page.write(base64Text(character.glb.substr(i, block)));
}

std::string pageLines(const Page& page)
{
    return fmt::format("page: {} ({:.1f} MB), opens in any browser\n{}", printable(page.path),
                       static_cast<double>(page.size) / 1e6, page.left.empty() ? "" : page.left + "\n");
}

}  // namespace sinew
