// Spring meshes that springs of the scene tie to each other, as one mesh.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sinew/model/compile/parts.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/ode/schemes.h"

namespace sinew::compiling {
namespace {

int meshNumber(const Model& model, const std::string& name)
{
    const auto found = std::find_if(model.meshes.begin(), model.meshes.end(),
                                    [&](const SpringMesh& mesh) { return mesh.name == name; });
    return static_cast<int>(found - model.meshes.begin());
}

bool tiesTwoMeshes(const SpringDescription& spring)
{
    return spring.first.isOnMesh() && spring.second.isOnMesh() && spring.first.mesh != spring.second.mesh;
}

std::string stepName(const SpringMesh& mesh)
{
    using Step = SpringMeshDescription::Step;
    switch (mesh.step) {
        case Step::newton:
            return "newton";
        case Step::fast:
            return "fast";
        case Step::quick:
            return "quick";
        case Step::scheme:
            break;
    }
    return mesh.scheme;
}

// Per mesh the first that springs tie it to, by way of others or straight.
std::vector<int> firstsOf(const Description& description, const Model& model, Checker& check)
{
    std::vector<int> first(model.meshes.size());
    std::iota(first.begin(), first.end(), 0);
    for (std::size_t i = 0; i < description.springs.size() && !check.failed(); ++i) {
        const SpringDescription& spring = description.springs[i];
        if (!tiesTwoMeshes(spring)) continue;
        const int a = meshNumber(model, spring.first.mesh), b = meshNumber(model, spring.second.mesh);
        const SpringMesh &one = model.meshes[static_cast<std::size_t>(a)],
                         &other = model.meshes[static_cast<std::size_t>(b)];
        check.require(stepName(one) == stepName(other), at("springs", i),
                      "ties mesh " + quoted(one.name) + ", which is stepped by " + stepName(one) + ", to " +
                          quoted(other.name) + ", which is stepped by " + stepName(other) +
                          "; give them the same step");
        const auto [low, high] =
            std::minmax(first[static_cast<std::size_t>(a)], first[static_cast<std::size_t>(b)]);
        std::replace(first.begin(), first.end(), int{high}, int{low});
    }
    return first;
}

// The members one after the other, numbers moved up by what stands before.
class MeshJoiner {
public:
    void add(const SpringMesh& mesh)
    {
        const int vertices = joined_.size(), edges = static_cast<int>(joined_.edges.size());
        joined_.joined.push_back({mesh, vertices, static_cast<int>(joined_.faces.size())});
        append(joined_.rest, mesh.rest);
        append(joined_.masses, mesh.masses);
        append(joined_.ownStiffness, mesh.ownStiffness);
        const auto moved = [](auto list, auto&& move) {
            for (auto& each : list) move(each);
            return list;
        };
        const auto moveAll = [&](auto& numbers) {
            for (int& number : numbers) number += vertices;
        };
        append(joined_.faces, moved(mesh.faces, moveAll));
        append(joined_.edges, moved(mesh.edges, moveAll));
        const auto movePair = [&](auto& each) {
            each.a += vertices;
            each.b += vertices;
            each.edge += edges;
        };
        append(joined_.springs, moved(mesh.springs, movePair));
        append(joined_.ties, moved(mesh.ties, movePair));
        append(joined_.folds, moved(mesh.folds, [&](MeshFold& fold) {
                   moveAll(fold.corner);
                   for (int& edge : fold.edge) edge += edges;
               }));
        const auto moveVertex = [&](auto& each) { each.vertex += vertices; };
        append(joined_.pins, moved(mesh.pins, moveVertex));
        append(joined_.glides, moved(mesh.glides, moveVertex));
        append(joined_.forces, moved(mesh.forces, [&](MeshForce& force) { moveAll(force.vertices); }));
        takeManner(mesh);
    }

    int vertex(std::size_t member, int number) const { return joined_.joined[member].vertex + number; }

    void tie(int a, int b, const SpringDescription& spring, const std::string& pointer, Checker& check)
    {
        const auto place = [&](int i) { return joined_.rest[static_cast<std::size_t>(i)]; };
        const MeshTieLaw law = tieLaw(spring, (place(b) - place(a)).norm());
        check.require(law.rest > 0 || spring.acts != SpringActs::push, pointer + "/acts",
                      "is push, and the length is 0: there is nothing to keep apart");
        const std::array<int, 2> pair = {std::min(a, b), std::max(a, b)};
        const auto [edge, isNew] = edges_.emplace(pair, static_cast<int>(joined_.edges.size()));
        if (isNew) joined_.edges.push_back(pair);
        joinVertices(joined_, a, b, edge->second, law);
        for (int end : {a, b}) joined_.ownStiffness[static_cast<std::size_t>(end)] += law.stiffness;
    }

    // Of lengths and tolerances the finest. A member without springs is measured by the others, and where
    // none has any, by those between them.
    SpringMesh finish()
    {
        joined_.length = hasSprings_ ? length_ : meanTie(joined_);
        for (std::size_t k = 0; k < joined_.joined.size(); ++k) {
            MeshTraits& traits = joined_.joined[k].traits;
            if (!own_[k]) traits.length = joined_.length;
            const double part = tolerances_[k] * traits.length / joined_.length;
            joined_.tolerance = k == 0 ? part : std::min(joined_.tolerance, part);
        }
        return std::move(joined_);
    }

private:
    template <class List>
    static void append(List& to, const List& from)
    {
        to.insert(to.end(), from.begin(), from.end());
    }

    void takeManner(const SpringMesh& mesh)
    {
        const bool isFirst = joined_.joined.size() == 1, isOwn = !mesh.springs.empty();
        joined_.name += (isFirst ? "" : "+") + mesh.name;
        joined_.step = mesh.step;
        joined_.scheme = mesh.scheme;
        joined_.iterations = isFirst ? mesh.iterations : std::max(joined_.iterations, mesh.iterations);
        if (isOwn) length_ = hasSprings_ ? std::min(length_, mesh.length) : mesh.length;
        hasSprings_ = hasSprings_ || isOwn;
        own_.push_back(isOwn);
        tolerances_.push_back(mesh.tolerance);
    }

    SpringMesh joined_;
    bool hasSprings_ = false;
    double length_ = 1;                        // of the members that have springs, the least
    std::vector<char> own_;                    // per member: has springs
    std::vector<double> tolerances_;           // per member
    std::map<std::array<int, 2>, int> edges_;  // of ties between members
};

SpringMesh joinedMesh(const std::vector<int>& members, const Description& description, const Model& model,
                      Checker& check)
{
    MeshJoiner joiner;
    for (int m : members) joiner.add(model.meshes[static_cast<std::size_t>(m)]);
    const auto vertexOf = [&](const SpringEndDescription& end) {
        const auto found = std::find(members.begin(), members.end(), meshNumber(model, end.mesh));
        return found == members.end()
                   ? -1
                   : joiner.vertex(static_cast<std::size_t>(found - members.begin()), end.vertex);
    };
    for (std::size_t i = 0; i < description.springs.size() && !check.failed(); ++i) {
        const SpringDescription& spring = description.springs[i];
        if (!tiesTwoMeshes(spring)) continue;
        const int a = vertexOf(spring.first), b = vertexOf(spring.second);
        if (a >= 0) joiner.tie(a, b, spring, at("springs", i), check);
    }
    SpringMesh mesh = joiner.finish();
    if (!check.failed() && mesh.step == SpringMeshDescription::Step::scheme)
        checkSchemeDampers(mesh, at("meshes", static_cast<std::size_t>(members.front())) + "/step", check);
    return mesh;
}

}  // namespace

MeshTieLaw tieLaw(const SpringDescription& spring, double distance)
{
    MeshTieLaw law;
    law.stiffness = spring.stiffness;
    law.damping = spring.damping;
    law.rest = spring.length.value_or(distance);
    law.pulls = spring.acts != SpringActs::push;
    law.pushes = spring.acts != SpringActs::pull;
    return law;
}

// One that acts both ways along a line is a spring like any other of the mesh.
void joinVertices(SpringMesh& mesh, int a, int b, int edge, const MeshTieLaw& law)
{
    if (law.isLine() && law.pulls && law.pushes) {
        mesh.springs.push_back({a, b, law.rest, law.stiffness, law.damping, 0, edge});
        return;
    }
    MeshTie tie;
    static_cast<MeshTieLaw&>(tie) = law;
    tie.a = a;
    tie.b = b;
    tie.edge = edge;
    mesh.ties.push_back(tie);
}

double meanTie(const SpringMesh& mesh)
{
    double sum = 0;
    int count = 0;
    const auto add = [&](const auto& list) {
        for (const auto& each : list) {
            sum += std::abs(each.rest);
            count += each.rest != 0;
        }
    };
    add(mesh.springs);
    add(mesh.pins);
    add(mesh.ties);
    add(mesh.glides);
    return count > 0 ? sum / count : 1;
}

void checkSchemeDampers(const SpringMesh& mesh, const std::string& pointer, Checker& check)
{
    const ode::Scheme& scheme = *ode::findScheme(mesh.scheme);
    check.require(scheme.orderWithVelocity == scheme.order || !mesh.isDamped(), pointer,
                  mesh.scheme +
                      " takes no forces that depend on velocity, such as those of dampers; use "
                      "velocity_verlet");
}

void compileMeshGroups(const Description& description, Model& model, Checker& check)
{
    const std::vector<int> first = firstsOf(description, model, check);
    for (int m = 0; m < static_cast<int>(first.size()) && !check.failed(); ++m) {
        if (first[static_cast<std::size_t>(m)] != m) continue;
        TiedMeshes& group = model.meshGroups.emplace_back();
        for (int k = m; k < static_cast<int>(first.size()); ++k)
            if (first[static_cast<std::size_t>(k)] == m) group.members.push_back(k);
        if (group.members.size() > 1)
            group.joined.push_back(joinedMesh(group.members, description, model, check));
    }
}

}  // namespace sinew::compiling
