// Sine, cosine and the angle of a vector by additions, multiplications, divisions and roundings alone,
// which IEEE 754 fixes to the last bit. The C libraries differ among each other in the last place, and a
// motion would not be the same in a browser as on the machine that made it.
#pragma once

namespace sinew {

// Within one unit in the last place for |x| < 10⁶; beyond, the C library answers.
double sine(double x);
double cosine(double x);
// Both, to the same bits, for little more than one.
struct SineCosine {
    double sine, cosine;
};
SineCosine sineAndCosine(double x);

// atan2(y, x) within two units in the last place.
double angleOf(double y, double x);

}  // namespace sinew
