// A motion of many points as a few shapes with weights.
//
// With D the offsets, a column per frame, the best basis of K shapes by the sum of squares are the first
// left singular vectors of D. They are found by subspace iteration (N. Halko et al. 2011): the span of
// DᵀD's largest eigenvectors out of a few powers on random vectors, some more of them than are wanted, and
// the eigenvectors of the small matrix in that span (Jacobi's rotations).
#include <algorithm>
#include <cmath>

#include "sinew/base/random.h"
#include "sinew/character/flesh.h"

namespace sinew {
namespace {

constexpr std::size_t beyond = 8;  // vectors more than are wanted
constexpr int powers = 8;

using Columns = std::vector<std::vector<double>>;

double dot(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void addScaled(std::vector<double>& to, double factor, const std::vector<double>& from)
{
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// Twice Gram and Schmidt's; columns that depend on those before them go.
void orthonormalize(Columns& columns)
{
    Columns kept;
    for (std::vector<double>& column : columns) {
        const double whole = std::sqrt(dot(column, column));
        for (int round = 0; round < 2; ++round)
            for (const std::vector<double>& other : kept) addScaled(column, -dot(column, other), other);
        const double left = std::sqrt(dot(column, column));
        if (!(left > 1e-12 * whole) || left == 0) continue;
        for (double& number : column) number /= left;
        kept.push_back(std::move(column));
    }
    columns = std::move(kept);
}

// Eigenvectors of a small symmetric matrix, by falling eigenvalues.
Columns eigenvectors(Columns a)
{
    const std::size_t n = a.size();
    Columns vectors(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) vectors[i][i] = 1;
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0, all = 0;
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = 0; q < n; ++q) (p == q ? all : off) += a[p][q] * a[p][q];
        if (off <= 1e-28 * all) break;
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (a[p][q] == 0) continue;
                const double t = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double tangent = (t < 0 ? -1 : 1) / (std::abs(t) + std::sqrt(t * t + 1));
                const double c = 1 / std::sqrt(tangent * tangent + 1), s = tangent * c;
                for (std::size_t k = 0; k < n; ++k) {
                    const double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    const double u = vectors[p][k], v = vectors[q][k];
                    vectors[p][k] = c * u - s * v;
                    vectors[q][k] = s * u + c * v;
                }
            }
    }
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return a[i][i] > a[j][j]; });
    Columns sorted;
    for (const std::size_t i : order) sorted.push_back(vectors[i]);
    return sorted;
}

// D's columns are frames of 3 n numbers each.
Columns framesOf(const FleshMotion& motion)
{
    Columns frames;
    for (const std::vector<Vec3>& offsets : motion.offsets) {
        std::vector<double>& frame = frames.emplace_back();
        frame.reserve(3 * offsets.size());
        for (const Vec3& offset : offsets)
            for (int i = 0; i < 3; ++i) frame.push_back(offset[i]);
    }
    return frames;
}

// Left singular vectors, the greatest first: `most` of them, and fewer where D has no more.
Columns principalShapes(const Columns& frames, std::size_t most)
{
    const std::size_t length = frames.front().size();
    const std::size_t wanted = std::min({most + beyond, frames.size(), length});
    Random random(1);
    Columns basis(wanted, std::vector<double>(length));
    // A sum of frames by random weights: in D's span from the start.
    for (std::vector<double>& column : basis)
        for (const std::vector<double>& frame : frames) addScaled(column, random.normal(), frame);
    orthonormalize(basis);
    std::vector<double> weights(frames.size());
    for (int power = 0; power < powers; ++power) {
        for (std::vector<double>& column : basis) {
            for (std::size_t f = 0; f < frames.size(); ++f) weights[f] = dot(frames[f], column);
            std::fill(column.begin(), column.end(), 0.0);
            for (std::size_t f = 0; f < frames.size(); ++f) addScaled(column, weights[f], frames[f]);
        }
        orthonormalize(basis);
    }
    const std::size_t rank = basis.size();
    Columns small(rank, std::vector<double>(rank, 0.0));
    std::vector<double> along(rank);
    for (const std::vector<double>& frame : frames) {
        for (std::size_t i = 0; i < rank; ++i) along[i] = dot(frame, basis[i]);
        for (std::size_t i = 0; i < rank; ++i)
            for (std::size_t j = 0; j < rank; ++j) small[i][j] += along[i] * along[j];
    }
    const Columns turned = eigenvectors(std::move(small));
    Columns shapes;
    for (std::size_t k = 0; k < std::min(most, rank); ++k) {
        std::vector<double>& shape = shapes.emplace_back(length, 0.0);
        for (std::size_t i = 0; i < rank; ++i) addScaled(shape, turned[k][i], basis[i]);
    }
    return shapes;
}

// The longest of the three-vectors in all columns.
double longest(const Columns& columns)
{
    double most = 0;
    for (const std::vector<double>& column : columns)
        for (std::size_t i = 0; i + 2 < column.size(); i += 3)
            most = std::max(most, column[i] * column[i] + column[i + 1] * column[i + 1] +
                                      column[i + 2] * column[i + 2]);
    return std::sqrt(most);
}

double inSinglePrecision(double number)
{
    return static_cast<double>(static_cast<float>(number));
}

}  // namespace

FleshShapes fleshShapes(const FleshMotion& motion, int most, double error)
{
    FleshShapes out;
    out.weights.resize(motion.offsets.size());
    Columns left = framesOf(motion);  // what the shapes so far do not tell
    const auto isEnough = [&] {
        out.error = motion.stretch * longest(left);
        return out.error <= error;
    };
    if (left.empty() || isEnough()) return out;
    for (std::vector<double>& shape : principalShapes(left, static_cast<std::size_t>(most))) {
        std::vector<double> weights;
        double largest = 0;
        for (const std::vector<double>& frame : left) {
            weights.push_back(dot(frame, shape));
            largest = std::max(largest, std::abs(weights.back()));
        }
        if (largest == 0) break;
        for (double& number : shape) number = inSinglePrecision(number * largest);
        for (std::size_t f = 0; f < left.size(); ++f) {
            const double weight = inSinglePrecision(weights[f] / largest);
            out.weights[f].push_back(weight);
            addScaled(left[f], -weight, shape);
        }
        std::vector<Vec3>& points = out.shapes.emplace_back();
        for (std::size_t i = 0; i + 2 < shape.size(); i += 3)
            points.emplace_back(shape[i], shape[i + 1], shape[i + 2]);
        if (isEnough()) break;
    }
    return out;
}

}  // namespace sinew
