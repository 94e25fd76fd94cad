#include "sinew/model/model.h"
#include "sinew/model/balance.h"
#include "sinew/model/fields.h"
#include "sinew/model/link.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/model/wish.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(Joint)
SINEW_DEFINE_SPECIAL_MEMBERS(Collider)
SINEW_DEFINE_SPECIAL_MEMBERS(Target)
SINEW_DEFINE_SPECIAL_MEMBERS(JointDrives)
SINEW_DEFINE_SPECIAL_MEMBERS(KinematicMotion)
SINEW_DEFINE_SPECIAL_MEMBERS(Prescription)
SINEW_DEFINE_SPECIAL_MEMBERS(LoopJoint)
SINEW_DEFINE_SPECIAL_MEMBERS(Model)

}  // namespace sinew
