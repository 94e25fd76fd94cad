// <flexcomp> → spring meshes.
//
// Points are point masses, as MuJoCo has them; edges are springs. How firm they are follows from the
// material, after A. Van Gelder (Approximate simulation of elastic membranes by triangulated spring meshes,
// 1998): an edge of length l that belongs to faces of area A, or to cells of volume V, has
//
//     k = E t Σ A / l²      k = E Σ V / l²
//
// and all edges of a mesh have the mean. With the plate stiffness D = E t³ / 12 (1 − ν²) a fold at an edge
// between faces of areas A₁ and A₂ has 3 D l² / (A₁ + A₂). Edges that MuJoCo keeps by constraints are so
// firm that one of them stretches by a hundredth under the weight of the whole.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sinew/base/text.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/io/mjcf/flex_forms.h"
#include "sinew/model/spring_mesh.h"

namespace sinew::mjcf {
namespace {

using Pair = std::array<int, 2>;

struct Material {
    double young = 0, poisson = 0, thickness = 0, damping = 0;
    bool stretches = true, bends = false;  // elastic2d
    double edgeStiffness = 0, edgeDamping = 0;
    bool isFirm = false;
};

class Flexcomp {
public:
    Flexcomp(Context& context, const Element& element) : context_(context), element_(element) {}

    void read(const std::string& body, const Pose& parent)
    {
        readAttributes();
        if (reader_.failed()) return;
        if (!makeForm() || reader_.failed()) return;
        if (isRigid_) {
            context_.notes.add(element_, "that is rigid is left out");
            return;
        }
        place(parent);
        if (form_.segments.empty() && form_.faces.empty() && form_.cells.empty())
            return context_.notes.add(element_, "has nothing between its points and is left out");
        readMaterial();
        readContact();
        if (reader_.failed()) return;
        mesh_.vertices = form_.points;
        mesh_.faces = form_.faces;
        addEdges();
        setStiffness();
        // Edges that are firm gain energy in steps that are not exact.
        using Step = SpringMeshDescription::Step;
        const std::size_t most = material_.isFirm ? 5000 : 1500;
        mesh_.step = form_.points.size() <= most ? Step::newton : Step::quick;
        readPins(body);
        if (reader_.failed()) return;
        mesh_.name = uniqueName(context_.meshNames, reader_.name(element_, "name").value_or("flex"));
        context_.flexes[mesh_.name] = context_.out.scene.meshes.size();
        context_.out.scene.meshes.push_back(std::move(mesh_));
    }

private:
    // ---- form -----------------------------------------------------------------------------------------

    void readAttributes()
    {
        noteUnread(context_, element_,
                   {"type",       "dim",   "dof",    "count", "spacing",  "radius",   "rigid", "mass",
                    "inertiabox", "scale", "origin", "file",  "point",    "element",  "pos",   "quat",
                    "axisangle",  "euler", "xyaxes", "zaxis", "flatskin", "cellcount"});
        type_ = reader_.name(element_, "type").value_or("grid");
        dimension_ = reader_.integer(element_, "dim").value_or(2);
        if (dimension_ < 1 || dimension_ > 3) reader_.fail(element_, "dim", "is not from 1 to 3");
        isRigid_ = reader_.boolean(element_, "rigid").value_or(false);
        dof_ = reader_.name(element_, "dof").value_or("full");
        const std::vector<double> counts = reader_.numbers(element_, "count", 1, 3);
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (!(counts[i] >= 1 && counts[i] <= maxFlexPoints) || counts[i] != std::floor(counts[i]))
                return reader_.fail(
                    element_, "count",
                    "is not made of whole numbers from 1 to " + std::to_string(maxFlexPoints));
            count_[i] = static_cast<int>(counts[i]);
        }
        const std::vector<double> gaps = reader_.numbers(element_, "spacing", 1, 3);
        for (std::size_t i = 0; i < gaps.size(); ++i) spacing_[i] = gaps[i];
        if (!(spacing_.minCoeff() > 0)) reader_.fail(element_, "spacing", "must be positive");
        mesh_.mass = reader_.number(element_, "mass").value_or(1);
        if (!(mesh_.mass > 0)) reader_.fail(element_, "mass", "must be positive");
        mesh_.massBy = SpringMeshDescription::MassBy::vertex;
        mesh_.thickness = reader_.number(element_, "radius").value_or(0.005);
        if (mesh_.thickness < 0) reader_.fail(element_, "radius", "is negative");
    }

    // False where it cannot be had, which is noted.
    bool makeForm()
    {
        const auto needs = [&](int most, int axes) {
            for (int k = 0; k < axes; ++k)
                if (count_[k] < most)
                    reader_.fail(element_, "count", "is too small; this needs " + std::to_string(most));
            if (1.0 * count_[0] * count_[1] * count_[2] > maxFlexPoints)
                reader_.fail(element_, "count",
                             "makes more than " + std::to_string(maxFlexPoints) + " points");
            return !reader_.failed();
        };
        if (type_ == "grid") {
            if (needs(2, dimension_))
                form_ = flexGrid(
                    dimension_, {count_[0], dimension_ > 1 ? count_[1] : 1, dimension_ > 2 ? count_[2] : 1},
                    spacing_);
        } else if (type_ == "box" || type_ == "ellipsoid" || type_ == "cylinder") {
            if (needs(2, 3)) form_ = flexShell(type_, dimension_, count_, spacing_);
        } else if (type_ == "disc") {
            if (needs(2, 2)) form_ = flexDisc(count_, spacing_);
        } else if (type_ == "circle") {
            if (needs(3, 1)) form_ = flexCircle(count_[0], spacing_[0]);
        } else if (type_ == "direct") {
            readDirect();
        } else if (type_ == "mesh") {
            return readFile();
        } else {
            context_.notes.add(element_, "of type " + quotedName(type_) + " is left out");
            return false;
        }
        return true;
    }

    void readDirect()
    {
        constexpr auto most = static_cast<std::size_t>(maxFlexPoints);
        const std::vector<double> points = reader_.numbers(element_, "point", 3, 3 * most);
        const std::vector<double> corners = reader_.numbers(element_, "element", 2, 20 * most);
        const auto each = static_cast<std::size_t>(dimension_ + 1);
        if (points.empty() || points.size() % 3 != 0)
            reader_.fail(element_, "point", "has not three numbers for each point");
        if (corners.empty() || corners.size() % each != 0)
            reader_.fail(element_, "element",
                         "has not " + std::to_string(each) + " numbers for each element");
        for (double corner : corners)
            if (corner != std::floor(corner) || corner < 0 ||
                corner >= static_cast<double>(points.size() / 3))
                reader_.fail(element_, "element", "names a point that is not there");
        if (reader_.failed()) return;
        for (std::size_t i = 0; i < points.size(); i += 3)
            form_.points.push_back({points[i], points[i + 1], points[i + 2]});
        const auto at = [&](std::size_t i) { return static_cast<int>(corners[i]); };
        for (std::size_t i = 0; i < corners.size(); i += each) {
            if (dimension_ == 1) form_.segments.push_back({at(i), at(i + 1)});
            if (dimension_ == 2) form_.faces.push_back({at(i), at(i + 1), at(i + 2)});
            if (dimension_ == 3) form_.cells.push_back({at(i), at(i + 1), at(i + 2), at(i + 3)});
        }
        leaveOutFlat();
        if (dimension_ == 3) facesFromCells(form_);
    }

    bool readFile()
    {
        const std::string file = reader_.requiredName(element_, "file");
        if (reader_.failed()) return false;
        std::optional<TriangleMesh> mesh = readMeshFile(context_, element_, file);
        if (!mesh || reader_.failed()) return false;
        if (mesh->vertices.size() > static_cast<std::size_t>(maxFlexPoints)) {
            context_.notes.add(element_,
                               "of more than " + std::to_string(maxFlexPoints) + " points is left out");
            return false;
        }
        form_.points = std::move(mesh->vertices);
        form_.faces = std::move(mesh->faces);
        leaveOutFlat();
        leaveOutLoose();
        if (dimension_ == 3) fillFromMiddle(form_);
        return true;
    }

    // A spring needs a length, and a face an area.
    void leaveOutFlat()
    {
        const auto& p = form_.points;
        std::erase_if(form_.segments, [&](const Pair& s) { return p[s[0]] == p[s[1]]; });
        std::erase_if(form_.faces, [&](const std::array<int, 3>& f) {
            const Vec3 a = p[f[1]] - p[f[0]], b = p[f[2]] - p[f[0]], c = b - a;
            const double longest = std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
            return !(a.cross(b).norm() > 1e-10 * longest);
        });
        std::erase_if(form_.cells, [&](const std::array<int, 4>& c) {
            const Vec3 a = p[c[1]] - p[c[0]], b = p[c[2]] - p[c[0]], d = p[c[3]] - p[c[0]];
            const double size = std::max({a.norm(), b.norm(), d.norm()});
            return !(std::abs(a.dot(b.cross(d))) > 1e-10 * size * size * size);
        });
    }

    // Points of a file that no face uses would fall by themselves.
    void leaveOutLoose()
    {
        std::vector<int> number(form_.points.size(), -1);
        std::vector<Vec3> kept;
        for (auto& face : form_.faces)
            for (int& i : face) {
                auto& now = number[static_cast<std::size_t>(i)];
                if (now < 0) {
                    now = static_cast<int>(kept.size());
                    kept.push_back(form_.points[static_cast<std::size_t>(i)]);
                }
                i = now;
            }
        form_.points = std::move(kept);
    }

    void place(const Pose& parent)
    {
        const Vec3 scale = reader_.vector(element_, "scale").value_or(Vec3::Ones());
        if (scale.prod() == 0) return reader_.fail(element_, "scale", "has a factor of zero");
        for (Vec3& p : form_.points) p = p.cwiseProduct(scale);
        if (scale.prod() < 0)
            for (auto& [a, b, c] : form_.faces) std::swap(b, c);
        mesh_.pose = parent * readPose(context_, element_);
        mesh_.pose.orientation.normalize();
    }

    // ---- material -------------------------------------------------------------------------------------

    double notNegative(const Element& element, const char* key)
    {
        const double value = reader_.number(element, key).value_or(0);
        if (value < 0) reader_.fail(element, key, "is negative; it must be zero or more");
        return value;
    }

    void readMaterial()
    {
        if (const Element* e = element_.child("elasticity")) {
            material_.young = notNegative(*e, "young");
            material_.poisson = notNegative(*e, "poisson");
            material_.damping = notNegative(*e, "damping");
            material_.thickness = notNegative(*e, "thickness");
            if (material_.poisson >= 0.5) reader_.fail(*e, "poisson", "is not below 0.5");
            const std::string flat = reader_.name(*e, "elastic2d").value_or("none");
            material_.bends = flat == "bend" || flat == "both";
            material_.stretches = flat == "stretch" || flat == "both";
        }
        if (const Element* e = element_.child("edge")) {
            material_.edgeStiffness = notNegative(*e, "stiffness");
            material_.edgeDamping = notNegative(*e, "damping");
            const std::string kept = reader_.name(*e, "equality").value_or("false");
            material_.isFirm = kept != "false";
        }
        if (dof_ != "full" && dof_ != "2d")
            context_.notes.add(element_,
                               "with dof " + quotedName(dof_) + " moves with all of its points here");
    }

    void readContact()
    {
        const Element* contact = element_.child("contact");
        if (!contact) return;
        const int type = reader_.integer(*contact, "contype").value_or(1);
        const int affinity = reader_.integer(*contact, "conaffinity").value_or(1);
        mesh_.collides = type != 0 || affinity != 0;
        const std::vector<double> friction = reader_.numbers(*contact, "friction", 1, 3);
        if (!friction.empty() && friction[0] < 0) reader_.fail(*contact, "friction", "is negative");
        if (!friction.empty()) mesh_.friction = friction[0];
    }

    double lengthOf(const Pair& edge) const
    {
        return (form_.points[edge[1]] - form_.points[edge[0]]).norm();
    }
    double areaOf(const std::array<int, 3>& f) const
    {
        const auto& p = form_.points;
        return 0.5 * (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]).norm();
    }

    static Pair sorted(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

    // Springs beside the sides of faces; areas and volumes at all of them.
    void addEdges()
    {
        for (const Pair& s : form_.segments) amounts_[sorted(s[0], s[1])];
        for (const auto& f : form_.faces)
            for (int k = 0; k < 3; ++k) {
                Side& side = amounts_[sorted(f[k], f[(k + 1) % 3])];
                side.area += areaOf(f);
                ++side.faces;
            }
        for (const auto& c : form_.cells) {
            const Vec3& o = form_.points[c[0]];
            const double volume =
                std::abs(
                    (form_.points[c[1]] - o).dot((form_.points[c[2]] - o).cross(form_.points[c[3]] - o))) /
                6;
            for (int i = 0; i < 4; ++i)
                for (int k = i + 1; k < 4; ++k) amounts_[sorted(c[i], c[k])].volume += volume;
        }
        for (const auto& [edge, side] : amounts_)
            if (side.faces == 0) mesh_.edges.push_back(edge);
    }

    void setStiffness()
    {
        double membrane = 0, solid = 0, fold = 0, length = 0;
        int folds = 0;
        for (const auto& [edge, side] : amounts_) {
            const double l = lengthOf(edge);
            length += l;
            membrane += side.area / (l * l);
            solid += side.volume / (l * l);
            if (side.faces != 2) continue;
            fold += 3 * l * l / side.area;
            ++folds;
        }
        const auto count = static_cast<double>(amounts_.size());
        length /= count;
        const Material& m = material_;
        double k = m.edgeStiffness;
        if (dimension_ == 3) k += m.young * solid / count;
        if (dimension_ == 2 && m.stretches) k += m.young * m.thickness * membrane / count;
        if (dimension_ == 2 && dof_ != "full" && dof_ != "2d") fillShell(length * length * count);
        if (m.isFirm) k = std::max(k, 100 * mesh_.mass * 9.81 / length);
        mesh_.stiffness = k;
        mesh_.damping = m.edgeDamping + m.damping * (m.young > 0 ? k : 0);
        if (dimension_ == 2 && m.bends && folds > 0) {
            const double plate = m.young * std::pow(m.thickness, 3) / (12 * (1 - m.poisson * m.poisson));
            mesh_.fold = plate * fold / folds;
            mesh_.foldDamping = m.damping * mesh_.fold;
        }
        mesh_.stiffness += shell_;
        mesh_.damping += shell_ * m.damping;
    }

    // A surface whose inside MuJoCo fills with a lattice: springs along it and through it share the energy
    // that the box around it would have, E V ε² / 2 = Σ k l² ε² / 2.
    void fillShell(double squares)
    {
        if (!(material_.young > 0)) return;
        Vec3 low = form_.points.front(), high = low;
        for (const Vec3& p : form_.points) {
            low = low.cwiseMin(p);
            high = high.cwiseMax(p);
        }
        const Vec3 size = high - low;
        shell_ = material_.young * size.prod() / squares;
        // As many struts as points, each about as long as the whole.
        const double across = size.squaredNorm() / 3 * static_cast<double>(form_.points.size());
        if (across > 0) mesh_.struts = material_.young * size.prod() / across;
        mesh_.strutDamping = material_.damping * mesh_.struts.value_or(0);
    }

    // ---- pins -----------------------------------------------------------------------------------------

    void readPins(const std::string& body)
    {
        std::set<int> held;
        for (const Element& pin : element_.children) {
            if (pin.name != "pin") continue;
            const auto most = static_cast<std::size_t>(maxFlexPoints);
            for (double i : reader_.numbers(pin, "id", 1, most)) add(pin, "id", i, held);
            const std::vector<double> range = reader_.numbers(pin, "range", 2, most);
            for (std::size_t i = 0; i + 1 < range.size(); i += 2)
                for (double k = range[i]; k <= range[i + 1] && !reader_.failed(); ++k)
                    add(pin, "range", k, held);
            addFromGrid(pin, held);
        }
        if (reader_.failed() || held.empty()) return;
        if (dof_ == "trilinear") held = withinCorners(held);
        if (held.empty() || dof_ == "quadratic" || dof_ == "radial")
            return context_.notes.add(element_, "with dof " + quotedName(dof_) + ": its pins are left out");
        PinDescription pin;
        pin.body = body;
        pin.at.vertices.assign(held.begin(), held.end());
        mesh_.pins.push_back(std::move(pin));
        if (body != "world") mesh_.ignore.push_back(body);
    }

    void add(const Element& pin, const char* key, double number, std::set<int>& held)
    {
        const double most = dof_ == "trilinear" ? 8 : static_cast<double>(form_.points.size());
        if (number != std::floor(number) || number < 0 || number >= most)
            return reader_.fail(pin, key, "names a point that is not there");
        held.insert(static_cast<int>(number));
    }

    void addFromGrid(const Element& pin, std::set<int>& held)
    {
        const auto axes = static_cast<std::size_t>(dimension_);
        const auto most = static_cast<std::size_t>(maxFlexPoints);
        const std::vector<double> nodes = reader_.numbers(pin, "grid", axes, most);
        const std::vector<double> ranges = reader_.numbers(pin, "gridrange", 2 * axes, most);
        if (nodes.empty() && ranges.empty()) return;
        if (type_ != "grid") return reader_.fail(pin, "has grid or gridrange, which go with type=\"grid\"");
        const auto addBox = [&](const double* low, const double* high) {
            std::array<int, 3> from{0, 0, 0}, to{0, 0, 0};
            for (std::size_t k = 0; k < axes; ++k) {
                if (!(low[k] >= 0 && high[k] < count_[k]))
                    return reader_.fail(pin, "names a node that is not there");
                from[k] = static_cast<int>(low[k]);
                to[k] = static_cast<int>(high[k]);
            }
            const int rows = dimension_ > 1 ? count_[1] : 1, layers = dimension_ > 2 ? count_[2] : 1;
            for (int x = from[0]; x <= to[0]; ++x)
                for (int y = from[1]; y <= to[1]; ++y)
                    for (int z = from[2]; z <= to[2]; ++z) held.insert((x * rows + y) * layers + z);
        };
        for (std::size_t i = 0; i + axes <= nodes.size() && !reader_.failed(); i += axes)
            addBox(&nodes[i], &nodes[i]);
        for (std::size_t i = 0; i + 2 * axes <= ranges.size() && !reader_.failed(); i += 2 * axes)
            addBox(&ranges[i], &ranges[i + axes]);
    }

    // Corners of the box around all, z fastest, hold the points that depend on them alone.
    std::set<int> withinCorners(const std::set<int>& corners) const
    {
        Vec3 low = form_.points.front(), high = low;
        for (const Vec3& p : form_.points) {
            low = low.cwiseMin(p);
            high = high.cwiseMax(p);
        }
        std::set<int> held;
        for (std::size_t i = 0; i < form_.points.size(); ++i) {
            double weight = 0;
            for (int corner : corners) {
                double own = 1;
                for (int k = 0; k < 3; ++k) {
                    const double size = high[k] - low[k];
                    const double t = size > 0 ? (form_.points[i][k] - low[k]) / size : 0;
                    own *= (corner >> (2 - k)) & 1 ? t : 1 - t;
                }
                weight += own;
            }
            if (weight > 1 - 1e-9) held.insert(static_cast<int>(i));
        }
        return held;
    }

    struct Side {
        double area = 0, volume = 0;
        int faces = 0;
    };

    Context& context_;
    const Element& element_;
    xml::Reader& reader_ = context_.reader;
    std::string type_, dof_;
    int dimension_ = 2;
    bool isRigid_ = false;
    std::array<int, 3> count_ = {10, 10, 10};
    Vec3 spacing_ = Vec3::Constant(0.02);
    FlexForm form_;
    Material material_;
    std::map<Pair, Side> amounts_;
    double shell_ = 0;
    SpringMeshDescription mesh_;
};

}  // namespace

void readFlexcomp(Context& context, const Element& element, const std::string& body, const Pose& parent)
{
    Flexcomp(context, element).read(body, parent);
}

bool pinFlexVertex(Context& context, const std::string& vertex, const std::string& body)
{
    const std::size_t line = vertex.rfind('_');
    if (line == vertex.npos) return false;
    const auto flex = context.flexes.find(vertex.substr(0, line));
    if (flex == context.flexes.end()) return false;
    SpringMeshDescription& mesh = context.out.scene.meshes[flex->second];
    const std::string digits = vertex.substr(line + 1);
    if (digits.empty() || digits.size() > 7 || digits.find_first_not_of("0123456789") != digits.npos)
        return false;
    const int number = std::stoi(digits);
    if (number >= static_cast<int>(mesh.vertices.size())) return false;
    for (const PinDescription& known : mesh.pins)
        if (std::find(known.at.vertices.begin(), known.at.vertices.end(), number) !=
            known.at.vertices.end())
            return true;
    PinDescription pin;
    pin.body = body;
    pin.at.vertices = {number};
    mesh.pins.push_back(std::move(pin));
    return true;
}

}  // namespace sinew::mjcf
