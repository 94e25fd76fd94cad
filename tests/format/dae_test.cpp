// COLLADA meshes: their forms, units and places, and what is refused.
#include <gtest/gtest.h>

#include "sinew/geometry/mass.h"
#include "sinew/io/mesh/mesh.h"

namespace sinew {
namespace {

// A cube of side 1 about (0.5, 0.5, 0.5), with normals beside the corners.
std::string daeText(const std::string& faces, const std::string& node, const std::string& unit = "1")
{
    return "<COLLADA><asset><unit meter='" + unit +
           "'/></asset>\n<library_geometries><geometry id='g'><mesh>" +
           "<source id='p'><float_array>0 0 0 1 0 0 1 1 0 0 1 0\n0 0 1 1 0 1 1 1 1 0 1 "
           "1</float_array></source>" +
           "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\n" + faces +
           "</mesh></geometry></library_geometries><library_nodes><node id='n'>"
           "<instance_geometry url='#g'/></node></library_nodes>"
           "<library_visual_scenes><visual_scene id='s'>" +
           node +
           "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
           "url='#s'/></scene></COLLADA>";
}

const std::string corner = "<input semantic='VERTEX' source='#v' offset='0'/>";
const std::string squares = "0 3 2 1 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7 4 5 6 7";
const std::string polylist =
    "<polylist>" + corner + "<vcount>4 4 4 4 4 4</vcount><p>" + squares + "</p></polylist>";
const std::string plainNode = "<node><instance_geometry url='#g'/></node>";

Inertia inertiaOf(const std::string& text)
{
    const Result<MeshFile> file = parseDae(text, "c.dae");
    EXPECT_TRUE(file) << file.error().text();
    if (!file) return {};
    const TriangleMesh& mesh = file.value().mesh;
    EXPECT_EQ(mesh.faces.size(), 12u);
    EXPECT_FALSE(closedMeshFault(mesh.vertices, mesh.faces).has_value());
    return meshInertia(mesh.vertices, mesh.faces);
}

TEST(Dae, formsOfFacesSayTheSame)
{
    std::string triangles = "<triangles>" + corner + "<input semantic='NORMAL' source='#p' offset='1'/><p>";
    std::string polygons = "<polygons>" + corner;
    for (std::size_t i = 0; i < squares.size(); i += 8) {
        const std::string a{squares[i]}, b{squares[i + 2]}, c{squares[i + 4]}, d{squares[i + 6]};
        triangles += a + " 9 " + b + " 9 " + c + " 9 " + a + " 9 " + c + " 9 " + d + " 9 ";
        polygons += "<p>" + a + " " + b + " " + c + " " + d + "</p>";
    }
    for (const std::string& faces : {polylist, triangles + "</p></triangles>", polygons + "</polygons>"}) {
        const Inertia inertia = inertiaOf(daeText(faces, plainNode));
        EXPECT_NEAR(inertia.mass, 1, 1e-12);
        EXPECT_LT((inertia.center - Vec3(0.5, 0.5, 0.5)).norm(), 1e-12);
    }
}

TEST(Dae, nodesPlaceTurnAndMirrorInMetres)
{
    const Inertia inertia = inertiaOf(
        daeText(polylist,
                "<node><translate>100 0 0</translate><rotate>0 0 1 90</rotate><node><scale>2 3 4</scale>"
                "<instance_node url='#n'/></node></node>",
                "0.01"));
    EXPECT_NEAR(inertia.mass, 24e-6, 1e-15);
    // (1, 1.5, 2) turned to (−1.5, 1, 2), in hundredths.
    EXPECT_LT((inertia.center - Vec3(0.985, 0.01, 0.02)).norm(), 1e-12);
    // What is mirrored keeps its outside.
    EXPECT_NEAR(inertiaOf(daeText(polylist,
                                  "<node><matrix>-1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix>"
                                  "<instance_geometry url='#g'/></node>"))
                    .mass,
                1, 1e-12);
    // Without a scene, the meshes by themselves.
    std::string text = daeText(polylist, plainNode);
    text.replace(text.find("<scene>"), text.find("</COLLADA>") - text.find("<scene>"), "");
    EXPECT_NEAR(inertiaOf(text).mass, 1, 1e-12);
}

TEST(Dae, refusesWhatIsWrongWithItsPlace)
{
    const auto refusal = [](const std::string& text) {
        const Result<MeshFile> file = parseDae(text, "c.dae");
        return file ? std::string("was read") : file.error().text();
    };
    const auto has = [&](const std::string& text, const char* words) {
        EXPECT_NE(refusal(text).find(words), std::string::npos) << refusal(text);
    };
    has("<mujoco/>", "c.dae:1:1: <mujoco>: is the root element; <COLLADA> is expected");
    has("<COLLADA/>", "has no triangle with an area");
    has(daeText("<polylist>" + corner + "<vcount>4</vcount><p>0 1 2</p></polylist>", plainNode),
        "is shorter than its polygons are");
    has(daeText("<polygons>" + corner + "<p>0 1 8</p></polygons>", plainNode),
        "<p>: names a vertex that is not there");
    has(daeText("<polygons><p>0 1 2</p></polygons>", plainNode), "has no positions of its corners");
    has(daeText(polylist, "<node><instance_geometry url='#x'/></node>"), "url names nothing in this file");
    has(daeText(polylist, "<node><translate>1 2</translate></node>"), "has 2 numbers; it takes 3");
    has(daeText(polylist, "<node><translate>1 2 x</translate></node>"), "\"x\" is no number");
    has(daeText(polylist, plainNode, "0"), "needs a positive meter");
    // A node that holds itself ends.
    std::string text = daeText(polylist, "<node><instance_node url='#n'/></node>");
    text.replace(text.find("<instance_geometry url='#g'/>"), 29, "<instance_node url='#n'/>");
    has(text, "has more than 100 nodes inside each other");
}

}  // namespace
}  // namespace sinew
