// sinew view: a scene, the folder of a run, or a character, in the browser.
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "sinew/apps/browser.h"
#include "sinew/apps/character_page.h"
#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/page.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/run_job.h"
#include "sinew/apps/standard_files.h"
#include "sinew/apps/text.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

// A folder below the system's temporary one, the same for the same scene, so that looking often does not
// fill the disk. Others may write there too: it must be ours alone.
Result<std::string> viewFolder(const std::string& scene)
{
    std::error_code code;
    const fs::path shared = fs::temp_directory_path(code);
    if (code) return optionError("--output", "there is no temporary folder; say where the page shall go");
    const std::string ours = shared / "sinew-view";
    ::mkdir(ours.c_str(), 0700);
    struct stat status = {};
    const bool safe = ::lstat(ours.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    if (!safe)
        return fileError(ours,
                         "cannot be made, or others may write there; say where the page shall go: -o DIR");
    const std::string stem = fs::path(scene).stem();
    return ours + "/" + (stem.empty() || stem == "." || stem == ".." ? "scene" : stem);
}

int viewRun(const RunOptions& options)
{
    if (const char* option = simulationOption(options))
        return fail(fmt::format("{}: {} is a finished run and is shown as it is; leave the option out",
                                option, options.scene));
    Result<FolderLock> lock = lockRun(options.scene);
    if (!lock) return fail(lock.error());
    Result<Page> page = writePage(options.scene, RunFiles(options.scene).page);
    if (!page) return fail(page.error());
    fmt::print("{}", pageLines(page.value()));
    return exitDone;
}

int viewCharacter(const RunOptions& options, const std::string& clip)
{
    Result<Page> page = writeCharacterPage(options.output, options.scene, clip);
    if (!page) return fail(page.error());
    fmt::print("{}", pageLines(page.value()));
    return exitDone;
}

}  // namespace

int viewScene(const ViewOptions& options)
{
    RunOptions run = options.run;
    std::error_code code;
    int exitCode = exitDone;
    std::string folder = run.scene;
    const bool character = isCharacterName(run.scene);
    if (!options.clip.empty() && !character) return fail("--clip: is for a character (.glb or .gltf)");
    RunOptions simulation = run;
    simulation.output.clear();
    if (const char* option = simulationOption(simulation); option && character)
        return fail(fmt::format("{}: {} is a character and nothing is simulated; leave the option out",
                                option, run.scene));
    if (fs::is_directory(run.scene, code)) {
        exitCode = viewRun(run);
    } else {
        if (run.output.empty()) {
            Result<std::string> place = viewFolder(run.scene);
            if (!place) return fail(place.error());
            run.output = place.value();
        }
        folder = run.output;
        exitCode = character ? viewCharacter(run, options.clip) : runScene(run);
    }
    // Who interrupts has seen enough.
    if (exitCode == exitBadInput || exitCode == exitInterrupted || !options.open) return exitCode;
    if (std::fflush(stdout) != 0) noteOutputFault(errno);
    const std::string page = RunFiles(folder).page;
    if (!openInBrowser(page))
        fmt::print(stderr, "no browser could be started; the page is at {}\n", printable(fileUrl(page)));
    return exitCode;
}

}  // namespace sinew
