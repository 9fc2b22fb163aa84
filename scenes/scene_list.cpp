// The table of scenes, from scenes.inc.
#include "scenes/shared/scene.h"

#include "kernels/error.h"

namespace speclens {

#define SCENE(number, factory, name, group) std::unique_ptr<Scene> make_##factory();
#include "scenes/scenes.inc"
#undef SCENE

const std::vector<SceneInfo>& scene_list() {
#define SCENE(number, factory, name, group)                                                                                                \
    {number,           name,           story::said<name, TextId<"scene.title">>(), story::said<name, TextId<"scene.about">>(),             \
     RailGroup::group, &make_##factory},
    static const std::vector<SceneInfo> list = {
#include "scenes/scenes.inc"
    };
#undef SCENE
    return list;
}

const std::vector<SceneGroup>& scene_groups() {
    static const std::vector<SceneGroup> groups = [] {
        constexpr SaidOf<"shared"> said;
        std::vector<SceneGroup> made = {{said("rail.why"_t), {}},
                                        {said("rail.round"_t), {}},
                                        {said("rail.drafters"_t), {}},
                                        {said("rail.limits"_t), {}},
                                        {said("rail.server"_t), {}}};
        for (const SceneInfo& info : scene_list()) made[static_cast<std::size_t>(info.group)].scenes.push_back(&info);
        return made;
    }();
    return groups;
}

const SceneInfo& scene_beside(const std::string& name, int by) {
    std::vector<const SceneInfo*> all;
    for (const SceneGroup& group : scene_groups()) all.insert(all.end(), group.scenes.begin(), group.scenes.end());
    const SceneInfo* from = find_scene(name);
    const int count = static_cast<int>(all.size());
    for (int i = 0; i < count; ++i)
        if (all[static_cast<std::size_t>(i)] == from) return *all[static_cast<std::size_t>((i + by % count + count) % count)];
    CHECK(false, "no scene has this name");
    return *all.front();
}

const SceneInfo* find_scene(const std::string& name) {
    for (const SceneInfo& info : scene_list())
        if (name == info.name || name == "S" + std::to_string(info.number)) return &info;
    return name == "speed-up" ? find_scene("speedup") : nullptr; // its name before links existed
}

} // namespace speclens
