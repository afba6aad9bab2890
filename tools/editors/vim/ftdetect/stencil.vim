autocmd BufNewFile,BufRead *.stn setfiletype stencil
