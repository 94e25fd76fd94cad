// The page of a run whose scene, summary and tables are of the input: refused in one line, or a page whose
// data are JSON that cannot end the element it stands in.
//
// Inputs are the texts one after the other, each ended by a line "====". The headings of tables follow from
// the scene: few spoilt bytes would get past their check.
#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "fuzz/expect.h"
#include "sinew/apps/page.h"
#include "sinew/apps/page_template.h"
#include "sinew/io/csv/contacts_csv.h"
#include "sinew/io/csv/motion_csv.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"

using namespace sinew;

namespace {

// A folder of its own, removed at the end.
struct Folder {
    std::string path =
        (std::filesystem::temp_directory_path() / ("sinew-fuzz-page-" + std::to_string(getpid()))).string();
    Folder() { std::filesystem::create_directory(path); }
    ~Folder()
    {
        std::error_code code;
        std::filesystem::remove_all(path, code);
    }
};

std::string_view takePart(std::string_view& text)
{
    constexpr std::string_view end = "====\n";
    const std::size_t place = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, place);
    text.remove_prefix(std::min(text.size(), place + end.size()));
    return part;
}

void put(const std::string& path, const std::string& heading, std::string_view rows)
{
    expect(writeWhole(path, heading + std::string(rows)).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view text = textOf(data, size);
    const Result<Description> scene = parseScene(takePart(text), "f");
    if (!scene) return 0;
    const Result<Model> model = compile(scene.value());
    if (!model) return 0;
    static const Folder folder;
    const RunFiles files(folder.path);
    const std::string summary(takePart(text));
    put(files.trajectory, trajectoryHeader(model.value()), takePart(text));
    put(files.series, seriesHeader(model.value()), takePart(text));
    put(files.contacts, contactsHeader(), takePart(text));
    const Result<Page> page = writePage(files, scene.value(), model.value(), summary);
    if (!page) {
        expect(isOneLine(page.error().text()));
        return 0;
    }
    const Result<std::string> written = json::readFile(files.page);
    expect(written && written.value().size() == page.value().size);
    std::string_view content = written.value();
    expect(content.starts_with(pageTemplate().head));
    content.remove_prefix(pageTemplate().head.size());
    content = content.substr(0, content.find(pageTemplate().afterData));
    expect(content.find('<') == std::string_view::npos);
    expect(static_cast<bool>(json::parse(content, "f")));
    return 0;
}
