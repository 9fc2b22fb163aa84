# cmake -DFOLDER=assets/stories -DTO=FILE.cpp -P built_in_stories.cmake
# The English stories as a source. String literals end at 64 KB in some compilers; a story has a tenth of that.
file(GLOB stories ${FOLDER}/*.toml)
set(rows "")
foreach(story IN LISTS stories)
    get_filename_component(scene ${story} NAME_WE)
    file(READ ${story} text)
    string(APPEND rows "    {\"${scene}\", R\"STORY(${text})STORY\"},\n")
endforeach()
file(WRITE ${TO} "#include \"ui/stories/built_in.h\"\nnamespace speclens {\nnamespace {\nconstexpr BuiltInStory kStories[] = {\n${rows}};\n} // namespace\nconst std::span<const BuiltInStory> kBuiltInStories = kStories;\n} // namespace speclens\n")
