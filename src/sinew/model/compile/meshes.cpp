// Spring meshes of a description → Model.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/math/trigonometry.h"
#include "sinew/model/compile/check_signal.h"
#include "sinew/model/compile/mesh_forms.h"
#include "sinew/model/compile/parts.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/ode/schemes.h"

namespace sinew::compiling {
namespace {

using Pair = std::array<int, 2>;

constexpr int mostVertices = 2'000'000;

Pair sorted(int a, int b)
{
    return {std::min(a, b), std::max(a, b)};
}

// The sides of the faces, and what lies left and right of each.
struct Side {
    int left = -1, right = -1;          // corners across, seen along a → b with a < b
    int leftFaces = 0, rightFaces = 0;  // more than one of either: not a surface there
};
using Sides = std::map<Pair, Side>;

Sides sidesOf(const std::vector<std::array<int, 3>>& faces)
{
    Sides sides;
    for (const auto& face : faces)
        for (int k = 0; k < 3; ++k) {
            const int a = face[k], b = face[(k + 1) % 3], c = face[(k + 2) % 3];
            Side& side = sides[sorted(a, b)];
            (a < b ? side.left : side.right) = c;
            ++(a < b ? side.leftFaces : side.rightFaces);
        }
    return sides;
}

class MeshCompiler {
public:
    MeshCompiler(const SpringMeshDescription& source, const std::string& pointer, const Names& names,
                 const Model& model, const Description& description, Checker& check)
        : source_(source),
          here_(pointer),
          names_(names),
          model_(model),
          description_(description),
          check_(check)
    {
    }

    SpringMesh compile()
    {
        mesh_.name = source_.name;
        checkNumbers();
        if (!check_.failed()) makeForm();
        if (!check_.failed()) checkFaces();
        if (check_.failed()) return {};
        setMasses();
        addSprings();
        if (!check_.failed()) addFolds();
        if (!check_.failed()) addPressure();
        if (!check_.failed()) addPins();
        if (!check_.failed()) addTies();
        if (!check_.failed()) addForces();
        if (!check_.failed()) finish();
        return std::move(mesh_);
    }

private:
    void checkNumbers()
    {
        const SpringMeshDescription& s = source_;
        check_.positive(s.mass, here_ + "/mass");
        const auto notNegative = [&](double x, const char* key) { check_.notNegative(x, here_ + key); };
        notNegative(s.stiffness, "/stiffness");
        notNegative(s.damping, "/damping");
        if (s.shear) notNegative(*s.shear, "/shear");
        notNegative(s.bend, "/bend");
        notNegative(s.bendDamping, "/bend_damping");
        notNegative(s.fold, "/fold");
        notNegative(s.foldDamping, "/fold_damping");
        if (s.struts) notNegative(*s.struts, "/struts");
        notNegative(s.strutDamping, "/strut_damping");
        check_.finite(s.pressure, here_ + "/pressure");
        notNegative(s.bulk, "/bulk");
        if (s.strainLimit) check_.positive(*s.strainLimit, here_ + "/strain_limit");
        notNegative(s.drag, "/drag");
        check_.finite(s.lift, here_ + "/lift");
        notNegative(s.thickness, "/thickness");
        if (s.friction) notNegative(*s.friction, "/friction");
        check_.finite(s.velocity, here_ + "/velocity");
        check_.finite(s.pose.position, here_ + "/position");
        check_.require(s.iterations >= 1 && s.iterations <= 10000, here_ + "/iterations",
                       "is " + std::to_string(s.iterations) + "; it must be from 1 to 10000");
        check_.require(s.tolerance >= 1e-12 && s.tolerance <= 1, here_ + "/tolerance",
                       "is " + number(s.tolerance) + "; it must be from 1e-12 to 1");
        using Form = SpringMeshDescription::Form;
        check_.require(!s.shear || s.form == Form::cloth, here_ + "/shear", "is for cloth");
    }

    // `count` numbers of a size and of segments.
    void needSize(std::size_t count, const char* what)
    {
        check_.require(source_.size.size() == count, here_ + "/size",
                       std::string("must be ") +
                           (count == 1 ? "one number" : std::to_string(count) + " numbers") + " for a " +
                           what);
        check_.require(source_.segments.size() == count, here_ + "/segments",
                       std::string("must be ") +
                           (count == 1 ? "one number" : std::to_string(count) + " numbers") + " for a " +
                           what);
        double vertices = 1;
        for (std::size_t i = 0; i < source_.size.size(); ++i)
            check_.positive(source_.size[i], here_ + "/size/" + std::to_string(i));
        for (std::size_t i = 0; i < source_.segments.size(); ++i) {
            const int segments = source_.segments[i];
            const bool isBall = count == 1;
            check_.require(segments >= (isBall ? 0 : 1) && segments <= (isBall ? 8 : mostVertices),
                           here_ + "/segments/" + std::to_string(i),
                           "is " + std::to_string(segments) +
                               (isBall ? "; it must be from 0 to 8" : "; it must be from 1 to 2000000"));
            vertices *= segments + 1.0;
        }
        check_.require(vertices <= mostVertices, here_ + "/segments",
                       "make " + number(vertices) + " vertices; at most 2000000 are taken");
    }

    void makeForm()
    {
        using Form = SpringMeshDescription::Form;
        const SpringMeshDescription& s = source_;
        if (s.form == Form::cloth) {
            needSize(2, "cloth");
            if (!check_.failed()) form_ = clothForm(s.size[0], s.size[1], s.segments[0], s.segments[1]);
        } else if (s.form == Form::ball) {
            needSize(1, "ball");
            if (!check_.failed()) form_ = ballForm(s.size[0], s.segments[0]);
        } else if (s.form == Form::beam) {
            needSize(3, "beam");
            if (!check_.failed())
                form_ = beamForm(Vec3(s.size[0], s.size[1], s.size[2]),
                                 {s.segments[0], s.segments[1], s.segments[2]});
        } else {
            form_.vertices = s.vertices;
            form_.faces = s.faces;
            check_.require(s.fileMesh.empty(), here_ + "/mesh", "goes with file");
            check_.require(s.fileScale == 1, here_ + "/scale", "goes with file");
            check_.require(s.size.empty(), here_ + "/size", "is for cloth, ball and beam");
            check_.require(s.segments.empty(), here_ + "/segments", "is for cloth, ball and beam");
            check_.require(!s.vertices.empty(), here_, "has no vertices; give type, file or vertices");
            check_.require(s.vertices.size() <= mostVertices, here_ + "/vertices",
                           "are " + std::to_string(s.vertices.size()) + "; at most 2000000 are taken");
        }
        if (s.form != Form::given) {
            check_.require(s.vertices.empty() && s.faces.empty() && s.edges.empty() && s.file.empty() &&
                               s.fileMesh.empty() && s.fileScale == 1,
                           here_, "has a type and a mesh of its own; give one of them");
        }
        const Quat turn = check_.unit(s.pose.orientation, here_ + "/orientation");
        for (std::size_t i = 0; i < form_.vertices.size() && !check_.failed(); ++i) {
            if (s.form == Form::given)
                check_.finite(form_.vertices[i], here_ + "/vertices/" + std::to_string(i));
            mesh_.rest.push_back(Vec3(turn * form_.vertices[i]) + s.pose.position);
        }
        mesh_.faces = form_.faces;
    }

    bool hasVertex(int i) const { return i >= 0 && i < mesh_.size(); }
    std::string noVertex(int i) const
    {
        return "there is no vertex " + std::to_string(i) + "; the mesh has " +
               std::to_string(mesh_.size()) + ", counted from 0";
    }

    void checkFaces()
    {
        for (std::size_t f = 0; f < mesh_.faces.size() && !check_.failed(); ++f) {
            const std::string pointer = here_ + "/faces/" + std::to_string(f);
            const auto& face = mesh_.faces[f];
            for (int i : face) check_.require(hasVertex(i), pointer, noVertex(i));
            if (check_.failed()) return;
            const Vec3 &a = mesh_.rest[face[0]], &b = mesh_.rest[face[1]], &c = mesh_.rest[face[2]];
            const Vec3 twice = (b - a).cross(c - a);
            const double longest =
                std::max({(b - a).squaredNorm(), (c - a).squaredNorm(), (c - b).squaredNorm()});
            check_.require(twice.norm() > 1e-12 * longest, pointer, "has no area");
        }
        for (std::size_t e = 0; e < source_.edges.size() && !check_.failed(); ++e) {
            const std::string pointer = here_ + "/edges/" + std::to_string(e);
            for (int i : source_.edges[e]) check_.require(hasVertex(i), pointer, noVertex(i));
            check_.require(source_.edges[e][0] != source_.edges[e][1], pointer, "ties a vertex to itself");
        }
        if (!check_.failed()) sides_ = sidesOf(mesh_.faces);
    }

    double area(std::size_t f) const
    {
        const auto& face = mesh_.faces[f];
        const Vec3 &a = mesh_.rest[face[0]], &b = mesh_.rest[face[1]], &c = mesh_.rest[face[2]];
        return 0.5 * (b - a).cross(c - a).norm();
    }

    void setMasses()
    {
        std::vector<double> shares = form_.shares;
        if (source_.massBy == SpringMeshDescription::MassBy::vertex ||
            (shares.empty() && mesh_.faces.empty()))
            shares.assign(mesh_.rest.size(), 1);
        if (shares.empty()) {
            shares.assign(mesh_.rest.size(), 0);
            for (std::size_t f = 0; f < mesh_.faces.size(); ++f)
                for (int i : mesh_.faces[f]) shares[i] += area(f);
            // Vertices without a face weigh as much as the lightest that has one.
            double least = std::numeric_limits<double>::infinity();
            for (double share : shares)
                if (share > 0) least = std::min(least, share);
            for (double& share : shares)
                if (share == 0) share = least;
        }
        double sum = 0;
        for (double share : shares) sum += share;
        for (double share : shares) mesh_.masses.push_back(source_.mass * share / sum);
    }

    int edgeOf(int a, int b)
    {
        const auto [place, isNew] = edges_.emplace(sorted(a, b), static_cast<int>(mesh_.edges.size()));
        if (isNew) mesh_.edges.push_back(sorted(a, b));
        return place->second;
    }

    void addSpring(int a, int b, double stiffness, double damping, const std::string& pointer)
    {
        if (stiffness == 0 && damping == 0) return;
        const double rest = (mesh_.rest[b] - mesh_.rest[a]).norm();
        check_.require(rest > 0, pointer,
                       "vertices " + std::to_string(a) + " and " + std::to_string(b) +
                           " of a spring lie at one place");
        const double limit = source_.strainLimit ? rest * (1 + *source_.strainLimit) : 0;
        mesh_.springs.push_back({a, b, rest, stiffness, damping, limit, edgeOf(a, b)});
    }

    void addSprings()
    {
        using Form = SpringMeshDescription::Form;
        const SpringMeshDescription& s = source_;
        std::vector<Pair> edges = form_.edges;
        if (s.form != Form::cloth && s.form != Form::beam)
            for (const auto& [pair, side] : sides_) edges.push_back(pair);
        for (const Pair& edge : s.edges)
            if (!sides_.contains(sorted(edge[0], edge[1]))) edges.push_back(edge);
        for (const Pair& e : edges) addSpring(e[0], e[1], s.stiffness, s.damping, here_);
        // Diagonals: shear of a cloth, struts of a beam.
        const double across =
            s.form == Form::cloth ? s.shear.value_or(s.stiffness) : s.struts.value_or(s.stiffness);
        const double acrossDamping = s.form == Form::cloth ? s.damping : s.strutDamping;
        for (const Pair& e : form_.diagonals) addSpring(e[0], e[1], across, acrossDamping, here_);
        if (s.form == Form::cloth || s.form == Form::beam) {
            for (const Pair& e : form_.bends) addSpring(e[0], e[1], s.bend, s.bendDamping, here_);
        } else if (s.bend > 0 || s.bendDamping > 0) {
            for (const auto& [pair, side] : sides_)
                if (side.left >= 0 && side.right >= 0 && side.left != side.right)
                    addSpring(side.left, side.right, s.bend, s.bendDamping, here_);
        }
        if (s.form != Form::cloth && s.form != Form::beam && s.struts.value_or(0) + s.strutDamping > 0)
            addStruts();
        check_.require(s.form != Form::cloth || (!s.struts && s.strutDamping == 0), here_ + "/struts",
                       "are for meshes that have an inside; a cloth has none");
    }

    // From each vertex to the one that lies most nearly opposite, against its normal.
    void addStruts()
    {
        check_.require(
            mesh_.size() <= 50'000, here_ + "/struts",
            "are for meshes of at most 50000 vertices; this one has " + std::to_string(mesh_.size()));
        check_.require(!mesh_.faces.empty(), here_ + "/struts",
                       "need faces, which say where the inside is");
        if (check_.failed()) return;
        std::vector<Vec3> normals(mesh_.rest.size(), Vec3::Zero());
        for (const auto& face : mesh_.faces) {
            const Vec3 &a = mesh_.rest[face[0]], &b = mesh_.rest[face[1]], &c = mesh_.rest[face[2]];
            for (int i : face) normals[i] += (b - a).cross(c - a);
        }
        std::map<Pair, bool> known;
        for (int i = 0; i < mesh_.size(); ++i) {
            if (!(normals[i].squaredNorm() > 0)) continue;
            int best = -1;
            double most = 0;
            for (int j = 0; j < mesh_.size(); ++j) {
                const Vec3 way = mesh_.rest[j] - mesh_.rest[i];
                const double length = way.norm();
                const double along = length > 0 ? -normals[i].dot(way) / length : 0;
                if (along > most) {
                    most = along;
                    best = j;
                }
            }
            if (best >= 0 && known.emplace(sorted(i, best), true).second &&
                !edges_.contains(sorted(i, best)))
                addSpring(i, best, source_.struts.value_or(0), source_.strutDamping, here_ + "/struts");
        }
    }

    void addFolds()
    {
        if (source_.fold == 0 && source_.foldDamping == 0) return;
        for (const auto& [pair, side] : sides_) {
            check_.require(side.leftFaces <= 1 && side.rightFaces <= 1, here_ + "/fold",
                           "needs a surface; edge " + std::to_string(pair[0]) + "-" +
                               std::to_string(pair[1]) + " belongs to several faces on one side");
            if (check_.failed()) return;
            if (side.left < 0 || side.right < 0) continue;
            MeshFold fold;
            fold.corner = {pair[0], pair[1], side.left, side.right};
            const auto& [a, b, c, d] = fold.corner;
            const Vec3 along = (mesh_.rest[b] - mesh_.rest[a]).normalized();
            const Vec3 n = (mesh_.rest[b] - mesh_.rest[a]).cross(mesh_.rest[c] - mesh_.rest[a]);
            const Vec3 m = (mesh_.rest[a] - mesh_.rest[b]).cross(mesh_.rest[d] - mesh_.rest[b]);
            fold.rest = angleOf(n.cross(m).dot(along), n.dot(m));
            fold.stiffness = source_.fold;
            fold.damping = source_.foldDamping;
            fold.edge = {edgeOf(a, b), edgeOf(a, c), edgeOf(a, d),
                         edgeOf(b, c), edgeOf(b, d), edgeOf(c, d)};
            mesh_.folds.push_back(fold);
        }
    }

    void addPressure()
    {
        bool isClosed = !mesh_.faces.empty();
        for (const auto& [pair, side] : sides_)
            if (side.leftFaces != 1 || side.rightFaces != 1) {
                isClosed = false;
                check_.require(source_.pressure == 0 && source_.bulk == 0, here_ + "/pressure",
                               "needs a closed surface; edge " + std::to_string(pair[0]) + "-" +
                                   std::to_string(pair[1]) + " does not belong to one face on each side");
                break;
            }
        check_.require(isClosed || (source_.pressure == 0 && source_.bulk == 0), here_ + "/pressure",
                       "needs a closed surface, and this mesh has no faces");
        if (!isClosed || check_.failed()) return;
        double six = 0;
        const Vec3& origin = mesh_.rest[0];
        for (const auto& face : mesh_.faces)
            six += (mesh_.rest[face[0]] - origin)
                       .dot((mesh_.rest[face[1]] - origin).cross(mesh_.rest[face[2]] - origin));
        mesh_.restVolume = six / 6;
        check_.require(mesh_.restVolume > 0 || (source_.pressure == 0 && source_.bulk == 0),
                       here_ + "/faces",
                       "enclose a volume of " + number(mesh_.restVolume) + " m³; turn them inside out");
        mesh_.pressure = source_.pressure;
        mesh_.bulk = source_.bulk;
    }

    std::vector<int> chosen(const VertexChoice& choice, const std::string& pointer)
    {
        std::vector<int> result;
        const int ways = !choice.vertices.empty() + choice.box.has_value() + choice.near.has_value();
        check_.require(ways == 1, pointer, "say which vertices in one way: vertices, box or near");
        check_.require(!choice.radius || choice.near, pointer + "/radius", "goes with near");
        if (check_.failed()) return result;
        for (int i : choice.vertices) check_.require(hasVertex(i), pointer + "/vertices", noVertex(i));
        if (check_.failed()) return result;
        result = choice.vertices;
        if (choice.box)
            for (int i = 0; i < mesh_.size(); ++i) {
                const Vec3 low = (*choice.box)[0].cwiseMin((*choice.box)[1]);
                const Vec3 high = (*choice.box)[0].cwiseMax((*choice.box)[1]);
                // A box may be drawn along the very vertices: rounding shall not leave any out.
                const double slack = 1e-9 * ((high - low).norm() + form_.vertices[i].norm());
                bool inside = true;
                for (int k = 0; k < 3; ++k)
                    inside = inside && form_.vertices[i][k] >= low[k] - slack &&
                             form_.vertices[i][k] <= high[k] + slack;
                if (inside) result.push_back(i);
            }
        if (choice.near) {
            int best = 0;
            for (int i = 0; i < mesh_.size(); ++i) {
                const double d = (form_.vertices[i] - *choice.near).norm();
                if (choice.radius && d <= *choice.radius * (1 + 1e-9)) result.push_back(i);
                if (d < (form_.vertices[best] - *choice.near).norm()) best = i;
            }
            if (!choice.radius) result.push_back(best);
        }
        check_.require(!result.empty(), pointer, "no vertex of the mesh is there");
        return result;
    }

    void addPins()
    {
        std::vector<char> isRigid(mesh_.rest.size());
        for (std::size_t p = 0; p < source_.pins.size() && !check_.failed(); ++p) {
            const PinDescription& pin = source_.pins[p];
            const std::string pointer = here_ + "/pins/" + std::to_string(p);
            const int described = bodyIndex(names_, pin.body, pointer + "/body", check_);
            if (pin.stiffness) check_.positive(*pin.stiffness, pointer + "/stiffness");
            check_.notNegative(pin.damping, pointer + "/damping");
            check_.require(pin.stiffness || pin.damping == 0, pointer + "/damping", "goes with stiffness");
            const std::vector<int> vertices = chosen(pin.at, pointer);
            if (check_.failed()) return;
            const int body = described == world ? world : model_.bodyOrder[described];
            for (int vertex : vertices) {
                MeshPin compiled;
                compiled.vertex = vertex;
                compiled.body = body;
                compiled.point = body == world
                                     ? mesh_.rest[vertex]
                                     : Vec3(model_.bodies[body].rest.orientation.conjugate() *
                                            Vec3(mesh_.rest[vertex] - model_.bodies[body].rest.position));
                compiled.isRigid = !pin.stiffness;
                compiled.stiffness = pin.stiffness.value_or(0);
                compiled.damping = pin.damping;
                if (compiled.isRigid) {
                    check_.require(!isRigid[vertex], pointer,
                                   "vertex " + std::to_string(vertex) + " is pinned already");
                    isRigid[vertex] = 1;
                }
                mesh_.pins.push_back(compiled);
            }
        }
    }

    // Springs of the scene that hold on to vertices of this mesh; checkTie() has seen them.
    void addTies()
    {
        for (std::size_t i = 0; i < description_.springs.size() && !check_.failed(); ++i) {
            const SpringDescription& spring = description_.springs[i];
            const SpringEndDescription *own = &spring.first, *other = &spring.second;
            std::string ownKey = "/first", otherKey = "/second";
            if (own->mesh != source_.name || !own->isOnMesh()) {
                std::swap(own, other);
                std::swap(ownKey, otherKey);
            }
            if (own->mesh != source_.name || !own->isOnMesh()) continue;
            const std::string pointer = at("springs", i);
            check_.require(hasVertex(own->vertex), pointer + ownKey + "/vertex", noVertex(own->vertex));
            if (check_.failed()) return;
            if (other->isOnMesh() && other->mesh != source_.name)
                isTied_ = true;  // compileMeshGroups()
            else if (other->isOnMesh())
                addTieWithin(spring, *own, *other, pointer, otherKey);
            else
                addTie(spring, *own, *other, pointer, otherKey);
        }
    }

    // What a spring of the scene does, with the distance at rest where it gives no length.
    MeshTieLaw lawOf(const SpringDescription& spring, double distance, bool isLine,
                     const std::string& pointer)
    {
        const MeshTieLaw law = tieLaw(spring, distance);
        check_.require(law.rest != 0 || isLine || spring.acts != SpringActs::push, pointer + "/acts",
                       "is push, and the length is 0: there is nothing to keep apart");
        return law;
    }

    void addTie(const SpringDescription& spring, const SpringEndDescription& own,
                const SpringEndDescription& other, const std::string& pointer, const std::string& otherKey)
    {
        const int described = bodyIndex(names_, other.body, pointer + otherKey + "/body", check_);
        if (check_.failed()) return;
        const int body = described == world ? world : model_.bodyOrder[described];
        const Pose rest = body == world ? Pose() : model_.bodies[body].rest;
        const auto* given = std::get_if<SpringPoint>(&other.form);
        check_.require(!given || given->point || body != world, pointer + otherKey + "/point",
                       "is missing; an end in the world needs it");
        if (check_.failed()) return;
        const SpringForm form = springFormInBody(other.form, rest, pointer + otherKey, check_);
        if (check_.failed()) return;
        if (!given) {
            MeshGlide glide;
            const double distance = springReach(form, rest.inverse() * mesh_.rest[own.vertex]).distance;
            static_cast<MeshTieLaw&>(glide) = lawOf(spring, distance, isSpringSurface(form), pointer);
            glide.vertex = own.vertex;
            glide.body = body;
            glide.form = form;
            mesh_.glides.push_back(std::move(glide));
            return;
        }
        MeshPin tie;
        tie.point = *std::get<SpringPoint>(form).point;
        static_cast<MeshTieLaw&>(tie) =
            lawOf(spring, (mesh_.rest[own.vertex] - rest * tie.point).norm(), false, pointer);
        tie.isTie = true;
        tie.vertex = own.vertex;
        tie.body = body;
        mesh_.pins.push_back(tie);
    }

    void addTieWithin(const SpringDescription& spring, const SpringEndDescription& own,
                      const SpringEndDescription& other, const std::string& pointer,
                      const std::string& otherKey)
    {
        check_.require(hasVertex(other.vertex), pointer + otherKey + "/vertex", noVertex(other.vertex));
        check_.require(own.vertex != other.vertex, pointer, "ties a vertex to itself");
        if (check_.failed()) return;
        const MeshTieLaw law =
            lawOf(spring, (mesh_.rest[other.vertex] - mesh_.rest[own.vertex]).norm(), false, pointer);
        const int edge = edgeOf(own.vertex, other.vertex);
        joinVertices(mesh_, own.vertex, other.vertex, edge, law);
    }

    void addForces()
    {
        for (std::size_t f = 0; f < source_.forces.size() && !check_.failed(); ++f) {
            const VertexForceDescription& force = source_.forces[f];
            const std::string pointer = here_ + "/forces/" + std::to_string(f);
            check_.finite(force.force, pointer + "/force");
            if (force.signal) checkSignal(*force.signal, pointer + "/signal", check_);
            mesh_.forces.push_back({chosen(force.at, pointer), force.force, force.signal});
        }
    }

    void finish()
    {
        const SpringMeshDescription& s = source_;
        mesh_.velocity = s.velocity;
        mesh_.drag = s.drag;
        mesh_.lift = s.lift;
        check_.require((s.drag == 0 && s.lift == 0) || description_.medium.density > 0,
                       here_ + (s.drag != 0 ? "/drag" : "/lift"),
                       "needs the medium's density: \"medium\": {\"density\": 1.2} is air");
        mesh_.thickness = s.thickness;
        mesh_.friction = s.friction.value_or(description_.contact ? description_.contact->friction : 0.5);
        mesh_.collides = s.collides;
        for (std::size_t i = 0; i < s.ignore.size(); ++i) {
            const int body = bodyIndex(names_, s.ignore[i], here_ + "/ignore/" + std::to_string(i), check_);
            check_.require(body != world, here_ + "/ignore/" + std::to_string(i),
                           "must be a body, not the world");
            if (!check_.failed()) mesh_.ignored.push_back(model_.bodyOrder[body]);
        }
        std::sort(mesh_.ignored.begin(), mesh_.ignored.end());
        mesh_.step = s.step;
        mesh_.scheme = s.scheme;
        if (s.step == SpringMeshDescription::Step::scheme) checkScheme();
        mesh_.iterations = s.iterations;
        mesh_.tolerance = s.tolerance;
        using Step = SpringMeshDescription::Step;
        check_.require((s.step != Step::fast && s.step != Step::quick) || !mesh_.springs.empty() || isTied_,
                       here_ + "/step",
                       s.step == Step::fast ? "fast needs springs" : "quick needs springs");
        double sum = 0;
        mesh_.ownStiffness.assign(mesh_.rest.size(), 0);
        for (const MeshSpring& spring : mesh_.springs) {
            sum += spring.rest;
            mesh_.ownStiffness[spring.a] += spring.stiffness;
            mesh_.ownStiffness[spring.b] += spring.stiffness;
        }
        if (!mesh_.springs.empty())
            mesh_.length = sum / static_cast<double>(mesh_.springs.size());
        else
            mesh_.length = meanTie(mesh_);
        for (const MeshPin& pin : mesh_.pins) mesh_.ownStiffness[pin.vertex] += pin.stiffness;
        for (const MeshGlide& glide : mesh_.glides) mesh_.ownStiffness[glide.vertex] += glide.stiffness;
        for (const MeshTie& tie : mesh_.ties)
            for (int end : {tie.a, tie.b}) mesh_.ownStiffness[end] += tie.stiffness;
    }

    void checkScheme()
    {
        const std::string pointer = here_ + "/step";
        const ode::Scheme* scheme = ode::findScheme(mesh_.scheme);
        std::string known = "newton, fast, quick";
        for (const ode::Scheme& each : ode::schemes()) known += std::string(", ") + each.name;
        check_.require(scheme != nullptr, pointer,
                       "unknown step " + quoted(mesh_.scheme) + "; there are " + known);
        if (check_.failed()) return;
        const std::string by = "by " + mesh_.scheme + " a mesh has ";
        check_.require(!mesh_.collides || model_.colliders.empty(), pointer,
                       by + "no contact; say \"collides\": false, or step by newton");
        check_.require(mesh_.drag == 0 && mesh_.lift == 0, pointer,
                       by + "no drag and no lift; step by newton");
        for (const MeshPin& pin : mesh_.pins)
            check_.require(pin.body == world, pointer,
                           by + "no pins on bodies and no springs to them; step by newton");
        for (const MeshGlide& glide : mesh_.glides)
            check_.require(glide.body == world, pointer,
                           by + "no pins on bodies and no springs to them; step by newton");
        checkSchemeDampers(mesh_, pointer, check_);
    }

    const SpringMeshDescription& source_;
    const std::string here_;
    const Names& names_;
    const Model& model_;
    const Description& description_;
    Checker& check_;
    SpringMesh mesh_;
    MeshForm form_;
    Sides sides_;
    std::map<Pair, int> edges_;
    bool isTied_ = false;  // to another mesh
};

}  // namespace

void compileMeshes(const Description& description, const Names& names, Model& model, Checker& check)
{
    for (std::size_t i = 0; i < description.meshes.size() && !check.failed(); ++i) {
        const SpringMeshDescription& source = description.meshes[i];
        const std::string pointer = at("meshes", i);
        check.require(!source.name.empty(), pointer + "/name", "is empty");
        for (std::size_t k = 0; k < i; ++k)
            check.require(description.meshes[k].name != source.name, pointer + "/name",
                          "is " + quoted(source.name) + ", which another mesh has");
        MeshCompiler compiler(source, pointer, names, model, description, check);
        SpringMesh mesh = compiler.compile();
        if (!check.failed()) model.meshes.push_back(std::move(mesh));
    }
    if (!check.failed()) compileMeshGroups(description, model, check);
}

}  // namespace sinew::compiling
