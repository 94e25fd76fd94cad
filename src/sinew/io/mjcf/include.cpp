// Text → one tree: files put in the place of the <include> that names them.
#include <filesystem>
#include <set>

#include "sinew/io/json/json.h"
#include "sinew/io/mjcf/mjcf.h"
#include "sinew/io/referenced_file.h"

namespace sinew {
namespace {

using xml::Element;

class Includer {
public:
    explicit Includer(const IncludeFunction& open) : open_(open) {}

    const std::optional<Diagnostic>& error() const { return error_; }

    // Replaces each <include> among the children by the children of the root that it names.
    void expand(Element& element)
    {
        std::vector<Element> children;
        children.reserve(element.children.size());
        for (Element& child : element.children) {
            if (error_) return;
            if (child.name != "include") {
                expand(child);
                children.push_back(std::move(child));
                continue;
            }
            for (Element& part : included(child)) children.push_back(std::move(part));
        }
        element.children = std::move(children);
    }

private:
    std::vector<Element> included(const Element& element)
    {
        xml::Reader reader;
        const std::string path = reader.requiredName(element, "file");
        if (reader.failed()) return fail(reader.error());
        // MuJoCo's own rule, and what keeps a few files from growing into many.
        const std::string plain = std::filesystem::path(path).lexically_normal().generic_string();
        const std::string fault = partReferenceFault(plain);
        const xml::Attribute& file = *element.find("file");
        if (!fault.empty()) return fail(xml::at(element, file, fault));
        if (!seen_.insert(plain).second)
            return fail(xml::at(element, file, "is included a second time; once is allowed"));
        if (seen_.size() > maxMjcfIncludes)
            return fail(xml::at(element, file, "is the 101st file; at most 100 are included"));
        const Result<std::string> text = open_(plain);
        if (!text) return fail(xml::at(element, file, "cannot be included: " + text.error().message));
        Result<Element> root = xml::parse(text.value(), plain);
        if (!root) return fail(root.error());
        if (root.value().name != "mujoco" && root.value().name != "mujocoinclude")
            return fail(
                xml::at(root.value(), "is the root of an included file; <mujocoinclude> is expected"));
        expand(root.value());
        return std::move(root.value().children);
    }

    std::vector<Element> fail(Diagnostic fault)
    {
        if (!error_) error_ = std::move(fault);
        return {};
    }

    const IncludeFunction& open_;
    std::set<std::string> seen_;
    std::optional<Diagnostic> error_;
};

}  // namespace

Result<Element> mjcf::parse(std::string_view text, const std::string& fileName,
                            const IncludeFunction& include)
{
    Result<Element> root = xml::parse(text, fileName);
    if (!root) return root;
    if (root.value().name != "mujoco")
        return xml::at(root.value(), "is the root element; a MuJoCo model begins with <mujoco>");
    Includer includer(include);
    includer.expand(root.value());
    if (includer.error()) return *includer.error();
    return root;
}

Result<Imported> parseMjcf(std::string_view text, const std::string& fileName,
                           const IncludeFunction& include, const MjcfOptions& options)
{
    Result<Element> root = mjcf::parse(text, fileName, include);
    if (!root) return root.error();
    return mjcf::convert(std::move(root.value()), include, options);
}

Result<Imported> readMjcf(const std::string& path, const MjcfOptions& options)
{
    const Result<std::string> text = json::readFile(path, xml::maxFileSize);
    if (!text) return text.error();
    const auto open = [&](const std::string& name) {
        Result<std::string> found = referencedPart(path, name);
        for (const std::string& folder : options.meshPaths) {
            if (found) break;
            const std::string below = (std::filesystem::path(folder) / "model").string();
            found = referencedFile(below, name);
            if (!found) found = referencedFile(below, std::filesystem::path(name).filename().string());
        }
        return found ? json::readFile(found.value(), xml::maxFileSize) : found;
    };
    return parseMjcf(text.value(), path, open, options);
}

}  // namespace sinew
