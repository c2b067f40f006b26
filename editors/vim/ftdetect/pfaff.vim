" SPDX-License-Identifier: Apache-2.0
autocmd BufNewFile,BufRead *.pf setfiletype pfaff
