// The one translation unit that holds fmt's code. Debian ships fmt as a shared library or as headers alone;
// the shared one could not be carried to another machine inside the binary, and with the headers alone
// every source file compiled the formatting of numbers again (60 % of its time, docs/contributing.md).
// So the headers are used as those of a library, and this file is the library.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
// What fmt declares `extern template`, or defines in format-inl.h only.
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
template void vformat_to<char>(buffer<char>&, basic_string_view<char>,
                               basic_format_args<buffer_context<char>>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
