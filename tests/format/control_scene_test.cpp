// Scripts in scene files: all of them read and written back, and the one clear line for each mistake.
#include <gtest/gtest.h>

#include "sinew/io/json/scene.h"
#include "sinew/model/model.h"

namespace sinew::control_scene_test {
namespace {

const char* const everything = R"({"sinew": 1, "gravity_compensation": 0.5,
  "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]},
             {"name": "b", "position": [1, 0, 0], "mass": 1, "inertia": [1, 1, 1],
              "shapes": [{"type": "sphere", "radius": 0.1}]},
             {"name": "c", "position": [2, 0, 0], "mass": 1, "inertia": [1, 1, 1]}],
  "joints": [{"name": "h", "type": "hinge", "first": "a", "second": "b", "axis": [0, 0, 1], "coulomb": 0.3},
             {"name": "s", "type": "spherical", "first": "b", "second": "c", "axis": [1, 0, 0]}],
  "obstacles": [{"type": "plane"}],
  "forces": [{"body": "a", "force": [1, 0, 0], "signal": {"pulse": {"start": 1, "length": 0.5, "period": 2,
                                                                   "ramp": 0.1}},
              "when": {"angle": "s", "freedom": 2, "above": 0.1, "below": 0.7}},
             {"body": "a", "force": [1, 0, 0], "while": {"touch": "b"}}],
  "motors": [{"joint": "s", "torque": [1, {"sine": {"amplitude": 2}}, {"noise": {"seed": 7}}],
              "while": {"speed": "c", "below": 3}}],
  "torques": [{"joint": "h", "free": [-0.1, 0.2], "slope": [3, 4], "most": [5, 6], "free_damping": 0.2,
               "center": {"keys": [[0, 0], [1, 0.5], [3, 0]], "smooth": false, "period": 4}},
              {"joint": "s", "part": "twist", "curve": [[-1, 2], [0, 0], [1, -3]], "center": [0, 0.1, 0]}],
  "controllers": [{"joint": "h", "stiffness": 10, "damping": 1, "limit": 4,
                   "target": {"sum": [0.1, {"step": {"from": 1, "to": 2, "time": 3, "ramp": 0.5}}]}},
                  {"joint": "s", "stiffness": 10, "motion": "m", "weight": {"step": {"time": 1}}}],
  "supports": [{"at": "body", "body": "a", "share": 0.4, "point": [0, 1, 0]},
               {"at": "center", "body": "a"},
               {"at": "feet", "bodies": ["b", "c"], "weight": 0.5}],
  "targets": [{"body": "a", "stiffness": 1, "limit": 3, "smooth": true, "weight": {"sine": {}},
               "path": [{"time": 0}, {"time": 1, "position": [1, 1, 1]}]}],
  "motions": [{"name": "m", "joints": {"h": 0.2, "s": [0, 0, {"sine": {"frequency": 2}}]},
               "roots": {"a": {"path": [{"time": 0}, {"time": 1, "position": [0, 1, 0]}], "smooth": false}}}],
  "tracks": [{"motion": "m", "bodies": ["a", "b"], "stiffness": 5, "damping": 1, "turn_stiffness": 2,
              "turn_damping": 0.1, "weights": {"b": 0.5}, "weight": {"step": {"from": 1, "to": 0}}}]})";

TEST(ControlScene, reads_and_compiles_with_all_that_drives)
{
    const Result<Description> d = parseScene(everything, "all.json");
    ASSERT_TRUE(d) << d.error().text();
    EXPECT_EQ(d.value().torques[1].part, TorqueDescription::Part::twist);
    EXPECT_EQ(d.value().torques[1].curve[2].torque, -3);
    EXPECT_EQ(d.value().motions[0].joints[1].coordinate.size(), 3u);
    const Result<Model> model = compile(d.value());
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(model.value().triggers.size(), 5u);  // two of forces, one of the motor, two of feet
    EXPECT_EQ(model.value().loads.size(), 2u + 1 + 3 + 2);
    EXPECT_EQ(model.value().targets.size(), 3u);
    EXPECT_EQ(model.value().targets[2].stiffness, 2.5);
}

TEST(ControlScene, is_written_so_that_it_reads_back_the_same)
{
    const Result<Description> first = parseScene(everything, "all.json");
    ASSERT_TRUE(first) << first.error().text();
    const std::string written = writeScene(first.value());
    const Result<Description> second = parseScene(written, "written.json");
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_EQ(writeScene(second.value()), written);
    // Nothing was dropped on the way.
    for (const char* part :
         {"\"gravity_compensation\": 0.5", "\"coulomb\": 0.3", "\"ramp\": 0.1", "\"freedom\": 2",
          "\"touch\": \"b\"", "\"seed\": 7", "\"most\"", "\"free_damping\": 0.2", "\"period\": 4",
          "\"part\": \"twist\"", "\"motion\": \"m\"", "\"share\": 0.4", "\"feet\"", "\"limit\": 3",
          "\"roots\"", "\"weights\"", "\"turn_damping\": 0.1"})
        EXPECT_NE(written.find(part), std::string::npos) << part;
}

struct Mistake {
    const char* good;
    const char* bad;
    const char* pointer;
    const char* says;
};

TEST(ControlScene, mistakes_get_one_line_with_their_place)
{
    const Mistake mistakes[] = {
        {R"([[0, 0], [1, 0.5], [3, 0]])", R"([[0, 0], [4, 0.5], [3, 0]])", "/torques/0/center/keys/2/0",
         "times must rise"},
        {R"("period": 2)", R"("period": -2)", "/forces/0/signal/pulse/period", "zero or more"},
        {R"("period": 2)", R"("period": 0.2)", "/forces/0/signal/pulse/period", "shorter than the pulse"},
        {R"("ramp": 0.1})", R"("ramp": 0.4})", "/forces/0/signal/pulse/ramp", "do not fit"},
        {R"("joint": "h", "free")", R"("joint": "hh", "free")", "/torques/0/joint", "no joint 'hh'"},
        {R"("joints": {"h")", R"("joints": {"hip")", "/motions/0/joints/hip", "no joint 'hip'"},
        {R"("motion": "m", "weight")", R"("motion": "n", "weight")", "/controllers/1/motion",
         "no motion 'n'"},
        {R"("torque": [1,)", R"("torque": [1, 1,)", "/motors/0/torque", "takes 3"},
        {R"({"sine": {"amplitude": 2}})", R"({"sin": {"amplitude": 2}})", "/motors/0/torque/1/sin",
         "did you mean \"sine\""},
        {R"("seed": 7)", R"("seed": 0.5)", "/motors/0/torque/2/noise/seed", "whole number"},
        {R"("free": [-0.1, 0.2])", R"("free": [0.3, 0.2])", "/torques/0/free", "lower one first"},
        {R"("slope": [3, 4])", R"("slope": [3, -4])", "/torques/0/slope/1", "zero or more"},
        {R"("part": "twist")", R"("part": "turn")", "/torques/1/part", "swing, twist or cone?"},
        {R"("part": "twist", )", "", "/torques/1/part", "swing, twist or cone"},
        {R"([0, 0], [1, -3]])", R"([0, 0], [-2, -3]])", "/torques/1/curve/2", "angles must rise"},
        {R"("limit": 4)", R"("limit": 0)", "/controllers/0/limit", "positive"},
        {R"("stiffness": 10, "motion")", R"("stiffness": -1, "motion")", "/controllers/1/stiffness",
         "zero or more"},
        {R"("touch": "b")", R"("touch": "b", "above": 1)", "/forces/1/while", "leave above"},
        {R"("freedom": 2)", R"("freedom": 3)", "/forces/0/when/freedom", "0 to 2"},
        {R"("at": "feet")", R"("at": "hands")", "/supports/2/at", "body, center, feet"},
        {R"("bodies": ["b", "c"], "weight")", R"("bodies": [], "weight")", "/supports/2/bodies",
         "is empty"},
        {R"("weights": {"b")", R"("weights": {"x")", "/tracks/0/weights/x", "'x'"},
        {R"("gravity_compensation": 0.5)", R"("gravity_compensation": 2)", "/gravity_compensation",
         "from 0 to 1"},
        {R"("coulomb": 0.3)", R"("coulomb": -1)", "/joints/0/coulomb", "zero or more"},
        {R"("roots": {"a")", R"("roots": {"b")", "/motions/0/roots/b", "not the root"},
        {R"({"step": {"time": 1}})", R"({"step": {"time": 1}, "sine": {}})", "/controllers/1/weight",
         "one of the keys"},
    };
    for (const Mistake& mistake : mistakes) {
        std::string text = everything;
        const std::size_t at = text.find(mistake.good);
        ASSERT_NE(at, std::string::npos) << mistake.good;
        text.replace(at, std::string(mistake.good).size(), mistake.bad);
        Result<Description> d = parseScene(text, "bad.json");
        Diagnostic fault;
        if (!d) {
            fault = d.error();
        } else {
            const Result<Model> model = compile(d.value());
            ASSERT_FALSE(model) << mistake.bad;
            fault = model.error();
        }
        EXPECT_EQ(fault.pointer, mistake.pointer) << fault.message;
        EXPECT_NE(fault.message.find(mistake.says), std::string::npos) << fault.message;
        EXPECT_EQ(fault.text().find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace sinew::control_scene_test
