#include "sinew/rig/reduce.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

// Whether two unit quaternions are, as rotations, no further apart than an angle of which `sineOfHalf` is
// the sine of the half. The vector part of a* b is the sine of half the angle between them; unlike the dot
// product it is exact for small angles.
bool turnedBy(const Vec4& a, const Vec4& b, double sineOfHalf)
{
    const Vec3 apart = a[3] * b.head<3>() - b[3] * a.head<3>() - a.head<3>().cross(b.head<3>());
    return apart.squaredNorm() <= sineOfHalf * sineOfHalf;
}

// The line from one key to another. What all points on it share is computed once.
class Line {
public:
    Line(const Track& track, std::size_t from, std::size_t to)
        : start_(track.times[from]),
          span_(track.times[to] - track.times[from]),
          from_(track.values[from]),
          to_(track.values[to])
    {
        if (track.quantity != Track::Quantity::rotation) return;
        double cosineOf = from_.dot(to_);
        if (cosineOf < 0) {  // the shorter way round
            to_ = -to_;
            cosineOf = -cosineOf;
        }
        const double sineOf = (to_ - cosineOf * from_).norm();
        // Below, an even turn and a straight line differ by less than rounding.
        if (sineOf < 1e-8) return;
        turn_ = angleOf(sineOf, cosineOf);
        across_ = (to_ - cosineOf * from_) / sineOf;
    }

    Vec4 at(double time) const
    {
        const double s = (time - start_) / span_;
        if (turn_ == 0) return from_ + s * (to_ - from_);
        return cosine(s * turn_) * from_ + sine(s * turn_) * across_;
    }

private:
    double start_, span_;
    Vec4 from_, to_, across_ = Vec4::Zero();
    double turn_ = 0;
};

// Whether the keys between two are told by these two alone.
bool tellsAllBetween(const Track& track, std::size_t from, std::size_t to, double bound)
{
    const Line line(track, from, to);
    const bool turns = track.quantity == Track::Quantity::rotation;
    for (std::size_t key = from + 1; key < to; ++key) {
        const Vec4 there = line.at(track.times[key]);
        const Vec4& value = track.values[key];
        if (turns ? !turnedBy(there, value, bound) : (there - value).squaredNorm() > bound * bound)
            return false;
    }
    return true;
}

// The keys to keep of a straight track with unit quaternions, if any.
std::vector<std::size_t> keptKeys(const Track& track, double bound)
{
    std::vector<std::size_t> kept;
    const std::size_t count = track.times.size(), last = count - 1;
    for (std::size_t from = 0;; /* advances below */) {
        kept.push_back(from);
        if (from == last) break;
        // The next key always does; `reach` does, `beyond` does not (or there is nothing).
        std::size_t reach = from + 1, beyond = count;
        for (std::size_t step = 2; reach < last; step *= 2) {
            const std::size_t to = std::min(from + step, last);
            if (!tellsAllBetween(track, from, to, bound)) {
                beyond = to;
                break;
            }
            reach = to;
        }
        while (beyond - reach > 1 && beyond < count) {
            const std::size_t middle = reach + (beyond - reach) / 2;
            (tellsAllBetween(track, from, middle, bound) ? reach : beyond) = middle;
        }
        from = reach;
    }
    return kept;
}

std::vector<std::size_t> changes(const Track& track)
{
    std::vector<std::size_t> kept;
    for (std::size_t key = 0; key < track.times.size(); ++key)
        if (key == 0 || key + 1 == track.times.size() || track.values[key] != track.values[kept.back()])
            kept.push_back(key);
    return kept;
}

}  // namespace

Track reduceKeys(const Track& track, const KeyBounds& bounds)
{
    if (track.between == Track::Between::cubic || track.times.size() < 3) return track;
    std::vector<std::size_t> kept;
    if (track.between == Track::Between::step) {
        kept = changes(track);
    } else if (track.quantity == Track::Quantity::rotation) {
        Track unit = track;
        for (Vec4& value : unit.values) value.normalize();
        kept = keptKeys(unit, sine(std::min(bounds.angle, pi) / 2));
    } else {
        kept =
            keptKeys(track, track.quantity == Track::Quantity::translation ? bounds.length : bounds.scale);
    }
    Track fewer = track;
    fewer.times.clear();
    fewer.values.clear();
    for (std::size_t key : kept) {
        fewer.times.push_back(track.times[key]);
        fewer.values.push_back(track.values[key]);
    }
    return fewer;
}

Clip reduceKeys(const Clip& clip, const KeyBounds& bounds)
{
    Clip fewer{clip.name, {}};
    fewer.tracks.reserve(clip.tracks.size());
    for (const Track& track : clip.tracks) fewer.tracks.push_back(reduceKeys(track, bounds));
    return fewer;
}

}  // namespace sinew
