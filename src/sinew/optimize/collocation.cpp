#include "sinew/optimize/collocation.h"

#include <cmath>

#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// The points of Gauss and Legendre on [−1, 1].
void legendrePoints(int stages, double* x)
{
    switch (stages) {
        case 1:
            x[0] = 0;
            break;
        case 2:
            x[1] = std::sqrt(1. / 3);
            x[0] = -x[1];
            break;
        case 3:
            x[1] = 0;
            x[2] = std::sqrt(0.6);
            x[0] = -x[2];
            break;
        default:
            x[2] = std::sqrt(3. / 7 - 2. / 7 * std::sqrt(1.2));
            x[3] = std::sqrt(3. / 7 + 2. / 7 * std::sqrt(1.2));
            x[1] = -x[2];
            x[0] = -x[3];
    }
}

const double* rotationAt(const Joint& joint, const VecX& q)
{
    return q.data() + joint.q + joint.info().plain();
}
Quat readRotation(const double* q)
{
    return Quat(q[3], q[0], q[1], q[2]);
}
Vec3 read(const double* x)
{
    return {x[0], x[1], x[2]};
}
void write(const Vec3& v, double* x)
{
    for (int k = 0; k < 3; ++k) x[k] = v[k];
}
void add(const Vec3& v, double* x)
{
    for (int k = 0; k < 3; ++k) x[k] += v[k];
}

}  // namespace

GaussPoints GaussPoints::of(int stages)
{
    SINEW_ASSERT(stages >= 1 && stages <= mostStages);
    GaussPoints points;
    points.stages = stages;
    double x[mostStages];
    legendrePoints(stages, x);
    for (int j = 0; j < stages; ++j) points.c[j] = 0.5 * (1 + x[j]);
    for (int j = 0; j < stages; ++j) {
        double* p = points.coefficients_[j];
        p[0] = 1;
        int degree = 0;
        for (int i = 0; i < stages; ++i) {
            if (i == j) continue;
            const double scale = 1 / (points.c[j] - points.c[i]);
            ++degree;
            for (int d = degree; d >= 0; --d) p[d] = scale * ((d > 0 ? p[d - 1] : 0) - points.c[i] * p[d]);
        }
        for (int d = 0; d < stages; ++d) points.weight[j] += p[d] / (d + 1);
    }
    return points;
}

GaussPoints::Values GaussPoints::at(double part) const
{
    Values values;
    for (int j = 0; j < stages; ++j) {
        double power = 1;
        for (int d = 0; d < stages; ++d) {
            const double p = coefficients_[j][d];
            values.shape[j] += p * power;
            values.rate[j] += p * power * part / (d + 1);
            values.way[j] += p * power * part * part / ((d + 1) * (d + 2));
            power *= part;
        }
    }
    return values;
}

void PieceMotion::set(const Model& model, const GaussPoints& points, const PieceStart& start,
                      const double* y, double h, double part, bool derivatives)
{
    freedoms_ = model.freedomCount;
    stages_ = points.stages;
    h_ = h;
    part_ = part;
    values_ = points.at(part);
    q = start.q;
    u.resize(freedoms_);
    a.resize(freedoms_);
    VecX phi(freedoms_);
    for (int k = 0; k < freedoms_; ++k) {
        phi[k] = part * h * start.u[k];
        u[k] = start.u[k];
        a[k] = 0;
        for (int j = 0; j < stages_; ++j) {
            const double yj = y[j * freedoms_ + k];
            phi[k] += h * h * values_.way[j] * yj;
            u[k] += h * values_.rate[j] * yj;
            a[k] += values_.shape[j] * yj;
        }
    }
    rotations_.clear();
    isPlain_.assign(freedoms_, 1);
    for (const Joint& joint : model.joints) {
        const int plain = joint.info().plain();
        for (int k = 0; k < plain; ++k) q[joint.q + k] += phi[joint.u + k];
        if (!joint.info().hasRotation) continue;
        const int first = joint.u + plain;
        const Vec3 p = read(phi.data() + first), rate = read(u.data() + first),
                   rate2 = read(a.data() + first);
        const RotationMotion m = movingRotation(p, rate, rate2);
        const Quat turned = (readRotation(rotationAt(joint, start.q)) * m.rotation).normalized();
        double* to = q.data() + joint.q + plain;
        to[0] = turned.x();
        to[1] = turned.y();
        to[2] = turned.z();
        to[3] = turned.w();
        write(m.velocity, u.data() + first);
        write(m.acceleration, a.data() + first);
        for (int k = 0; k < 3; ++k) isPlain_[first + k] = 0;
        if (!derivatives) continue;
        Rotation& r = rotations_.emplace_back();
        r.u = first;
        r.R = m.rotation.toRotationMatrix();
        for (int k = 0; k < 3; ++k) {
            const Vec3 unit = Vec3::Unit(k), zero = Vec3::Zero();
            const RotationMotionChange place = movingRotationChange(p, rate, rate2, unit, zero, zero);
            const RotationMotionChange byRate = movingRotationChange(p, rate, rate2, zero, unit, zero);
            r.turn.col(k) = place.turn;
            r.velocityByPlace.col(k) = place.velocity;
            r.accelerationByPlace.col(k) = place.acceleration;
            r.velocityByRate.col(k) = byRate.velocity;
            r.accelerationByRate.col(k) = byRate.acceleration;
        }
    }
}

void PieceMotion::pull(const double* dq, const double* du, const double* da, double* startQ, double* startU,
                       double* y) const
{
    const auto spread = [&](int k, double place, double rate, double rate2) {
        startU[k] += part_ * h_ * place + rate;
        for (int j = 0; j < stages_; ++j)
            y[j * freedoms_ + k] +=
                h_ * h_ * values_.way[j] * place + h_ * values_.rate[j] * rate + values_.shape[j] * rate2;
    };
    for (int k = 0; k < freedoms_; ++k) {
        if (!isPlain_[k]) continue;
        startQ[k] += dq[k];
        spread(k, dq[k], du[k], da[k]);
    }
    for (const Rotation& r : rotations_) {
        const Vec3 onTurn = read(dq + r.u), onVelocity = read(du + r.u), onAcceleration = read(da + r.u);
        add(r.R * onTurn, startQ + r.u);
        const Vec3 place = r.turn.transpose() * onTurn + r.velocityByPlace.transpose() * onVelocity +
                           r.accelerationByPlace.transpose() * onAcceleration;
        const Vec3 rate =
            r.velocityByRate.transpose() * onVelocity + r.accelerationByRate.transpose() * onAcceleration;
        // Accelerations grow with φ'' as velocities with φ'.
        const Vec3 rate2 = r.velocityByRate.transpose() * onAcceleration;
        for (int k = 0; k < 3; ++k) spread(r.u + k, place[k], rate[k], rate2[k]);
    }
}

void fitPiece(const Model& model, const PieceStart& start, const MotionSample* samples, int stages,
              double* y)
{
    for (int j = 0; j < stages; ++j) {
        double* column = y + j * model.freedomCount;
        const MotionSample& sample = samples[j];
        for (const Joint& joint : model.joints) {
            const int plain = joint.info().plain();
            for (int k = 0; k < plain; ++k) column[joint.u + k] = sample.a[joint.u + k];
            if (!joint.info().hasRotation) continue;
            const int first = joint.u + plain;
            const Quat relative = readRotation(rotationAt(joint, start.q)).conjugate() *
                                  readRotation(rotationAt(joint, sample.q));
            write(chartOf(relative, read(sample.u.data() + first), read(sample.a.data() + first)).rate2,
                  column + first);
        }
    }
}

void poseDifference(const Model& model, const VecX& from, const VecX& to, VecX& delta)
{
    delta.resize(model.freedomCount);
    for (const Joint& joint : model.joints) {
        const int plain = joint.info().plain();
        for (int k = 0; k < plain; ++k) delta[joint.u + k] = to[joint.q + k] - from[joint.q + k];
        if (!joint.info().hasRotation) continue;
        write(logRotation(readRotation(rotationAt(joint, from)).conjugate() *
                          readRotation(rotationAt(joint, to))),
              delta.data() + joint.u + plain);
    }
}

void poseSum(const Model& model, const VecX& from, const VecX& delta, VecX& to)
{
    to.resize(from.size());
    for (const Joint& joint : model.joints)
        jointRetract(joint, from.data() + joint.q, delta.data() + joint.u, to.data() + joint.q);
}

}  // namespace sinew
