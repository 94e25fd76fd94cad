// Places of contact that a step must not miss: found by random scenes, shrunk to what they need.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sinew/collision/detect.h"
#include "sinew/io/json/scene.h"
#include "sinew/simulation/simulation.h"

namespace sinew {
namespace {

struct Touched {
    double deepest = 0;     // m, found afresh after each step
    double energyGain = 0;  // J
    double iterations = 0;  // a step
};

Touched runOf(const char* scene)
{
    Touched outcome;
    Result<Description> d = parseScene(scene, "test");
    EXPECT_TRUE(d) << d.error().text();
    Result<Simulation> created = Simulation::create(d.value(), {});
    EXPECT_TRUE(created) << created.error().text();
    Simulation& s = created.value();
    const double start = energy(s.model(), s.state).total();
    const int steps = static_cast<int>(std::round(*d.value().run.duration / s.h));
    Collisions collisions;
    std::vector<Contact> found;
    long iterations = 0;
    for (int i = 0; i < steps; ++i) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        if (!report.ok) break;
        iterations += report.statistics.newtonIterations;
        outcome.energyGain = std::max(outcome.energyGain, energy(s.model(), s.state).total() - start);
        collisions.detect(s.model(), s.state, 1e-9, found);
        for (const Contact& contact : found) outcome.deepest = std::max(outcome.deepest, -contact.gap);
    }
    outcome.iterations = static_cast<double>(iterations) / steps;
    std::printf("%.2g m deep, %.2g J gained, %.1f iterations a step\n", outcome.deepest, outcome.energyGain,
                outcome.iterations);
    return outcome;
}

// A rod of 6 by 92 by 3 mm that comes down on an edge: a corner above another one was taken for it, since
// it is farther from the rest by a hair.
TEST(Touch, rod_that_lands_on_an_edge_does_not_sink_in)
{
    const Touched rod =
        runOf(R"({"sinew": 1, "gravity": [0.0012106618873265647, -0.667022475114493, -0.044385173292204434],
"bodies": [{"name": "b1", "position": [-0.15903264581209886, 0.15368634216557717,
-0.03241301945025102], "orientation": [0.43588878404963183, 0.12325022279707863,
0.47886575785961966, 0.7519959683866237], "mass": 0.036565135240118805, "shapes": [{"type": "box",
"size": [0.005909521395875528, 0.09242843250461955, 0.0030649378487751415]}], "friction":
0.24153873585363683}], "obstacles": [{"name": "ground", "type": "plane", "normal":
[-0.0018110161093825498, 0.9977917537489341, 0.06639530383451804]}], "contact": {"friction":
0.4422016631984217}, "run": {"step": 0.004166666666666667, "duration": 1}})");
    EXPECT_LT(rod.deepest, 0.01 * 0.003);
}

// A box that leans on a rod with an edge along it: they touch now here, now there, and must be held at
// both.
TEST(Touch, edge_along_a_capsule_does_not_sink_in)
{
    const Touched box = runOf(
        R"({"sinew": 1, "gravity": [-0.5730661036946058, -9.74992194449973, 0.9201724387085811], "bodies":
[{"name": "b2", "position": [-0.7195133421847068, 0.9835166777342251, 1.8834871662297672],
"orientation": [-0.06541389760489835, -0.18260353527512158, -0.871487034832101, 0.4504301488851694],
"mass": 0.675340230714807, "shapes": [{"type": "capsule", "radius": 0.05725287207632632, "length":
3.6116226031575738}]}, {"name": "b4", "position": [0.0045570074219236254, 1.4420252899274184,
-0.14358327963590858], "orientation": [-0.012574229811262369, -0.3754468271916662,
0.005741073823168168, 0.9267408530801488], "mass": 0.1426074751369429, "shapes": [{"type": "box",
"size": [0.8236773116452788, 1.7020474963598864, 0.7049124074224093]}]}], "joints": [{"name": "j0",
"type": "hinge", "first": "b2", "second": "world", "position": [0.7876640049053449,
0.0006809088060170056, 2.366662507996193], "axis": [-0.05048554784085546, 0.3772020102882164,
0.9247539418103266]}], "obstacles": [{"name": "ground", "type": "plane", "normal":
[0.05960187625449332, 0.9981936661026979, -0.007551244890745833]}], "contact": {"friction": 0},
"run": {"step": 0.016666666666666666, "duration": 2.85}})");
    EXPECT_LT(box.deepest, 0.02 * 0.114);  // the bound of the random scenes; it was four times as deep
}

// Boxes that bounce off each other: a collision cuts the step, and what is inside by rounding must not come
// out within a part of a microsecond.
TEST(Touch, boxes_that_bounce_gain_no_energy)
{
    const Touched boxes = runOf(
        R"({"sinew": 1, "gravity": [3.493465368204935, -7.51529187604625, 5.249017788023394], "bodies":
[{"name": "b0", "position": [5.650274414104215, 9.711981337521538, 0.6499834794959252],
"orientation": [-0.5535398892539455, -0.22805267711468608, -0.5719681845776508, 0.5607476823817474],
"mass": 0.008023829720832461, "shapes": [{"type": "box", "size": [0.2259895630006018,
0.137261447829041, 0.15994184454814483]}]}, {"name": "b1", "position": [5.743356052389171,
9.65354837611782, 0.604136897971699], "orientation": [-0.5744714250205533, -0.2487921609052592,
-0.5509415531607491, 0.5518590830164599], "mass": 0.014060288014873109, "shapes": [{"type": "box",
"size": [0.2259895630006018, 0.09337343528756462, 0.21845249164620653]}]}, {"name": "b2",
"position": [5.845353303992866, 9.640781081523997, 0.5497626042429702], "orientation":
[-0.45351010018463733, -0.13414581472814452, -0.6541273593076841, 0.5902972871584271], "mass":
0.0004068851579321185, "shapes": [{"type": "box", "size": [0.2259895630006018, 0.13494452019958234,
0.16869673635968355]}]}, {"name": "b3", "position": [5.9663849223389, 9.6054539588432,
0.5051477559439959], "orientation": [-0.41317079556993735, -0.09824517090685037,
-0.6803263237979468, 0.5973222524141889], "mass": 0.0009280322924172772, "shapes": [{"type": "box",
"size": [0.2259895630006018, 0.13243098818805776, 0.21001249073397446]}]}, {"name": "b4",
"position": [6.092306729644499, 9.548732336635297, 0.47715663130987607], "orientation":
[-0.4263327538533537, -0.1098513856628465, -0.6721565265294532, 0.595297119011699], "mass":
0.013549578637689132, "shapes": [{"type": "box", "size": [0.2259895630006018, 0.14315055580508418,
0.20316045354925433]}]}], "obstacles": [{"name": "ground", "type": "plane", "normal":
[-0.3561126776967314, 0.766084798781473, -0.5350680721736385], "position": [5.593376142383367,
9.44542621986961, 0.9079863134065971]}], "contact": {"friction": 0, "restitution":
0.7557387157591942}, "run": {"step": 0.004166666666666667, "duration": 0.4083333333333333}})");
    EXPECT_LT(boxes.energyGain, 1e-9);  // of 1.8 J
}

// Many blows in a step.
TEST(Touch, boxes_that_tumble_and_bounce_take_few_iterations)
{
    const Touched boxes =
        runOf(R"({"sinew": 1, "gravity": [0, -59.07988471302359, 0], "bodies": [{"name": "b2", "position":
[1.9485533495025242, 4.540892791261849, 0.09105494913383705], "orientation": [0.32422993892903007,
-0.5279316580917326, -0.40905743893866886, 0.6699515823815393], "mass": 0.6621688768100017,
"shapes": [{"type": "box", "size": [3.257170574480498, 2.357824312909024, 2.79582003222986]}]},
{"name": "b3", "position": [2.230125517479414, 5.9731406979897, 2.0726974377890217], "orientation":
[0.3560905077432844, -0.4723175506161818, -0.38164458851674465, 0.7102556509672734], "mass":
0.2698969736241776, "shapes": [{"type": "box", "size": [3.257170574480498, 2.495233957023774,
2.577948864291669]}]}, {"name": "b4", "position": [3.161914574976321, 7.05706322261366,
4.0066471245908755], "orientation": [0.3304626226491182, -0.5175993733163858, -0.4040389791602438,
0.6779659630788991], "mass": 1.1615158829521741, "shapes": [{"type": "box", "size":
[3.257170574480498, 2.2257108884261627, 2.897531375952494]}]}, {"name": "b6", "position":
[-0.9741278520889973, 2.6165137195674006, -0.20500733671609672], "orientation": [0.7521094151078,
-0.44024493507973655, -0.4006175031842744, -0.2828806126005092], "mass": 1.5082961082843465,
"shapes": [{"type": "capsule", "radius": 0.14149454947995904, "length": 2.058361058544097}]},
{"name": "b7", "position": [-0.273436719783487, 1.4692221434493713, 0.26817161869986555],
"orientation": [0.4191265479058792, -0.6685795170097041, -0.19578881221991615, 0.5822380160081321],
"mass": 0.14044701213681798, "shapes": [{"type": "cylinder", "radius": 0.6799176042636141, "length":
3.045931474679104}]}], "obstacles": [{"name": "ground", "type": "plane"}], "contact": {"friction":
0, "restitution": 0.6766229921933571}, "run": {"step": 0.016666666666666666, "duration":
0.7833333333333333}})");
    EXPECT_LT(boxes.energyGain, 1e-6);  // of 1 kJ
    EXPECT_LT(boxes.iterations, 50);
}

}  // namespace
}  // namespace sinew
