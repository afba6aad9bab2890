// Embeds the files, like the font of pictures (runtime/picture/font.cpp).
#include "tools/stencilc/explore/page.h"

#define STENCIL_PAGE_BEGIN(symbol) \
  ".hidden " #symbol               \
  "\n"                             \
  ".globl " #symbol "\n" #symbol ":\n"
#define STENCIL_PAGE_END(symbol) \
  ".hidden " #symbol             \
  "_end\n"                       \
  ".globl " #symbol "_end\n" #symbol "_end:\n"
#define STENCIL_PAGE_FILE(name) ".incbin \"" STENCIL_PAGE "/" name "\"\n"

// clang-format off
asm(".pushsection .rodata\n"
    STENCIL_PAGE_BEGIN(stencil_page_template)
    STENCIL_PAGE_FILE("page.html")
    STENCIL_PAGE_END(stencil_page_template)
    STENCIL_PAGE_BEGIN(stencil_page_style)
    STENCIL_PAGE_FILE("page.css")
    STENCIL_PAGE_END(stencil_page_style)
    STENCIL_PAGE_BEGIN(stencil_page_script)
    STENCIL_PAGE_FILE("drawing.js")
    STENCIL_PAGE_FILE("candidates.js")
    STENCIL_PAGE_FILE("table.js")
    STENCIL_PAGE_FILE("charts.js")
    STENCIL_PAGE_FILE("curves.js")
    STENCIL_PAGE_FILE("tile.js")
    STENCIL_PAGE_FILE("page.js")
    STENCIL_PAGE_END(stencil_page_script)
    ".popsection\n");
// clang-format on

extern "C" {
extern const char stencil_page_template[], stencil_page_template_end[];
extern const char stencil_page_style[], stencil_page_style_end[];
extern const char stencil_page_script[], stencil_page_script_end[];
}

namespace stencil::explore {

std::string_view page_template() {
  return {stencil_page_template, stencil_page_template_end};
}

std::string_view page_style() {
  return {stencil_page_style, stencil_page_style_end};
}

std::string_view page_script() {
  return {stencil_page_script, stencil_page_script_end};
}

}  // namespace stencil::explore
