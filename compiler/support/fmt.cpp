// The only translation unit that contains fmt's code. Debian ships fmt as a shared library or
// header-only. A binary that needs the shared library does not run on a machine without it. With
// the header-only version, every source file compiled the formatting of numbers again (60 % of its
// time, docs/contributing.md). Sources therefore use the headers in their form for a library, and
// this file is the library.
#include <fmt/format-inl.h>

#if FMT_VERSION < 90000
#error "stencilc needs fmt 9 or newer"
#endif

FMT_BEGIN_NAMESPACE
namespace detail {
// What fmt declares `extern template`, or defines only in format-inl.h.
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
#if FMT_VERSION < 100000
template void vformat_to<char>(buffer<char>&, basic_string_view<char>,
                               basic_format_args<buffer_context<char>>, locale_ref);
#elif FMT_VERSION < 120000
template void vformat_to<char>(buffer<char>&, string_view, typename vformat_args<>::type,
                               locale_ref);
#endif
}  // namespace detail
FMT_END_NAMESPACE
