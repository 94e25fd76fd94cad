#include "sinew/derivative/step_tree.h"

#include "sinew/math/small_solve.h"

namespace sinew::stepping {
namespace {

// Xᵀ p: from the own centre to the parent's.
Vec6 passed(const Vec3& offset, const Vec6& p)
{
    const Vec3 f = p.head<3>(), n = p.tail<3>();
    Vec6 result;
    result << f, n + offset.cross(f);
    return result;
}

// X e_p.
Vec6 carried(const Vec3& offset, const Vec6& e)
{
    const Vec3 move = e.head<3>(), turn = e.tail<3>();
    Vec6 result;
    result << move + turn.cross(offset), turn;
    return result;
}

// A X: columns of turns get those of moves, −move ρ~.
void timesX(const Six& A, const Vec3& r, int rows, Six& result)
{
    for (int i = 0; i < rows; ++i) {
        const double a = A(i, 0), b = A(i, 1), c = A(i, 2);
        result(i, 0) = a;
        result(i, 1) = b;
        result(i, 2) = c;
        result(i, 3) = A(i, 3) + (c * r[1] - b * r[2]);
        result(i, 4) = A(i, 4) + (a * r[2] - c * r[0]);
        result(i, 5) = A(i, 5) + (b * r[0] - a * r[1]);
    }
}

template <int N>
void invertAs(const Six& D, double* inverse)
{
    const Matrix<N, N> block = D.template topLeftCorner<N, N>();
    const Matrix<N, N> result = block.inverse();
    for (int c = 0; c < N; ++c)
        for (int r = 0; r < N; ++r) inverse[N * c + r] = result(r, c);
}

void invertLeading(const Six& D, int n, double* inverse)
{
    switch (n) {
        case 1:
            inverse[0] = 1 / D(0, 0);
            return;
        case 2:
            return invertAs<2>(D, inverse);
        case 3:
            return invertAs<3>(D, inverse);
        case 6:
            return invertAs<6>(D, inverse);
        default:
            return;
    }
}

}  // namespace

void StepTree::factor(const StepTerms& terms)
{
    links.resize(terms.bodies.size());
    inertia.resize(terms.bodies.size());
    std::size_t count = 0;
    for (const JointTerms& joint : terms.joints)
        count += static_cast<std::size_t>(joint.freedoms * (18 + joint.freedoms));
    numbers.resize(count);
    double* next = numbers.data();
    for (int i = 0; i < size(); ++i) {
        const JointTerms& joint = terms.joints[i];
        TreeLink& link = links[i];
        link.parent = joint.parent;
        link.freedoms = joint.freedoms;
        link.u = joint.u;
        link.carries = joint.carries;
        link.sleeps = terms.bodies[i].sleeps;
        link.offset = joint.offset;
        for (Columns* columns : {&link.S, &link.U, &link.answer}) {
            columns->data = next;
            next += 6 * link.freedoms;
        }
        link.inverse = next;
        next += link.freedoms * link.freedoms;
        for (int k = 0; k < link.freedoms; ++k) link.S.col(k) = joint.S.col(k);
        bodyMatrix(terms, i, inertia[i]);
    }
    for (int i = size() - 1; i >= 0; --i) {
        const JointTerms& joint = terms.joints[i];
        const BodyTerms& body = terms.bodies[i];
        TreeLink& link = links[i];
        if (link.sleeps) continue;
        const int k = link.freedoms;
        const Six& I = inertia[i];
        const Vec3 f = joint.load.head<3>(), n = joint.load.tail<3>();
        // Rows of the joint: by e', by e'_p and by δq.
        Six rows = Six::Zero(), across = Six::Zero(), D = Six::Zero();
        for (int r = 0; r < k; ++r) {
            for (int c = 0; c < 6; ++c) {
                double sum = 0;
                for (int m = 0; m < 6; ++m) sum += link.S(m, r) * I(m, c);
                rows(r, c) = sum;
            }
            const Vec3 s = link.S.col(r).head<3>(), z = link.S.col(r).tail<3>();
            const Vec3 turns = s.cross(f) + z.cross(n);
            for (int c = 0; c < 3; ++c) rows(r, 3 + c) += turns[c];
            for (int c = 0; c < k && !joint.isPlain; ++c) D(r, c) += joint.turned(r, c);
            for (int c = 0; c < k && joint.hasStiffness; ++c) D(r, c) += joint.stiffness(r, c);
        }
        if (joint.hasDamping) {
            // δu' by e', e'_p and δq, velocities included.
            const auto add = [&](const Columns& byRate, const Columns& byMotion, const BodyTerms& of,
                                 Six& to) {
                for (int r = 0; r < k; ++r) {
                    Vec6 row;
                    for (int c = 0; c < 3; ++c) {
                        row[c] = byMotion(c, r) + byRate(c, r) / of.h;
                        double sum = byMotion(3 + c, r);
                        for (int m = 0; m < 3; ++m) sum += byRate(3 + m, r) * of.rateByEnd(m, c);
                        row[3 + c] = sum;
                    }
                    for (int q = 0; q < k; ++q)
                        for (int c = 0; c < 6; ++c) to(q, c) += joint.dampingAt(q, r) * row[c];
                }
            };
            add(joint.ofOwn, joint.byOwn, body, rows);
            if (link.parent >= 0) add(joint.ofParents, joint.byParents, terms.bodies[link.parent], across);
            for (int r = 0; r < k && !joint.isPlain; ++r)
                for (int c = 0; c < k; ++c)
                    for (int m = 0; m < k; ++m) D(r, c) += joint.dampingAt(r, m) * joint.byFreedoms(m, c);
        }
        for (int r = 0; r < k; ++r)
            for (int c = 0; c < k; ++c) {
                double sum = 0;
                for (int m = 0; m < 6; ++m) sum += rows(r, m) * link.S(m, c);
                D(r, c) += sum;
            }
        invertLeading(D, k, link.inverse);
        if (link.parent < 0) continue;
        Six W;
        timesX(rows, link.offset, k, W);
        for (int r = 0; r < k; ++r)
            for (int c = 0; c < 6; ++c) W(r, c) += across(r, c);
        for (int r = 0; r < k; ++r)
            for (int c = 0; c < 6; ++c) {
                double sum = 0;
                for (int m = 0; m < k; ++m) sum += link.inverse[k * m + r] * W(m, c);
                link.answer(c, r) = sum;
            }
        if (!link.carries) continue;
        // Xᵀ I + Γ
        Six out = I;
        const Mat3 arm = tilde(link.offset), load = tilde(f);
        const Matrix<3, 6> top = I.topRows<3>();
        out.bottomRows<3>() += arm * top;
        out.bottomLeftCorner<3, 3>() -= load;
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < k; ++c) {
                double sum = 0;
                for (int m = 0; m < 6; ++m) sum += out(r, m) * link.S(m, c);
                link.U(r, c) = sum;
            }
        Six whole;
        timesX(out, link.offset, 6, whole);
        whole.bottomLeftCorner<3, 3>() += load;
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c) {
                double sum = 0;
                for (int m = 0; m < k; ++m) sum += link.U(r, m) * link.answer(c, m);
                whole(r, c) -= sum;
            }
        inertia[link.parent] += whole;
    }
}

void StepTree::solve(int first, int end, TreeVectors& x) const
{
    for (int i = end - 1; i >= first; --i) {
        const TreeLink& link = links[i];
        if (link.sleeps) continue;
        const Vec6& p = x.body[i];
        double right[6], y[6];
        for (int k = 0; k < link.freedoms; ++k) right[k] = x.joint[link.u + k] + link.S.col(k).dot(p);
        for (int k = 0; k < link.freedoms; ++k) {
            double sum = 0;
            for (int m = 0; m < link.freedoms; ++m) sum += link.inverse[link.freedoms * m + k] * right[m];
            y[k] = -sum;
            x.joint[link.u + k] = -sum;
        }
        if (link.parent < 0 || !link.carries) continue;
        Vec6 out = passed(link.offset, p);
        for (int k = 0; k < link.freedoms; ++k) out += y[k] * link.U.col(k);
        x.body[link.parent] += out;
    }
    for (int i = first; i < end; ++i) {
        const TreeLink& link = links[i];
        if (link.sleeps) continue;
        Vec6 e = Vec6::Zero();
        if (link.parent >= 0) {
            const Vec6& parents = x.body[link.parent];
            for (int k = 0; k < link.freedoms; ++k) {
                double sum = 0;
                for (int c = 0; c < 6; ++c) sum += link.answer(c, k) * parents[c];
                x.joint[link.u + k] -= sum;
            }
            e = carried(link.offset, parents);
        }
        for (int k = 0; k < link.freedoms; ++k) e += x.joint[link.u + k] * link.S.col(k);
        x.body[i] = e;
    }
}

void StepTree::solveTransposed(int first, int end, TreeVectors& x) const
{
    // The outward pass, from its end.
    for (int i = end - 1; i >= first; --i) {
        const TreeLink& link = links[i];
        if (link.sleeps) continue;
        const Vec6& weight = x.body[i];
        for (int k = 0; k < link.freedoms; ++k) x.joint[link.u + k] += link.S.col(k).dot(weight);
        if (link.parent < 0) continue;
        Vec6 out = passed(link.offset, weight);
        for (int c = 0; c < 6; ++c)
            for (int k = 0; k < link.freedoms; ++k) out[c] -= link.answer(c, k) * x.joint[link.u + k];
        x.body[link.parent] += out;
    }
    // The inward pass, from its end: weights on p.
    for (int i = first; i < end; ++i) {
        const TreeLink& link = links[i];
        if (link.sleeps) continue;
        Vec6 weight = Vec6::Zero();
        double y[6];
        for (int k = 0; k < link.freedoms; ++k) y[k] = x.joint[link.u + k];
        if (link.parent >= 0 && link.carries) {
            const Vec6& parents = x.body[link.parent];
            weight = carried(link.offset, parents);
            for (int k = 0; k < link.freedoms; ++k) y[k] += link.U.col(k).dot(parents);
        }
        for (int k = 0; k < link.freedoms; ++k) {
            double sum = 0;
            for (int m = 0; m < link.freedoms; ++m) sum += link.inverse[link.freedoms * k + m] * y[m];
            x.joint[link.u + k] = -sum;
            weight -= sum * link.S.col(k);
        }
        x.body[i] = weight;
    }
}

}  // namespace sinew::stepping
