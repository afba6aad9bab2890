"""A Pygments lexer for stencil programs (.stn), for documentation and notebooks.

    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from stencilc.pygments_lexer import StencilLexer

    highlight(program, StencilLexer(), HtmlFormatter())

The file imports nothing of the package, so it also works alone.
"""
from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, Text, Whitespace

__all__ = ["StencilLexer"]

# Words: tools/editors/generate writes these lists from the tables of the compiler.
WORDS = {
    "items": (
        "cycle field function grid init param points record reduce repeat require series start stencil step "
        "stop subgrid table type").split(),
    "keywords": (
        "along and at boundary by cells coarse coarser constant else every fine history if in initial let "
        "levels not of on or origin over spacing steps weights when where within").split(),
    "rules": (
        "antiperiodic antisymmetric clamp fixed gradient linear mirror none odd periodic symmetric").split(),
    "constants": (
        "false level pi time true").split(),
    "types": (
        "bfloat bool byte double float half integer long real short ubyte ushort vector").split(),
    "functions": (
        "abs acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh erf erfc exp exp2 floor fma hypot log "
        "log10 log2 lshr max min position pow prod random round rsqrt select sign sin sinh sqrt sum tan tanh "
        "trunc").split(),
}
# End of the words


class StencilLexer(RegexLexer):
    """Lexer for stencil programs."""

    name = "Stencil"
    aliases = ["stn", "stencil"]
    filenames = ["*.stn"]
    mimetypes = ["text/x-stencil"]

    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*", Comment.Multiline, "comment"),
            # In `0..N-1`, the number ends before the dots.
            (r"0[xX][0-9A-Fa-f]+\b", Number.Hex),
            (r"0[bB][01]+\b", Number.Bin),
            (r"(?:[0-9]+\.(?!\.)[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", Number.Float),
            (r"[0-9]+", Number.Integer),
            (words(WORDS["items"], prefix=r"\b", suffix=r"(\s+)([A-Za-z_]\w*)"),
             bygroups(Keyword.Declaration, Whitespace, Name.Variable)),
            (words(WORDS["items"], prefix=r"\b", suffix=r"\b"), Keyword.Declaration),
            (words(WORDS["keywords"], prefix=r"\b", suffix=r"\b"), Keyword),
            (words(WORDS["rules"], prefix=r"\b", suffix=r"\b"), Name.Builtin.Pseudo),
            (words(WORDS["types"], prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (words(WORDS["constants"], prefix=r"\b", suffix=r"\b"), Keyword.Constant),
            (words(WORDS["functions"], prefix=r"\b", suffix=r"(?=\s*\()"), Name.Builtin),
            (r"[A-Za-z_]\w*(?=\s*\()", Name.Function),
            (r"[A-Za-z_]\w*", Name),
            (r"\.\.|<<|>>|<=|>=|==|!=|[-+*/%<>=|&^~!@]", Operator),
            (r"[\[\](){},;:.]", Punctuation),
            (r".", Text),
        ],
        "comment": [
            (r"[^*]+", Comment.Multiline),
            (r"\*/", Comment.Multiline, "#pop"),
            (r"\*", Comment.Multiline),
        ],
    }
