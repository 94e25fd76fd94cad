#include "sinew/optimize/motion_solver.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {
namespace {

using MatrixE = Eigen::MatrixXd;
using VectorE = Eigen::VectorXd;

constexpr double firstWeight = 10, mostWeight = 1e9;
constexpr double enough = 0.2;  // what a round should leave of the violations

// What is known of one piece and the moment before it.
struct PieceWork {
    MotionRows rows, moment;
    std::vector<double> multipliers, momentMultipliers;
    std::vector<double> curvature, momentCurvature;  // Newton's; empty: Gauss and Newton's
    MatrixE gain;                                    // K
    VectorE way;                                     // κ
};

// Of a row in the merit: the residual that Gauss-Newton takes for it, and the factor of its slope; zero: it
// counts for nothing now.
struct Term {
    double residual = 0, factor = 0, merit = 0;
};

// `costs`: what costs are counted by.
Term termOf(const MotionRows::Row& row, double multiplier, double weight, double costs)
{
    const double v = row.scale * row.value;
    if (row.kind == RowKind::cost) {
        const double root = std::sqrt(costs);
        return {root * v, root * row.scale, 0.5 * costs * v * v};
    }
    const double pushed = v + multiplier / weight, root = std::sqrt(weight);
    if (row.kind == RowKind::below && pushed <= 0) return {0, 0, -0.5 * multiplier * multiplier / weight};
    return {root * pushed, root * row.scale, (multiplier + 0.5 * weight * v) * v};
}

double violationOf(const MotionRows::Row& row)
{
    if (row.kind == RowKind::cost) return 0;
    return row.kind == RowKind::equal ? std::abs(row.value) : std::max(0., row.value);
}

class MotionSolver {
public:
    MotionSolver(const MotionProblem& problem, const MotionOptions& options, MotionPlan& plan)
        : problem_(problem),
          options_(options),
          plan_(plan),
          evaluator_(problem, plan.points),
          n_(problem.model->freedomCount)
    {
    }

    MotionResult solve()
    {
        placeNodes(problem_, plan_);
        work_.resize(plan_.pieces.size() + 1);
        evaluate(plan_, true);
        setMultipliers();
        double before = violation(true);
        while (!isOver()) {
            minimize();
            ++result_.rounds;
            const double left = violation(true);
            if (isOver()) break;
            if (violation(false) <= options_.tolerance && ended_ == Ended::still) {
                result_.converged = true;
                break;
            }
            // Conditions that no weight brings closer contradict each other.
            if (weight_ >= mostWeight && left > enough * before) break;
            updateMultipliers();
            scaleCosts();
            if (left > enough * before) weight_ = std::min(mostWeight, 10 * weight_);
            before = left;
        }
        finish();
        return std::move(result_);
    }

private:
    enum class Ended { still, limit };

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
        }
        work_.back().rows.start(0, derivatives);
        evaluator_.evaluateMoment(plan.nodes.back(), plan.duration(), derivatives, work_.back().moment);
    }

    template <class Function>
    void eachRow(Function&& function)
    {
        for (PieceWork& piece : work_) {
            for (std::size_t r = 0; r < piece.moment.rows.size(); ++r)
                function(piece.moment.rows[r],
                         r < piece.momentMultipliers.size() ? &piece.momentMultipliers[r] : nullptr);
            for (std::size_t r = 0; r < piece.rows.rows.size(); ++r)
                function(piece.rows.rows[r],
                         r < piece.multipliers.size() ? &piece.multipliers[r] : nullptr);
        }
    }

    void setMultipliers()
    {
        for (PieceWork& piece : work_) {
            piece.multipliers.assign(piece.rows.rows.size(), 0);
            piece.momentMultipliers.assign(piece.moment.rows.size(), 0);
        }
    }

    void updateMultipliers()
    {
        eachRow([&](const MotionRows::Row& row, double* multiplier) {
            if (row.kind == RowKind::cost) return;
            *multiplier += weight_ * row.scale * row.value;
            if (row.kind == RowKind::below) *multiplier = std::max(0., *multiplier);
        });
    }

    // Costs of order one, whatever they are: so that the weights of conditions mean something.
    void scaleCosts()
    {
        constexpr int firstRounds = 5;
        const double size = costs_ * cost();
        if (result_.rounds > firstRounds || !(size > 0) || (size > 0.1 && size < 10)) return;
        costs_ /= size;
        eachRow([&](const MotionRows::Row& row, double* multiplier) {
            if (row.kind != RowKind::cost) *multiplier /= size;
        });
    }

    double merit()
    {
        double sum = 0;
        eachRow([&](const MotionRows::Row& row, const double* multiplier) {
            sum += termOf(row, *multiplier, weight_, costs_).merit;
        });
        return sum;
    }
    double cost()
    {
        double sum = 0;
        eachRow([&](const MotionRows::Row& row, const double*) {
            if (row.kind == RowKind::cost) sum += 0.5 * row.scale * row.scale * row.value * row.value;
        });
        return sum;
    }
    double violation(bool scaled)
    {
        double most = 0;
        eachRow([&](const MotionRows::Row& row, const double*) {
            most = std::max(most, violationOf(row) * (scaled ? row.scale : 1));
        });
        return most;
    }

    // Adds the rows to H (lower half) and g.
    void addRows(const MotionRows& rows, const std::vector<double>& multipliers, int width, MatrixE& H,
                 VectorE& g)
    {
        used_.resize(width, static_cast<Eigen::Index>(rows.rows.size()));
        residuals_.resize(static_cast<Eigen::Index>(rows.rows.size()));
        Eigen::Index count = 0;
        for (std::size_t r = 0; r < rows.rows.size(); ++r) {
            const Term term = termOf(rows.rows[r], multipliers[r], weight_, costs_);
            if (term.factor == 0) continue;
            used_.col(count) =
                term.factor * Eigen::Map<const VectorE>(rows.slope(static_cast<int>(r)), width);
            residuals_[count++] = term.residual;
        }
        H.selfadjointView<Eigen::Lower>().rankUpdate(used_.leftCols(count));
        g.noalias() += used_.leftCols(count) * residuals_.head(count);
    }

    // Second derivatives of all rows, by what they weigh in the merit's gradient.
    void evaluateCurvature()
    {
        const auto weigh = [&](const MotionRows& rows, const std::vector<double>& multipliers) {
            std::vector<double> weights;
            for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                const Term term = termOf(rows.rows[r], multipliers[r], weight_, costs_);
                weights.push_back(term.factor * term.residual);
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

    // Newton's step where the merit is convex as far as pieces see it, or Gauss and Newton's, damped as
    // much as it takes.
    void findStep()
    {
        evaluateCurvature();
        isNewton_ = true;
        if (solveBackward()) return;
        isNewton_ = false;
        while (!solveBackward() && damping_ < 1e10) damping_ = std::max(1e-8, 10 * damping_);
    }

    // From the last piece to the first. False: not positive, more damping is needed.
    bool solveBackward()
    {
        const int x = 2 * n_;
        MatrixE P = MatrixE::Zero(x, x), H;
        VectorE p = VectorE::Zero(x), g;
        predicted_ = 0;
        addRows(work_.back().moment, work_.back().momentMultipliers, x, P, p);
        if (isNewton_) P += Eigen::Map<const MatrixE>(work_.back().momentCurvature.data(), x, x);
        std::vector<double> ends;
        for (std::size_t k = plan_.pieces.size(); k-- > 0;) {
            PieceWork& piece = work_[k];
            const int width = piece.rows.width(), w = width - x;
            evaluator_.endSlopes(plan_.nodes[k], plan_.pieces[k], ends);
            const Eigen::Map<const MatrixE> E(ends.data(), width, x);
            P.triangularView<Eigen::StrictlyUpper>() = P.transpose();
            const MatrixE EP = E * P;
            H.setZero(width, width);
            H.triangularView<Eigen::Lower>() = EP * E.transpose();
            g = E * p;
            addRows(piece.rows, piece.multipliers, width, H, g);
            if (isNewton_) H += Eigen::Map<const MatrixE>(piece.curvature.data(), width, width);
            MatrixE W = H.bottomRightCorner(w, w);
            W.diagonal() *= 1 + damping_;
            W.diagonal().array() += smallest();
            factor_.compute(W);
            if (factor_.info() != Eigen::Success) return false;
            const MatrixE X = H.bottomLeftCorner(w, x);
            piece.gain = factor_.solve(X);
            piece.way = factor_.solve(g.tail(w));
            predicted_ += 0.5 * piece.way.dot(g.tail(w));
            P = H.topLeftCorner(x, x);
            P.triangularView<Eigen::Lower>() -= X.transpose() * piece.gain;
            p = g.head(x) - X.transpose() * piece.way;
            addRows(piece.moment, piece.momentMultipliers, x, P, p);
            if (isNewton_) P += Eigen::Map<const MatrixE>(piece.momentCurvature.data(), x, x);
        }
        P.diagonal() *= 1 + damping_;
        P.diagonal().array() += smallest();
        factor_.compute(P);
        if (factor_.info() != Eigen::Success) return false;
        startWay_ = factor_.solve(p);
        predicted_ += 0.5 * startWay_.dot(p);
        return true;
    }
    static double smallest() { return 1e-14; }

    // The motion after a part of the step.
    void moveTo(double part, MotionPlan& trial)
    {
        const Model& model = *problem_.model;
        VecX delta(n_);
        VectorE change(2 * n_);
        for (int k = 0; k < n_; ++k) delta[k] = -part * startWay_[k];
        poseSum(model, plan_.start.q, delta, trial.start.q);
        trial.start.u.resize(n_);
        for (int k = 0; k < n_; ++k) trial.start.u[k] = plan_.start.u[k] - part * startWay_[n_ + k];
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
            const VectorE w = -part * work_[i].way - work_[i].gain * change;
            const int count = from.y.size();
            for (int k = 0; k < count; ++k) to.y[k] = from.y[k] + w[k];
            for (int k = 0; k < from.contact.size(); ++k) to.contact[k] = from.contact[k] + w[count + k];
            end.set(model, trial.points, trial.nodes[i], to.y.data(), to.length, 1, false);
            trial.nodes[i + 1] = {end.q, end.u};
        }
    }

    // Gauss-Newton steps until the merit falls no more.
    void minimize()
    {
        evaluate(plan_, true);
        double now = merit();
        ended_ = Ended::limit;
        while (!isOver()) {
            findStep();
            const double little = options_.optimality * (costs_ * cost() + 1e-6);
            if (predicted_ <= little) {
                ended_ = Ended::still;
                return;
            }
            MotionPlan trial = plan_;
            double part = 1, then = now;
            bool found = false;
            for (int tries = 0; tries < 30; ++tries, part /= 2) {
                moveTo(part, trial);
                evaluate(trial, false);
                then = merit();
                if (std::isfinite(then) && then <= now - 1e-4 * part * predicted_) {
                    found = true;
                    break;
                }
            }
            if (!found) {
                if (damping_ > 1e6 || predicted_ < 1e-9 * std::abs(now)) {  // rounding
                    ended_ = Ended::still;
                    evaluate(plan_, true);
                    return;
                }
                damping_ = std::max(1e-6, 100 * damping_);
                evaluate(plan_, true);
                continue;
            }
            damping_ = part == 1 ? damping_ / 10 : part < 0.1 ? std::max(1e-6, 10 * damping_) : damping_;
            if (damping_ < 1e-12) damping_ = 0;
            std::swap(plan_, trial);
            evaluate(plan_, true);
            ++result_.iterations;
            report(now, then, part);
            now = then;
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
        eachRow([&](const MotionRows::Row& row, const double* multiplier) {
            const double amount = violationOf(row);
            if (amount <= options_.tolerance) return;
            Violation& v = worst[row.name];
            v.name = names[static_cast<std::size_t>(row.name)];
            v.amount = std::max(v.amount, amount);
            v.pull = std::max(v.pull, std::abs(*multiplier));
        });
        for (const auto& [name, violation] : worst) result_.violations.push_back(violation);
        std::sort(result_.violations.begin(), result_.violations.end(),
                  [](const Violation& a, const Violation& b) { return a.pull > b.pull; });
    }

    const MotionProblem& problem_;
    const MotionOptions& options_;
    MotionPlan& plan_;
    PieceEvaluator evaluator_;
    int n_;
    std::vector<PieceWork> work_;
    double weight_ = firstWeight, costs_ = 1, damping_ = 0, predicted_ = 0;
    VectorE startWay_, residuals_;
    bool isNewton_ = false;
    MatrixE used_;
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
