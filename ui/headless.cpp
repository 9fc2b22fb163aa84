#include "ui/headless.h"

#include <imgui.h>

#include <optional>

#include "ui/canvas_imgui.h"

namespace speclens::ui {

struct HeadlessFrame::Impl {
    ImGuiContext* before = nullptr; // made current again afterwards
    ImGuiContext* context = nullptr;
    std::unique_ptr<ImFontAtlas> atlas = std::make_unique<ImFontAtlas>();
    std::optional<GlyphCache> glyphs;
    std::optional<ImGuiCanvas> canvas;
    bool open = false; // between begin and end
    int width = 0, height = 0;
    Color clear;
};

HeadlessFrame::HeadlessFrame(const FontSet& fonts) : impl_(std::make_unique<Impl>()) {
    Impl& m = *impl_;
    m.glyphs.emplace(fonts, *m.atlas);
    m.before = ImGui::GetCurrentContext();
    m.context = ImGui::CreateContext(m.atlas.get());
    ImGui::SetCurrentContext(m.context);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    ImGui::SetCurrentContext(m.before);
}

HeadlessFrame::~HeadlessFrame() {
    Impl& m = *impl_;
    if (!m.open) m.before = ImGui::GetCurrentContext();
    ImGui::SetCurrentContext(m.context);
    if (m.open) ImGui::EndFrame(); // drawing was left by an exception
    ImGui::DestroyContext(m.context);
    ImGui::SetCurrentContext(m.before);
}

Canvas& HeadlessFrame::begin(int width, int height, float zoom, Color clear) {
    Impl& m = *impl_;
    if (m.open) (void)end();
    m.before = ImGui::GetCurrentContext();
    ImGui::SetCurrentContext(m.context);
    m.open = true;
    m.width = width;
    m.height = height;
    m.clear = clear;
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    io.DeltaTime = 1.0F / 60;
    m.glyphs->begin_frame();
    ImGui::NewFrame();
    m.canvas.emplace(*ImGui::GetBackgroundDrawList(), *m.glyphs, zoom);
    return *m.canvas;
}

Image HeadlessFrame::end() {
    Impl& m = *impl_;
    m.canvas.reset();
    ImGui::Render();
    Image image = rasterize(*ImGui::GetDrawData(), *m.atlas, m.width, m.height, m.clear);
    ImGui::SetCurrentContext(m.before);
    m.open = false;
    return image;
}

} // namespace speclens::ui
