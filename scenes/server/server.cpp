// Scene S17, a server: what vLLM, SGLang, llama.cpp or our own engine behind an address tells about its
// speculation.
#include <algorithm>

#include "scenes/server/server_model.h"
#include "scenes/shared/panel.h"

namespace speclens {
namespace {

class ServerScene final : public MessageScene<ServerScene> {
  public:
    static constexpr const char* kName = "server";
    bool shows_run() const override { return false; }
    int beats(const SceneInput&) const override { return kServerBeats; }

    void frame(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const ServerModel model = server_model(input, state_);
        const ServerDraw d{input, model, state_, ui, out};
        draw_titled(input, ui, server_title(model), [&] {
            draw_server_stage(d, {input.stage.x + 24, input.stage.y + 88, input.stage.w - 48, input.stage.h - 96});
        });
        draw_story(input, ui, server_story(input, model), out);
        draw_beside(d, draw_server_details, draw_server_controls);
        if (ui.take_key(ui::Key::w)) state_.span = static_cast<ServerSpan>((static_cast<int>(model.span) + 1) % 3);
        if (ui.take_key(ui::Key::m) && why_not_ask(input, model).empty())
            out.emplace_back(ServerOrder(AskServer{request_like(*input.settings)}));
    }

    KeyRows keys() const override { return {{"M", server_says("keys.m"_t)}, {"W", server_says("keys.w"_t)}}; }

  private:
    ServerState state_;
};

} // namespace

std::unique_ptr<Scene> make_server() { return std::make_unique<ServerScene>(); }

} // namespace speclens
