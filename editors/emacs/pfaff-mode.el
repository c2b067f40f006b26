;;; pfaff-mode.el --- models of constrained mechanical systems  -*- lexical-binding: t; coding: utf-8 -*-

;; SPDX-License-Identifier: Apache-2.0
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, indentation, `flymake' by "pfaff check --json" and layout by "pfaff fmt" for models of Pfaff (.pf).
;; (add-to-list 'load-path "…/editors/emacs") (require 'pfaff-mode)

;;; Code:

(require 'flymake)
(require 'subr-x)

(defgroup pfaff nil "Models of constrained mechanical systems." :group 'languages)

(defcustom pfaff-program "pfaff"
  "The program that checks and lays out models: a name, or an absolute path."
  :type 'string)
;; A file may not choose the program.
(put 'pfaff-program 'risky-local-variable t)

(defcustom pfaff-indent 2 "Columns of one level." :type 'integer :safe #'integerp)

;;;; Words

;; words: begin (made by editors/make.py)
(defconst pfaff--statements
  '("model" "param" "coord" "input" "speed" "let" "kinetic" "potential" "dissipation" "gravity" "force" "torque"
    "nonideal" "start" "rate" "body" "frame" "point" "spring" "damper" "constraint" "roll" "skate" "omni"
    "mecanum" "part" "use" "for" "run" "plot" "draw" "prescribe" "when" "lock" "unlock" "attach" "detach"))
(defconst pfaff--declaring
  '("model" "param" "coord" "input" "speed" "let" "body" "frame" "point" "part"))
(defconst pfaff--controlling
  '("for" "use" "when" "lock" "unlock" "attach" "detach"))
(defconst pfaff--labelled
  '("constraint" "prescribe" "roll" "skate" "omni" "mecanum"))
(defconst pfaff--clauses
  '("in" "at" "on" "to" "by" "as" "from" "about" "along" "until" "against"))
(defconst pfaff--connectives
  '("and" "or" "not"))
(defconst pfaff--context
  '("ball" "free" "hinge" "inside" "outside" "shift" "turn" "weld" "with"))
(defconst pfaff--functions
  '("sin" "cos" "tan" "asin" "acos" "atan" "sinh" "cosh" "tanh" "exp" "log" "abs" "sign" "atan2" "min" "max" "if"
    "sqrt" "dot" "cross" "norm" "pos" "vel" "omega" "point" "diag" "inertia" "distance" "reaction" "wrench"
    "sum" "list"))
(defconst pfaff--constants
  '("t" "pi" "ground" "lambda"))
(defconst pfaff--shown
  '("energy" "violation" "violation_position" "violation_velocity"))
(defconst pfaff--properties
  '("mass" "inertia" "com" "stiffness" "length" "damping" "radius" "center" "axis" "roller" "color"))
(defconst pfaff--settings
  '("step" "rtol" "atol" "rho" "every" "largest_step" "most_steps" "formulation" "scheme"))
(defconst pfaff--shapes
  '("box" "sphere" "cylinder" "disc" "line" "trace" "arrow"))
(defconst pfaff--integrators
  '("dopri5" "dop853" "rk4" "generalized_alpha" "rattle" "hht_alpha" "wbz_alpha" "newmark" "discrete_gradient"
    "cvode_adams" "cvode_bdf" "ida" "ida2"))
(defconst pfaff--formulations
  '("auto" "cascade" "elimination" "laconic" "maggi" "multipliers" "recursive" "rosenberg" "rosenberg_extended"
    "udwadia_kalaba" "udwadia_phohomsiri"))
(defconst pfaff--units
  '("t" "min" "h" "day" "deg" "°" "rev" "rpm" "in" "ft" "lb" "lbf" "kgf" "%"))
(defconst pfaff--prefixed-units
  '("g" "m" "s" "A" "K" "mol" "cd" "rad" "Hz" "N" "Pa" "J" "W" "C" "V" "F" "Ohm" "Ω" "T" "H" "L" "bar"))
(defconst pfaff--prefixes
  '("p" "n" "u" "µ" "μ" "m" "c" "d" "h" "k" "M" "G"))
(defconst pfaff--context-everywhere
  '("ball" "disc" "free" "hinge" "impulse" "inside" "outside" "shift" "sphere" "surface" "turn" "weld" "with"))
(defconst pfaff--context-behind
  '("surface" "sphere" "impulse"))
;; words: end

;;;; Colours

(defun pfaff--word (words &optional after)
  "A pattern of any of WORDS as group 1, not as a member; AFTER follows it."
  (concat "\\(?:^\\|[^.[:alnum:]_]\\|\\.\\.\\)" (regexp-opt words "\\(") "\\_>" after))

(defconst pfaff--font-lock
  (let ((unit (concat "\\_<\\(?:" (regexp-opt pfaff--prefixes) "?" (regexp-opt pfaff--prefixed-units) "\\|"
                      (regexp-opt pfaff--units) "\\)\\_>\\|[%°]"))
        (name "\\([[:alpha:]_][[:alnum:]_]*\\)"))
    `(("\\(?:[^[:alnum:]_]\\|\\_<[0-9][0-9.]*\\(?:[eE][-+]?[0-9]+\\)?\\)\\(\\[[^]\n]*\\]\\)" ; behind a name it is an index
       (,unit (progn (goto-char (match-beginning 1)) (match-end 1)) nil (0 font-lock-type-face)))
      ("[^.]\\.\\([[:alpha:]_][[:alnum:]_]*\\)" 1 'default t)   ; a member may be called as it likes: wheel.roll
      (,(pfaff--word pfaff--functions "[ \t]*(") 1 font-lock-builtin-face)
      (,(concat "\\_<\\(roll\\)\\_>[ \t]+\\(?:" name "\\(?:\\[[^]\n]*\\]\\)?[ \t]*:[ \t]*\\)?\\(disc\\|ball\\)[ \t]+" name)
       (1 font-lock-keyword-face) (2 font-lock-constant-face nil t) (3 font-lock-keyword-face) (4 'default))
      (,(concat "\\_<\\(?:constraint\\|prescribe\\|skate\\|omni\\|mecanum\\)[ \t]+" name "\\(?:\\[[^]\n]*\\]\\)?[ \t]*:")
       1 font-lock-constant-face)
      (,(concat "\\_<\\(?:body\\|frame\\|point\\|part\\|model\\)[ \t]+" name) 1 font-lock-type-face)
      (,(concat "\\_<let[ \t]+" name "(") 1 font-lock-function-name-face)
      (,(concat "\\_<by[ \t]+" (regexp-opt pfaff--integrators "\\(") "\\_>") 1 font-lock-constant-face)
      (,(concat "\\_<formulation[ \t]*=?[ \t]*" (regexp-opt pfaff--formulations "\\(") "\\_>") 1 font-lock-constant-face)
      (,(concat "\\_<as[ \t]+" (regexp-opt pfaff--shapes "\\(") "[ \t]*(") 1 font-lock-builtin-face)
      (,(pfaff--word (append pfaff--statements pfaff--clauses pfaff--connectives))
       1 font-lock-keyword-face)
      (,(concat "\\_<\\(?:on\\|inside\\|outside\\|with\\)[ \t]+" (regexp-opt pfaff--context-behind "\\(") "\\_>")
       1 font-lock-keyword-face)
      (,(concat "\\_<" (regexp-opt (append pfaff--clauses pfaff--controlling '("draw"))) "[ \t]+"
                (regexp-opt pfaff--context-everywhere "\\(") "\\_>")
       1 'default)                                            ; an ordinary name there
      (,(concat "[])}'[:alnum:]_][ \t]+" (regexp-opt pfaff--context "\\(") "\\_>") 1 font-lock-keyword-face)
      (,(concat "^[ \t]+" (regexp-opt pfaff--context "\\(") "[ \t]+[^ \t=]") 1 font-lock-keyword-face)
      (,(concat "\\(?:[{,]\\|^\\)[ \t]*" (regexp-opt (append pfaff--properties pfaff--settings) "\\(")
                "\\(?:[ \t]*=\\|[ \t]+[^ \t=]\\)")
       1 font-lock-variable-name-face)
      (,(pfaff--word pfaff--constants) 1 font-lock-constant-face)
      (,(pfaff--word pfaff--shown) 1 font-lock-variable-name-face)))
  "What has a colour, and which.")

(defvar pfaff-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?' "." table)                         ; a derivative, no quote
    (modify-syntax-entry ?\" "\"" table)
    (dolist (c '(?+ ?- ?* ?/ ?^ ?< ?> ?= ?!)) (modify-syntax-entry c "." table))
    table))

;;;; Indentation

(defun pfaff--continues-p ()
  "Does the line before end in an operator or a comma outside of brackets?"
  (save-excursion
    (forward-line 0)
    (forward-comment (- (point)))
    (memq (char-before) '(?, ?+ ?- ?* ?/ ?^ ?=))))

(defun pfaff--indentation ()
  "The column at which this line should begin."
  (save-excursion
    (back-to-indentation)
    (let* ((closes (memq (char-after) '(?} ?\) ?\])))
           (depth (car (syntax-ppss)))
           (open (nth 1 (syntax-ppss))))
      (cond (closes (* pfaff-indent (max 0 (1- depth))))
            ((and open (eq (char-after open) ?\()) (save-excursion (goto-char (1+ open)) (current-column)))
            ((and (zerop depth) (pfaff--continues-p)) pfaff-indent)
            (t (* pfaff-indent depth))))))

(defun pfaff-indent-line ()
  "Indents the line by the brackets that are open before it."
  (interactive)
  (let ((rest (- (point-max) (point))))                       ; point stays with the text behind it
    (indent-line-to (pfaff--indentation))
    (goto-char (max (point) (- (point-max) rest)))))

;;;; Checking and layout

(defconst pfaff--types '((error . :error) (warning . :warning) (note . :note)))
(defvar-local pfaff--process nil "The check that is under way.")

(defun pfaff--number (key item)
  "The number KEY of the diagnostic ITEM, 1 for what has no place in the text."
  (max 1 (or (alist-get key item) 1)))

(defun pfaff--region (item)
  "Beginning and end of the diagnostic ITEM, whose columns count characters."
  (save-restriction
    (widen)
    (save-excursion
      (goto-char (point-min))
      (forward-line (1- (pfaff--number 'line item)))
      (let ((from (min (line-end-position) (+ (point) (1- (pfaff--number 'column item))))))
        (cons from (min (point-max) (+ from (pfaff--number 'length item))))))))

(defun pfaff--message (item)
  "The words of the diagnostic ITEM, with its hint."
  (let ((hint (alist-get 'hint item)) (words (string-remove-prefix "<stdin>: " (alist-get 'message item))))
    (if (stringp hint) (concat words "\n" hint) words)))

(defun pfaff--diagnostic (source item)
  "The diagnostic ITEM of the program as one of flymake's in SOURCE."
  (let ((region (pfaff--region item)) (type (alist-get (intern (alist-get 'severity item)) pfaff--types)))
    (flymake-make-diagnostic source (car region) (cdr region) (or type :error) (pfaff--message item))))

(defun pfaff--diagnostics (source output)
  "All diagnostics in the buffer OUTPUT, for the buffer SOURCE."
  (let* ((answer (with-current-buffer output
                   (goto-char (point-min))
                   (json-parse-buffer :object-type 'alist :array-type 'list :null-object nil)))
         (items (alist-get 'diagnostics answer)))
    (with-current-buffer source
      (mapcar (lambda (item) (pfaff--diagnostic source item)) items))))

(defun pfaff--report (source process report)
  "Tells REPORT what PROCESS found in SOURCE, unless a newer one has begun."
  (unwind-protect
      (when (and (buffer-live-p source) (eq process (buffer-local-value 'pfaff--process source)))
        (condition-case problem
            (funcall report (pfaff--diagnostics source (process-buffer process)))
          (error (funcall report :panic :explanation (error-message-string problem)))))
    (kill-buffer (process-buffer process))))

(defun pfaff-flymake (report &rest _)
  "Checks the text of the buffer as it is and calls REPORT, for flymake."
  (unless (executable-find pfaff-program) (error "Cannot find %s: set `pfaff-program'" pfaff-program))
  (when (process-live-p pfaff--process) (kill-process pfaff--process))
  (let ((source (current-buffer)))
    (save-restriction
      (widen)
      (setq pfaff--process
            (make-process :name "pfaff-check" :noquery t :connection-type 'pipe :coding 'utf-8
                          :buffer (generate-new-buffer " *pfaff check*")
                          :stderr (make-pipe-process :name " *pfaff messages*" :noquery t :filter #'ignore
                                                     :sentinel #'ignore)  ; the JSON says the same
                          :command (list pfaff-program "check" "--json" "-")
                          :sentinel (lambda (process _event)
                                      (unless (process-live-p process) (pfaff--report source process report)))))
      (process-send-region pfaff--process (point-min) (point-max))
      (process-send-eof pfaff--process))))

(defun pfaff-format ()
  "Lays the model out by \"pfaff fmt\"; a text that cannot be read stays as it is."
  (interactive)
  (let ((output (generate-new-buffer " *pfaff fmt*"))
        (coding-system-for-read 'utf-8) (coding-system-for-write 'utf-8))
    (unwind-protect
        (if (zerop (call-process-region nil nil pfaff-program nil (list output nil) nil "fmt" "-"))
            (replace-buffer-contents output)
          (message "pfaff fmt: the model cannot be read; see M-x flymake-show-buffer-diagnostics"))
      (kill-buffer output))))

;;;###autoload
(define-derived-mode pfaff-mode prog-mode "Pfaff"
  "Models of constrained mechanical systems."
  (setq-local comment-start "# " comment-end "" comment-start-skip "#+[ \t]*")
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(pfaff--font-lock))
  (setq-local indent-line-function #'pfaff-indent-line)
  (add-hook 'flymake-diagnostic-functions #'pfaff-flymake nil t))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.pf\\'" . pfaff-mode))

(provide 'pfaff-mode)
;;; pfaff-mode.el ends here
