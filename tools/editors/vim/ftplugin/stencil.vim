" Settings for stencil programs.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s
setlocal comments=s1:/*,mb:*,ex:*/,://
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal formatprg=stencilc\ fmt\ -

" :make shows the errors of the program in the quickfix window.
setlocal makeprg=stencilc\ check\ %:S
setlocal errorformat=%f:%l:%c:\ %trror\ %m,%f:%l:%c:\ %tarning\ %m,%-G%.%#

let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop<'
      \ . ' formatprg< makeprg< errorformat<'
