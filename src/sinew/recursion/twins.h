// Twins: two limbs of one character that are alike, such as its arms, go through the passes as one, a link
// of each in a lane. Links without a twin are in both lanes, which then hold the same.
//
// Inward there is one thing to do about them: where twins hang on one link, it resists what both pass. They
// report one after the other, the second first, as they would by themselves; so the bits are the same.
// Outward the first may follow its parent at once and take over the frame at hand, where the second would
// have it from the parent's body.
#pragma once

#include <type_traits>

#include "sinew/recursion/link.h"

namespace sinew::recursion {

using Twins = Lanes<double, 2, true>;

template <class T>
inline constexpr bool areTwins = std::is_same_v<T, Twins>;

SINEW_INLINE Twins inBoth(const Twins& x, int which)
{
    return which == 0 ? Twins(__builtin_shufflevector(x.v, x.v, 0, 0))
                      : Twins(__builtin_shufflevector(x.v, x.v, 1, 1));
}
SINEW_INLINE Vector3<Twins> inBoth(const Vector3<Twins>& v, int which)
{
    return {inBoth(v.x, which), inBoth(v.y, which), inBoth(v.z, which)};
}
SINEW_INLINE Symmetric3<Twins> inBoth(const Symmetric3<Twins>& m, int which)
{
    return {inBoth(m.xx, which), inBoth(m.yy, which), inBoth(m.zz, which),
            inBoth(m.xy, which), inBoth(m.xz, which), inBoth(m.yz, which)};
}
SINEW_INLINE Resistance<Twins> inBoth(const Resistance<Twins>& r, int which)
{
    const Matrix3<Twins> G{inBoth(r.G.r0, which), inBoth(r.G.r1, which), inBoth(r.G.r2, which)};
    return {inBoth(r.M, which), inBoth(r.J, which), G, inBoth(r.f, which), inBoth(r.n, which)};
}

// The first of one and the second of the other.
SINEW_INLINE Twins withSecond(const Twins& first, const Twins& second)
{
    return Twins(__builtin_shufflevector(first.v, second.v, 0, 3));
}
SINEW_INLINE Vector3<Twins> withSecond(const Vector3<Twins>& a, const Vector3<Twins>& b)
{
    return {withSecond(a.x, b.x), withSecond(a.y, b.y), withSecond(a.z, b.z)};
}
SINEW_INLINE Matrix3<Twins> withSecond(const Matrix3<Twins>& a, const Matrix3<Twins>& b)
{
    return {withSecond(a.r0, b.r0), withSecond(a.r1, b.r1), withSecond(a.r2, b.r2)};
}

// The second reports; what the first passes is left, to go on as that of any link.
template <class F>
SINEW_INLINE void joinTwins(const F& figure, int i, Resistance<Twins>& passed)
{
    const auto& data = figure.data[i];
    const Resistance<Twins> second = inBoth(passed, 1);
    if (data.secondReportsFirst)
        figure.gathered[data.parent] = second;
    else
        figure.gathered[data.parent] += second;
    passed = inBoth(passed, 0);
}

}  // namespace sinew::recursion
