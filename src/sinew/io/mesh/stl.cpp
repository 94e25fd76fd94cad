// Stereolithography (STL), binary and text. Triangles stand alone there: their corners are merged where
// they are the same numbers, so that a solid has a closed surface again.
//
// Binary: 80 bytes for anything, a count, and 50 bytes for each triangle (normal, three corners, 2 bytes
// for colours), all little-endian. Many binary files begin with "solid", as text does, so the size decides:
// text cannot fit the count, whose bytes would be letters and mean gigabytes.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "sinew/base/words.h"
#include "sinew/io/file_error.h"
#include "sinew/io/mesh/mesh_builder.h"

namespace sinew {
namespace {

using namespace meshes;

constexpr std::size_t stlHeaderSize = 84, facetSize = 50;

std::uint32_t wordAt(std::string_view bytes, std::size_t at)
{
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k)
        word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
    return word;
}

Vec3 vectorAt(std::string_view bytes, std::size_t at)
{
    Vec3 v;
    for (int i = 0; i < 3; ++i)
        v[i] =
            static_cast<double>(std::bit_cast<float>(wordAt(bytes, at + 4 * static_cast<std::size_t>(i))));
    return v;
}

// Makes one vertex of those with the same numbers, in the order in which they first stand in the file, and
// drops faces without area. By sorting: no choice of numbers makes it slow.
int mergeVertices(MeshFile& file)
{
    TriangleMesh& mesh = file.mesh;
    for (Vec3& v : mesh.vertices) v = v + Vec3::Zero();  // −0 becomes 0
    const auto less = [&](int a, int b) {
        const Vec3 &u = mesh.vertices[a], &v = mesh.vertices[b];
        for (int i = 0; i < 3; ++i)
            if (u[i] != v[i]) return u[i] < v[i];
        return a < b;
    };
    std::vector<int> order(mesh.vertices.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), less);
    std::vector<int> leader(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const bool same = k > 0 && mesh.vertices[order[k]] == mesh.vertices[order[k - 1]];
        leader[order[k]] = same ? leader[order[k - 1]] : order[k];
    }
    int kept = 0;
    for (std::size_t i = 0; i < leader.size(); ++i) {
        if (leader[i] == static_cast<int>(i)) {
            mesh.vertices[kept] = mesh.vertices[i];
            leader[i] = kept++;
        } else {
            leader[i] = leader[leader[i]];
        }
    }
    mesh.vertices.resize(kept);

    int dropped = 0;
    std::vector<std::array<int, 3>> faces;
    std::size_t at = 0;
    for (MeshGroup& group : file.groups) {
        const std::size_t end = at + static_cast<std::size_t>(group.count);
        group.first = static_cast<int>(faces.size());
        for (; at < end; ++at) {
            const auto& [a, b, c] = mesh.faces[at];
            const std::array<int, 3> face{leader[a], leader[b], leader[c]};
            if (hasArea(mesh, face))
                faces.push_back(face);
            else
                ++dropped;
        }
        group.count = static_cast<int>(faces.size()) - group.first;
    }
    mesh.faces = std::move(faces);
    return dropped;
}

class StlReader {
public:
    StlReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

    Result<MeshFile> read()
    {
        if (bytes_.size() >= stlHeaderSize && bytes_.size() == sizeByHeader())
            readBinary();
        else if (isText())
            readText();
        else
            readBinary();
        if (failed_) return fault_;
        if (out_.mesh.faces.empty()) return fileError(file_, "there are no triangles in this STL file");
        if (opposed_ > 0)
            leftOut_.add(
                std::to_string(opposed_) + " normals oppose the order of the corners; the order counts", 0);
        out_.groups.back().count = static_cast<int>(out_.mesh.faces.size()) - out_.groups.back().first;
        if (const int dropped = mergeVertices(out_); dropped > 0)
            leftOut_.add(std::to_string(dropped) + " triangles without area are left out", 0);
        if (out_.mesh.faces.empty()) return fileError(file_, "no triangle of this STL file has an area");
        std::erase_if(out_.groups,
                      [](const MeshGroup& group) { return group.name.empty() || group.count == 0; });
        out_.notes = leftOut_.notes(file_);
        return std::move(out_);
    }

private:
    std::size_t sizeByHeader() const { return stlHeaderSize + facetSize * std::size_t{wordAt(bytes_, 80)}; }

    bool isText() const
    {
        std::string_view text = bytes_;
        while (!text.empty() && std::string_view(" \t\r\n").find(text[0]) != text.npos)
            text.remove_prefix(1);
        if (text.size() < 5 || lower(text.substr(0, 5)) != "solid") return false;
        return text.substr(0, 1024).find('\0') == text.npos;
    }

    static std::string lower(std::string_view word)
    {
        std::string text(word);
        for (char& c : text)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return text;
    }

    void readBinary()
    {
        if (bytes_.size() < stlHeaderSize)
            return fail(0, "this is no STL file: it has " + std::to_string(bytes_.size()) +
                               " bytes, text begins with 'solid', and the header of a binary file has 84");
        const std::size_t count = wordAt(bytes_, 80);
        if (sizeByHeader() > bytes_.size())
            return fail(0, "the header promises " + std::to_string(count) + " triangles in " +
                               std::to_string(sizeByHeader()) + " bytes, the file has " +
                               std::to_string(bytes_.size()) + "; it is cut short, or no STL file");
        if (count > static_cast<std::size_t>(maxMeshFaces))
            return fail(0, "there are more than " + std::to_string(maxMeshFaces) + " triangles");
        if (sizeByHeader() < bytes_.size())
            leftOut_.add(std::to_string(bytes_.size() - sizeByHeader()) +
                             " bytes after the last triangle are not taken",
                         0);
        beginGroup(out_, {});
        bool coloured = false;
        for (std::size_t i = 0; i < count && !failed_; ++i) {
            const std::size_t at = stlHeaderSize + facetSize * i;
            Vec3 corner[3];
            for (std::size_t k = 0; k < 3; ++k) {
                corner[k] = vectorAt(bytes_, at + 12 * (k + 1));
                if (!(corner[k].cwiseAbs().maxCoeff() <= 1e30) || !corner[k].allFinite())
                    return fail(0, "a corner of triangle " + std::to_string(i + 1) +
                                       " is not a finite number below 1e30");
            }
            addFacet(vectorAt(bytes_, at), corner);
            coloured = coloured || bytes_[at + 48] != 0 || bytes_[at + 49] != 0;
        }
        if (coloured) leftOut_.add("colours of triangles are not taken", 0);
    }

    void addFacet(const Vec3& normal, const Vec3* corner)
    {
        const int first = static_cast<int>(out_.mesh.vertices.size());
        for (int k = 0; k < 3; ++k) out_.mesh.vertices.push_back(corner[k]);
        out_.mesh.faces.push_back({first, first + 1, first + 2});
        if ((corner[1] - corner[0]).cross(corner[2] - corner[0]).dot(normal) < 0) ++opposed_;
    }

    void readText()
    {
        std::string_view text = bytes_;
        enum class Inside { file, solid, facet, loop } inside = Inside::file;
        Vec3 normal = Vec3::Zero(), corner[3];
        int corners = 0;
        for (int line = 1; !text.empty() && !failed_; ++line) {
            std::string_view rest = nextLine(text);
            const std::string_view word = nextWord(rest);
            const std::string keyword = lower(word.substr(0, 16));
            if (keyword.empty()) continue;
            if (keyword == "solid" && inside == Inside::file) {
                beginGroup(out_, nextWord(rest));
                inside = Inside::solid;
            } else if (keyword == "facet" && inside == Inside::solid) {
                if (lower(nextWord(rest)) != "normal" || !readVector(rest, normal))
                    normal.setZero();  // it is not needed
                corners = 0;
                inside = Inside::facet;
            } else if (keyword == "outer" && inside == Inside::facet) {
                inside = Inside::loop;
            } else if (keyword == "vertex" && inside == Inside::loop) {
                if (corners == 3) return fail(line, "a facet has three corners, this one has more");
                if (!readVector(rest, corner[corners++]))
                    return fail(line, "a corner needs three finite numbers below 1e30");
            } else if (keyword == "endloop" && inside == Inside::loop) {
                if (corners != 3)
                    return fail(line, "a facet has three corners, this one has " + std::to_string(corners));
                inside = Inside::facet;
            } else if (keyword == "endfacet" && inside == Inside::facet) {
                if (corners != 3) return fail(line, "the facet has no corners ('outer loop', 'vertex')");
                if (out_.mesh.faces.size() >= maxMeshFaces)
                    return fail(line, "there are more than " + std::to_string(maxMeshFaces) + " triangles");
                addFacet(normal, corner);
                inside = Inside::solid;
            } else if (keyword == "endsolid" && inside == Inside::solid) {
                inside = Inside::file;
            } else {
                return fail(line, words::quoted(word) + " has no place here in an STL file of text");
            }
        }
        if (inside != Inside::file) fail(0, "the file ends within a solid; it is cut short");
    }

    static bool readVector(std::string_view& rest, Vec3& v)
    {
        for (int i = 0; i < 3; ++i) {
            const std::optional<double> number = numberOf(nextWord(rest));
            if (!number) return false;
            v[i] = *number;
        }
        return true;
    }

    void fail(int line, std::string message)
    {
        if (!failed_) fault_ = fileError(file_, std::move(message), line);
        failed_ = true;
    }

    std::string_view bytes_;
    const std::string& file_;
    int opposed_ = 0;
    MeshFile out_;
    LeftOut leftOut_;
    bool failed_ = false;
    Diagnostic fault_;
};

}  // namespace

Result<MeshFile> parseStl(std::string_view bytes, const std::string& fileName)
{
    return StlReader(bytes, fileName).read();
}

}  // namespace sinew
