#include "sinew/optimize/motion_ipopt.h"

#ifdef SINEW_HAS_IPOPT
#include <coin/IpStdCInterface.h>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "sinew/math/rotation.h"
#include "sinew/optimize/motion_merit.h"
#endif

namespace sinew {

#ifndef SINEW_HAS_IPOPT

bool hasIpopt()
{
    return false;
}
MotionResult solveMotionByIpopt(const MotionProblem&, const MotionOptions&, MotionPlan&)
{
    SINEW_ASSERT(hasIpopt());
    return {};
}

#else

namespace {

using MatrixE = Eigen::MatrixXd;
using VectorE = Eigen::VectorXd;

// Rows of a moment or of a piece, their variables and their place among the conditions.
struct Block {
    MotionRows rows;
    int variable = 0, width = 0;     // the first of its variables, and how many
    int condition = 0, entry = 0;    // the first of its conditions, and of their slopes
    int curvature = 0;               // the first of its second derivatives
    std::vector<int> conditionRows;  // which rows are conditions: cones are two
    std::vector<double> ends;        // of a piece: how its end follows; width × 2 freedoms
    PieceStart end;
};

class IpoptSearch {
public:
    IpoptSearch(const MotionProblem& problem, const MotionOptions& options, MotionPlan& plan)
        : problem_(problem),
          options_(options),
          plan_(plan),
          model_(*problem.model),
          evaluator_(problem, plan.points),
          n_(model_.freedomCount)
    {
        placeNodes(problem_, plan_);
        from_ = plan_;
        arrange();
    }

    MotionResult solve()
    {
        std::vector<double> x(sizes_.size(), 0), lower(x.size(), -infinity), upper(x.size(), infinity);
        for (std::size_t k = 0; k < plan_.pieces.size(); ++k) {
            const MotionPiece& piece = plan_.pieces[k];
            for (int i = 0; i < piece.y.size(); ++i) set(x, firstOf(k) + 2 * n_ + i, piece.y[i]);
            for (int i = 0; i < piece.contact.size(); ++i)
                set(x, firstOf(k) + 2 * n_ + piece.y.size() + i, piece.contact[i]);
        }
        for (std::size_t k = 0; k < plan_.nodes.size(); ++k)
            for (int i = 0; i < n_; ++i) set(x, firstOf(k) + n_ + i, plan_.nodes[k].u[i]);
        std::vector<double> least, most;
        bounds(least, most);
        const IpoptProblem ipopt = CreateIpoptProblem(
            static_cast<int>(x.size()), lower.data(), upper.data(), conditions_, least.data(), most.data(),
            slopes_, curvatures_, 0, &cost, &conditions, &gradient, &slopes, &curvature);
        const auto number = [&](const char* key, double value) {
            AddIpoptNumOption(ipopt, const_cast<char*>(key), value);
        };
        const auto text = [&](const char* key, const char* value) {
            AddIpoptStrOption(ipopt, const_cast<char*>(key), const_cast<char*>(value));
        };
        text("sb", "yes");
        AddIpoptIntOption(ipopt, const_cast<char*>("print_level"), 0);
        AddIpoptIntOption(ipopt, const_cast<char*>("max_iter"), options_.iterations);
        text("mu_strategy", "adaptive");
        text("nlp_scaling_method", "none");
        // Rows are of order one; those that a figure of many units of force has are far from it in SI.
        number("tol", 1e-9);
        number("constr_viol_tol", 1e-2 * options_.tolerance);
        number("acceptable_tol", 1e-7);
        number("acceptable_constr_viol_tol", 1e-2 * options_.tolerance);
        SetIntermediateCallback(ipopt, &step);
        const ApplicationReturnStatus status =
            IpoptSolve(ipopt, x.data(), nullptr, nullptr, nullptr, nullptr, nullptr, this);
        FreeIpoptProblem(ipopt);
        finish(x, status == Solve_Succeeded || status == Solved_To_Acceptable_Level);
        return std::move(result_);
    }

private:
    static constexpr double infinity = 2e19;  // what IPOPT takes for it

    int firstOf(std::size_t k) const { return firsts_[k]; }
    void set(std::vector<double>& x, int i, double value) const
    {
        x[static_cast<std::size_t>(i)] = value / sizes_[static_cast<std::size_t>(i)];
    }

    // Variables: place and velocity of node k, then y and contact forces of piece k, each in a unit of its
    // own; conditions: of moment k, of piece k, and that node k + 1 is where piece k ends.
    void arrange()
    {
        const double T = problem_.duration;
        for (std::size_t k = 0; k < plan_.nodes.size(); ++k) {
            firsts_.push_back(static_cast<int>(sizes_.size()));
            for (int i = 0; i < n_; ++i) sizes_.push_back(problem_.unitOf(i));
            for (int i = 0; i < n_; ++i) sizes_.push_back(problem_.unitOf(i) / T);
            if (k == plan_.pieces.size()) break;
            const MotionPiece& piece = plan_.pieces[k];
            for (int i = 0; i < piece.y.size(); ++i) sizes_.push_back(problem_.unitOf(i % n_) / (T * T));
            sizes_.insert(sizes_.end(), static_cast<std::size_t>(piece.contact.size()), 1.);
        }
        moments_.resize(plan_.nodes.size());
        pieces_.resize(plan_.pieces.size());
        evaluate();
        const auto place = [&](Block& block, int variable, int width) {
            block.variable = variable;
            block.width = width;
            block.condition = conditions_;
            block.entry = slopes_;
            const auto& rows = block.rows.rows;
            for (std::size_t r = 0; r < rows.size(); ++r) {
                if (rows[r].kind == RowKind::cost || rows[r].kind == RowKind::across) continue;
                const int times = rows[r].kind == RowKind::cone ? 2 : 1;
                for (int i = 0; i < times; ++i) block.conditionRows.push_back(static_cast<int>(r));
            }
            conditions_ += static_cast<int>(block.conditionRows.size());
            slopes_ += static_cast<int>(block.conditionRows.size()) * width;
            block.curvature = curvatures_;
            curvatures_ += width * (width + 1) / 2;
        };
        for (std::size_t k = 0; k < moments_.size(); ++k) {
            place(moments_[k], firstOf(k), 2 * n_);
            if (k == pieces_.size()) break;
            place(pieces_[k], firstOf(k), pieces_[k].rows.width());
            // A row of the end: all variables of the piece, and n of the next node.
            conditions_ += 2 * n_;
            slopes_ += 2 * n_ * (pieces_[k].width + n_);
        }
    }

    // The plan of x, and all rows there, their slopes by x.
    bool take(const double* x, bool isNew)
    {
        if (!isNew && isTaken_) return true;
        isTaken_ = true;
        VecX delta(n_);
        const auto at = [&](int i) { return x[i] * sizes_[static_cast<std::size_t>(i)]; };
        for (std::size_t k = 0; k < plan_.nodes.size(); ++k) {
            const int first = firstOf(k);
            for (int i = 0; i < n_; ++i) delta[i] = at(first + i);
            poseSum(model_, from_.nodes[k].q, delta, plan_.nodes[k].q);
            for (int i = 0; i < n_; ++i) plan_.nodes[k].u[i] = at(first + n_ + i);
            deltas_[k] = delta;
            if (k == plan_.pieces.size()) break;
            MotionPiece& piece = plan_.pieces[k];
            for (int i = 0; i < piece.y.size(); ++i) piece.y[i] = at(first + 2 * n_ + i);
            for (int i = 0; i < piece.contact.size(); ++i)
                piece.contact[i] = at(first + 2 * n_ + piece.y.size() + i);
        }
        evaluate();
        return true;
    }

    void evaluate()
    {
        deltas_.resize(plan_.nodes.size(), VecX::Zero(n_));
        for (std::size_t k = 0; k < plan_.nodes.size(); ++k) {
            const bool isLast = k == plan_.pieces.size();
            Block& moment = moments_[k];
            MotionRows rows;
            evaluator_.evaluateMoment(plan_.nodes[k], isLast ? plan_.duration() : plan_.pieces[k].start,
                                      true, moment.rows);
            // A moment has no accelerations.
            scaleSlopes(moment.rows, k, 2 * n_);
            if (isLast) break;
            Block& piece = pieces_[k];
            evaluator_.evaluate(plan_.nodes[k], plan_.pieces[k], true, piece.rows, piece.end);
            scaleSlopes(piece.rows, k, piece.rows.width());
            evaluator_.endSlopes(plan_.nodes[k], plan_.pieces[k], piece.ends);
            for (int c = 0; c < 2 * n_; ++c)
                scaleSlope(piece.ends.data() + static_cast<std::size_t>(c) * piece.rows.width(), k,
                           piece.rows.width());
        }
    }

    // By the tangent at the node → by its change, which turns it as exp(δ) does; in units of x.
    void scaleSlope(double* slope, std::size_t node, int width) const
    {
        for (const Joint& joint : model_.joints) {
            if (!joint.info().hasRotation) continue;
            const int first = joint.u + joint.info().plain();
            const VecX& delta = deltas_[node];
            const Mat3 chart = rightJacobian(Vec3(delta[first], delta[first + 1], delta[first + 2]));
            const Vec3 by = chart.transpose() * Vec3(slope[first], slope[first + 1], slope[first + 2]);
            for (int c = 0; c < 3; ++c) slope[first + c] = by[c];
        }
        for (int i = 0; i < width; ++i) slope[i] *= sizes_[static_cast<std::size_t>(firstOf(node) + i)];
    }
    void scaleSlopes(MotionRows& rows, std::size_t node, int width) const
    {
        for (std::size_t r = 0; r < rows.rows.size(); ++r)
            scaleSlope(rows.slope(static_cast<int>(r)), node, width);
    }

    // function(block, k) of moments and pieces in turn.
    template <class Function>
    void eachBlock(Function&& function)
    {
        for (std::size_t k = 0; k < moments_.size(); ++k) {
            function(moments_[k], k);
            if (k < pieces_.size()) function(pieces_[k], k);
        }
    }
    static double scaled(const MotionRows& rows, int r)
    {
        const MotionRows::Row& row = rows.rows[static_cast<std::size_t>(r)];
        return row.scale * row.value;
    }
    // The second condition of a cone.
    static bool isSquare(const Block& block, std::size_t i)
    {
        const int r = block.conditionRows[i];
        return block.rows.rows[static_cast<std::size_t>(r)].kind == RowKind::cone && i > 0 &&
               block.conditionRows[i - 1] == r;
    }

    void bounds(std::vector<double>& least, std::vector<double>& most)
    {
        least.assign(static_cast<std::size_t>(conditions_), 0);
        most = least;
        eachBlock([&](const Block& block, std::size_t) {
            for (std::size_t i = 0; i < block.conditionRows.size(); ++i) {
                const std::size_t c = static_cast<std::size_t>(block.condition) + i;
                const RowKind kind = block.rows.rows[static_cast<std::size_t>(block.conditionRows[i])].kind;
                if (kind == RowKind::below) least[c] = -infinity;
                if (kind == RowKind::cone) most[c] = infinity;
            }
        });
    }

    double costNow()
    {
        double sum = 0;
        eachBlock([&](const Block& block, std::size_t) {
            for (std::size_t r = 0; r < block.rows.rows.size(); ++r)
                if (block.rows.rows[r].kind == RowKind::cost)
                    sum += 0.5 * std::pow(scaled(block.rows, static_cast<int>(r)), 2);
        });
        return sum;
    }
    void gradientNow(double* out)
    {
        std::fill(out, out + sizes_.size(), 0);
        eachBlock([&](const Block& block, std::size_t) {
            for (std::size_t r = 0; r < block.rows.rows.size(); ++r) {
                const MotionRows::Row& row = block.rows.rows[r];
                if (row.kind != RowKind::cost) continue;
                const double* slope = block.rows.slope(static_cast<int>(r));
                for (int i = 0; i < block.width; ++i)
                    out[block.variable + i] += row.scale * row.scale * row.value * slope[i];
            }
        });
    }
    // What node k + 1 is off the end of piece k by, as parts of units.
    void gap(std::size_t k, VecX& places, VecX& speeds) const
    {
        poseDifference(model_, plan_.nodes[k + 1].q, pieces_[k].end.q, places);
        speeds = pieces_[k].end.u - plan_.nodes[k + 1].u;
    }
    void conditionsNow(double* out)
    {
        eachBlock([&](const Block& block, std::size_t) {
            for (std::size_t i = 0; i < block.conditionRows.size(); ++i) {
                const int r = block.conditionRows[i];
                double value = scaled(block.rows, r);
                if (isSquare(block, i))
                    value = value * value - std::pow(scaled(block.rows, r + 1), 2) -
                            std::pow(scaled(block.rows, r + 2), 2);
                out[block.condition + static_cast<int>(i)] = value;
            }
        });
        VecX places, speeds;
        for (std::size_t k = 0; k < pieces_.size(); ++k) {
            gap(k, places, speeds);
            double* to = out + endCondition(k);
            for (int i = 0; i < n_; ++i) {
                to[i] = places[i] / problem_.unitOf(i);
                to[n_ + i] = speeds[i] * problem_.duration / problem_.unitOf(i);
            }
        }
    }
    int endCondition(std::size_t k) const
    {
        return pieces_[k].condition + static_cast<int>(pieces_[k].conditionRows.size());
    }
    int endEntry(std::size_t k) const
    {
        return pieces_[k].entry + static_cast<int>(pieces_[k].conditionRows.size()) * pieces_[k].width;
    }

    // Where slopes stand: rows of blocks over all of their variables; of an end, also n of the next node.
    void slopePlaces(int* rows, int* columns)
    {
        int at = 0;
        const auto add = [&](int row, int first, int width) {
            for (int i = 0; i < width; ++i, ++at) {
                rows[at] = row;
                columns[at] = first + i;
            }
        };
        eachBlock([&](const Block& block, std::size_t k) {
            at = block.entry;
            for (std::size_t i = 0; i < block.conditionRows.size(); ++i)
                add(block.condition + static_cast<int>(i), block.variable, block.width);
            if (&block == &moments_[k]) return;
            at = endEntry(k);
            for (int c = 0; c < 2 * n_; ++c) {
                add(endCondition(k) + c, block.variable, block.width);
                add(endCondition(k) + c, firstOf(k + 1) + (c < n_ ? 0 : n_), n_);
            }
        });
    }
    void slopesNow(double* out)
    {
        eachBlock([&](const Block& block, std::size_t k) {
            double* to = out + block.entry;
            for (std::size_t i = 0; i < block.conditionRows.size(); ++i, to += block.width) {
                const int r = block.conditionRows[i];
                const double scale = block.rows.rows[static_cast<std::size_t>(r)].scale;
                std::fill(to, to + block.width, 0);
                if (!isSquare(block, i)) {
                    for (int v = 0; v < block.width; ++v) to[v] = scale * block.rows.slope(r)[v];
                    continue;
                }
                for (int part = 0; part < 3; ++part) {
                    const double factor = (part == 0 ? 2 : -2) * scale * scaled(block.rows, r + part);
                    for (int v = 0; v < block.width; ++v) to[v] += factor * block.rows.slope(r + part)[v];
                }
            }
            if (&block != &moments_[k]) endSlopesNow(k, out + endEntry(k));
        });
    }
    void endSlopesNow(std::size_t k, double* to)
    {
        const Block& block = pieces_[k];
        const int width = block.width, stride = width + n_;
        VecX places, speeds;
        gap(k, places, speeds);
        const Eigen::Map<const MatrixE> ends(block.ends.data(), width, 2 * n_);
        using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        Eigen::Map<Rows> all(to, 2 * n_, stride);
        all.setZero();
        std::vector<double> unit(static_cast<std::size_t>(2 * n_));
        for (int c = 0; c < 2 * n_; ++c) {
            all.row(c).head(width) = ends.col(c).transpose();
            std::fill(unit.begin(), unit.end(), 0);
            unit[static_cast<std::size_t>(c)] = -1;
            scaleSlope(unit.data(), k + 1, 2 * n_);
            for (int i = 0; i < n_; ++i)
                all(c, width + i) = unit[static_cast<std::size_t>(c < n_ ? i : n_ + i)];
        }
        // Turns are told by the logarithm of what is between.
        for (const Joint& joint : model_.joints) {
            if (!joint.info().hasRotation) continue;
            const int first = joint.u + joint.info().plain();
            const Vec3 off(places[first], places[first + 1], places[first + 2]);
            const Mat3 byEnd = rightJacobianInverse(off), byNode = leftJacobianInverse(off);
            Eigen::Matrix3d a, b;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    a(r, c) = byEnd(r, c);
                    b(r, c) = byNode(r, c);
                }
            all.block(first, 0, 3, width) = (a * all.block(first, 0, 3, width)).eval();
            all.block(first, width, 3, n_) = (b * all.block(first, width, 3, n_)).eval();
        }
        for (int i = 0; i < n_; ++i) {
            all.row(i) /= problem_.unitOf(i);
            all.row(n_ + i) *= problem_.duration / problem_.unitOf(i);
        }
    }

    void curvaturePlaces(int* rows, int* columns)
    {
        eachBlock([&](const Block& block, std::size_t) {
            int at = block.curvature;
            for (int c = 0; c < block.width; ++c)
                for (int r = c; r < block.width; ++r, ++at) {
                    rows[at] = block.variable + r;
                    columns[at] = block.variable + c;
                }
        });
    }
    // Of factor · cost + Σ multiplier · condition. What charts of turns bend by is left out.
    void curvatureNow(double factor, const double* multipliers, double* out)
    {
        eachBlock([&](Block& block, std::size_t k) {
            const int width = block.width;
            std::vector<double> weights(block.rows.rows.size(), 0);
            MatrixE H = MatrixE::Zero(width, width);
            const auto square = [&](int r, double weight) {
                const double scale = block.rows.rows[static_cast<std::size_t>(r)].scale;
                const Eigen::Map<const VectorE> slope(block.rows.slope(r), width);
                H += weight * scale * scale * slope * slope.transpose();
            };
            for (std::size_t r = 0; r < weights.size(); ++r) {
                const MotionRows::Row& row = block.rows.rows[r];
                if (row.kind != RowKind::cost) continue;
                square(static_cast<int>(r), factor);
                weights[r] = factor * row.scale * row.scale * row.value;
            }
            for (std::size_t i = 0; i < block.conditionRows.size(); ++i) {
                const int r = block.conditionRows[i];
                const MotionRows::Row& row = block.rows.rows[static_cast<std::size_t>(r)];
                const double multiplier = multipliers[block.condition + static_cast<int>(i)];
                if (!isSquare(block, i)) {
                    if (row.kind != RowKind::cone)
                        weights[static_cast<std::size_t>(r)] += multiplier * row.scale;
                    continue;
                }
                for (int part = 0; part < 3; ++part) square(r + part, (part == 0 ? 2 : -2) * multiplier);
            }
            std::vector<double> bent(static_cast<std::size_t>(width * width), 0);
            if (&block == &moments_[k]) {
                const bool isLast = k == pieces_.size();
                evaluator_.addMomentCurvature(
                    plan_.nodes[k], isLast ? plan_.duration() : plan_.pieces[k].start, weights, bent);
            } else {
                // The evaluator has to be at this piece.
                MotionRows unused;
                PieceStart end;
                evaluator_.evaluate(plan_.nodes[k], plan_.pieces[k], true, unused, end);
                evaluator_.addCurvature(plan_.nodes[k], plan_.pieces[k], weights, bent);
            }
            for (int c = 0; c < width; ++c)
                scaleSlope(bent.data() + static_cast<std::size_t>(c) * width, k, width);
            MatrixE turned = Eigen::Map<const MatrixE>(bent.data(), width, width).transpose();
            for (int c = 0; c < width; ++c) scaleSlope(turned.col(c).data(), k, width);
            H += turned;
            double* to = out + block.curvature;
            for (int c = 0; c < width; ++c)
                for (int r = c; r < width; ++r) *to++ = 0.5 * (H(r, c) + H(c, r));
        });
    }

    static IpoptSearch& self(void* data) { return *static_cast<IpoptSearch*>(data); }
    static Bool cost(Index, Number* x, Bool isNew, Number* out, UserDataPtr data)
    {
        self(data).take(x, isNew);
        *out = self(data).costNow();
        return std::isfinite(*out);
    }
    static Bool gradient(Index, Number* x, Bool isNew, Number* out, UserDataPtr data)
    {
        self(data).take(x, isNew);
        self(data).gradientNow(out);
        return TRUE;
    }
    static Bool conditions(Index, Number* x, Bool isNew, Index count, Number* out, UserDataPtr data)
    {
        self(data).take(x, isNew);
        self(data).conditionsNow(out);
        return std::all_of(out, out + count, [](double c) { return std::isfinite(c); });
    }
    static Bool slopes(Index, Number* x, Bool isNew, Index, Index, Index* rows, Index* columns, Number* out,
                       UserDataPtr data)
    {
        if (!out) {
            self(data).slopePlaces(rows, columns);
            return TRUE;
        }
        self(data).take(x, isNew);
        self(data).slopesNow(out);
        return TRUE;
    }
    static Bool curvature(Index, Number* x, Bool isNew, Number factor, Index, Number* multipliers, Bool,
                          Index, Index* rows, Index* columns, Number* out, UserDataPtr data)
    {
        if (!out) {
            self(data).curvaturePlaces(rows, columns);
            return TRUE;
        }
        self(data).take(x, isNew);
        self(data).curvatureNow(factor, multipliers, out);
        return TRUE;
    }
    static Bool step(Index, Index number, Number cost, Number infeasibility, Number, Number, Number, Number,
                     Number, Number part, Index, UserDataPtr data)
    {
        return self(data).report(number, cost, infeasibility, part);
    }
    bool report(int number, double cost, double infeasibility, double part)
    {
        if (number > 0) {
            const double before = result_.history.empty() ? cost : result_.history.back().merit;
            const MotionIteration iteration{number, 0, cost, infeasibility, cost, before, part};
            result_.history.push_back(iteration);
            result_.iterations = number;
            if (options_.progress) options_.progress(iteration);
        }
        result_.stopped = options_.stop();
        return !result_.stopped;
    }

    void finish(const std::vector<double>& x, bool isSolved)
    {
        take(x.data(), true);
        // As one motion from its start: what pieces were apart by goes into the conditions.
        plan_.start = plan_.nodes.front();
        plan_.weight = 0;
        for (MotionPiece& piece : plan_.pieces) {
            piece.multipliers.clear();
            piece.momentMultipliers.clear();
        }
        plan_.lastMultipliers.clear();
        placeNodes(problem_, plan_);
        for (VecX& delta : deltas_) delta.setZero(n_);
        evaluate();
        result_.cost = costNow();
        const std::vector<std::string> names = problem_.names();
        std::map<int, Violation> worst;
        double most = 0;
        eachBlock([&](const Block& block, std::size_t) {
            for (std::size_t r = 0; r < block.rows.rows.size(); ++r) {
                const double amount = violationOf(block.rows, r, false);
                result_.infeasibility = std::max(result_.infeasibility, amount);
                if (amount <= options_.tolerance) continue;
                const int name = block.rows.rows[r].name;
                Violation& v = worst[name];
                v.name = names[static_cast<std::size_t>(name)];
                v.amount = std::max(v.amount, amount);
                v.part = std::max(v.part, violationOf(block.rows, r, true));
                most = std::max(most, v.part);
            }
        });
        result_.converged = isSolved && result_.infeasibility <= options_.tolerance;
        constexpr double little = 1e-2;
        for (auto& [name, violation] : worst) {
            violation.pull = violation.part;
            if (violation.part >= little * most) result_.violations.push_back(violation);
        }
        std::sort(result_.violations.begin(), result_.violations.end(),
                  [](const Violation& a, const Violation& b) { return a.pull > b.pull; });
    }

    const MotionProblem& problem_;
    const MotionOptions& options_;
    MotionPlan& plan_;
    MotionPlan from_;
    const Model& model_;
    PieceEvaluator evaluator_;
    int n_;
    std::vector<double> sizes_;  // of variables: SI units of one of x
    std::vector<int> firsts_;    // of the variables of each node
    std::vector<VecX> deltas_;
    std::vector<Block> moments_, pieces_;
    int conditions_ = 0, slopes_ = 0, curvatures_ = 0;
    bool isTaken_ = false;
    MotionResult result_;
};

}  // namespace

bool hasIpopt()
{
    return true;
}
MotionResult solveMotionByIpopt(const MotionProblem& problem, const MotionOptions& options,
                                MotionPlan& plan)
{
    return IpoptSearch(problem, options, plan).solve();
}

#endif

}  // namespace sinew
