#include "sinew/optimize/motion_solver.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/optimize/motion_merit.h"

namespace sinew {
namespace {

using MatrixE = Eigen::MatrixXd;
using VectorE = Eigen::VectorXd;

constexpr double firstWeight = 10, mostWeight = 1e6;
constexpr double mostKeptWeight = 1e4;
constexpr double firstBarrier = 1e-3, laterBarrier = 1e-4, lastBarrier = 1e-10;
constexpr double leastDamping = 1e-7;
constexpr double rounding = 1e-13;  // of a merit
constexpr int patience = 12;        // rounds
constexpr double enough = 0.2;      // what a round should leave of the violations
constexpr double firstKept = 1e-6;  // of dampings, when only conditions are left to be met
constexpr double leastWon = 2e-4;   // of the merit's size: rounds of large figures end where steps win less
constexpr int mostAge = 5;  // iterations that large figures keep second derivatives for, if steps go well
constexpr double enoughForPlain = 0.1;  // of the merit's size: what Gauss and Newton's steps should win

// What is known of one piece and the moment before it.
struct PieceWork {
    MotionRows rows, moment;
    std::vector<double> multipliers, momentMultipliers;
    std::vector<double> curvature, momentCurvature;  // Newton's; empty: Gauss and Newton's
    std::vector<double> ends;                        // how the end of the piece follows from its variables
};

// A step: −K δx − κ in each piece.
struct Direction {
    std::vector<MatrixE> gains;  // K
    std::vector<VectorE> ways;   // κ
    VectorE startWay;
    double predicted = 0;  // what all of it wins, where the merit is as the rows say
    double damping = 0;

    explicit Direction(std::size_t pieces = 0) : gains(pieces), ways(pieces) {}
};

// Where a step leads.
struct Trial {
    MotionPlan plan;
    double part = 0, merit = std::numeric_limits<double>::infinity();
    double predicted = 0, damping = 0;
    bool isFound = false;
};

class MotionSolver {
public:
    MotionSolver(const MotionProblem& problem, const MotionOptions& options, MotionPlan& plan)
        : problem_(problem),
          options_(options),
          plan_(plan),
          evaluator_(problem, plan.points),
          n_(problem.model->freedomCount)
    {
        isCurved_ = isSmall();
    }

    MotionResult solve()
    {
        placeNodes(problem_, plan_);
        work_.resize(plan_.pieces.size() + 1);
        evaluate(plan_, true);
        setMultipliers();
        before_ = violation(true);
        int stalled = 0;  // rounds
        while (!isOver()) {
            minimize();
            ++result_.rounds;
            const double left = violation(true);
            if (isOver()) break;
            const bool isAccurate = accuracy_ <= options_.optimality;
            if (ended_ == Ended::still && isAccurate && weights_.barrier <= lastBarrier) {
                if (!isSmall()) closeConditions();
                result_.converged = violation(false) <= options_.tolerance;
                if (result_.converged) break;
            }
            // Conditions that no weight brings closer contradict each other.
            stalled = weights_.conditions >= mostWeight && left > enough * before_ ? stalled + 1 : 0;
            if (stalled > patience) break;
            weights_.barrier = std::max(lastBarrier, 0.1 * weights_.barrier);
            accuracy_ *= 0.1;
            // All that is left is to be where the conditions hold: short steps, or along a valley that
            // hardly falls they would go on and on, and off again.
            if (isAccurate && !isSmall()) damping_ = leastKept_ = std::max(firstKept, 10 * leastKept_);
            moveMultipliers();
            scaleCosts();
            if (left > enough * before_)
                weights_.conditions = std::min(mostWeight, 10 * weights_.conditions);
            before_ = left;
        }
        keepMultipliers();
        finish();
        return std::move(result_);
    }

private:
    enum class Ended { still, limit };

    // Second derivatives take differences along all freedoms: of few they cost little, and are worth it
    // always, as is a search that goes on until nothing at all can be won.
    bool isSmall() const { return n_ <= 12; }

    bool isOver()
    {
        if (options_.stop()) result_.stopped = true;
        return result_.stopped || result_.iterations >= options_.iterations;
    }

    void evaluate(MotionPlan& plan, bool derivatives)
    {
        PieceStart end;
        for (std::size_t k = 0; k < plan.pieces.size(); ++k) {
            evaluator_.evaluateMoment(plan.nodes[k], plan.pieces[k].start, derivatives, work_[k].moment);
            evaluator_.evaluate(plan.nodes[k], plan.pieces[k], derivatives, work_[k].rows, end);
            if (derivatives) evaluator_.endSlopes(plan.nodes[k], plan.pieces[k], work_[k].ends);
        }
        work_.back().rows.start(0, derivatives);
        evaluator_.evaluateMoment(plan.nodes.back(), plan.duration(), derivatives, work_.back().moment);
    }

    // function(rows, multipliers), of pieces and moments in turn.
    template <class Function>
    void eachRows(Function&& function)
    {
        for (PieceWork& piece : work_) {
            function(piece.moment, piece.momentMultipliers);
            function(piece.rows, piece.multipliers);
        }
    }

    // Those that an earlier search left in the plan, where they fit, and none elsewhere.
    void setMultipliers()
    {
        for (std::size_t k = 0; k < plan_.pieces.size(); ++k) {
            work_[k].multipliers = plan_.pieces[k].multipliers;
            work_[k].momentMultipliers = plan_.pieces[k].momentMultipliers;
        }
        work_.back().momentMultipliers = plan_.lastMultipliers;
        eachRows([](const MotionRows& rows, std::vector<double>& multipliers) {
            if (multipliers.size() != rows.rows.size()) multipliers.assign(rows.rows.size(), 0);
        });
        weights_.costs = 1 / (problem_.forceCost + problem_.powerCost + problem_.accelerationCost);
        if (!(plan_.weight > 0)) return;
        // Contact forces have to go back inside their cones first; then others must be free to follow.
        const bool hasCones = std::any_of(problem_.phases.begin(), problem_.phases.end(),
                                          [](const ContactPhase& phase) { return !phase.isHold(); });
        weights_ = {hasCones ? std::min(plan_.weight, 1e2) : plan_.weight, plan_.costs, laterBarrier};
        accuracy_ = std::max(hasCones ? 1e-3 : 0, options_.optimality);
    }
    void keepMultipliers()
    {
        for (std::size_t k = 0; k < plan_.pieces.size(); ++k) {
            plan_.pieces[k].multipliers = work_[k].multipliers;
            plan_.pieces[k].momentMultipliers = work_[k].momentMultipliers;
        }
        plan_.lastMultipliers = work_.back().momentMultipliers;
        plan_.weight = std::min(weights_.conditions, mostKeptWeight);
        plan_.costs = weights_.costs;
    }

    void moveMultipliers()
    {
        eachRows([&](const MotionRows& rows, std::vector<double>& multipliers) {
            updateMultipliers(rows, weights_, multipliers);
        });
    }

    // Costs of order one at most, so that the weights of conditions mean something.
    void scaleCosts()
    {
        constexpr int firstRounds = 5;
        const double size = weights_.costs * cost();
        if (result_.rounds > firstRounds || size <= 1) return;
        weights_.costs /= size;
        eachRows([&](const MotionRows&, std::vector<double>& multipliers) {
            for (double& multiplier : multipliers) multiplier /= size;
        });
    }

    double merit()
    {
        double sum = 0;
        eachRows([&](const MotionRows& rows, const std::vector<double>& multipliers) {
            sum += meritOf(rows, multipliers, weights_);
        });
        return sum;
    }
    double cost()
    {
        double sum = 0;
        eachRows([&](const MotionRows& rows, const std::vector<double>&) {
            for (const MotionRows::Row& row : rows.rows)
                if (row.kind == RowKind::cost) sum += 0.5 * row.scale * row.scale * row.value * row.value;
        });
        return sum;
    }
    double penalty()
    {
        double sum = 0;
        eachRows([&](const MotionRows& rows, const std::vector<double>&) {
            for (std::size_t r = 0; r < rows.rows.size(); ++r)
                if (rows.rows[r].kind != RowKind::cone) sum += std::pow(violationOf(rows, r, true), 2);
        });
        return 0.5 * weights_.conditions * sum;
    }
    double violation(bool scaled)
    {
        double most = 0;
        eachRows([&](const MotionRows& rows, const std::vector<double>&) {
            for (std::size_t r = 0; r < rows.rows.size(); ++r)
                most = std::max(most, violationOf(rows, r, scaled));
        });
        return most;
    }

    // Adds the rows to H (lower half) and g.
    void addRows(const MotionRows& rows, const std::vector<double>& multipliers, int width, MatrixE& H,
                 VectorE& g)
    {
        meritTerms(rows, multipliers, weights_, terms_);
        if (terms_.empty()) return;
        used_.resize(width, static_cast<Eigen::Index>(terms_.size()));
        residuals_.resize(static_cast<Eigen::Index>(terms_.size()));
        Eigen::Index count = 0;
        for (const MeritTerm& term : terms_) {
            auto column = used_.col(count);
            column = term.slope[0] * Eigen::Map<const VectorE>(rows.slope(term.row), width);
            for (int k = 1; k < term.count; ++k)
                column += term.slope[k] * Eigen::Map<const VectorE>(rows.slope(term.row + k), width);
            residuals_[count++] = term.residual;
        }
        H.selfadjointView<Eigen::Lower>().rankUpdate(used_);
        g.noalias() += used_ * residuals_;
    }

    // Second derivatives of all rows, by what they weigh in the merit's gradient.
    void evaluateCurvature()
    {
        const auto weigh = [&](const MotionRows& rows, const std::vector<double>& multipliers) {
            std::vector<double> weights(rows.rows.size(), 0);
            for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                const MotionRows::Row& row = rows.rows[r];
                if (row.kind == RowKind::cost)
                    weights[r] = weights_.costs * row.scale * row.scale * row.value;
                else if (row.kind == RowKind::equal || row.kind == RowKind::below)
                    weights[r] = multipliers[r] * row.scale;
            }
            return weights;
        };
        MotionRows rows;
        PieceStart end;
        for (std::size_t k = 0; k < work_.size(); ++k) {
            PieceWork& piece = work_[k];
            const bool isLast = k + 1 == work_.size();
            piece.momentCurvature.assign(static_cast<std::size_t>(4 * n_ * n_), 0);
            evaluator_.addMomentCurvature(plan_.nodes[k], isLast ? plan_.duration() : plan_.pieces[k].start,
                                          weigh(piece.moment, piece.momentMultipliers),
                                          piece.momentCurvature);
            if (isLast) break;
            const std::size_t width = static_cast<std::size_t>(piece.rows.width());
            piece.curvature.assign(width * width, 0);
            // The evaluator has to be at this piece.
            evaluator_.evaluate(plan_.nodes[k], plan_.pieces[k], true, rows, end);
            evaluator_.addCurvature(plan_.nodes[k], plan_.pieces[k], weigh(piece.rows, piece.multipliers),
                                    piece.curvature);
        }
    }

    // While Gauss and Newton's steps win much: these, which are cheaper by far. Then Newton's; where the
    // merit is not convex along all that is free, the one that is damped until it
    // is, and another one with as much of the second derivatives as keeps it so: Gauss and Newton's has
    // none of them. Which one leads farther is tried.
    std::vector<Direction> findSteps()
    {
        constexpr double least = 0.1, mostDamping = 1e-2;
        std::vector<Direction> found;
        Direction step(plan_.pieces.size());
        const auto plain = [&] {
            double damping = damping_;
            while (!solveBackward(0, damping, step)) damping = std::max(leastDamping, 10 * damping);
            found.push_back(step);
            return found;
        };
        if (!isCurved_) return plain();
        if (isSmall() || curvatureAge_ >= mostAge) {
            evaluateCurvature();
            curvatureAge_ = 0;
        }
        ++curvatureAge_;
        // Where damping did not help, it will not do so in the next iterations either: of large figures
        // each try is dear.
        const double enough = isSmall() || undamped_ == 0 ? mostDamping : 0;
        undamped_ = std::max(0, undamped_ - 1);
        for (double damping = damping_; damping <= std::max(damping_, enough);
             damping = std::max(leastDamping, 10 * damping))
            if (solveBackward(1, damping, step)) {
                found.push_back(step);
                break;
            }
        if (!found.empty() && found.back().damping == damping_) return found;
        if (found.empty() && enough > 0) undamped_ = mostAge;
        for (double curved = 0.5; curved > least; curved /= 2)
            if (solveBackward(curved, damping_, step)) {
                found.push_back(step);
                return found;
            }
        return plain();
    }

    // From the last piece to the first. False: not positive.
    bool solveBackward(double curved, double damping, Direction& step)
    {
        const int x = 2 * n_;
        MatrixE P = MatrixE::Zero(x, x), H;
        VectorE p = VectorE::Zero(x), g;
        step.predicted = 0;
        step.damping = damping;
        addRows(work_.back().moment, work_.back().momentMultipliers, x, P, p);
        if (curved > 0) P += curved * Eigen::Map<const MatrixE>(work_.back().momentCurvature.data(), x, x);
        for (std::size_t k = plan_.pieces.size(); k-- > 0;) {
            PieceWork& piece = work_[k];
            const int width = piece.rows.width(), w = width - x;
            const Eigen::Map<const MatrixE> E(piece.ends.data(), width, x);
            P.triangularView<Eigen::StrictlyUpper>() = P.transpose();
            const MatrixE EP = E * P;
            H.setZero(width, width);
            H.triangularView<Eigen::Lower>() = EP * E.transpose();
            g = E * p;
            addRows(piece.rows, piece.multipliers, width, H, g);
            if (curved > 0) H += curved * Eigen::Map<const MatrixE>(piece.curvature.data(), width, width);
            VectorE sizes(w);
            sizesOf(plan_.pieces[k], sizes);
            if (!factorize(H.bottomRightCorner(w, w), sizes, damping)) return false;
            const MatrixE X = H.bottomLeftCorner(w, x);
            step.gains[k] = factor_.solve(X);
            step.ways[k] = factor_.solve(g.tail(w));
            step.predicted += 0.5 * step.ways[k].dot(g.tail(w));
            P = H.topLeftCorner(x, x);
            P.triangularView<Eigen::Lower>() -= X.transpose() * step.gains[k];
            p = g.head(x) - X.transpose() * step.ways[k];
            addRows(piece.moment, piece.momentMultipliers, x, P, p);
            if (curved > 0) P += curved * Eigen::Map<const MatrixE>(piece.momentCurvature.data(), x, x);
        }
        VectorE sizes(x);
        for (int k = 0; k < n_; ++k) {
            sizes[k] = std::pow(1 / problem_.unitOf(k), 2);
            sizes[n_ + k] = std::pow(problem_.duration / problem_.unitOf(k), 2);
        }
        if (!factorize(P, sizes, damping)) return false;
        step.startWay = factor_.solve(p);
        step.predicted += 0.5 * step.startWay.dot(p);
        return true;
    }
    template <class Matrix>
    bool factorize(const Matrix& of, const VectorE& sizes, double damping)
    {
        raised_ = of;
        raised_.diagonal() += damping * sizes;
        raised_.diagonal().array() += smallest();
        factor_.compute(raised_);
        return factor_.info() == Eigen::Success;
    }
    // What steps are measured by where they are damped: how far the figure comes off over the whole
    // duration, and contact forces as parts of their unit.
    void sizesOf(const MotionPiece& piece, VectorE& sizes) const
    {
        const double T = problem_.duration;
        const int stages = plan_.points.stages, columns = static_cast<int>(piece.contact.size()) / stages;
        for (int j = 0; j < stages; ++j) {
            const double share = plan_.points.weight[j] * piece.length / T;
            for (int k = 0; k < n_; ++k)
                sizes[j * n_ + k] = share * std::pow(T * T / problem_.unitOf(k), 2);
            sizes.segment(stages * n_ + j * columns, columns).setConstant(share);
        }
    }
    static double smallest() { return 1e-14; }

    // The motion after a part of the step.
    void moveTo(const Direction& step, double part, MotionPlan& trial)
    {
        const Model& model = *problem_.model;
        VecX delta(n_);
        VectorE change(2 * n_);
        for (int k = 0; k < n_; ++k) delta[k] = -part * step.startWay[k];
        poseSum(model, plan_.start.q, delta, trial.start.q);
        trial.start.u.resize(n_);
        for (int k = 0; k < n_; ++k) trial.start.u[k] = plan_.start.u[k] - part * step.startWay[n_ + k];
        trial.nodes.resize(plan_.nodes.size());
        trial.nodes[0] = trial.start;
        PieceMotion end;
        for (std::size_t i = 0; i < plan_.pieces.size(); ++i) {
            poseDifference(model, plan_.nodes[i].q, trial.nodes[i].q, delta);
            for (int k = 0; k < n_; ++k) {
                change[k] = delta[k];
                change[n_ + k] = trial.nodes[i].u[k] - plan_.nodes[i].u[k];
            }
            const MotionPiece& from = plan_.pieces[i];
            MotionPiece& to = trial.pieces[i];
            const VectorE w = -part * step.ways[i] - step.gains[i] * change;
            const int count = from.y.size();
            for (int k = 0; k < count; ++k) to.y[k] = from.y[k] + w[k];
            for (int k = 0; k < from.contact.size(); ++k) to.contact[k] = from.contact[k] + w[count + k];
            end.set(model, trial.points, trial.nodes[i], to.y.data(), to.length, 1, false);
            trial.nodes[i + 1] = {end.q, end.u};
        }
    }

    // How much of a step the cones of contacts allow.
    double partInside(const Direction& step, double wanted, MotionPlan& trial)
    {
        constexpr double most = 0.99;
        moveTo(step, 1, trial);
        double part = wanted;
        for (std::size_t k = 0; k < plan_.pieces.size(); ++k) {
            MotionPiece piece = plan_.pieces[k];
            const VecX way = trial.pieces[k].contact - piece.contact;
            while (part > 1e-9 && !areInCones(problem_, trial.points.stages, piece, way, part / most))
                part *= 0.8;
        }
        return part;
    }

    // As far along a step as the merit falls: less than all of it, or more, since damping makes steps
    // short.
    Trial walk(const Direction& step, double now)
    {
        Trial trial;
        trial.plan = plan_;
        trial.predicted = step.predicted;
        trial.damping = step.damping;
        const auto meritAt = [&](double part) {
            moveTo(step, part, trial.plan);
            evaluate(trial.plan, false);
            return merit();
        };
        const double whole = partInside(step, 1, trial.plan);
        trial.part = whole;
        for (int tries = 0; tries < 12; ++tries, trial.part /= 2) {
            trial.merit = meritAt(trial.part);
            trial.isFound =
                std::isfinite(trial.merit) && trial.merit <= now - 1e-4 * trial.part * step.predicted;
            if (trial.isFound) break;
        }
        if (!trial.isFound || trial.part < 1) return trial;
        const double most = partInside(step, 64, trial.plan);
        for (double part = 2; part <= most; part *= 2) {
            const double there = meritAt(part);
            if (!(there < trial.merit)) break;
            trial.merit = there;
            trial.part = part;
        }
        moveTo(step, trial.part, trial.plan);
        return trial;
    }

    // Steps until the merit falls no more.
    void minimize()
    {
        evaluate(plan_, true);
        double now = merit();
        ended_ = Ended::limit;
        double lately = 1;  // part of the merit's size that steps have won, the older the less
        while (!isOver()) {
            const std::vector<Direction> steps = findSteps();
            double predicted = 0;
            for (const Direction& step : steps) predicted = std::max(predicted, step.predicted);
            // What conditions still weigh in the merit must come off too, or multipliers learn nothing.
            const double seen = weights_.conditions * std::pow(0.1 * before_, 2);
            const double size = weights_.costs * cost() + penalty() + 1e-6;
            const double little =
                std::max(rounding * size, std::min(seen, std::max(options_.optimality, accuracy_) * size));
            if (predicted <= little || (!isSmall() && lately < std::max(leastWon, accuracy_))) {
                ended_ = Ended::still;
                return;
            }
            Trial best;
            for (const Direction& step : steps) {
                Trial trial = walk(step, now);
                if (trial.isFound && trial.merit < best.merit) best = std::move(trial);
            }
            if (!best.isFound) {
                if (damping_ > 1e6 || predicted < 1e-9 * std::abs(now)) {  // rounding
                    ended_ = Ended::still;
                    evaluate(plan_, true);
                    return;
                }
                damping_ = std::max(leastDamping, 100 * damping_);
                curvatureAge_ = mostAge;
                evaluate(plan_, true);
                continue;
            }
            const double part = best.part,
                         won = part > 1 ? 1 : (now - best.merit) / (part * (2 - part) * best.predicted);
            if (part < 0.3 || won < 0.3) {
                damping_ = std::max(leastDamping, 4 * damping_);
                curvatureAge_ = mostAge;
            }
            if (part >= 1 && won > 0.7) damping_ /= 4;
            damping_ = std::max(damping_, leastKept_);
            if (damping_ < leastDamping) damping_ = 0;
            std::swap(plan_, best.plan);
            evaluate(plan_, true);
            ++result_.iterations;
            report(now, best.merit, part);
            const double share = (now - best.merit) / size;
            isCurved_ = isSmall() || share < enoughForPlain;
            lately = std::min(1., 0.5 * lately + 0.5 * share);
            now = best.merit;
        }
    }

    // Where conditions nearly hold, rounding of the merit hides what is left: a person's weight of 700 N in
    // a merit with 13 digits. These are the shortest steps that close them, whatever they cost; they are
    // taken if they come closer.
    void closeConditions()
    {
        constexpr double near = 1e-5, leastLength = 1e-8;
        constexpr int steps = 8;
        const MeritWeights kept = weights_;
        double left = violation(true);
        for (int i = 0; i < steps && left < near && violation(false) > options_.tolerance; ++i) {
            std::vector<std::vector<double>> multipliers;
            eachRows([&](const MotionRows&, std::vector<double>& own) {
                multipliers.push_back(own);
                std::fill(own.begin(), own.end(), 0);
            });
            weights_ = {1, 0, 0};
            Direction step(plan_.pieces.size());
            const bool isFound = solveBackward(0, leastLength, step);
            weights_ = kept;
            std::size_t next = 0;
            eachRows([&](const MotionRows&, std::vector<double>& own) { own = multipliers[next++]; });
            if (!isFound) return;
            MotionPlan trial = plan_;
            const double part = partInside(step, 1, trial);
            moveTo(step, part, trial);
            std::swap(plan_, trial);
            evaluate(plan_, true);
            const double now = violation(true);
            if (!(now < left)) {
                std::swap(plan_, trial);
                evaluate(plan_, true);
                return;
            }
            left = now;
        }
    }

    void report(double before, double now, double part)
    {
        const MotionIteration iteration{
            result_.iterations, result_.rounds, cost(), violation(false), now, before, part};
        result_.history.push_back(iteration);
        if (options_.progress) options_.progress(iteration);
    }

    void finish()
    {
        result_.cost = cost();
        result_.infeasibility = violation(false);
        const std::vector<std::string> names = problem_.names();
        std::map<int, Violation> worst;
        double most = 0;
        eachRows([&](const MotionRows& rows, const std::vector<double>& multipliers) {
            for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                const double amount = violationOf(rows, r, false);
                if (amount <= options_.tolerance) continue;
                Violation& v = worst[rows.rows[r].name];
                v.name = names[static_cast<std::size_t>(rows.rows[r].name)];
                v.amount = std::max(v.amount, amount);
                v.pull = std::max(v.pull, pullOf(rows, r, multipliers, weights_));
                v.part = std::max(v.part, violationOf(rows, r, true));
                most = std::max(most, v.part);
            }
        });
        // What is off by little beside that is only dragged along.
        constexpr double little = 1e-2;
        for (const auto& [name, violation] : worst)
            if (violation.part >= little * most) result_.violations.push_back(violation);
        std::sort(result_.violations.begin(), result_.violations.end(),
                  [](const Violation& a, const Violation& b) { return a.pull > b.pull; });
    }

    const MotionProblem& problem_;
    const MotionOptions& options_;
    MotionPlan& plan_;
    PieceEvaluator evaluator_;
    int n_;
    std::vector<PieceWork> work_;
    MeritWeights weights_{firstWeight, 1, firstBarrier};
    double damping_ = 0, leastKept_ = 0;
    bool isCurved_ = false;       // steps know second derivatives
    int undamped_ = 0;            // iterations in which damping is not tried
    int curvatureAge_ = mostAge;  // iterations since they were found
    double before_ = 0;           // violation when the last round ended
    double accuracy_ = 1e-2;      // what a step may still win when a round ends
    std::vector<MeritTerm> terms_;
    VectorE residuals_;
    MatrixE used_, raised_;
    Eigen::LLT<MatrixE> factor_;
    Ended ended_ = Ended::limit;
    MotionResult result_;
};

}  // namespace

MotionResult solveMotion(const MotionProblem& problem, const MotionOptions& options, MotionPlan& plan)
{
    return MotionSolver(problem, options, plan).solve();
}

}  // namespace sinew
