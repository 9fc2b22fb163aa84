#include "engine/text/chat_template.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/base/values.h"
#include "engine/text/template_tags.h"

namespace speclens {
namespace {

using Expression = TemplateExpression;
using Node = TemplateNode;
using Tag = TemplateTag;

constexpr int kDeepest = 64;             // brackets within brackets, branches within branches
constexpr std::size_t kMostWords = 1000; // of one expression

void add_utf8(std::string& out, std::uint32_t c) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        tail(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | (c >> 12));
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        tail(12), tail(6), tail(0);
    }
}

// A string literal without its quotes, its escapes read as Jinja reads them, which is as Python does.
std::string decoded(std::string_view literal) {
    static constexpr std::string_view kLetters = "abfnrtv\\'\"", kMean = "\a\b\f\n\r\t\v\\'\"";
    std::string out;
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (literal[i] != '\\' || i + 1 == literal.size()) {
            out += literal[i];
            continue;
        }
        const char c = literal[++i];
        const auto number = [&](std::size_t from, std::size_t most, int base) { // bytes read
            std::uint32_t value = 0;
            const char* begin = literal.data() + from;
            const auto read = std::from_chars(begin, begin + std::min(most, literal.size() - from), value, base);
            const auto length = static_cast<std::size_t>(read.ptr - begin);
            if (read.ec != std::errc() || (base == 16 && length != most) || value > 0x10FFFF) return std::size_t{0};
            add_utf8(out, value);
            return length;
        };
        if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
            out += kMean[at];
        } else if (c == '\n') { // a line that goes on
        } else if (c == 'x' || c == 'u' || c == 'U') {
            const std::size_t length = number(i + 1, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
            if (length == 0) (out += '\\') += c;
            i += length;
        } else if (c >= '0' && c <= '7') {
            i += number(i, 3, 8) - 1;
        } else {
            (out += '\\') += c;
        }
    }
    return out;
}

struct Word {
    enum class Kind { literal, name, number, mark, end } kind = Kind::end;
    std::string_view source = {};
};

std::optional<std::vector<Word>> words_of(std::string_view source) {
    std::vector<Word> words;
    for (std::size_t at = 0; at < source.size();) {
        const std::size_t begin = at;
        const char c = source[at];
        if (is_space(c)) {
            ++at;
        } else if (c == '\'' || c == '"') {
            at = literal_end(source, at);
            if (at == std::string_view::npos) return {};
            words.push_back({Word::Kind::literal, source.substr(begin + 1, at - begin - 2)});
        } else if (is_word(c)) {
            while (at < source.size() && is_word(source[at])) ++at;
            const bool number = std::isdigit(static_cast<unsigned char>(c));
            words.push_back({number ? Word::Kind::number : Word::Kind::name, source.substr(begin, at - begin)});
        } else {
            static constexpr std::array<std::string_view, 6> kTwo = {"==", "!=", "<=", ">=", "//", "**"};
            const bool two = std::ranges::find(kTwo, source.substr(at, 2)) != kTwo.end();
            if (!two && std::string_view("+-~*/%.,()[]{}|<>=:").find(c) == std::string_view::npos) return {};
            at += two ? 2 : 1;
            words.push_back({Word::Kind::mark, source.substr(begin, at - begin)});
        }
    }
    return words;
}

// Jinja's precedence, loosest first: if … else; or; and; not; comparisons; + -; ~; * / // %; -x; **; then
// what stands behind a value: .a [b] (c), | filters, is tests. What has no use in a chat (lists, fractions,
// tests with arguments) becomes an unknown, which matters only where it is asked for. Throws BadSyntax.
struct BadSyntax {};
Expression without_use(std::string_view what) { return {.kind = Expression::Kind::unknown, .text = std::string(what)}; }
class ExpressionParser {
  public:
    explicit ExpressionParser(std::vector<Word> words) : words_(std::move(words)) {}

    Expression whole() {
        Expression value = choice();
        if (peek().kind != Word::Kind::end) throw BadSyntax{};
        return value;
    }
    Expression choice() {
        const Depth depth(*this);
        Expression value = alternative();
        while (take("if")) {
            Expression condition = alternative();
            Expression other{.kind = Expression::Kind::missing};
            if (take("else")) other = choice();
            value = {.kind = Expression::Kind::choice, .args = {std::move(condition), std::move(value), std::move(other)}};
        }
        return value;
    }
    Expression alternative() {
        const Depth depth(*this);
        return chain({"or"}, [&] { return chain({"and"}, [&] { return negation(); }); });
    }
    bool take(std::string_view word) {
        if (!is(word)) return false;
        ++at_;
        return true;
    }
    std::string name() {
        if (peek().kind != Word::Kind::name) throw BadSyntax{};
        return std::string(words_[at_++].source);
    }
    [[nodiscard]] bool ended() const { return at_ == words_.size(); }

  private:
    struct Depth {
        explicit Depth(ExpressionParser& parser) : parser_(&parser) {
            if (++parser.depth_ > kDeepest) throw BadSyntax{};
        }
        ~Depth() { --parser_->depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;
        ExpressionParser* parser_;
    };

    template <class Operand>
    Expression chain(std::initializer_list<std::string_view> operators, const Operand& operand) {
        Expression value = operand();
        for (;;) {
            const auto found = std::ranges::find_if(operators, [&](auto word) { return is(word); });
            if (found == operators.end()) return value;
            ++at_;
            Expression right = operand();
            value = {.kind = Expression::Kind::binary, .text = std::string(*found), .args = {std::move(value), std::move(right)}};
        }
    }
    Expression negation() {
        const Depth depth(*this);
        if (take("not")) return {.kind = Expression::Kind::unary, .text = "not", .args = {negation()}};
        return comparison();
    }
    Expression comparison() {
        Expression value = sum();
        static constexpr std::array<std::string_view, 7> kOperators = {"==", "!=", "<=", ">=", "<", ">", "in"};
        std::string word;
        if (is("not") && is("in", 1)) {
            word = "not in";
            at_ += 2;
        } else if (const auto found = std::ranges::find_if(kOperators, [&](auto o) { return is(o); }); found != kOperators.end()) {
            word = *found;
            ++at_;
        } else {
            return value;
        }
        Expression right = sum();
        const bool more = std::ranges::any_of(kOperators, [&](auto o) { return is(o); }) || is("not");
        if (more) { // a < b < c
            (void)comparison_rest();
            return without_use("comparisons in a row");
        }
        return {.kind = Expression::Kind::binary, .text = std::move(word), .args = {std::move(value), std::move(right)}};
    }
    Expression comparison_rest() {
        if (take("not"))
            need("in");
        else
            ++at_;
        return comparison();
    }
    Expression sum() {
        return chain({"+", "-"}, [&] { return chain({"~"}, [&] { return chain({"*", "/", "//", "%"}, [&] { return sign(); }); }); });
    }
    Expression sign() {
        const Depth depth(*this);
        if (take("-")) return {.kind = Expression::Kind::unary, .text = "-", .args = {sign()}};
        if (take("+")) {
            (void)sign();
            return without_use("a sign +");
        }
        Expression value = behind(primary());
        if (!take("**")) return value;
        (void)sign();
        return without_use("a power");
    }
    Expression primary() {
        const Word word = peek();
        ++at_;
        if (word.kind == Word::Kind::literal) {
            std::string text = decoded(word.source);
            while (peek().kind == Word::Kind::literal) text += decoded(words_[at_++].source);
            return {.kind = Expression::Kind::literal, .text = std::move(text)};
        }
        if (word.kind == Word::Kind::number) {
            long long value = 0;
            const char* const end = word.source.data() + word.source.size();
            const auto read = std::from_chars(word.source.data(), end, value);
            if (read.ec != std::errc() || read.ptr != end || value > 1'000'000) throw BadSyntax{};
            if (is(".") && peek(1).kind == Word::Kind::number) {
                at_ += 2;
                return without_use("a fraction");
            }
            return {.kind = Expression::Kind::number, .number = value};
        }
        if (word.kind == Word::Kind::name) {
            static constexpr std::array<std::string_view, 8> kReserved = {"if", "else", "and", "or", "not", "in", "is", "for"};
            if (std::ranges::find(kReserved, word.source) != kReserved.end()) throw BadSyntax{};
            return {.kind = Expression::Kind::name, .text = std::string(word.source)};
        }
        if (word.source == "[") return collection("]");
        if (word.source == "{") return collection("}");
        if (word.source != "(") throw BadSyntax{};
        if (is(")")) return collection(")");
        Expression value = choice();
        if (is(",")) {
            ++at_;
            return collection(")");
        }
        need(")");
        return value;
    }
    // A list, a dictionary or a tuple, from its first entry on.
    Expression collection(std::string_view end) {
        while (!take(end)) {
            (void)choice();
            if (end == "}") {
                need(":");
                (void)choice();
            }
            if (!is(end)) need(",");
        }
        return without_use("a list of values");
    }
    // Fields, items and calls, then filters and tests, as Jinja binds them.
    Expression behind(Expression value) {
        for (;;) {
            if (take(".")) {
                value = {.kind = Expression::Kind::attribute, .text = name(), .args = {std::move(value)}};
            } else if (take("[")) {
                value = item(std::move(value));
            } else if (take("(")) {
                value = {.kind = Expression::Kind::call, .args = {std::move(value)}};
                arguments(value);
            } else {
                break;
            }
        }
        for (;;) {
            if (take("|")) {
                value = {.kind = Expression::Kind::filter, .text = name(), .args = {std::move(value)}};
                if (take("(")) arguments(value);
            } else if (take("is")) {
                const bool other = take("not");
                value = {.kind = Expression::Kind::test, .text = name(), .args = {std::move(value)}};
                const Word next = peek();
                static constexpr std::array<std::string_view, 6> kGoesOn = {"else", "or", "and", "if", "is", "in"};
                const bool named =
                    next.kind == Word::Kind::name && next.source != "not" && std::ranges::find(kGoesOn, next.source) == kGoesOn.end();
                const bool bracket = is("(") || is("[") || is("{");
                if (named || bracket || next.kind == Word::Kind::literal || next.kind == Word::Kind::number) {
                    if (take("(")) {
                        Expression ignored;
                        arguments(ignored);
                    } else {
                        (void)behind(primary());
                    }
                    value = without_use("a test with an argument");
                }
                if (other) value = {.kind = Expression::Kind::unary, .text = "not", .args = {std::move(value)}};
            } else if (is("(") || is("[") || is(".")) {
                throw BadSyntax{};
            } else {
                return value;
            }
        }
    }
    Expression item(Expression value) {
        if (is("]")) throw BadSyntax{};
        std::vector<Expression> bounds;
        const Expression none{.kind = Expression::Kind::missing};
        bool slice = false;
        Expression bound = none;
        while (!take("]")) {
            if (take(":")) {
                slice = true;
                bounds.push_back(std::exchange(bound, none));
            } else {
                if (bound.kind != Expression::Kind::missing) throw BadSyntax{};
                bound = choice();
            }
        }
        bounds.push_back(std::move(bound));
        if (!slice) {
            if (bounds[0].kind == Expression::Kind::missing) throw BadSyntax{};
            return {.kind = Expression::Kind::item, .args = {std::move(value), std::move(bounds[0])}};
        }
        if (bounds.size() > 3) throw BadSyntax{};
        bounds.resize(3, none);
        return {.kind = Expression::Kind::slice,
                .args = {std::move(value), std::move(bounds[0]), std::move(bounds[1]), std::move(bounds[2])}};
    }
    void arguments(Expression& call) {
        while (!take(")")) {
            if (peek().kind == Word::Kind::name && is("=", 1)) {
                Expression argument{.kind = Expression::Kind::keyword, .text = name()};
                ++at_;
                argument.args.push_back(choice());
                call.args.push_back(std::move(argument));
            } else {
                call.args.push_back(choice());
            }
            if (!is(")")) need(",");
        }
    }

    [[nodiscard]] Word peek(std::size_t ahead = 0) const { return at_ + ahead < words_.size() ? words_[at_ + ahead] : Word{}; }
    [[nodiscard]] bool is(std::string_view word, std::size_t ahead = 0) const {
        const Word here = peek(ahead);
        return (here.kind == Word::Kind::name || here.kind == Word::Kind::mark) && here.source == word;
    }
    void need(std::string_view word) {
        if (!take(word)) throw BadSyntax{};
    }

    std::vector<Word> words_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

Expression expression_of(std::string_view source) {
    auto words = words_of(source);
    if (!words || words->size() > kMostWords) throw BadSyntax{};
    return ExpressionParser(*std::move(words)).whole();
}

std::string keyword(const Tag& tag) {
    if (tag.kind != Tag::Kind::statement) return "";
    const std::string_view text = trimmed(tag.source);
    std::size_t end = 0;
    while (end < text.size() && is_word(text[end])) ++end;
    return std::string(text.substr(0, end));
}

class TreeParser {
  public:
    explicit TreeParser(std::vector<Tag> tags) : tags_(std::move(tags)) {}

    // Up to one of `ends`, which stays the current tag.
    std::vector<Node> nodes(std::initializer_list<std::string_view> ends) {
        if (++depth_ > kDeepest) fail("too many branches within branches");
        std::vector<Node> out;
        for (; at_ < tags_.size(); ++at_) {
            const Tag& tag = tags_[at_];
            const std::string word = keyword(tag);
            last_ = &tag;
            if (tag.kind == Tag::Kind::text) {
                out.push_back({.kind = Node::Kind::text, .text = tag.source});
            } else if (tag.kind == Tag::Kind::output) {
                out.push_back({.kind = Node::Kind::output, .expression = expression_of(tag.source)});
            } else if (std::ranges::find(ends, word) != ends.end()) {
                break;
            } else if (word == "if") {
                out.push_back(branch());
            } else if (word == "for") {
                out.push_back(loop());
            } else if (word == "set" && assignment_mark(rest_of(tag, word)) != std::string_view::npos) {
                out.push_back(assignment(rest_of(tag, word)));
            } else {
                fail("it uses {% " + std::string(trimmed(tag.source)).substr(0, 40) + " %}");
            }
        }
        --depth_;
        return out;
    }
    // The tag that was read last.
    [[nodiscard]] std::string last() const { return last_ ? std::string(trimmed(last_->source)).substr(0, 60) : ""; }

    struct Broken {
        std::string why;
    };

  private:
    [[noreturn]] static void fail(const std::string& why) { throw Broken{why}; }
    static std::string_view rest_of(const Tag& tag, const std::string& word) { return trimmed(trimmed(tag.source).substr(word.size())); }
    // The = of a name = value, outside of all else.
    static std::size_t assignment_mark(std::string_view text) {
        std::size_t at = 0;
        while (at < text.size() && (is_word(text[at]) || text[at] == '.' || is_space(text[at]))) ++at;
        return at < text.size() && text[at] == '=' && !text.substr(at).starts_with("==") ? at : std::string_view::npos;
    }
    static Node assignment(std::string_view text) {
        const std::size_t mark = assignment_mark(text);
        return {.kind = Node::Kind::assign,
                .text = std::string(trimmed(text.substr(0, mark))),
                .expression = expression_of(text.substr(mark + 1))};
    }
    const Tag& need(std::string_view what) {
        if (at_ == tags_.size()) fail("its {% " + std::string(what) + " %} has no end");
        return tags_[at_];
    }
    Node branch() { // at an if or an elif; ends at its endif
        const std::string word = keyword(tags_[at_]);
        Node node{.kind = Node::Kind::branch, .expression = expression_of(rest_of(tags_[at_], word))};
        ++at_;
        node.body = nodes({"elif", "else", "endif"});
        const std::string end = keyword(need("if"));
        if (end == "elif") {
            if (++depth_ > kDeepest) fail("too many branches within branches");
            node.otherwise.push_back(branch());
            --depth_;
        } else if (end == "else") {
            ++at_;
            node.otherwise = nodes({"elif", "else", "endif"});
            if (keyword(need("if")) != "endif") fail("its {% if %} has two ends");
        }
        return node;
    }
    Node loop() { // for NAME in WHAT if WHICH
        const std::string_view text = rest_of(tags_[at_], "for");
        Node node{.kind = Node::Kind::loop, .filter = {.kind = Expression::Kind::missing}};
        std::size_t end = 0;
        while (end < text.size() && is_word(text[end])) ++end;
        node.text = std::string(text.substr(0, end));
        auto words = words_of(text.substr(end));
        if (!words || node.text.empty() || words->size() > kMostWords) throw BadSyntax{};
        ExpressionParser parser(*std::move(words));
        bool several = false; // for a, b in …
        while (parser.take(",")) several = true, (void)parser.name();
        if (!parser.take("in")) throw BadSyntax{};
        node.expression = parser.alternative();
        if (several) node.expression = without_use("a loop over pairs");
        if (parser.take("if")) node.filter = parser.alternative();
        if (!parser.ended()) throw BadSyntax{};
        ++at_;
        node.body = nodes({"else", "endfor"});
        if (keyword(need("for")) == "else") fail("it uses a {% for %} with an else");
        return node;
    }

    std::vector<Tag> tags_;
    const Tag* last_ = nullptr;
    std::size_t at_ = 0;
    int depth_ = 0;
};

void add_literals(const Expression& expression, std::string& out) {
    if (expression.kind == Expression::Kind::literal) out += expression.text + "\n";
    if (expression.kind == Expression::Kind::item || expression.kind == Expression::Kind::call) {
        add_literals(expression.args[0], out);
        return;
    }
    for (const Expression& part : expression.args) add_literals(part, out);
}
void add_literals(const std::vector<Node>& nodes, std::string& out) {
    for (const Node& node : nodes) {
        if (node.kind == Node::Kind::text) out += node.text + "\n";
        if (node.kind == Node::Kind::output || node.kind == Node::Kind::assign) add_literals(node.expression, out);
        add_literals(node.body, out);
        add_literals(node.otherwise, out);
    }
}

} // namespace

ChatTemplate parse_chat_template(std::string_view text) {
    auto tags = template_tags(text);
    if (!tags) return {{}, "one of its tags has no end"};
    TreeParser parser(*std::move(tags));
    try {
        return {parser.nodes({}), ""};
    } catch (const TreeParser::Broken& broken) {
        return {{}, broken.why};
    } catch (const BadSyntax&) {
        return {{}, "it cannot be read: " + parser.last()};
    }
}

std::string marks_of(const std::vector<Node>& nodes) {
    constexpr std::size_t kMost = 3, kLongest = 40;
    std::string text;
    add_literals(nodes, text);
    std::vector<std::string> found;
    for (std::size_t at = text.find_first_of("<["); at != std::string::npos && found.size() < kMost;
         at = text.find_first_of("<[", at + 1)) {
        const std::size_t end = text.find(text[at] == '<' ? '>' : ']', at);
        const std::string mark = text.substr(at, end == std::string::npos ? 0 : end + 1 - at);
        if (mark.size() > 2 && mark.size() <= kLongest && mark.find_first_of(" \n") == std::string::npos &&
            std::ranges::find(found, mark) == found.end())
            found.push_back(mark);
    }
    std::string out;
    for (const std::string& mark : found) out += (out.empty() ? "" : ", ") + mark;
    return out;
}

} // namespace speclens
