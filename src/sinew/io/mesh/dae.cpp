// COLLADA, the part that is a surface of polygons: <triangles>, <polylist> and <polygons> of <mesh>es,
// where the scene's nodes put them. Polygons become fans about their first corner, which is right for
// convex ones.
//
// Lengths are in metres, by <unit>. <up_axis> is not heeded: robots (URDF) have their z up in meshes of
// any, and that is how ROS reads them. A file without a scene is all of its meshes.
#include <algorithm>
#include <map>

#include "sinew/base/words.h"
#include "sinew/io/file_error.h"
#include "sinew/io/mesh/mesh_builder.h"
#include "sinew/io/xml/xml.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

using namespace meshes;
using xml::Element;

constexpr int deepestNode = 100;          // an instance of a node in an instance of …
constexpr int mostNodes = 10'000;         // of a scene, instances counted
constexpr long mostNumbers = 60'000'000;  // read in all: what is placed again is read again

struct Linear {
    Mat3 matrix = Mat3::Identity();
    Vec3 shift = Vec3::Zero();

    Vec3 operator*(const Vec3& v) const { return matrix * v + shift; }
    Linear operator*(const Linear& o) const { return {matrix * o.matrix, matrix * o.shift + shift}; }
};

class DaeReader {
public:
    DaeReader(const Element& root, const std::string& file) : root_(root), file_(file) { index(root); }

    Result<MeshFile> read()
    {
        if (root_.name != "COLLADA") return xml::at(root_, "is the root element; <COLLADA> is expected");
        Linear units;
        units.matrix = Mat3::Identity() * metres();
        const Element* scene = root_.child("scene");
        const Element* instance = scene ? scene->child("instance_visual_scene") : nullptr;
        const Element* nodes = instance ? referred(*instance, "url") : nullptr;
        if (nodes) {
            for (const Element& node : nodes->children)
                if (node.name == "node") place(node, units, 0);
        } else if (const Element* library = root_.child("library_geometries")) {
            for (const Element& geometry : library->children) addGeometry(geometry, units);
        }
        if (failed_) return fault_;
        if (out_.mesh.faces.empty()) return xml::at(root_, "has no triangle with an area");
        if (flat_ > 0)
            out_.notes.push_back(
                fileError(file_, std::to_string(flat_) + " triangles without area are left out"));
        for (const auto& [what, count] : unread_)
            out_.notes.push_back(
                fileError(file_, what + " is not read (" + std::to_string(count) + " times)"));
        return std::move(out_);
    }

private:
    void fail(const Element& where, const std::string& message)
    {
        if (!failed_) fault_ = xml::at(where, message);
        failed_ = true;
    }

    void index(const Element& element)
    {
        if (const xml::Attribute* id = element.find("id")) byId_.try_emplace(id->value, &element);
        for (const Element& child : element.children) index(child);
    }

    // What "#name" in an attribute means; null, and a fault, where there is none.
    const Element* referred(const Element& element, std::string_view attribute)
    {
        const xml::Attribute* url = element.find(attribute);
        if (url && url->value.starts_with('#'))
            if (const auto found = byId_.find(url->value.substr(1)); found != byId_.end())
                return found->second;
        fail(element, std::string(attribute) + " names nothing in this file");
        return nullptr;
    }

    double metres()
    {
        const Element* asset = root_.child("asset");
        const Element* unit = asset ? asset->child("unit") : nullptr;
        if (!unit) return 1;
        xml::Reader reader;
        const double size = reader.number(*unit, "meter").value_or(1);
        if (reader.failed() || !(size > 0)) {
            fail(*unit, "needs a positive meter");
            return 1;
        }
        return size;
    }

    // ---- numbers --------------------------------------------------------------------------------------

    static std::string_view nextOf(std::string_view& text)
    {
        while (!text.empty() && xml::isBlank(text.front())) text.remove_prefix(1);
        std::size_t end = 0;
        while (end < text.size() && !xml::isBlank(text[end])) ++end;
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(end);
        return word;
    }

    std::vector<double> numbers(const Element& element, std::size_t most)
    {
        std::vector<double> out;
        std::string_view text = element.text;
        for (std::string_view word = nextOf(text); !word.empty() && !failed_; word = nextOf(text)) {
            const std::optional<double> number = numberOf(word);
            if (!number)
                fail(element, words::quoted(std::string(word)) + " is no number");
            else if (++numbers_ > mostNumbers)
                fail(element, "is read so often that it makes more than 60 million numbers");
            else if (out.size() >= most)
                fail(element, "has more than " + std::to_string(most) + " numbers");
            else
                out.push_back(*number);
        }
        return out;
    }

    std::vector<double> exactly(const Element& element, std::size_t count)
    {
        std::vector<double> all = numbers(element, count);
        if (!failed_ && all.size() != count)
            fail(element,
                 "has " + std::to_string(all.size()) + " numbers; it takes " + std::to_string(count));
        all.resize(count);
        return all;
    }

    // ---- nodes ----------------------------------------------------------------------------------------

    Linear transformOf(const Element& element)
    {
        Linear out;
        if (element.name == "matrix") {
            const std::vector<double> m = exactly(element, 16);
            out.matrix << m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10];
            out.shift = Vec3(m[3], m[7], m[11]);
        } else if (element.name == "translate") {
            const std::vector<double> v = exactly(element, 3);
            out.shift = Vec3(v[0], v[1], v[2]);
        } else if (element.name == "scale") {
            const std::vector<double> v = exactly(element, 3);
            out.matrix = Vec3(v[0], v[1], v[2]).asDiagonal();
        } else if (element.name == "rotate") {
            const std::vector<double> v = exactly(element, 4);
            const Vec3 axis(v[0], v[1], v[2]);
            if (axis.norm() > 0)
                out.matrix = expRotation(axis.normalized() * (v[3] * pi / 180)).toRotationMatrix();
        }
        return out;
    }

    void place(const Element& node, Linear around, int depth)
    {
        if (depth > deepestNode) return fail(node, "has more than 100 nodes inside each other");
        if (++nodes_ > mostNodes)
            return fail(node, "is the 10001st node of the scene; the limit is reached");
        for (const Element& child : node.children) {
            if (failed_) return;
            if (child.name == "matrix" || child.name == "translate" || child.name == "rotate" ||
                child.name == "scale")
                around = around * transformOf(child);
            else if (child.name == "node")
                place(child, around, depth + 1);
            else if (child.name == "instance_node") {
                if (const Element* other = referred(child, "url")) place(*other, around, depth + 1);
            } else if (child.name == "instance_geometry") {
                if (const Element* geometry = referred(child, "url")) addGeometry(*geometry, around);
            } else if (child.name == "instance_controller") {
                addController(child, around);
            }
        }
    }

    // A skin stands as it is bound.
    void addController(const Element& instance, const Linear& around)
    {
        const Element* controller = referred(instance, "url");
        const Element* skin = controller ? controller->child("skin") : nullptr;
        if (!skin) return;
        if (const Element* geometry = referred(*skin, "source")) addGeometry(*geometry, around);
    }

    // ---- meshes ---------------------------------------------------------------------------------------

    void addGeometry(const Element& geometry, const Linear& around)
    {
        const Element* mesh = geometry.child("mesh");
        if (!mesh) return;
        for (const Element& part : mesh->children) {
            if (failed_) return;
            if (part.name == "triangles" || part.name == "polylist" || part.name == "polygons")
                addFaces(part, around);
            else if (part.name != "source" && part.name != "vertices" && part.name != "extra")
                ++unread_["<" + part.name + ">"];
        }
    }

    // The number of the first vertex of these faces, with their places; and how a corner finds its own.
    struct Corners {
        int first = 0, count = 0;
        std::size_t offset = 0, step = 1;
    };

    std::optional<Corners> cornersOf(const Element& faces, const Linear& around)
    {
        Corners corners;
        const Element* vertices = nullptr;
        xml::Reader reader;
        for (const Element& input : faces.children) {
            if (input.name != "input") continue;
            const int offset = reader.integer(input, "offset").value_or(0);
            if (offset < 0 || offset > 100) fail(input, "offset is not from 0 to 100");
            corners.step = std::max(corners.step, static_cast<std::size_t>(offset) + 1);
            const xml::Attribute* semantic = input.find("semantic");
            if (!semantic || semantic->value != "VERTEX") continue;
            corners.offset = static_cast<std::size_t>(offset);
            vertices = referred(input, "source");
        }
        if (reader.failed()) fail(faces, "has an input whose offset is no number");
        const Element* position = nullptr;
        for (const Element& input : vertices ? vertices->children : std::vector<Element>())
            if (const xml::Attribute* semantic = input.find("semantic");
                semantic && semantic->value == "POSITION")
                position = referred(input, "source");
        if (failed_) return {};
        const Element* list = position ? position->child("float_array") : nullptr;
        if (!list) {
            fail(faces, "has no positions of its corners");
            return {};
        }
        corners.first = static_cast<int>(out_.mesh.vertices.size());
        const std::vector<double> all = numbers(*list, static_cast<std::size_t>(3) * maxMeshVertices);
        if (all.size() / 3 + out_.mesh.vertices.size() > static_cast<std::size_t>(maxMeshVertices))
            fail(*list, "makes more than " + std::to_string(maxMeshVertices) + " vertices");
        if (failed_) return {};
        for (std::size_t i = 0; i + 2 < all.size(); i += 3) {
            const Vec3 at = around * Vec3(all[i], all[i + 1], all[i + 2]);
            if (!(at.cwiseAbs().maxCoeff() <= 1e30)) {
                fail(*list, "lies beyond 1e30 where its node puts it");
                return {};
            }
            out_.mesh.vertices.push_back(at);
        }
        corners.count = static_cast<int>(out_.mesh.vertices.size()) - corners.first;
        return corners;
    }

    void addFaces(const Element& faces, const Linear& around)
    {
        const std::optional<Corners> corners = cornersOf(faces, around);
        if (!corners) return;
        const bool isMirrored = around.matrix.determinant() < 0;
        const auto most = static_cast<std::size_t>(maxMeshFaces) * 8;
        const Element* counts = faces.name == "polylist" ? faces.child("vcount") : nullptr;
        const std::vector<double> sizes = counts ? numbers(*counts, most) : std::vector<double>();
        for (const Element& list : faces.children) {
            if (failed_) return;
            if (list.name == "ph") ++unread_["<ph>"];
            if (list.name != "p") continue;
            const std::vector<double> indices = numbers(list, most);
            std::size_t at = 0;
            const auto take = [&](double size) {
                const std::size_t left = (indices.size() - at) / corners->step;
                if (!(size >= 0 && size <= static_cast<double>(left)))
                    return fail(list, "is shorter than its polygons are");
                addPolygon(list, indices, at, static_cast<std::size_t>(size), *corners, isMirrored);
                at += static_cast<std::size_t>(size) * corners->step;
            };
            const double whole = static_cast<double>(indices.size() / corners->step);
            if (faces.name == "polygons") take(whole);
            if (faces.name == "triangles")
                for (double i = 0; i + 2 < whole && !failed_; i += 3) take(3);
            for (double size : sizes)
                if (!failed_) take(size);
        }
    }

    void addPolygon(const Element& list, const std::vector<double>& indices, std::size_t at,
                    std::size_t size, const Corners& corners, bool isMirrored)
    {
        const auto corner = [&](std::size_t k) {
            const double index = indices[at + k * corners.step + corners.offset];
            if (!(index >= 0 && index < corners.count) || index != static_cast<int>(index)) {
                fail(list, "names a vertex that is not there");
                return 0;
            }
            return corners.first + static_cast<int>(index);
        };
        for (std::size_t k = 1; k + 1 < size && !failed_; ++k) {
            std::array<int, 3> face = {corner(0), corner(k), corner(k + 1)};
            if (isMirrored) std::swap(face[1], face[2]);
            if (failed_) return;
            if (out_.mesh.faces.size() >= static_cast<std::size_t>(maxMeshFaces))
                return fail(list, "makes more than " + std::to_string(maxMeshFaces) + " triangles");
            if (hasArea(out_.mesh, face))
                out_.mesh.faces.push_back(face);
            else
                ++flat_;
        }
    }

    const Element& root_;
    const std::string& file_;
    std::map<std::string, const Element*> byId_;
    std::map<std::string, int> unread_;
    MeshFile out_;
    long numbers_ = 0;
    int nodes_ = 0, flat_ = 0;
    bool failed_ = false;
    Diagnostic fault_;
};

}  // namespace

Result<MeshFile> parseDae(std::string_view text, const std::string& fileName)
{
    const Result<Element> root = xml::parse(text, fileName);
    if (!root) return root.error();
    return DaeReader(root.value(), fileName).read();
}

}  // namespace sinew
