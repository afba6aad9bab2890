" Vim syntax file for stencil programs. tools/editors/generate writes it.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax keyword stencilItem cycle field function grid init param points record reduce repeat require series start stencil step stop subgrid table type
syntax keyword stencilKeyword along and at boundary by cells coarse coarser constant else every fine history if in initial let levels not of on or origin over spacing steps weights when where within
syntax keyword stencilRule antiperiodic antisymmetric clamp fixed gradient linear mirror none odd periodic symmetric
syntax keyword stencilType bfloat bool byte double float half integer long real short ubyte ushort vector
syntax keyword stencilConstant false level pi time true
syntax match stencilFunction "\<\%(abs\|acos\|acosh\|asin\|asinh\|atan\|atan2\|atanh\|cbrt\|ceil\|cos\|cosh\|erf\|erfc\|exp\|exp2\|floor\|fma\|hypot\|log\|log10\|log2\|lshr\|max\|min\|position\|pow\|prod\|random\|round\|rsqrt\|select\|sign\|sin\|sinh\|sqrt\|sum\|tan\|tanh\|trunc\)\>\ze\s*("
syntax match stencilNumber "\<\d\+\%(\.\.\@!\d*\)\=\%([eE][+-]\=\d\+\)\="
syntax match stencilNumber "\.\@<!\.\d\+\%([eE][+-]\=\d\+\)\="
syntax match stencilNumber "\<0[xX]\x\+\>\|\<0[bB][01]\+\>"
syntax match stencilOperator "\.\.\|[-+*/%<>=|&^~!@]"
syntax keyword stencilTodo contained TODO FIXME XXX
syntax match stencilComment "//.*$" contains=stencilTodo,@Spell
syntax region stencilComment start="/\*" end="\*/" contains=stencilTodo,@Spell

highlight default link stencilItem Statement
highlight default link stencilKeyword Keyword
highlight default link stencilRule Special
highlight default link stencilType Type
highlight default link stencilConstant Constant
highlight default link stencilFunction Function
highlight default link stencilNumber Number
highlight default link stencilOperator Operator
highlight default link stencilTodo Todo
highlight default link stencilComment Comment

let b:current_syntax = 'stencil'
