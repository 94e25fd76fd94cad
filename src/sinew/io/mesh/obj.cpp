// Wavefront OBJ, the part that is a surface of polygons: v, f, g, o. Polygons become fans about their first
// corner, which is right for convex ones. All else is named in the notes.
//
// As Wavefront's "Object Files" appendix has it: indices count from 1, negative ones back from the last
// element so far; a corner is v, v/vt, v//vn or v/vt/vn; a backslash at the end of a line goes on with the
// next one.
#include <charconv>
#include <unordered_map>

#include "sinew/base/words.h"
#include "sinew/io/file_error.h"
#include "sinew/io/mesh/mesh_builder.h"

namespace sinew {
namespace {

using namespace meshes;

// What keywords stand for that do not make the surface.
const char* otherKeyword(std::string_view word)
{
    static const std::unordered_map<std::string_view, const char*> known = {
        {"vt", "texture coordinates (vt) are not taken"},
        {"vn", "normals (vn) are not taken: the order of a face's corners says which side is outside"},
        {"vp", "points of curves (vp) are not taken"},
        {"s", "smoothing groups (s) are not taken"},
        {"mtllib", "materials (mtllib, usemtl) are not taken"},
        {"usemtl", "materials (mtllib, usemtl) are not taken"},
        {"l", "lines (l) are not taken: only faces make a surface"},
        {"p", "points (p) are not taken: only faces make a surface"},
        {"curv", "curves and surfaces are not taken: only faces with straight edges are"},
        {"curv2", "curves and surfaces are not taken: only faces with straight edges are"},
        {"surf", "curves and surfaces are not taken: only faces with straight edges are"},
    };
    const auto found = known.find(word);
    return found == known.end() ? nullptr : found->second;
}

class ObjReader {
public:
    ObjReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    Result<MeshFile> read()
    {
        while (!text_.empty() && !failed_) {
            const std::string_view line = wholeLine();
            readLine(line);
        }
        if (failed_) return fault_;
        if (out_.mesh.vertices.empty())
            return fileError(file_, "there are no vertices (lines 'v x y z'); is this an OBJ file?");
        finishGroups(out_);
        out_.notes = leftOut_.notes(file_);
        return std::move(out_);
    }

private:
    // With the lines that backslashes join to it. Refers to the text, or to joined_.
    std::string_view wholeLine()
    {
        line_ = nextLineNumber_++;
        std::string_view line = nextLine(text_);
        if (!line.ends_with('\\')) return line;
        joined_.clear();
        while (line.ends_with('\\') && !text_.empty()) {
            joined_.append(line.substr(0, line.size() - 1)).append(" ");
            line = nextLine(text_);
            ++nextLineNumber_;
        }
        joined_.append(line);
        return joined_;
    }

    void readLine(std::string_view line)
    {
        line = line.substr(0, line.find('#'));
        const std::string_view keyword = nextWord(line);
        if (keyword.empty()) return;
        if (keyword == "v")
            readVertex(line);
        else if (keyword == "f" || keyword == "fo")
            readFace(line);
        else if (keyword == "g" || keyword == "o")
            beginGroup(out_, nextWord(line));
        else if (const char* what = otherKeyword(keyword))
            leftOut_.add(what, line_);
        else
            readUnknown(keyword);
    }

    void readVertex(std::string_view line)
    {
        double x[3];
        for (double& value : x) {
            const std::string_view word = nextWord(line);
            const std::optional<double> number = numberOf(word);
            if (!number)
                return fail(word.empty() ? "a vertex needs three numbers"
                                         : words::quoted(word) + " is not a number that a vertex can have");
            value = *number;
        }
        int more = 0;
        for (std::string_view word = nextWord(line); !word.empty(); word = nextWord(line)) ++more;
        if (more == 1) leftOut_.add("weights of vertices (a fourth number) are not taken", line_);
        if (more > 1) leftOut_.add("colours of vertices are not taken", line_);
        if (out_.mesh.vertices.size() >= maxMeshVertices)
            return fail("there are more than " + std::to_string(maxMeshVertices) + " vertices");
        out_.mesh.vertices.push_back({x[0], x[1], x[2]});
    }

    // The vertex of a corner such as 7/2/5, from 0; −1 after a fault.
    int cornerOf(std::string_view word)
    {
        const int count = static_cast<int>(out_.mesh.vertices.size());
        long index = 0;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), index);
        const std::string_view rest = word.substr(static_cast<std::size_t>(end - word.data()));
        const bool wellFormed = problem == std::errc() &&
                                rest.find_first_not_of("-0123456789/") == rest.npos &&
                                (rest.empty() || rest[0] == '/');
        if (!wellFormed) {
            fail(words::quoted(word) +
                 " is not a corner of a face; it is written v, v/vt, v//vn or v/vt/vn");
            return -1;
        }
        const long vertex = index > 0 ? index - 1 : count + index;
        if (index == 0 || vertex < 0 || vertex >= count) {
            fail("there is no vertex " + std::to_string(index) + " here; " + std::to_string(count) +
                 " are above this line, and indices count from 1 or, back from the last, from −1");
            return -1;
        }
        return static_cast<int>(vertex);
    }

    void readFace(std::string_view line)
    {
        corners_.clear();
        for (std::string_view word = nextWord(line); !word.empty(); word = nextWord(line)) {
            corners_.push_back(cornerOf(word));
            if (failed_) return;
        }
        if (corners_.size() < 3)
            return fail("a face needs three corners or more, this one has " +
                        std::to_string(corners_.size()));
        if (corners_.size() > 4)
            leftOut_.add("polygons of more than four corners are cut into fans, as if convex", line_);
        for (std::size_t k = 2; k < corners_.size(); ++k) {
            const std::array<int, 3> face{corners_[0], corners_[k - 1], corners_[k]};
            if (!hasArea(out_.mesh, face)) {
                leftOut_.add("triangles without area are left out", line_);
                continue;
            }
            if (out_.mesh.faces.size() >= maxMeshFaces)
                return fail("there are more than " + std::to_string(maxMeshFaces) + " triangles");
            out_.mesh.faces.push_back(face);
        }
    }

    // Words that this format does not know are skipped as other readers do, as long as they are words.
    void readUnknown(std::string_view keyword)
    {
        for (char c : keyword)
            if (!(c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                  (c >= 'A' && c <= 'Z')))
                return fail("the line begins with " + words::quoted(keyword) + "; is this an OBJ file?");
        if (++unknown_ > 100) return fail("too many lines that are not OBJ; is this an OBJ file?");
        leftOut_.add(words::quoted(keyword) + " is not known and not taken", line_);
    }

    void fail(std::string message)
    {
        if (!failed_) fault_ = fileError(file_, std::move(message), line_);
        failed_ = true;
    }

    std::string_view text_;
    const std::string& file_;
    std::string joined_;
    int line_ = 0, nextLineNumber_ = 1, unknown_ = 0;
    std::vector<int> corners_;
    MeshFile out_;
    LeftOut leftOut_;
    bool failed_ = false;
    Diagnostic fault_;
};

}  // namespace

Result<MeshFile> parseObj(std::string_view text, const std::string& fileName)
{
    return ObjReader(text, fileName).read();
}

}  // namespace sinew
