// A large island over the freedoms of its units: the augmented Lagrangian of Coulomb's law by Newton's
// method with a sparse factorisation.
//
// Sources: De Saxcé & Feng 1998 for the law as one projection; Rockafellar 1976 for the method of
// multipliers; Castro, Permenter & Han 2022 for Newton on such a convex problem over the freedoms, with
// line search.
//
// With x the motion of the units, d = d0 + J x, P the projection onto the cone of friction, multipliers m
// and penalties ρ per block, and De Saxcé's shift s = friction · |d_t| along the normal held fixed,
//     Φ(x) = ½ xᵀ H x + Σ |P(m − ρ (d + s))|² / 2ρ
// is convex and once differentiable; its minimum has H x = Jᵀ μ with μ = P(m − ρ (d + s)). Newton's matrix
// is
//     H + Σ Jᵀ ρ P' J,          P' symmetric, between 0 and 1
// with a block for each pair of units in touch. Then m := μ, s := friction · |d_t|, and again: where
// nothing changes any more μ = P(μ − ρ (d + s)), which is Coulomb's law. Equalities: P = 1, s = 0. Bounded
// blocks: P onto the disc, s = 0, and |z|² − |z − P(z)|² in place of |P(z)|², z = m − ρ d, which is the
// same for cones.
//
// An H that is not symmetric (what spins in an implicit step) enters the gradient whole and Newton's matrix
// by its symmetric part: the answer is that of the whole, found as fast as spin is slow.
//
// Where much slips, the shift is what is slow: each round moves it by a part of what it lacks. So Coulomb's
// law itself comes first, as Alart & Curnier have it, which needs no shift:
//     z = m − ρ d,   μ_n = max(0, z_n),   μ_t = z_t, or where it is longer: f μ_n z_t/|z_t|
// Its H x − Jᵀ μ is no gradient. Newton's matrix has one entry in each slipping contact more than a
// symmetric one, from the normal to friction; the factorisation of the rest is the preconditioner of a
// Krylov method for the whole (GCR: Eisenstat, Elman & Schultz 1983; 3 to 5 products). A step counts if it
// makes what is left smaller, measured by that factorisation; rounds that fail are made again, softer. The
// convex problem has the word after that, as it can always go on.
//
// A round takes away a part of the defect that depends on ρ over the inverse of what a block bears, not of
// what it is: under large weights rounds get stiffer until they help, or until Newton does not follow.
//
// Redundant contacts need no care: of all impulses that do the same, those near the first guess come out.
// Cost: one sparse LDLᵀ (sparse_system.h) per iteration, 1 to 6 iterations a round, 1 to 10 rounds. What
// slides on as it did takes a round of 6, from nothing 40 to 50. Walls and floors of stones fill in little;
// heaps fill in much, so there is a bound on their size. It allocates memory in each factorisation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/contact/island.h"
#include "sinew/contact/projections.h"
#include "sinew/contact/sparse_system.h"

namespace sinew {

struct SparseWork {
    SparseSystem system;
    std::vector<Vec3> m, shift, mu, d, first, best;
    std::vector<double> rho;
    std::vector<Mat3> slope;  // of the law at each block: −dμ/d(ρ d)
    VecX x, before, trial, gradient, step, left, product;
    MatX moves, images, products;  // of the Krylov method: p, M⁻¹ A p and A p
};

ConstraintSolverWork::ConstraintSolverWork() = default;
ConstraintSolverWork::~ConstraintSolverWork() = default;
ConstraintSolverWork::ConstraintSolverWork(ConstraintSolverWork&&) noexcept = default;
ConstraintSolverWork& ConstraintSolverWork::operator=(ConstraintSolverWork&&) noexcept = default;
ConstraintSolverWork::ConstraintSolverWork(const ConstraintSolverWork&) {}
ConstraintSolverWork& ConstraintSolverWork::operator=(const ConstraintSolverWork&)
{
    return *this;
}

namespace {

constexpr int mostFreedoms = 6000;
constexpr double mostFactorOperations = 6e7;  // heaps fill in, and take too long
constexpr int mostRounds = 40, mostFactors = 60, stepsOfRound = 6;
// Of Coulomb's law itself: what has not come halfway nearer in so many factorisations will not come.
constexpr int stepsOfLawRound = 10, mostIdleFactors = 20;
constexpr int mostIdleFactorsNearby = 6;        // likewise, where what is left is little
constexpr std::size_t fewBlocks = 32;           // solve_exact.cpp has tried the law itself on so many
constexpr double softer = 0.1, recovering = 3;  // penalties after rounds that fail, and that do not
constexpr double shortestLawStep = 0.05;        // of the line search
constexpr int mostProducts = 20;                // of the Krylov method
constexpr double linearDefect = 1e-3;           // likewise: what it leaves
constexpr double operationsOfBlock = 1000;      // beside a factorisation
constexpr double stiffness = 1;
constexpr double firstPenalty = 10, lastPenalty = 3e5;  // over the inverse of a block's own W
// Where that is too soft, and at most: a defect that is rounding must not become an impulse.
constexpr double stiffer = 30, mostPenalty = 1e11;

class Sparse {
public:
    Sparse(const Island& island, SparseWork& work) : island_(island), w_(work)
    {
        w_.system.begin(island);
        w_.x.resize(w_.system.freedoms());
        w_.trial.resize(w_.system.freedoms());
        w_.gradient.resize(w_.system.freedoms());
        const std::size_t count = island.members.size();
        w_.m.resize(count);
        w_.shift.assign(count, Vec3::Zero());
        w_.mu.resize(count);
        w_.d.resize(count);
        w_.rho.resize(count);
        w_.slope.resize(count);
    }

    IslandResult run(double tolerance, double enough)
    {
        IslandResult result;
        tolerance_ = tolerance;
        enough_ = enough;
        best_ = islandResidual(island_);
        const double first = best_;
        keepBest();
        w_.first = w_.best;
        startAt(w_.first);
        if (w_.m.size() > fewBlocks) followLaw(result.iterations);
        if (best_ > std::max(tolerance, enough) && !island_.work.shallEnd()) {
            startAt(w_.first);
            followConvexProblems(first, result.iterations);
        }
        startAt(w_.best);
        result.residual = best_;
        return result;
    }

private:
    // Rounds on Coulomb's law itself.
    void followLaw(int& factors)
    {
        isLaw_ = true;
        double defect = best_, halved = best_;
        int atHalved = 0;
        while (best_ > tolerance_ &&
               factors < atHalved + (best_ > enough_ ? mostIdleFactors : mostIdleFactorsNearby)) {
            setPenalties(defect);
            const double moved = newtonOnLaw(factors);
            if (!std::isfinite(moved)) break;
            if (moved < 0) {
                if (kappa_ < firstPenalty) break;
                w_.x = w_.before;
                harder_ *= softer;
                continue;
            }
            harder_ = std::min(1.0, recovering * harder_);
            w_.before = w_.x;
            takeImpulses();
            w_.m = w_.mu;
            defect = std::max(moved, lawDefect());
            judge();
            if (best_ > 0.5 * halved) continue;
            halved = best_;
            atHalved = factors;
        }
        isLaw_ = false;
        harder_ = 1;
    }

    // Rounds with the slips held.
    void followConvexProblems(double defect, int& factors)
    {
        const int most = factors + mostFactors;
        for (int round = 0; round < mostRounds && factors < most; ++round) {
            setPenalties(defect);
            setShifts();
            const double moved = minimise(factors, most);
            if (!std::isfinite(moved)) break;
            if (harder_ > 1 && !isSolved(moved, lawDefect())) {
                // Too hard: back to where the last round ended, and never so hard again.
                w_.x = w_.before;
                hardest_ = harder_ = std::max(harder_ / stiffer, 1.0);
                continue;
            }
            w_.before = w_.x;
            takeImpulses();
            w_.m = w_.mu;
            // How far x is from obeying the laws with these multipliers, and how far the multipliers alone
            // are.
            const double law = lawDefect();
            if (law > 0.3 * defect) harder_ = std::min(harder_ * stiffer, hardest_);
            defect = std::max(moved, law);
            if (defect > std::max(tolerance_, 0.5 * best_)) continue;
            judge();
            if (best_ <= tolerance_) break;
        }
    }

    void takeImpulses()
    {
        for (std::size_t i = 0; i < w_.mu.size(); ++i)
            island_.blocks[island_.members[i]].impulse = w_.mu[i];
    }

    // The motion of the blocks' impulses themselves, and whether they are the best so far.
    void judge()
    {
        renewMotion(island_);
        const double residual = islandResidual(island_);
        if (!(residual < best_)) return;
        best_ = residual;
        keepBest();
    }

    void startAt(const std::vector<Vec3>& impulses)
    {
        for (std::size_t i = 0; i < w_.m.size(); ++i)
            island_.blocks[island_.members[i]].impulse = w_.m[i] = impulses[i];
        renewMotion(island_);
        w_.system.readMotion(w_.x);
        w_.before = w_.x;
    }

    const ConstraintBlock& block(std::size_t i) const { return island_.blocks[island_.members[i]]; }

    bool isRedundant(std::size_t i, int row) const
    {
        return island_.work.laws[island_.members[i]].redundant[row];
    }

    void keepBest()
    {
        w_.best.resize(w_.m.size());
        for (std::size_t i = 0; i < w_.m.size(); ++i) w_.best[i] = block(i).impulse;
    }

    // The largest residual of the laws at x.
    double lawDefect() const
    {
        double largest = 0;
        for (std::size_t i = 0; i < w_.m.size(); ++i) {
            const ConstraintLaw& law = island_.work.laws[island_.members[i]];
            largest = std::max(largest, lawResidual(law, block(i), w_.d[i]).largest());
        }
        return largest;
    }

    // Stiff enough that a round takes away most of the defect, soft enough that the defect does not throw
    // contacts from one law to another. What a block feels of its own is not what it bears: under a weight
    // of a million of its bodies a round takes away a part κ/10⁶ of the defect. So rounds that have not
    // helped much ask for a harder one.
    void setPenalties(double defect)
    {
        double largest = 0, scale = 0;
        int count = 0;
        for (std::size_t i = 0; i < w_.rho.size(); ++i) {
            const double size = ownScale(i);
            largest = std::max(largest, size);
            scale += size * w_.m[i].norm();
            count += !w_.m[i].isZero(0);
        }
        if (count > 0) scale /= count;
        const double own =
            std::clamp(defect > 0 ? stiffness * scale / defect : lastPenalty, firstPenalty, lastPenalty);
        const double kappa = std::min(harder_ * own, mostPenalty);
        kappa_ = kappa;
        for (std::size_t i = 0; i < w_.rho.size(); ++i)
            w_.rho[i] = kappa / std::max(ownScale(i), 1e-9 * largest);
    }
    double ownScale(std::size_t i) const
    {
        return island_.delassus.diagonal(island_.members[i]).trace() / block(i).rows;
    }

    Vec3 displacement(std::size_t i, const VecX& x) const
    {
        Vec3 d = block(i).offset;
        w_.system.addMotion(i, x, d);
        return d;
    }

    void setShifts()
    {
        for (std::size_t i = 0; i < w_.m.size(); ++i) {
            if (block(i).kind != ConstraintBlock::Kind::contact) continue;
            w_.shift[i] = Vec3(block(i).friction * displacement(i, w_.x).tail<2>().norm(), 0, 0);
        }
    }

    // P of a block, or of Coulomb's law itself.
    Vec3 projected(std::size_t i, const Vec3& z, Mat3* derivative) const
    {
        switch (block(i).kind) {
            case ConstraintBlock::Kind::contact:
                return isLaw_ ? projectByNormal(z, block(i).friction, derivative)
                              : projectOnCone(z, block(i).friction, derivative);
            case ConstraintBlock::Kind::bounded:
                return projectOnDisc(z, block(i).radius, derivative);
            case ConstraintBlock::Kind::equality:
                break;
        }
        if (derivative) derivative->setIdentity();
        return z;
    }
    Vec3 argument(std::size_t i) const { return w_.m[i] - w_.rho[i] * (w_.d[i] + w_.shift[i]); }

    // d and μ at x.
    void setImpulses(const VecX& x)
    {
        for (std::size_t i = 0; i < w_.m.size(); ++i) {
            w_.d[i] = displacement(i, x);
            w_.mu[i] = projected(i, argument(i), nullptr);
            for (int r = 0; r < 3; ++r) {
                if (r >= block(i).rows) w_.mu[i][r] = 0;
                if (isRedundant(i, r)) w_.mu[i][r] = w_.m[i][r];
            }
        }
    }
    // At the d at hand.
    void setSlopes()
    {
        for (std::size_t i = 0; i < w_.m.size(); ++i) {
            projected(i, argument(i), &w_.slope[i]);
            for (int r = 0; r < 3; ++r)
                if (isRedundant(i, r)) w_.slope[i](r, r) = 0;
        }
    }

    // Φ at x; sets d and μ.
    double value(const VecX& x)
    {
        w_.system.setInertiaTimes(x, w_.product);
        double sum = 0.5 * x.dot(w_.product);
        setImpulses(x);
        for (std::size_t i = 0; i < w_.m.size(); ++i) {
            sum += 0.5 * w_.mu[i].squaredNorm() / w_.rho[i];
            if (block(i).kind == ConstraintBlock::Kind::bounded)
                sum += w_.mu[i].dot(argument(i) - w_.mu[i]) / w_.rho[i];
        }
        return sum;
    }

    // H x − Jᵀ μ
    void setGradient(const VecX& x)
    {
        w_.system.setInertiaTimes(x, w_.gradient);
        for (std::size_t i = 0; i < w_.m.size(); ++i)
            if (!w_.mu[i].isZero(0)) w_.system.addTransposed(i, -w_.mu[i], w_.gradient);
    }

    // The derivative of the gradient, times v.
    void setDerivativeTimes(const VecX& v, VecX& to) const
    {
        w_.system.setInertiaTimes(v, to);
        for (std::size_t i = 0; i < w_.m.size(); ++i) {
            if (w_.slope[i].isZero(0)) continue;  // open
            w_.system.addTransposed(i, w_.rho[i] * (w_.slope[i] * (displacement(i, v) - block(i).offset)),
                                    to);
        }
    }

    // H + Σ Jᵀ ρ P' J, without what normals do to friction.
    bool factorise()
    {
        w_.system.setInertia();
        setSlopes();
        for (std::size_t i = 0; i < w_.m.size(); ++i) {
            if (w_.slope[i].isZero(0)) continue;  // open
            Mat3 K = w_.rho[i] * w_.slope[i];
            if (isLaw_ && block(i).kind == ConstraintBlock::Kind::contact) K.block<2, 1>(1, 0).setZero();
            w_.system.addProduct(i, K);
        }
        const double operations = w_.system.operations();
        if (operations > mostFactorOperations) return false;
        island_.work.effort.add(operations);
        island_.work.effort.work += operationsOfBlock * static_cast<double>(w_.m.size());
        return w_.system.factorise();
    }

    // Φ by a few steps of Newton's method, from x; returns how far the last one moved any block, m.
    double minimise(int& factors, int most)
    {
        double now = value(w_.x), moved = 0;
        for (int iteration = 0; iteration < stepsOfRound && factors < most; ++iteration) {
            if (island_.work.shallEnd()) return std::numeric_limits<double>::infinity();
            setGradient(w_.x);
            ++factors;
            if (!factorise()) return std::numeric_limits<double>::infinity();
            w_.step = -w_.system.solved(w_.gradient);
            if (!w_.step.allFinite()) return std::numeric_limits<double>::infinity();
            const double length = search(now, w_.gradient.dot(w_.step));
            moved = takeTrial();
            // An error of x is one of μ that is ρ times as large.
            if (length == 1 && isSolved(moved, lawDefect())) break;
        }
        return moved;
    }

    // Newton's method on H x = Jᵀ μ(x) with Coulomb's law, from x; returns how far the last step moved any
    // block, m, or −1 where one does not help.
    double newtonOnLaw(int& factors)
    {
        double moved = 0;
        setImpulses(w_.x);
        for (int iteration = 0; iteration < stepsOfLawRound; ++iteration) {
            if (island_.work.shallEnd()) return std::numeric_limits<double>::infinity();
            setGradient(w_.x);
            ++factors;
            if (!factorise()) return std::numeric_limits<double>::infinity();
            w_.left = -w_.system.solved(w_.gradient);
            const double before = -w_.gradient.dot(w_.left);
            findStep();
            if (!w_.step.allFinite()) return std::numeric_limits<double>::infinity();
            double length = 1;
            while (!isLess(length, before))
                if ((length *= 0.5) < shortestLawStep) return -1;
            moved = takeTrial();
            if (length < 1) continue;
            takeImpulses();
            if (isSolved(moved, lawDefect())) break;
            judge();
            if (best_ <= tolerance_) break;
        }
        return moved;
    }

    // Whether the gradient falls enough along w_.step, as the factorisation measures it. Leaves the end in
    // w_.trial.
    bool isLess(double length, double before)
    {
        w_.trial = w_.x + length * w_.step;
        setImpulses(w_.trial);
        setGradient(w_.trial);
        w_.product = w_.system.solved(w_.gradient);
        return w_.gradient.dot(w_.product) <= (1 - 0.1 * length) * before;
    }

    // Newton's step from w_.left, what the factorisation M makes of the gradient. Lengths are those of M,
    // so that units do not count: of an image M⁻¹ A p with its A p, and of what is left with M times it.
    void findStep()
    {
        const int n = static_cast<int>(w_.x.size());
        for (MatX* m : {&w_.moves, &w_.images, &w_.products}) m->resize(n, mostProducts);
        w_.step.setZero(n);
        w_.product = -w_.gradient;  // M times what is left
        const double enough = linearDefect * linearDefect * w_.left.dot(w_.product);
        for (int k = 0; k < mostProducts && w_.left.dot(w_.product) > enough; ++k) {
            auto move = w_.moves.col(k), image = w_.images.col(k), product = w_.products.col(k);
            move = w_.left;
            setDerivativeTimes(w_.left, w_.trial);
            product = w_.trial;
            image = w_.system.solved(w_.trial);
            for (int j = 0; j < k; ++j) {
                const double part = w_.images.col(j).dot(product);
                image -= part * w_.images.col(j);
                product -= part * w_.products.col(j);
                move -= part * w_.moves.col(j);
            }
            const double size = std::sqrt(image.dot(product));
            if (!(size > 0)) return;
            image /= size;
            product /= size;
            move /= size;
            const double along = product.dot(w_.left);
            w_.step += along * move;
            w_.left -= along * image;
            w_.product -= along * product;
        }
    }

    // Returns how far that moves any block, m.
    double takeTrial()
    {
        double moved = 0;
        for (std::size_t i = 0; i < w_.d.size(); ++i)
            moved = std::max(moved, (w_.d[i] - displacement(i, w_.x)).cwiseAbs().maxCoeff());
        w_.x = w_.trial;
        return moved;
    }

    bool isSolved(double moved, double law) const
    {
        return kappa_ * moved <= 0.3 * std::max(law, tolerance_);
    }

    // Along w_.step to where Φ is least: its slope rises with the length, and its root is bracketed. Leaves
    // the end in w_.trial and `now` its value.
    double search(double& now, double slope)
    {
        double low = 0, high = 1, slopeLow = slope, slopeHigh = -slope, length = 1;
        for (int k = 0; k < 12; ++k) {
            w_.trial = w_.x + length * w_.step;
            const double then = value(w_.trial);
            if (length == 1 && then <= now + 0.25 * slope) {
                now = then;
                return 1;
            }
            setGradient(w_.trial);
            const double here = w_.gradient.dot(w_.step);
            if (std::abs(here) <= 0.1 * std::abs(slope) || k == 11) {
                now = then;
                return length;
            }
            if (here < 0) {
                low = length;
                slopeLow = here;
                if (length == 1) {
                    now = then;
                    return 1;
                }
            } else {
                high = length;
                slopeHigh = here;
            }
            length = low + (high - low) * std::clamp(slopeLow / (slopeLow - slopeHigh), 0.1, 0.9);
        }
        return length;
    }

    const Island& island_;
    SparseWork& w_;
    double kappa_ = 0, tolerance_ = 0, enough_ = 0;
    double best_ = 0;     // the smallest residual so far, of the impulses in w_.best
    bool isLaw_ = false;  // Coulomb's law itself, not a convex problem
    double harder_ = 1, hardest_ = mostPenalty / firstPenalty;  // κ times this, where rounds do not help
};

}  // namespace

bool suitsSparse(const Island& island)
{
    int freedoms = 0;
    island.work.parent.assign(static_cast<std::size_t>(island.delassus.unitCount()), 0);
    for (int c : island.members) {
        if (island.blocks[c].compliance > 0) return false;
        for (int side = 0; side < 2; ++side) {
            const int unit = island.delassus.side(c, side).unit;
            if (unit < 0 || island.work.parent[unit]) continue;
            island.work.parent[unit] = 1;
            if (island.delassus.freedoms(unit) > largestSparseUnit) return false;
            freedoms += island.delassus.freedoms(unit);
        }
    }
    return freedoms <= mostFreedoms;
}

IslandResult solveSparsely(const Island& island, const ConstraintSolverSettings& settings)
{
    IslandResult none;
    none.residual = std::numeric_limits<double>::infinity();
    if (!suitsSparse(island) || !island.delassus.findInertia()) return none;
    if (!island.work.sparse) island.work.sparse = std::make_unique<SparseWork>();
    return Sparse(island, *island.work.sparse).run(settings.tolerance, settings.enough);
}

}  // namespace sinew
