// Second derivatives of rows (optimize/motion_piece.h), for Newton's steps.
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>

#include "sinew/optimize/motion_contact.h"
#include "sinew/optimize/motion_piece.h"

namespace sinew {
namespace {

// Of a change of q or u, as a part of what changes rows much; central differences are then right to 1e-9.
constexpr double differenceStep = 1e-5;
constexpr int mostForCentral = 12;  // freedoms

using MatrixE = Eigen::MatrixXd;

// Adds T H Tᵀ. T has few numbers in each column: of the freedom, or the ball joint, that it belongs to.
void addCongruence(const std::vector<double>& H, const Eigen::SparseMatrix<double>& T,
                   std::vector<double>& sum)
{
    const Eigen::Index own = T.cols(), width = T.rows();
    const Eigen::Map<const MatrixE> inner(H.data(), own, own);
    const MatrixE half = T * inner;
    Eigen::Map<MatrixE>(sum.data(), width, width) += MatrixE(T * half.transpose()).transpose();
}

}  // namespace

// Of Σ weight · force + Σ weight · stage row at the state of the stage, by (q, u, u̇, contact forces).
void PieceEvaluator::stageGradient(MotionPiece& piece, const PieceLayout& layout, int stage,
                                   const VecX& forceWeights, const std::vector<double>& rowWeights,
                                   VecX& gradient)
{
    const int n = layout.freedoms;
    evaluateStage(piece, stage, true);
    VecX dq, du, da;
    adjointOfInverse(model_, at_, forceWeights, dq, du, da);
    for (int k = 0; k < n; ++k) {
        gradient[k] = dq[k];
        gradient[n + k] = du[k];
        gradient[2 * n + k] = da[k];
    }
    // Rows that do not look at bodies have slopes that are constant.
    if (std::any_of(rowWeights.begin(), rowWeights.end(), [](double w) { return w != 0; })) {
        RowSum sum{rowWeights, LargeVector<BodyChange>(model_.bodies.size())};
        fillStageRows(piece, stage, false, &sum);
        adjointOfBodies(model_, at_, sum.weights, dq, du, da);
        for (int k = 0; k < n; ++k) {
            gradient[k] += dq[k];
            gradient[n + k] += du[k];
            gradient[2 * n + k] += da[k];
        }
    }
    // By a contact's force: minus what its place moves by with the weights.
    MatX J;
    eachPlace(problem_, piece.start + 0.5 * piece.length,
              [&](const ContactPhase& phase, int own, int place) {
                  placeJacobian(model_, state_[stage], phase, own, J);
                  for (int c = 0; c < 3; ++c) {
                      double& g = gradient[3 * n + 3 * place + c];
                      g = 0;
                      for (int k = 0; k < n; ++k)
                          g -= placeUnit(problem_, phase, own) * J(c, k) * forceWeights[k];
                  }
              });
}

void PieceEvaluator::addCurvature(const PieceStart&, MotionPiece& piece, const std::vector<double>& weights,
                                  std::vector<double>& curvature)
{
    const int n = model_.freedomCount, places = contactPlaces(problem_, piece);
    const PieceLayout layout{n, points_.stages, places};
    const int width = layout.width(), own = 3 * n + 3 * places;
    std::vector<double> H(static_cast<std::size_t>(own) * own), row(static_cast<std::size_t>(width));
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::SparseMatrix<double> T(width, own);
    VecX more(own), less(own);
    // One-sided ones are right to 1e-5, which is enough for steps: half the price.
    const bool isOneSided = n > mostForCentral;
    for (int stage = 0; stage < layout.stages; ++stage) {
        VecX forceWeights = VecX::Zero(n);
        std::vector<double> rowWeights;
        for (const Source& source : sources_) {
            if (source.stage != stage) continue;
            const double weight = source.factor * weights[static_cast<std::size_t>(source.row)];
            if (source.isForce) {
                forceWeights[source.index] += weight;
            } else {
                rowWeights.resize(std::max(rowWeights.size(), static_cast<std::size_t>(source.index) + 1),
                                  0);
                rowWeights[static_cast<std::size_t>(source.index)] += weight;
            }
        }
        // By q and u; accelerations and contact forces are in all rows to first order only.
        std::fill(H.begin(), H.end(), 0);
        State& state = state_[stage];
        const VecX q = state.q, u = state.u;
        VecX delta = VecX::Zero(n);
        if (isOneSided) stageGradient(piece, layout, stage, forceWeights, rowWeights, less);
        for (int k = 0; k < 2 * n; ++k) {
            const int freedom = k % n;
            const double e = differenceStep * (k < n ? problem_.unitOf(freedom)
                                                     : problem_.unitOf(freedom) / problem_.duration);
            for (const double sign : {1., -1.}) {
                if (sign < 0 && isOneSided) break;
                state.q = q;
                state.u = u;
                if (k < n) {
                    delta[freedom] = sign * e;
                    poseSum(model_, q, delta, state.q);
                    delta[freedom] = 0;
                } else {
                    state.u[freedom] += sign * e;
                }
                stageGradient(piece, layout, stage, forceWeights, rowWeights, sign > 0 ? more : less);
            }
            for (int r = 0; r < own; ++r) {
                const double h = (more[r] - less[r]) / (isOneSided ? e : 2 * e);
                const auto at = [&](int i, int j) -> double& {
                    return H[static_cast<std::size_t>(j) * own + i];
                };
                if (r < 2 * n) {
                    at(r, k) += 0.5 * h;
                    at(k, r) += 0.5 * h;
                } else {
                    at(r, k) = at(k, r) = h;
                }
            }
        }
        state.q = q;
        state.u = u;
        // A column of T for each of the stage's own variables.
        entries.clear();
        std::vector<double> unit(static_cast<std::size_t>(3 * n), 0);
        for (int r = 0; r < own; ++r) {
            if (r >= 3 * n) {
                entries.emplace_back(layout.contact(stage) + r - 3 * n, r, 1);
                continue;
            }
            std::fill(row.begin(), row.end(), 0);
            unit[static_cast<std::size_t>(r)] = 1;
            pull(unit.data(), stage, layout, row.data());
            unit[static_cast<std::size_t>(r)] = 0;
            for (int c = 0; c < width; ++c)
                if (row[static_cast<std::size_t>(c)] != 0)
                    entries.emplace_back(c, r, row[static_cast<std::size_t>(c)]);
        }
        T.setFromTriplets(entries.begin(), entries.end());
        addCongruence(H, T, curvature);
    }
}

void PieceEvaluator::addMomentCurvature(const PieceStart& at, double time,
                                        const std::vector<double>& weights, std::vector<double>& curvature)
{
    const int n = model_.freedomCount, size = 2 * n;
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) return;
    MotionRows rows;
    VecX delta = VecX::Zero(n);
    std::vector<double> change(static_cast<std::size_t>(size));
    for (int k = 0; k < size; ++k) {
        const int freedom = k % n;
        const double e = differenceStep *
                         (k < n ? problem_.unitOf(freedom) : problem_.unitOf(freedom) / problem_.duration);
        std::fill(change.begin(), change.end(), 0);
        for (const double sign : {1., -1.}) {
            PieceStart moved = at;
            if (k < n) {
                delta[freedom] = sign * e;
                poseSum(model_, at.q, delta, moved.q);
                delta[freedom] = 0;
            } else {
                moved.u[freedom] += sign * e;
            }
            evaluateMoment(moved, time, true, rows);
            for (std::size_t r = 0; r < rows.rows.size(); ++r)
                for (int c = 0; c < size; ++c)
                    change[static_cast<std::size_t>(c)] +=
                        sign / (2 * e) * weights[r] * rows.slope(static_cast<int>(r))[c];
        }
        for (int c = 0; c < size; ++c) {
            curvature[static_cast<std::size_t>(k) * size + c] += 0.5 * change[static_cast<std::size_t>(c)];
            curvature[static_cast<std::size_t>(c) * size + k] += 0.5 * change[static_cast<std::size_t>(c)];
        }
    }
}

}  // namespace sinew
