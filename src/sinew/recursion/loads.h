// Inward: what joints carry, once all links are accelerated. Newton and Euler's laws for each body, and for
// all beyond a joint their sum:
//
//     f = m a_c − F + Σ f_s        n = J_c α + ω × J_c ω − T + Σ (n_s + d × f_s)
//
// f and n are what the joint exerts on its link, at the centre of mass, d leads from there to that of the
// son s; world axes.
#pragma once

#include "sinew/recursion/accelerations.h"

namespace sinew::recursion {

// `loads` has room for a wrench per link.
template <class T, class F, class Loads>
void carry(const F& figure, Loads&& loads)
{
    for (int i = figure.first; i < figure.count; ++i) {
        const LinkData<T>& data = figure.data[i];
        const Acceleration<T> all = bodyAcceleration<T>(figure, i);
        const Wrench<T> push = figure.given.onBody(i, data.mass);
        const Turning<T> own = Turning<T>::of(read(figure.bodies[i]));
        const Matrix3<T>& R = own.R;
        // About the centre: what data.inertia has more is the mass at `center`.
        const Vector3<T> c = R * data.center;
        const auto J = [&](const Vector3<T>& w) {
            return R * (data.inertia * transposeTimes(R, w)) - data.mass * cross(c, cross(w, c));
        };
        loads[i] = {data.mass * all.linear - push.force,
                    J(all.angular) + cross(own.w, J(own.w)) - push.torque};
    }
    for (int i = figure.count - 1; i >= figure.first; --i) {
        const LinkData<T>& data = figure.data[i];
        if (data.parent < 0) continue;
        // Centre to centre: back to the parent's O, along the arm, and to the centre of this one.
        const Vector3<T> d =
            figure.links[i].l -
            read(figure.bodies[data.parent]).orientation * figure.data[data.parent].center +
            read(figure.bodies[i]).orientation * data.center;
        loads[data.parent].force += loads[i].force;
        loads[data.parent].torque += loads[i].torque + cross(d, loads[i].force);
    }
}

}  // namespace sinew::recursion
