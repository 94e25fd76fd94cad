#include "support/polyhedron_agreement.h"

namespace sinew {
namespace {

TEST(PolyhedronAgreement, tests_and_distance_agree_on_10000_pairs)
{
    expectAgreement(10000, 50, 11);
}

}  // namespace
}  // namespace sinew
