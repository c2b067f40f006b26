" SPDX-License-Identifier: Apache-2.0
" Vim syntax file: models of Pfaff (.pf)
if exists("b:current_syntax")
  finish
endif

syn case match

" Words that are names behind a declaration or a clause (body ball in ground) are so by pfaffOrdinary, which has no colour.
" words: begin (made by editors/make.py)
syn keyword pfaffStatement kinetic potential dissipation gravity force torque nonideal start rate spring
  \ damper run plot draw
syn keyword pfaffStatement nextgroup=pfaffLabel skipwhite constraint prescribe skate omni mecanum
syn keyword pfaffDeclare nextgroup=pfaffOrdinary skipwhite model param coord input speed let body frame part
syn keyword pfaffControl nextgroup=pfaffOrdinary skipwhite for use when lock unlock attach detach
syn keyword pfaffClause nextgroup=pfaffOrdinary skipwhite in at to from about along until against
syn keyword pfaffConnective and or not
syn keyword pfaffConstant t pi ground lambda
syn keyword pfaffShown energy violation violation_position violation_velocity
syn match pfaffOrdinary contained "\<\%(impulse\|outside\|surface\|inside\|sphere\|hinge\|shift\|ball\|disc\|free\|turn\|weld\|with\)\>"
syn match pfaffContext "\%([A-Za-z0-9_)\]}']\s\+\)\@<=\<\%(outside\|inside\|hinge\|shift\|ball\|free\|turn\|weld\|with\)\>[.(]\@!"
syn match pfaffContext "^\s*\zs\<\%(outside\|inside\|hinge\|shift\|ball\|free\|turn\|weld\|with\)\>\%(\s*[=.(']\)\@!"
syn match pfaffProperty contained "\%([{,]\s*\|^\s*\)\@<=\<\%(largest_step\|formulation\|most_steps\|stiffness\|damping\|inertia\|center\|length\|radius\|roller\|scheme\|color\|every\|atol\|axis\|mass\|rtol\|step\|com\|rho\)\>\ze\%(\s*=\|\s\)"
syn match pfaffFunction "\.\@1<!\<\%(distance\|reaction\|inertia\|wrench\|atan2\|cross\|omega\|point\|acos\|asin\|atan\|cosh\|diag\|list\|norm\|sign\|sinh\|sqrt\|tanh\|abs\|cos\|dot\|exp\|log\|max\|min\|pos\|sin\|sum\|tan\|vel\|if\)\ze\s*("
syn match pfaffIntegrator contained "\<\%(discrete_gradient\|generalized_alpha\|cvode_adams\|cvode_bdf\|hht_alpha\|wbz_alpha\|newmark\|dop853\|dopri5\|rattle\|ida2\|ida\|rk4\)\>"
syn match pfaffFormulation "\%(\<formulation\>\s*=\=\s*\)\@<=\<\%(rosenberg_extended\|udwadia_phohomsiri\|udwadia_kalaba\|elimination\|multipliers\|recursive\|rosenberg\|cascade\|laconic\|maggi\|auto\)\>"
syn match pfaffShape contained "\<\%(cylinder\|sphere\|arrow\|trace\|disc\|line\|box\)\>\ze\s*("
syn match pfaffUnitName contained "\a\@1<!\%(\%(G\|M\|c\|d\|h\|k\|m\|n\|p\|u\|µ\|μ\)\=\%(Ohm\|bar\|mol\|rad\|Hz\|Pa\|cd\|A\|C\|F\|H\|J\|K\|L\|N\|T\|V\|W\|g\|m\|s\|Ω\)\|\%(day\|deg\|kgf\|lbf\|min\|rev\|rpm\|ft\|in\|lb\|%\|h\|t\|°\)\)\a\@!"
" words: end

syn match pfaffDeclare "\.\@1<!\<point\>\ze\s*[^( \t]" nextgroup=pfaffOrdinary skipwhite
syn match pfaffClause "\<by\>" nextgroup=pfaffIntegrator skipwhite
syn match pfaffClause "\<as\>" nextgroup=pfaffShape skipwhite
syn match pfaffClause "\<on\>" nextgroup=pfaffSurface,pfaffOrdinary skipwhite
syn match pfaffStatement "\<roll\>" nextgroup=pfaffLabel,pfaffRolling skipwhite
syn match pfaffLabel contained "\h\w*\%(\[[^]]*\]\)\=\s*:" nextgroup=pfaffRolling skipwhite
syn match pfaffRolling contained "\<\%(disc\|ball\)\>\ze\s\+\h" nextgroup=pfaffOrdinary skipwhite
syn match pfaffSurface contained "\<surface\>\ze\s\+\h"
syn match pfaffContext "\%(\<\%(inside\|outside\)\s\+\)\@<=\<sphere\>"
syn match pfaffContext "\%(\<with\s\+\|,\s*\)\@<=\<\%(impulse\|torque\)\>"

" A member may be called as it likes: wheel.roll
syn match pfaffMember "\.\@1<!\.\h\w*"
syn match pfaffOperator "[-+*/^<>=!]\|\.\."
syn match pfaffPrime "'"
syn match pfaffNumber "\<\%(\d\+\%(\.\.\@!\d*\)\=\|\.\d\+\)\%([eE][-+]\=\d\+\)\=\>"
syn match pfaffNumber "\w\@1<!\.\d\+\%([eE][-+]\=\d\+\)\="

" '[' directly behind a name is an index, elsewhere a unit.
syn match pfaffUnit "\%(\<\h\w*\)\@<!\[[^]]*\]" contains=pfaffUnitName
syn region pfaffBlock matchgroup=pfaffBrace start="{" end="}" transparent
      \ contains=ALLBUT,pfaffOrdinary,pfaffLabel,pfaffRolling,pfaffSurface,pfaffIntegrator,pfaffShape,pfaffUnitName,pfaffTodo
syn region pfaffParens start="(" end=")" contains=TOP transparent
syn region pfaffString start=+"+ skip=+\\[\\"]+ end=+"+ oneline contains=@Spell
syn match pfaffComment "#.*$" contains=pfaffTodo,@Spell
syn keyword pfaffTodo contained TODO FIXME XXX

hi def link pfaffStatement Statement
hi def link pfaffDeclare Type
hi def link pfaffControl Conditional
hi def link pfaffClause Keyword
hi def link pfaffContext Keyword
hi def link pfaffRolling Keyword
hi def link pfaffSurface Keyword
hi def link pfaffConnective Operator
hi def link pfaffOperator Operator
hi def link pfaffPrime Special
hi def link pfaffConstant Constant
hi def link pfaffShown Identifier
hi def link pfaffFunction Function
hi def link pfaffShape Function
hi def link pfaffIntegrator Constant
hi def link pfaffFormulation Constant
hi def link pfaffProperty Identifier
hi def link pfaffLabel Label
hi def link pfaffNumber Number
hi def link pfaffUnitName Type
hi def link pfaffUnit Delimiter
hi def link pfaffString String
hi def link pfaffComment Comment
hi def link pfaffTodo Todo

let b:current_syntax = "pfaff"
