// The table of scenes, from scenes.inc.
#include "scenes/shared/scene.h"

namespace speclens {

#define SCENE(number, factory, name, title) std::unique_ptr<Scene> make_##factory();
#include "scenes/scenes.inc"
#undef SCENE

const std::vector<SceneInfo>& scene_list() {
#define SCENE(number, factory, name, title) {number, name, title, &make_##factory},
    static const std::vector<SceneInfo> list = {
#include "scenes/scenes.inc"
    };
#undef SCENE
    return list;
}

const SceneInfo* find_scene(const std::string& name) {
    for (const SceneInfo& info : scene_list())
        if (name == info.name || name == "S" + std::to_string(info.number)) return &info;
    return name == "speed-up" ? find_scene("speedup") : nullptr; // its name before links existed
}

} // namespace speclens
