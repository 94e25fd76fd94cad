// Sweeps over the blocks of an island, each solved exactly while the others are held.
//
// Sources: Moreau 1988 and Jean 1999 (contact dynamics); Jourdan, Alart & Jean, A Gauss-Seidel like
// algorithm to solve frictional contact problems, 1998; Anderson, Iterative procedures for nonlinear
// integral equations, 1965, in the form of Walker & Ni 2011.
//
//     block c:   b = d_c − W_cc μ_c,   μ_c ← the impulse that obeys Coulomb's law for b + W_cc μ_c
// (coulomb.cpp). A fixed point of the sweep obeys the law everywhere, in its true, non-associated form. A
// sweep forward and one back make a map G. Anderson's acceleration continues it: with g = G(μ), change φ =
// g − μ and the differences ΔG, Δφ of the last few rounds,
//     γ = argmin |φ − Δφ γ|,   next μ = g − ΔG γ, moved into the cones
// in a norm that weighs each row by its W_ii, so that all are energies. It pays because the slow part of
// a sweep, weight that travels down a stack, is nearly linear once it is known which contacts hold. A round
// whose change is much larger than the last one's is taken back and the memory emptied; at the end the
// round with the smallest change counts.
//
// Measured, 200 sweeps from nothing, boxes of 1 m: a stack of 20 to 0.2 µm (240 µm unaccelerated), a wall
// of 200 to 0.7 µm (29 µm), and from step to step on to 1 nm.
//
// Cost: a sweep O(Σ freedoms of the units of each block), the acceleration O(memory × rows) a round. Fails
// to converge where there is no answer (Painlevé), slowly where masses or stiffnesses are far apart;
// equalities that contradict each other end at the cap.
#include <algorithm>
#include <cmath>

#include "sinew/contact/island.h"

namespace sinew {
namespace {

constexpr int memory = 8;         // rounds that the acceleration looks back
constexpr double mostGrowth = 5;  // of the change of a round over the one before, until it is taken back
constexpr double operationsOfVisit = 1000;  // of a block in a round
constexpr double regularization = 1e-12;    // of the least squares, relative

// Solves block c; returns how far its law was from holding, m.
double visit(const Island& island, int c)
{
    const ConstraintLaw& law = island.work.laws[c];
    ConstraintBlock& block = island.blocks[c];
    // Most places of a heap are near each other and do not touch.
    if (law.contact && !law.bounded && block.impulse.isZero(0) &&
        block.offset[0] + island.delassus.firstMotion(c) >= 0)
        return 0;
    Vec3 d = block.offset + island.delassus.motion(c);
    if (law.contact) d[0] += block.compliance * block.impulse[0];
    const Vec3 next = lawfulImpulse(law, d - law.W * block.impulse, block.impulse);
    const Vec3 change = next - block.impulse;
    if (change[0] == 0 && change[1] == 0 && change[2] == 0) return 0;
    island.delassus.push(c, change);
    block.impulse = next;
    return (law.W * change).cwiseAbs().maxCoeff();
}

// Forward, then back. The last block forward would be the first one back, with nothing to do.
double sweepBothWays(const Island& island)
{
    const int count = static_cast<int>(island.members.size());
    for (int i = 0; i < count; ++i) visit(island, island.members[i]);
    double largest = 0;
    for (int i = count - 1; i-- > 0;) largest = std::max(largest, visit(island, island.members[i]));
    return largest;
}

// γ of the last `count` differences by the normal equations, Cholesky, in place.
void leastSquares(double (&A)[memory][memory], double (&b)[memory], int count)
{
    double trace = 0;
    for (int i = 0; i < count; ++i) trace += A[i][i];
    for (int j = 0; j < count; ++j) {
        double pivot = A[j][j] + regularization * trace;
        for (int k = 0; k < j; ++k) pivot -= A[j][k] * A[j][k];
        pivot = std::sqrt(std::max(pivot, regularization * trace));
        A[j][j] = pivot;
        for (int i = j + 1; i < count; ++i) {
            double sum = A[i][j];
            for (int k = 0; k < j; ++k) sum -= A[i][k] * A[j][k];
            A[i][j] = pivot > 0 ? sum / pivot : 0;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < i; ++k) b[i] -= A[i][k] * b[k];
        b[i] = A[i][i] > 0 ? b[i] / A[i][i] : 0;
    }
    for (int i = count; i-- > 0;) {
        for (int k = i + 1; k < count; ++k) b[i] -= A[k][i] * b[k];
        b[i] = A[i][i] > 0 ? b[i] / A[i][i] : 0;
    }
}

// Anderson's acceleration of one island. `start` holds where the next round begins.
class Acceleration {
public:
    explicit Acceleration(const Island& island)
        : island_(island), n_(3 * island.members.size()), w_(island.work)
    {
        for (std::vector<double>* v :
             {&w_.start, &w_.change, &w_.lastChange, &w_.lastResult, &w_.best, &w_.weights})
            v->resize(std::max(v->size(), n_));
        for (std::vector<double>* v : {&w_.changeSteps, &w_.resultSteps})
            v->resize(std::max(v->size(), memory * n_));
        for (std::size_t i = 0; i < n_; ++i) w_.weights[i] = w_.laws[island.members[i / 3]].W(i % 3, i % 3);
        storeImpulses(island, w_.start.data());
    }

    // After a round: the blocks hold its result. Leaves where the next one should begin there.
    void advance()
    {
        double size = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            w_.change[i] = result(i) - w_.start[i];
            size += w_.weights[i] * w_.change[i] * w_.change[i];
        }
        if (mixed_ && !(size <= mostGrowth * mostGrowth * lastSize_)) {
            takeBack();
            return;
        }
        if (smallest_ < 0 || size < smallest_) {
            smallest_ = size;
            storeImpulses(island_, w_.best.data());
        }
        if (haveLast_) remember();
        std::copy_n(w_.change.begin(), n_, w_.lastChange.begin());
        storeImpulses(island_, w_.lastResult.data());
        haveLast_ = true;
        lastSize_ = size;
        mixed_ = count_ > 0;
        if (mixed_) mix();
        storeImpulses(island_, w_.start.data());
    }

    // The blocks hold the result of a round: goes to the best one seen.
    void finish()
    {
        double size = 0;
        for (std::size_t i = 0; i < n_; ++i)
            size += w_.weights[i] * (result(i) - w_.start[i]) * (result(i) - w_.start[i]);
        if (smallest_ >= 0 && !(size <= smallest_)) loadImpulses(island_, w_.best.data());
    }

private:
    double result(std::size_t i) const { return island_.blocks[island_.members[i / 3]].impulse[i % 3]; }

    // To the result of the last round, from where the next one goes on unaccelerated: so every second
    // round at least is a plain one, and none can be repeated for ever.
    void takeBack()
    {
        loadImpulses(island_, w_.lastResult.data());
        storeImpulses(island_, w_.start.data());
        haveLast_ = mixed_ = false;
        count_ = next_ = 0;
    }

    void remember()
    {
        double *change = &w_.changeSteps[next_ * n_], *step = &w_.resultSteps[next_ * n_];
        for (std::size_t i = 0; i < n_; ++i) {
            change[i] = w_.change[i] - w_.lastChange[i];
            step[i] = result(i) - w_.lastResult[i];
        }
        count_ = std::min(count_ + 1, memory);
        for (int j = 0; j < count_; ++j) products_[next_][j] = products_[j][next_] = product(j, change);
        next_ = (next_ + 1) % memory;
    }

    double product(int j, const double* other) const
    {
        const double *steps = &w_.changeSteps[j * n_], *weights = w_.weights.data();
        double sum = 0;
        for (std::size_t i = 0; i < n_; ++i) sum += weights[i] * steps[i] * other[i];
        return sum;
    }

    void mix()
    {
        double A[memory][memory], b[memory];
        for (int j = 0; j < count_; ++j) {
            b[j] = product(j, w_.change.data());
            std::copy_n(products_[j], count_, A[j]);
        }
        leastSquares(A, b, count_);
        std::copy_n(w_.lastResult.begin(), n_, w_.start.begin());
        for (int j = 0; j < count_; ++j) {
            const double* steps = &w_.resultSteps[j * n_];
            for (std::size_t i = 0; i < n_; ++i) w_.start[i] -= b[j] * steps[i];
        }
        loadImpulses(island_, w_.start.data());
    }

    const Island& island_;
    std::size_t n_;
    ConstraintSolverWork& w_;
    double smallest_ = -1;  // squared size of the smallest change; −1: none yet
    double lastSize_ = 0;   // likewise of the last round
    bool haveLast_ = false, mixed_ = false;
    int count_ = 0, next_ = 0;
    double products_[memory][memory] = {};  // of the remembered changes with each other
};

}  // namespace

IslandResult solveIteratively(const Island& island, const ConstraintSolverSettings& settings)
{
    IslandResult result;
    result.residual = islandResidual(island);
    if (result.residual <= settings.tolerance) return result;
    Acceleration acceleration(island);
    while (result.iterations < settings.sweeps && !island.work.stop()) {
        const double moved = sweepBothWays(island);
        island.work.effort.work += operationsOfVisit * static_cast<double>(island.members.size());
        result.iterations += 2;
        // The change of a sweep is a first guess of the residual, at no cost.
        if (moved <= settings.tolerance && islandResidual(island) <= settings.tolerance) break;
        if (result.iterations >= settings.sweeps) {
            acceleration.finish();
            break;
        }
        acceleration.advance();
    }
    result.residual = islandResidual(island);
    return result;
}

}  // namespace sinew
