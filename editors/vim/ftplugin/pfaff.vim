" SPDX-License-Identifier: Apache-2.0
" :make checks the model and jumps to what is wrong, :PfaffFormat lays it out.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

let s:program = shellescape(get(g:, "pfaff_program", "pfaff"))
setlocal commentstring=#\ %s
setlocal comments=:#
setlocal formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=2 softtabstop=2
" A column counts characters, not bytes: %v.
setlocal errorformat=%f:%l:%v:\ %trror:\ %m,%f:%l:%v:\ %tarning:\ %m,%f:%l:%v:\ %tote:\ %m,%-G%.%#
let &l:makeprg = escape(s:program, ' "|\') . " check %:p:S"

" The whole text, and only when it could be read: a formatprg would put the error message in place of the model.
if !exists("*s:format")
function s:format() abort
  let l:lines = systemlist(s:program . " fmt - 2>/dev/null", getline(1, "$"))
  if v:shell_error || empty(l:lines)
    echohl ErrorMsg | echo "pfaff fmt: the model cannot be read; see :make" | echohl None
    return
  endif
  let l:view = winsaveview()
  call setline(1, l:lines)
  silent! execute len(l:lines) + 1 . ",$delete _"
  call winrestview(l:view)
endfunction
endif
command! -buffer PfaffFormat call s:format()

let b:undo_ftplugin = "setlocal commentstring< comments< formatoptions< expandtab< shiftwidth< softtabstop<"
      \ . " errorformat< makeprg< | silent! delcommand PfaffFormat"
