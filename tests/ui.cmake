# Canvas, theme, text, widgets and pictures: no display, no model.
spec_test(ui_tests LABELS fast
    SOURCES ui_palette_test.cpp ui_text_test.cpp ui_plot_test.cpp ui_canvas_test.cpp ui_raster_test.cpp
            ui_widgets_test.cpp ui_dropdown_test.cpp ui_text_field_test.cpp
    LIBS ui)
target_include_directories(ui_tests SYSTEM PRIVATE ${SPEC_STB_DIR})
