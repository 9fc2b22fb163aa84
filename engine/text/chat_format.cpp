// The format of a chat from a chat template: what the template writes around words that are not known
// (chat_shape.h) is taken apart into marks around turns, and then held against what chat_parts() writes of
// these marks, for many orders of turns. What differs is no format.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/json_read.h"
#include "engine/base/utf8.h"
#include "engine/text/chat.h"
#include "engine/text/chat_shape.h"

namespace speclens {
namespace {

using Answers = ChatFormat::Answers;
using Place = ChatFormat::SystemPlace;
using Think = ChatFormat::Think;

constexpr std::size_t kLargest = 16 << 20;
constexpr std::size_t kLargestTemplate = 1 << 20;
constexpr const char* kChatRemedy = "Delete the file or download it again; tokenizer.json is enough.";

// The field is a string, or a list of named ones.
std::optional<std::string> template_in(const Json& config) {
    const auto found = config.find("chat_template");
    if (found == config.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    if (!found->is_array()) return {};
    for (const Json& entry : *found)
        if (entry.is_object() && entry.value("name", Json()) == "default" && entry.contains("template") && entry["template"].is_string())
            return entry["template"].get<std::string>();
    return {};
}

// How a token is spelled: a string, or an object with its content. Nothing where the model names none.
std::optional<std::string> token_in(const Json& config, const char* field) {
    Json token = config.value(field, Json());
    if (token.is_object()) token = token.value("content", Json());
    return token.is_string() && token != "" ? std::optional(token.get<std::string>()) : std::nullopt;
}

// ---- the questions: orders of turns, each letter one, with answers of several kinds ----

enum class Said { plain, thought, thought_twice, thought_unopened, thought_empty, by_a_tool, thought_for_a_tool };

std::vector<AskedTurn> turns_of(std::string_view order, Said said) {
    std::vector<AskedTurn> turns;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const int at = static_cast<int>(i);
        AskedTurn turn{order[i] == 's' ? "system" : order[i] == 'u' ? "user" : "assistant", {}};
        const auto mark = [&](const char* text) { turn.content.push_back({.text = text}); };
        const Written words{.words = at}, thought{.words = at, .which = 1, .some = true};
        const bool answer = order[i] == 'a', asked = order[i] == 'u' && i > 0;
        const bool tool = asked && (said == Said::by_a_tool || said == Said::thought_for_a_tool);
        if (tool) mark("<tool_response>");
        const bool opens = said == Said::thought || said == Said::thought_twice || said == Said::thought_for_a_tool;
        if (answer && opens) mark("<think>");
        if (answer && said == Said::thought_empty) mark("<think>\n\n</think>\n\n");
        if (answer && (opens || said == Said::thought_unopened)) {
            turn.content.push_back(thought);
            mark("</think>");
        }
        if (answer && said == Said::thought_twice) {
            turn.content.push_back({.words = at, .which = 2});
            mark("</think>");
        }
        turn.content.push_back(words);
        if (tool) mark("</tool_response>");
        turns.push_back(std::move(turn));
    }
    return turns;
}

// Words of several kinds: with and without blanks around them, blanks only, none.
constexpr int kFills = 5;
std::string words_of(int turn, int which, bool some, int fill) {
    const std::string word(1, static_cast<char>('A' + 3 * turn + which));
    if (fill == 4) fill = turn % 2 == 0 ? 2 : 1; // by turns
    if (fill == 1) return "\n\xC2\xA0 " + word + " \n" + word + "\n\n";
    if (fill == 2) return some ? "\n" + word : "";
    if (fill == 3) return some ? word + "\n" : " \n\n";
    return word;
}

std::string spelled(const std::vector<Written>& text, int fill) {
    std::string out;
    for (const Written& part : text) {
        if (part.words >= 0) {
            out += words_of(part.words, part.which, part.some, fill);
        } else if (part.inside.empty()) {
            out += part.text;
        } else {
            std::string inside = spelled(part.inside, fill);
            const auto is_blank = [&](char c) { return part.blanks.find(c) != std::string::npos; };
            if (part.blanks.empty()) {
                const std::string_view both = stripped(inside);
                const auto begin = both.empty() ? 0 : static_cast<std::size_t>(both.data() - inside.data());
                if (both.empty()) inside.clear();
                if (part.right) inside.resize(std::min(inside.size(), begin + both.size()));
                if (part.left) inside.erase(0, begin);
            } else {
                while (part.left && !inside.empty() && is_blank(inside.front())) inside.erase(0, 1);
                while (part.right && !inside.empty() && is_blank(inside.back())) inside.pop_back();
            }
            out += inside;
        }
    }
    return out;
}

// ---- taking the written apart ----

// One turn's words and what stands around them.
struct Around {
    std::string before, after;
    bool trimmed = false;
};

// A text as one line of literals and words, with which of the words lose the blanks around them.
struct Flat {
    struct Part {
        std::string text;
        int words = -1;
        bool trimmed = false;
        int during = Written::kBefore;
    };
    std::vector<Part> parts;

    void add(const std::vector<Written>& text, bool trimmed, int during) {
        for (const Written& part : text) {
            const int now = during == kOutermost ? part.during : during;
            if (!part.inside.empty()) {
                add(part.inside, trimmed || (part.blanks.empty() && (part.left || part.right)), now);
            } else if (part.words < 0 && !parts.empty() && parts.back().words < 0 && parts.back().during == now) {
                parts.back().text += part.text;
            } else {
                parts.push_back({part.text, part.words, trimmed, now});
            }
        }
    }
    explicit Flat(const std::vector<Written>& text) { add(text, false, kOutermost); }
    // All literals in [from, to).
    [[nodiscard]] std::string literals(std::size_t from, std::size_t to) const {
        std::string out;
        for (std::size_t i = from; i < to; ++i) out += parts[i].text;
        return out;
    }
    // Where the words of a turn are; npos: nowhere, or more than once.
    [[nodiscard]] std::size_t place(int turn) const {
        const auto first = std::ranges::find(parts, turn, &Part::words);
        if (first == parts.end() || std::ranges::count(parts, turn, &Part::words) != 1) return npos;
        return static_cast<std::size_t>(first - parts.begin());
    }
    // A turn that is written in its own round of the loop, alone.
    [[nodiscard]] std::optional<Around> around(int turn) const {
        const std::size_t at = place(turn);
        if (at == npos || parts[at].during != turn) return {};
        const auto mine = [&](std::size_t i) { return i < parts.size() && parts[i].during == turn; };
        std::size_t begin = at, end = at + 1;
        while (begin > 0 && mine(begin - 1) && parts[begin - 1].words < 0) --begin;
        while (mine(end) && parts[end].words < 0) ++end;
        return Around{literals(begin, at), literals(at + 1, end), parts[at].trimmed};
    }
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  private:
    static constexpr int kOutermost = -3;
};

// Why the template is no format: the words of a problem.
struct Refusal {
    std::string why;
};
constexpr const char* kTurns = "how it writes a turn cannot be told from it";
constexpr const char* kSystem = "its system turn cannot be told from it";
constexpr const char* kOpening = "how it opens an answer cannot be told from it";

class FormatReader {
  public:
    FormatReader(const ChatTemplate& chat_template, std::string_view text, const std::optional<std::string>& bos,
                 const std::optional<std::string>& eos)
        : template_(&chat_template), text_(text), bos_(bos), eos_(eos) {}

    ChatFormat read() {
        const Flat whole(walk("uauau", false).written);
        read_marks(whole);
        read_opening(whole, Flat(walk("uauau", true).written));
        read_system(whole);
        fit();
        return format_;
    }

  private:
    [[nodiscard]] ChatWalk walk(std::string_view order, bool thinking, Said said = Said::plain) const {
        ChatWalk walk = walk_chat(*template_, {turns_of(order, said), thinking, bos_, eos_});
        if (!walk.unknown.empty()) {
            const int during = walk.unknown_during;
            throw Refusal{std::string(during == Written::kBefore  ? kSystem
                                      : during == Written::kAfter ? kOpening
                                                                  : kTurns) +
                          ": " + walk.unknown};
        }
        return walk;
    }

    // Of the turns in the middle: the first and the last may be written in another way.
    void read_marks(const Flat& whole) {
        const auto user = whole.around(2), answer = whole.around(3);
        if (!user || !answer) throw Refusal{std::string(kTurns) + ": what is said is not written once"};
        format_.user = {user->before, user->after, user->trimmed};
        format_.assistant = {answer->before, answer->after, answer->trimmed};
    }

    // Behind the last user's turn.
    [[nodiscard]] std::string opened(const Flat& whole) const {
        const std::size_t at = whole.place(4);
        const std::string behind = at == Flat::npos ? "" : whole.literals(at + 1, whole.parts.size());
        if (at == Flat::npos || !behind.starts_with(format_.user.after))
            throw Refusal{std::string(kTurns) + ": the last one is written in another way"};
        return behind.substr(format_.user.after.size());
    }
    void read_opening(const Flat& silent, const Flat& thinking) {
        static constexpr std::string_view kThought = "<think>\n", kClosed = "<think>\n\n</think>\n\n";
        std::string without = opened(silent), with = opened(thinking);
        const bool same = without == with;
        const auto take = [](std::string& text, std::string_view end) {
            if (!text.ends_with(end)) return false;
            text.resize(text.size() - end.size());
            return true;
        };
        if (same && take(without, kClosed)) {
            format_.think = Think::closed;
        } else if (same) {
            format_.think = take(without, kThought) ? Think::always : Think::never;
        } else if (take(without, kClosed)) {
            format_.think = without == with ? Think::asked : Think::either;
            if (without != with && (!take(with, kThought) || without != with)) throw Refusal{kOpening};
        } else {
            throw Refusal{kOpening};
        }
        if (without.find("think>") != std::string::npos) throw Refusal{kOpening};
        format_.opening = without;
    }

    void read_system(const Flat& whole) {
        const std::size_t first = whole.place(0);
        std::string begin = first == Flat::npos ? "" : whole.literals(0, first);
        if (first == Flat::npos || !take_end(begin, format_.user.before))
            throw Refusal{std::string(kSystem) + ": the first turn is written in another way"};
        const ChatWalk asked = walk("suau", false);
        const Flat flat(asked.written);
        const std::size_t system = asked.raised ? Flat::npos : flat.place(0);
        const std::size_t user = flat.place(1), last = flat.place(3);
        if (system == Flat::npos || user == Flat::npos || last == Flat::npos) {
            format_.begin = begin;
            format_.system_place = Place::nowhere;
            format_.system = {"", ""};
            return;
        }
        if (system > user) { // Mistral's later templates
            format_.system_place = Place::last_user;
            const std::size_t answer = flat.place(2);
            if (answer == Flat::npos || answer > system) throw Refusal{kSystem};
            std::string before = flat.literals(answer + 1, system);
            if (!take_start(before, format_.assistant.after) || !take_start(before, format_.user.before)) throw Refusal{kSystem};
            format_.system = {before, flat.literals(system + 1, last), flat.parts[system].trimmed};
            format_.begin = begin;
            return;
        }
        std::string before = flat.literals(0, system), between = flat.literals(system + 1, user);
        if (take_end(between, format_.user.before)) {
            read_own_system(begin, before, between);
        } else {
            format_.system_place = Place::first_user;
            if (!take_start(before, begin + format_.user.before)) throw Refusal{kSystem};
            format_.begin = begin;
            format_.system = {before, between, false};
        }
        const bool trimmed = flat.parts[system].trimmed && system_is_trimmed(asked.written);
        format_.system.trimmed = trimmed;
        for (ChatFormat& format : begun_) format.system.trimmed = trimmed;
    }
    // A turn of its own: `without` is what stands before the first user's turn where no system turn is given,
    // `before` and `after` are around a given one. Where both begin with the bos_token, it may be of all
    // chats or of the system turn.
    void read_own_system(const std::string& without, const std::string& before, const std::string& after) {
        format_.system = {before, after, false};
        const auto begins = [&](const std::string& begin) {
            std::string given = before, own = without;
            if (!take_start(given, begin) || !take_start(own, begin)) return;
            ChatFormat format = format_;
            format.begin = begin;
            format.system.before = given;
            if (!own.empty()) {
                if (!take_start(own, given) || !take_end(own, after)) return;
                format.default_system = own;
                format.always_system = own.empty();
            }
            begun_.push_back(std::move(format));
        };
        if (bos_) begins(*bos_);
        begins("");
        if (!without.empty()) begins(without);
        if (begun_.empty()) throw Refusal{kSystem};
    }
    // Blanks may be taken away around a whole user's turn with the system's words in it.
    [[nodiscard]] static bool system_is_trimmed(const std::vector<Written>& written) {
        const auto alone = [](const Written& part) { return part.inside.size() == 1 && part.inside[0].words == 0; };
        return std::ranges::any_of(written, [&](const Written& part) { return alone(part) || std::ranges::any_of(part.inside, alone); });
    }
    static bool take_end(std::string& text, const std::string& end) {
        if (!text.ends_with(end)) return false;
        text.resize(text.size() - end.size());
        return true;
    }
    static bool take_start(std::string& text, const std::string& start) {
        if (!text.starts_with(start)) return false;
        text.erase(0, start.size());
        return true;
    }

    // ---- what the format writes against what the template writes ----

    struct Asked {
        std::string_view order;
        bool thinking;
        Said said;
        ChatWalk walk;
    };
    // Whether the format writes what the template does, or refuses to, for all that was asked.
    [[nodiscard]] static bool fits(const ChatFormat& format, const std::vector<Asked>& all) {
        return std::ranges::all_of(all, [&](const Asked& one) { return fits(format, one); });
    }
    [[nodiscard]] static bool fits(const ChatFormat& format, const Asked& one) {
        for (int fill = 0; fill < kFills; ++fill) {
            std::vector<ChatTurn> turns;
            for (const AskedTurn& turn : turns_of(one.order, one.said)) turns.push_back({turn.role, spelled(turn.content, fill)});
            try {
                const std::string ours = chat_prompt(turns, one.thinking, format);
                if (one.walk.raised || ours != spelled(one.walk.written, fill)) return false;
            } catch (const Error&) { // refused, which is never wrong
                return true;
            }
        }
        return true;
    }
    // Finds what is taken of turns in other orders and of thoughts, as much as can be.
    void fit() {
        // clang-format off
        static constexpr std::array kOrders = {
            "u",    "su",   "uau",  "suau", "uauau", "suauau", "s",     "a",     "uu",  "ua",   "us",
            "ss",   "sa",   "au",   "aa",   "as",    "sus",    "suu",   "sua",   "sau", "uus",  "uua",
            "usu",  "uaa",  "uas",  "uuu",  "aua",   "auu",    "usa",   "saa",   "ssu", "uuau", "uauu",
            "usau", "uasu", "uaua", "suas", "suua",  "saua",   "suusu", "uauaua"};
        // clang-format on
        // A template that does not spell them asks for neither.
        const bool asks = text_.find("enable_thinking") != std::string_view::npos;
        const bool thinks = text_.find("think>") != std::string_view::npos;
        std::vector<Asked> plain, all;
        for (const bool thinking : {false, true})
            for (const char* order : kOrders) {
                if (thinking && !asks) break;
                const std::string_view name = order;
                plain.push_back({name, thinking, Said::plain, walk(name, thinking)});
                if (name.size() > 3 || !thinks) continue;
                for (const Said said : {Said::thought, Said::thought_twice, Said::thought_unopened, Said::thought_empty, Said::by_a_tool,
                                        Said::thought_for_a_tool})
                    if (name.find(said == Said::by_a_tool ? 'u' : 'a') != std::string_view::npos)
                        all.push_back({name, thinking, said, walk(name, thinking, said)});
            }
        all.insert(all.begin(), plain.begin(), plain.end());

        std::optional<ChatFormat> best;
        int best_takes = -1;
        if (begun_.empty()) begun_.push_back(format_);
        static constexpr std::array kAnswers = {Answers::as_think, Answers::kept, Answers::said, Answers::said_flush,
                                                Answers::always_flush};
        for (std::size_t i = 0; i < begun_.size() * kAnswers.size(); ++i) {
            const Answers answers = kAnswers[i % kAnswers.size()];
            ChatFormat format = begun_[i / kAnswers.size()];
            format.answers = answers;
            format.alternates = true;
            format.later_system = format.ends_answered = false;
            if (!fits(format, all)) continue;
            int takes = 0;
            const auto loosen = [&](auto change) {
                ChatFormat looser = format;
                change(looser);
                if (!fits(looser, all)) return;
                format = looser;
                ++takes;
            };
            loosen([](ChatFormat& f) { f.alternates = false; });
            loosen([](ChatFormat& f) { f.ends_answered = true; });
            loosen([](ChatFormat& f) { f.later_system = true; });
            if (takes > best_takes) best = format, best_takes = takes;
        }
        if (!best) throw Refusal{std::string(kTurns) + ": turns in the middle and at the ends differ"};
        format_ = *best;
    }

    const ChatTemplate* template_;
    std::string_view text_; // the same
    std::optional<std::string> bos_, eos_;
    ChatFormat format_;
    std::vector<ChatFormat> begun_; // ways to read the same beginning
};

} // namespace

ChatFormat chat_format_of(const std::optional<std::string>& chat_template, const std::string& file, const Tokenizer& tokenizer,
                          const std::optional<std::string>& bos, const std::optional<std::string>& eos) {
    const auto refused = [](const std::string& problem) {
        ChatFormat format{"", Think::never};
        format.problem = valid_utf8(problem.substr(0, 400)); // it quotes the template
        return format;
    };
    if (!chat_template) return refused(file + ": there is no chat template, so how this model writes a chat is not known");
    const auto refuse = [&](const std::string& why, const std::string& marks) {
        return refused(file + ": the chat template is of a kind that is not supported: " + why +
                       (marks.empty() ? "" : "; it writes " + marks));
    };
    if (bos && tokenizer.id_of(*bos) < 0) return refused(file + ": the model has no token " + *bos + ", which is its bos_token");
    if (chat_template->size() > kLargestTemplate) return refuse("it is larger than 1 MB", "");
    const ChatTemplate tree = parse_chat_template(*chat_template);
    if (!tree.problem.empty()) return refuse(tree.problem, "");
    try {
        return FormatReader(tree, *chat_template, bos, eos).read();
    } catch (const Refusal& refusal) {
        return refuse(refusal.why, marks_of(tree.nodes));
    }
}

ChatFormat read_chat_format(const std::filesystem::path& folder, const Tokenizer& tokenizer) {
    std::error_code failure;
    const auto file = folder / "tokenizer_config.json", own = folder / "chat_template.jinja";
    Json config = Json::object();
    if (std::filesystem::exists(file, failure)) config = parse_json_object(read_text_file(file, kLargest), short_name(file), kChatRemedy);
    const auto bos = token_in(config, "bos_token"), eos = token_in(config, "eos_token");
    if (std::filesystem::exists(own, failure)) return chat_format_of(read_text_file(own, kLargest), short_name(own), tokenizer, bos, eos);
    const bool configured = std::filesystem::exists(file, failure);
    const std::string name = configured ? short_name(file) : folder.filename().string();
    return chat_format_of(template_in(config), name, tokenizer, bos, eos);
}

} // namespace speclens
