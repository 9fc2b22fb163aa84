#include "app/window/shell_gl.h"

#include <GLFW/glfw3.h> // brings the GL 1.1 header
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <cstdint>
#include <optional>

#include "kernels/error.h"
#include "ui/canvas_imgui.h"
#include "ui/fonts.h"

namespace speclens {

#if defined(__EMSCRIPTEN__) // WebGL 2
constexpr const char* kShaders = "#version 300 es";
#else
constexpr const char* kShaders = "#version 330";
#endif

struct GlRenderer::Impl {
    std::unique_ptr<ImFontAtlas> atlas = std::make_unique<ImFontAtlas>();
    std::optional<ui::GlyphCache> glyphs;
    ImGuiContext* context = nullptr;
    std::optional<ui::ImGuiCanvas> canvas;
    int width = 0, height = 0;

    // New glyphs go into the texture before the frame that uses them is drawn.
    void upload() {
        const ui::GlyphCache::Rows rows = glyphs->take_dirty();
        if (rows.count <= 0) return;
        unsigned char* pixels = nullptr;
        int w = 0, h = 0;
        atlas->GetTexDataAsRGBA32(&pixels, &w, &h);
        glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::intptr_t>(atlas->TexID)));
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, rows.first, w, rows.count, GL_RGBA, GL_UNSIGNED_BYTE,
                        pixels + static_cast<std::size_t>(rows.first) * static_cast<std::size_t>(w) * 4);
    }
};

GlRenderer::GlRenderer(const ui::FontSet& fonts) : impl_(std::make_unique<Impl>()) {
    Impl& m = *impl_;
    m.glyphs.emplace(fonts, *m.atlas);
    m.context = ImGui::CreateContext(m.atlas.get());
    ImGui::SetCurrentContext(m.context);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().LogFilename = nullptr;
    if (!ImGui_ImplOpenGL3_Init(kShaders))
        throw Error("OpenGL 3.3 functions could not be loaded", "Update the graphics driver, or try LIBGL_ALWAYS_SOFTWARE=1.",
                    Exit::display);
    ImGui_ImplOpenGL3_NewFrame(); // makes shaders and the font texture
    // Bitmaps are drawn 1:1: a filter would only blur them.
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::intptr_t>(m.atlas->TexID)));
    (void)m.glyphs->take_dirty();
}

GlRenderer::~GlRenderer() {
    ImGui::SetCurrentContext(impl_->context);
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(impl_->context);
}

ui::Canvas& GlRenderer::begin(int width, int height, float scale) {
    Impl& m = *impl_;
    ImGui::SetCurrentContext(m.context);
    m.width = width;
    m.height = height;
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    io.DeltaTime = 1.0F / 60;
    m.glyphs->begin_frame();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    m.canvas.emplace(*ImGui::GetBackgroundDrawList(), *m.glyphs, scale);
    return *m.canvas;
}

void GlRenderer::end(ui::Color ground) {
    Impl& m = *impl_;
    m.canvas.reset();
    ImGui::Render();
    m.upload();
    glViewport(0, 0, m.width, m.height);
    glClearColor(static_cast<float>(ground.r) / 255, static_cast<float>(ground.g) / 255, static_cast<float>(ground.b) / 255, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

std::string GlRenderer::description() const { return gl_version(); }

std::string gl_version() {
    const auto text = [](unsigned name) {
        const auto* words = reinterpret_cast<const char*>(glGetString(name));
        return std::string(words ? words : "unknown");
    };
    return "OpenGL " + text(GL_VERSION) + ", " + text(GL_RENDERER);
}

} // namespace speclens
