#include "sinew/apps/foreign_character.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "sinew/apps/child_process.h"
#include "sinew/apps/temporary_folder.h"
#include "sinew/apps/text.h"
#include "sinew/io/character_file.h"
#include "sinew/io/file_error.h"
#include "sinew/io/file_name.h"
#include "sinew/io/json/json.h"
#include "sinew/io/whole_file.h"

namespace sinew {
namespace {

constexpr std::size_t largestFile = std::size_t{1} << 30;
constexpr std::chrono::seconds patience(90);  // it ends itself after a minute of work

// Beside this program, or on the path.
Result<std::string> importer()
{
    std::error_code fault;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", fault);
    const std::string beside = (own.parent_path() / "sinew-import").string();
    const char* variable = "SINEW_IMPORT";
    if (std::getenv(variable) == nullptr && !fault && std::filesystem::exists(beside, fault)) return beside;
    const Result<std::string> found = findProgram(variable, {"sinew-import"}, "libassimp-dev");
    if (found) return found.value();
    return Diagnostic{
        "FBX is read by sinew-import, which is built where Debian's libassimp-dev is installed and was not "
        "found; "
        "save the character as glTF, or build again with it"};
}

}  // namespace

bool isForeignCharacter(const std::string& path)
{
    return fileEnding(path) == "fbx";
}

std::optional<Diagnostic> convertForeign(const std::string& input, const std::string& output)
{
    if (fileEnding(output) != "glb")
        return Diagnostic{fmt::format("{} can be made into a .glb alone, which then goes everywhere else",
                                      printable(input))};
    const Result<std::string> there = json::readFile(input, largestFile);
    if (!there) return there.error();
    const Result<std::string> program = importer();
    if (!program) return fileError(input, program.error().message);
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    const std::string path = folder.value().path();
    ChildCommand command;
    command.program = program.value();
    command.arguments = {std::filesystem::absolute(input).string(), path + "/out.glb"};
    command.log = path + "/log";
    command.temporary = path;
    Result<ChildProcess> child = ChildProcess::start(command);
    if (!child) return child.error();
    child.value().closeInput();
    const Wait end = child.value().finish(ChildProcess::Clock::now() + patience);
    if (end == Wait::late) return fileError(input, "takes Assimp more than a minute; nothing was written");
    if (end == Wait::interrupted) return fileError(input, "was interrupted; nothing was written");
    if (end != Wait::done)
        return fileError(input, "cannot be read by Assimp: " + printable(child.value().obituary()));
    const Result<CharacterFile> character = readCharacter(path + "/out.glb");
    if (!character)
        return fileError(input, "is no character as Assimp reads it: " + character.error().message);
    const Result<std::string> bytes = json::readFile(path + "/out.glb", largestFile);
    if (!bytes) return bytes.error();
    if (const std::string fault = writeWhole(output, bytes.value()); !fault.empty())
        return Diagnostic{fault};
    return {};
}

}  // namespace sinew
