// Vectors and quaternions, from Sinew's to Bullet's and back.
#pragma once

#include <LinearMath/btTransform.h>

#include "sinew/math/spatial.h"

namespace sinew::bench {

inline btVector3 toBullet(const Vec3& v)
{
    return {v.x(), v.y(), v.z()};
}
inline btQuaternion toBullet(const Quat& q)
{
    return {q.x(), q.y(), q.z(), q.w()};
}
inline btTransform toBullet(const Pose& pose)
{
    return btTransform(toBullet(pose.orientation), toBullet(pose.position));
}
inline Vec3 fromBullet(const btVector3& v)
{
    return {v.x(), v.y(), v.z()};
}
inline Quat fromBullet(const btQuaternion& q)
{
    return {q.w(), q.x(), q.y(), q.z()};
}

}  // namespace sinew::bench
