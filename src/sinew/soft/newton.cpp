// Newton's method for a step of a spring mesh.
#include <algorithm>
#include <cmath>
#include <span>

#include "sinew/soft/solve.h"

namespace sinew {
namespace {

constexpr int mostIterations = 200;
// With tensions of their own: so often, and no more than so often without coming nearer by this part.
constexpr int mostEstimated = 40, mostIdle = 8;
constexpr double nearer = 0.7;
// Friction goes by normal forces that are looked up this often in a step, each time that Newton's method
// has come near to its end with the ones before.
constexpr int frictionLooks = 3;
constexpr double nearEnd = 10;  // tolerances
// Planes of contact follow the vertices over corners and between shapes for so many iterations. Then they
// stay, so that what goes back and forth between two of them comes to an end.
constexpr int planeLooks = 25;
constexpr double roundingWay = 1e-6;
// Nearer than this part of a spring's length the whole second derivative is tried, and after so many
// failures no more.
constexpr double wholeWay = 0.1;
constexpr int mostIndefinite = 3;
// Weak are springs and folds of no more than this part of what their vertices have.
constexpr double weakPart = 0.02;
constexpr double worth = 0.5;  // of the operations, what the thin factor may take
// Of the residual of conjugate gradients: what may be left, and where bodies have to agree with the end.
constexpr double shrunk = 1e-3, shrunkAtTheEnd = 1e-6;
constexpr int mostProducts = 25;
// From so much k h²/m on springs are stiff, and tensions are unknowns also while the mesh touches
// something.
constexpr double stiff = 1e4;

double longestVertex(const VecX& x)
{
    double most = 0;
    for (int i = 0; i + 2 < x.size(); i += 3)
        most = std::max(most, x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2]);
    return std::sqrt(most);
}

}  // namespace

// The structure of both factors, and what the thin one leaves out.
void MeshSolver::analyze()
{
    const SpringMesh& mesh = *step.mesh;
    if (!blocks.isAnalyzed()) blocks.analyze(mesh.rest, mesh.edges, 3);
    if (step.isWeakSpring.size() == mesh.springs.size() && step.isWeakFold.size() == mesh.folds.size())
        return;
    std::vector<char> isKept(mesh.edges.size(), 0);
    step.isWeakSpring.assign(mesh.springs.size(), 0);
    step.isWeakFold.assign(mesh.folds.size(), 0);
    const auto own = [&](int i) { return mesh.ownStiffness[static_cast<std::size_t>(i)]; };
    for (std::size_t s = 0; s < mesh.springs.size(); ++s) {
        const MeshSpring& spring = mesh.springs[s];
        step.isWeakSpring[s] =
            spring.stiffness <= weakPart * std::min(own(spring.a), own(spring.b)) && spring.limit == 0;
        if (!step.isWeakSpring[s]) isKept[static_cast<std::size_t>(spring.edge)] = 1;
    }
    for (std::size_t f = 0; f < mesh.folds.size(); ++f) {
        const MeshFold& fold = mesh.folds[f];
        double least = HUGE_VAL;
        for (int corner : fold.corner) least = std::min(least, own(corner));
        step.isWeakFold[f] = fold.stiffness <= weakPart * least * mesh.length * mesh.length;
        if (!step.isWeakFold[f])
            for (int edge : fold.edge) isKept[static_cast<std::size_t>(edge)] = 1;
    }
    for (const MeshTie& tie : mesh.ties) isKept[static_cast<std::size_t>(tie.edge)] = 1;
    thinEdges.clear();
    std::vector<SparseCholesky::Edge> edges;
    for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
        if (!isKept[e]) continue;
        thinEdges.push_back(static_cast<int>(e));
        edges.push_back(mesh.edges[e]);
    }
    isThinWorth = false;
    if (edges.size() == mesh.edges.size()) return;
    thin.analyze(mesh.rest, edges, 3);
    isThinWorth = thin.operations() < worth * blocks.operations();
}

// d ← P⁻¹ d, the rank-one parts by Sherman and Morrison's formula, one after the other.
void MeshSolver::precondition(VecX& d)
{
    const std::span<double> numbers{d.data(), static_cast<std::size_t>(d.size())};
    (isThin ? thin : blocks).solve(numbers, 1);
    for (std::size_t k = 0; k < preconditioner.bulks.size(); ++k) addBulk(k, d);
}

// d ← (P + w g gᵀ)⁻¹ P d, P with the parts before this one.
void MeshSolver::addBulk(std::size_t number, VecX& d) const
{
    const auto& [weight, slope] = preconditioner.bulks[number];
    const VecX& answer = rankOnes[number];
    const double along = slope.dot(d), own = slope.dot(answer);
    d -= weight * along / (1 + weight * own) * answer;
}

bool MeshSolver::factorize(const VecX& x, MeshSolution& solution)
{
    step.hessian(x, preconditioner, {.isThin = isThin});
    ++solution.factorizations;
    bool isGood = false;
    if (isThin) {
        thinOff.resize(9 * thinEdges.size());
        for (std::size_t e = 0; e < thinEdges.size(); ++e)
            std::copy_n(preconditioner.off.begin() + 9 * thinEdges[e], 9,
                        thinOff.begin() + static_cast<std::ptrdiff_t>(9 * e));
        isGood = thin.factorize(preconditioner.diagonal, thinOff);
    } else {
        isGood = blocks.factorize(preconditioner.diagonal, preconditioner.off);
    }
    rankOnes.resize(preconditioner.bulks.size());
    for (std::size_t k = 0; k < rankOnes.size(); ++k) {
        rankOnes[k] = preconditioner.bulks[k].gradient;
        (isThin ? thin : blocks)
            .solve({rankOnes[k].data(), static_cast<std::size_t>(rankOnes[k].size())}, 1);
        for (std::size_t before = 0; before < k; ++before) addBulk(before, rankOnes[k]);
    }
    return isGood;
}

// to ← H d
void MeshSolver::multiply(const VecX& d, VecX& to) const
{
    to.resize(d.size());
    const double* blocksOf = hessian.diagonal.data();
    for (int i = 0; i < d.size(); i += 3, blocksOf += 9)
        for (int k = 0; k < 3; ++k)
            to[i + k] = blocksOf[k] * d[i] + blocksOf[3 + k] * d[i + 1] + blocksOf[6 + k] * d[i + 2];
    const double* b = hessian.off.data();
    for (const auto& edge : step.mesh->edges) {
        const int i = 3 * edge[0], j = 3 * edge[1];
        for (int k = 0; k < 3; ++k) {
            to[i + k] += b[k] * d[j] + b[3 + k] * d[j + 1] + b[6 + k] * d[j + 2];
            to[j + k] += b[3 * k] * d[i] + b[3 * k + 1] * d[i + 1] + b[3 * k + 2] * d[i + 2];
        }
        b += 9;
    }
    for (const auto& [weight, slope] : hessian.bulks) to += weight * slope.dot(d) * slope;
}

// H d = −∇E, until the residual, as the preconditioner sees it, has shrunk to a part. The number of
// products with H; −1: it is not positive definite.
int MeshSolver::conjugateGradients(double part)
{
    residual = -1.0 * gradient;
    direction.setZero(gradient.size());
    preconditioned = residual;
    precondition(preconditioned);
    conjugate = preconditioned;
    double size = residual.dot(preconditioned);
    const double end = part * part * size;
    int products = 0;
    while (size > end && products < mostProducts) {
        multiply(conjugate, product);
        ++products;
        const double curvature = conjugate.dot(product);
        if (!(curvature > 0)) return -1;
        const double far = size / curvature;
        direction += far * conjugate;
        residual -= far * product;
        preconditioned = residual;
        precondition(preconditioned);
        const double next = residual.dot(preconditioned);
        conjugate = preconditioned + next / size * conjugate;
        size = next;
    }
    return products;
}

// With the negative parts of springs where that is wanted, and the sum is positive definite all the same.
bool MeshSolver::findDirection(const VecX& x, bool isWhole, MeshSolution& solution)
{
    if (!factorize(x, solution)) return false;
    const double part = step.tensions.empty() ? shrunkAtTheEnd : shrunk;
    for (bool whole : {isWhole && preconditioner.isClamped, false}) {
        if (!isThin && !whole) break;
        step.hessian(x, hessian, {.isWhole = whole});
        const int products = conjugateGradients(part);
        solution.products += std::max(products, 0);
        // What was left out is not so weak.
        if (isThin && products == mostProducts) isThin = false;
        if (products >= 0) return true;
        ++solution.indefinite;
    }
    direction = -1.0 * gradient;
    precondition(direction);
    return true;
}

// Newton's iterations until no vertex moves by more than the tolerance. With tensions of their own the
// whole way is gone each time; false: it comes no nearer. Without them as far as E falls.
bool MeshSolver::iterate(VecX& x, int most, MeshSolution& solution)
{
    const SpringMesh& mesh = *step.mesh;
    const double tolerance = mesh.tolerance * mesh.length;
    const bool isEstimated = !step.tensions.empty();
    double firstForce = 0, nearest = HUGE_VAL;
    int looks = 0, idle = 0;
    bool isNear = false, isWhole = false;
    for (int k = 0; k < most; ++k) {
        const bool looksAtFriction = isNear && looks < frictionLooks;
        looks += looksAtFriction;
        if (k < planeLooks) step.lookAround(x, looksAtFriction, k == 0 || looksAtFriction);
        step.gradient(x, gradient);
        const double force = longestVertex(gradient);
        firstForce = std::max(firstForce, force);
        solution.residual = firstForce > 0 ? force / firstForce : 0;
        ++solution.iterations;
        if (!findDirection(x, isWhole, solution)) return false;
        const double way = longestVertex(direction);
        isNear = way <= nearEnd * tolerance;
        if (!(way > tolerance) && (looks >= frictionLooks || k >= planeLooks || !step.hasFriction())) {
            x += direction;
            solution.residual = 0;  // below the tolerance, and not looked at again
            return std::isfinite(way);
        }
        if (isEstimated) {
            step.followTensions(x, direction);
            x += direction;
            idle = way < nearer * nearest ? 0 : idle + 1;
            nearest = std::min(nearest, way);
            if (idle > mostIdle) return false;
            continue;
        }
        isWhole = way <= wholeWay * mesh.length && solution.indefinite < mostIndefinite;
        const double far = search(x, direction, gradient.dot(direction));
        // Where rounding of E hides what is left, the last direction is as good as it gets.
        if (far == 0) return way <= roundingWay * mesh.length;
        x += far * direction;
    }
    return false;
}

bool MeshSolver::isStiff() const
{
    double stiffness = 0;
    for (double own : step.mesh->ownStiffness) stiffness += own;
    return stiffness * step.h * step.h >= stiff * step.mesh->mass();
}

// Where the mesh was, with pins where they are going.
const VecX& MeshSolver::placeBefore(const VecX& x)
{
    start = step.x0;
    for (int i = 0; i < step.mesh->size(); ++i)
        if (step.isHeld[static_cast<std::size_t>(i)])
            for (int k = 0; k < 3; ++k) start[3 * i + k] = x[3 * i + k];
    return start;
}

MeshSolution MeshSolver::newton(VecX& x, bool goesOn)
{
    analyze();
    isThin = isThinWorth;
    MeshSolution solution;
    bool isFound = false;
    if (!goesOn && (step.contacts.empty() || isStiff())) {
        step.startTensions();
        isFound = iterate(x, mostEstimated, solution);
        step.tensions.clear();
    }
    // E must not end above where the mesh was, or energy would be gained.
    const double before = step.energy(placeBefore(x)), after = step.energy(x);
    const bool isLower = after <= before + 1e-14 * std::fabs(before);
    if (isFound && isLower) return solution;
    if (!isLower) x = start;
    solution.converged = iterate(x, mostIterations, solution);
    return solution;
}

// E must not end above where the mesh was, or energy would be gained: then it is as without the iteration.
MeshSolution MeshSolver::quick(VecX& x)
{
    analyze();
    isThin = isThinWorth;
    MeshSolution unused;
    guess = x;
    step.startTensions();
    step.lookAround(x, false, true);
    step.gradient(x, gradient);
    const bool isGood = factorize(x, unused);
    step.tensions.clear();
    if (!isGood) return fast(x);
    direction = -1.0 * gradient;
    precondition(direction);
    x += direction;
    const MeshSolution solution = fast(x);
    const double before = step.energy(placeBefore(x));
    if (step.energy(x) <= before + 1e-14 * std::fabs(before)) return solution;
    x = guess;
    return fast(x);
}

// Of the matrix at the end of the step, exact also where the steps to there were not.
void MeshSolver::answer(const VecX& x, VecX& forces)
{
    for (int i = 0; i < step.mesh->size(); ++i)
        if (step.isHeld[static_cast<std::size_t>(i)])
            for (int k = 0; k < 3; ++k) forces[3 * i + k] = 0;
    const std::span<double> numbers{forces.data(), static_cast<std::size_t>(forces.size())};
    if (step.mesh->step != SpringMeshDescription::Step::newton) return constant.solve(numbers, 3);
    if (isThin && isFactorOld) {
        step.hessian(x, hessian);
        blocks.factorize(hessian.diagonal, hessian.off);
        isFactorOld = false;
    }
    blocks.solve(numbers, 1);
}

}  // namespace sinew
