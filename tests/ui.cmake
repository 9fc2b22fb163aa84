# Canvas, theme, text, widgets and pictures: no display, no model.
spec_test(ui IN scenes LABELS fast
    SOURCES ui/palette_test.cpp ui/text_test.cpp ui/plot_test.cpp ui/canvas_test.cpp ui/language_test.cpp ui/raster_test.cpp
            ui/widgets_test.cpp ui/dropdown_test.cpp ui/text_field_test.cpp
    LIBS ui_pictures INCLUDES ${SPEC_STB_DIR})
