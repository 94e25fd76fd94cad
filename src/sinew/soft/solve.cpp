#include "sinew/soft/solve.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "sinew/soft/by_scheme.h"
#include "sinew/soft/contact.h"

namespace sinew {
namespace {

constexpr int remembered = 6;  // of L-BFGS

// The longest of three numbers in a row.
double largestVertex(const VecX& x)
{
    double most = 0;
    for (int i = 0; i + 2 < x.size(); i += 3)
        most = std::max(most, x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2]);
    return std::sqrt(most);
}

std::span<double> numbersOf(VecX& x)
{
    return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

// How far to go along d: halved until E falls enough (Armijo). Rounding of E must not stop the last
// iterations.
double MeshSolver::search(const VecX& x, const VecX& d, double slope)
{
    const double start = step.energy(x), rounding = 1e-14 * std::fabs(start);
    double far = 1;
    for (int i = 0; i < 40; ++i, far *= 0.5) {
        trial = x + far * d;
        const double there = step.energy(trial);
        if (there <= start + 1e-4 * far * slope + rounding) return far;
    }
    return 0;
}

// Springs as if they pulled alike in all directions. Weak ones would fill in much and change little: they
// are left out, as of Newton's thin factor.
void MeshSolver::factorizeConstant()
{
    const SpringMesh& mesh = *step.mesh;
    const double h = step.h;
    analyze();
    std::vector<SparseCholesky::Edge> edges;
    std::vector<int> place(mesh.edges.size(), -1);  // of each edge, among those that are kept
    const auto keep = [&](std::size_t e) {
        place[e] = static_cast<int>(edges.size());
        edges.push_back(mesh.edges[e]);
    };
    if (isThinWorth)
        for (int e : thinEdges) keep(static_cast<std::size_t>(e));
    else
        for (std::size_t e = 0; e < mesh.edges.size(); ++e) keep(e);
    if (!constant.isAnalyzed()) constant.analyze(mesh.rest, edges, 1);
    std::vector<double> diagonal(mesh.rest.size()), off(edges.size());
    for (int i = 0; i < mesh.size(); ++i) diagonal[i] = mesh.masses[i] / (h * h);
    for (const MeshSpring& spring : mesh.springs) {
        const int e = place[spring.edge];
        if (e < 0) continue;
        const double k = spring.stiffness + spring.damping / h;
        diagonal[spring.a] += k;
        diagonal[spring.b] += k;
        off[e] -= k;
    }
    for (const MeshTie& tie : mesh.ties) {
        const double k = tie.stiffness + tie.damping / h;
        diagonal[tie.a] += k;
        diagonal[tie.b] += k;
        off[place[tie.edge]] -= k;
    }
    for (const MeshGlide& glide : mesh.glides)
        diagonal[glide.vertex] += glide.stiffness + glide.damping / h;
    for (const MeshPin& pin : mesh.pins) diagonal[pin.vertex] += pin.stiffness + pin.damping / h;
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (step.isHeld[edges[e][0]] || step.isHeld[edges[e][1]]) off[e] = 0;
    constant.factorize(diagonal, off);
    constantFor = h;
}

MeshSolution MeshSolver::fast(VecX& x)
{
    const SpringMesh& mesh = *step.mesh;
    const double h = step.h;
    if (!constant.isAnalyzed() || constantFor != h) factorizeConstant();
    ways.resize(remembered);
    changes.resize(remembered);
    scales.assign(remembered, 0);
    weights.assign(remembered, 0);
    MeshSolution solution;
    step.lookAround(x, false, true);
    step.gradient(x, gradient);
    double firstForce = largestVertex(gradient);
    int kept = 0;
    for (int k = 0; k < mesh.iterations; ++k) {
        // Two loops over the last ways and changes of the gradient (J. Nocedal 1980).
        direction = -1.0 * gradient;
        for (int i = 0; i < std::min(kept, remembered); ++i) {
            const int m = (kept - 1 - i) % remembered;
            weights[m] = scales[m] * ways[m].dot(direction);
            direction -= weights[m] * changes[m];
        }
        constant.solve(numbersOf(direction), 3);
        for (int i = std::min(kept, remembered) - 1; i >= 0; --i) {
            const int m = (kept - 1 - i) % remembered;
            direction += (weights[m] - scales[m] * changes[m].dot(direction)) * ways[m];
        }
        const double slope = gradient.dot(direction);
        if (!(slope < 0)) break;
        const double far = search(x, direction, slope);
        ++solution.iterations;
        if (far == 0) break;
        const int m = kept % remembered;
        ways[m] = far * direction;
        x += ways[m];
        other = gradient;
        step.lookAround(x, k % 2 == 1, false);
        step.gradient(x, gradient);
        changes[m] = gradient - other;
        const double curvature = ways[m].dot(changes[m]);
        const double force = largestVertex(gradient);
        firstForce = std::max(firstForce, force);
        solution.residual = firstForce > 0 ? force / firstForce : 0;
        if (curvature > 0) {
            scales[m] = 1 / curvature;
            ++kept;
        }
    }
    return solution;
}

MeshSolution MeshSolver::advance(const SpringMesh& mesh, const MeshState& before,
                                 const MeshSurroundings& around, double h, MeshState& state, bool goesOn)
{
    if (mesh.step == SpringMeshDescription::Step::scheme) {
        step.mesh = &mesh;
        step.contacts.clear();
        state.x = before.x;
        state.v = before.v;
        MeshSolution solution{.iterations = 1};
        solution.converged = stepByScheme(mesh, around.model->gravity, around.time - h, h, state, scheme);
        state.a = 1 / h * (state.v - before.v);
        return solution;
    }
    step.begin(mesh, before, around, h);
    // Where the velocities lead. Newton's method starts nearer with the last accelerations in it, and ends
    // at the same place; a fixed number of iterations would build up what the guess brings in.
    using Step = SpringMeshDescription::Step;
    const bool isFast = mesh.step == Step::fast || mesh.step == Step::quick;
    if (!goesOn) {
        state.x = before.x + h * before.v;
        if (!isFast) state.x += h * h * before.a;
    }
    for (std::size_t p = 0; p < mesh.pins.size(); ++p)
        if (mesh.pins[p].isRigid)
            for (int k = 0; k < 3; ++k) state.x[3 * mesh.pins[p].vertex + k] = step.pinned[p][k];
    isFactorOld = true;
    const MeshSolution solution = mesh.step == Step::quick ? quick(state.x)
                                  : isFast                 ? fast(state.x)
                                                           : newton(state.x, goesOn);
    state.v = 1 / h * (state.x - before.x);
    state.a = 1 / h * (state.v - before.v);
    keepAnchors(step, state.x, state);
    return solution;
}

}  // namespace sinew
