// Drives a fuzz target without libFuzzer: every file of its corpus, then copies of them spoilt in ways that
// are the same each time. A crash leaves the input that did it in the folder that is given first.
//
//     fuzz_<name> FOLDER CORPUS...
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/io/json/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// There under a sanitizer alone, which ends a program without a signal.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr int mostCopies = 5000;
constexpr auto patience = std::chrono::milliseconds(700);  // for the copies; the corpus is run in any case

std::string crashFile;
std::string input;  // the present one

// Only what a signal handler may do.
void keepInput()
{
    const int file = open(crashFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) {
        [[maybe_unused]] const auto written = write(file, input.data(), input.size());
        close(file);
    }
    constexpr char note[] = "\nThe input that did it lies in ";
    [[maybe_unused]] auto told = write(STDERR_FILENO, note, sizeof note - 1);
    told = write(STDERR_FILENO, crashFile.data(), crashFile.size());
    told = write(STDERR_FILENO, "\n", 1);
}
void onSignal(int signal)
{
    keepInput();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void feed()
{
    // A block of its own of just this size, so that reading past its end is seen by the address sanitizer.
    const std::vector<std::uint8_t> bytes(input.begin(), input.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

const char* const words[] = {"0",    "-1",         "1e300", "1e-300", "nan",  "inf",
                             "-0.0", "4294967296", "{",     "}",      "[",    "]",
                             "\"",   "\\",         "<",     "/>",     "\xff", "\n\n",
                             "..",   "\t",         "1e15",  ":",      ",",    "99999999999999999999"};

// One to four changes of bytes, words and numbers.
std::string spoilt(std::string text, const std::vector<std::string>& all, sinew::Random& random)
{
    for (int edits = 1 + random.below(4); edits > 0; --edits) {
        const std::size_t at = random.bits() % (text.size() + 1);
        const std::size_t length = std::min<std::size_t>(random.bits() % 16, text.size() - at);
        const char* word = words[random.below(static_cast<int>(std::size(words)))];
        switch (random.below(7)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, word);
                break;
            case 2: {  // a number
                const std::size_t digit = text.find_first_of("0123456789", at);
                if (digit == std::string::npos) break;
                const std::size_t end = text.find_first_not_of("0123456789.-+eE", digit);
                text.replace(digit, end - digit, word);
                break;
            }
            case 3:
                if (at < text.size()) text[at] = static_cast<char>(random.bits());
                break;
            case 4:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
                break;
            case 5:
                text.insert(random.bits() % (text.size() + 1), text.substr(at, length * 8));
                break;
            default: {  // the end of another file
                const std::string& other = all[random.bits() % all.size()];
                text.resize(at);
                text += other.substr(random.bits() % (other.size() + 1));
                break;
            }
        }
    }
    return text;
}

}  // namespace

int main(int count, char** arguments)
{
    if (count < 3) return std::fprintf(stderr, "usage: %s FOLDER CORPUS...\n", arguments[0]), 2;
    crashFile = (std::filesystem::path(arguments[1]) /
                 (std::filesystem::path(arguments[0]).filename().string() + "-crash"))
                    .string();
    std::vector<std::string> files, corpus;
    for (int i = 2; i < count; ++i)
        for (const auto& entry : std::filesystem::directory_iterator(arguments[i]))
            if (entry.is_regular_file()) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files)
        if (auto text = sinew::json::readFile(file)) corpus.push_back(std::move(text.value()));
    if (corpus.empty()) return std::fprintf(stderr, "the corpus is empty\n"), 2;

    for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, onSignal);
    if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keepInput);
    for (const std::string& text : corpus) {
        input = text;
        feed();
    }
    // Each copy depends on its number alone, so that a slow machine, which makes fewer, makes the same.
    const auto end = std::chrono::steady_clock::now() + patience;
    int copy = 0;
    for (; copy < mostCopies && std::chrono::steady_clock::now() < end; ++copy) {
        sinew::Random random(static_cast<std::uint64_t>(copy));
        input = spoilt(corpus[random.bits() % corpus.size()], corpus, random);
        feed();
    }
    std::printf("%zu files, %d spoilt copies\n", corpus.size(), copy);
    return 0;
}
