/* pfaff plot: columns of a trajectory or of a model's run, by gnuplot or in the terminal. */
#include "cli/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run(int argc, char **argv);

const Command pf_command_plot = {
  "plot", "columns of a trajectory or of a model's run, as a picture or in the terminal",
  "[--columns \"x,y;theta\"] [--against NAME] [--log] [--out PICTURE | --script] FILE\n\n"
  "FILE is a model or a CSV trajectory. Without --out the plot is drawn in the terminal.\n\n"
  "      --columns LIST   panels separated by ';', columns by ','; default: the 'plot' statements of the model\n"
  "      --against NAME   the horizontal axis (default: t)\n"
  "      --log            logarithmic vertical axis, for errors\n"
  "      --out PICTURE    .svg, .png or .pdf, through gnuplot\n"
  "      --script         print the gnuplot script instead\n"
  "  -p, --state, --by, --for, --rtol … as for 'pfaff run'",
  run};

enum { MOST_PANELS = 16, MOST_SERIES = 12, SAMPLES = 800 };

typedef struct Panel {
  int count, column[MOST_SERIES], against;
} Panel;

typedef struct Plot {
  Session s;
  const Options *options;
  Table table;
  int count;
  Panel panel[MOST_PANELS];
  const char *title;
} Plot;

/* ---------------------------------------------------------------- which columns */

static PfStatus find_column(Plot *p, const char *name, int *column)
{
  *column = pf_table_find(&p->table, name);
  if (*column >= 0) return PF_OK;
  pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "there is no column '%s'", name);
  for (int i = 0; i < p->table.columns; i++)
    if (pf_name_distance(name, p->table.names[i], 2) <= 2) {
      pf_hint(p->s.ctx, "did you mean '%s'?", p->table.names[i]);
      break;
    }
  return PF_ERR_ARGUMENT;
}

static PfStatus add_series(Plot *p, Panel *panel, const char *name)
{
  if (panel->count == MOST_SERIES)
    return pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "more than %d curves in one panel", MOST_SERIES);
  return find_column(p, name, panel->column + panel->count++);
}

static PfStatus new_panel(Plot *p, Panel **panel)
{
  if (p->count == MOST_PANELS) return pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "more than %d panels", MOST_PANELS);
  *panel = p->panel + p->count++;
  return p->options->against ? find_column(p, p->options->against, &(*panel)->against) : PF_OK;
}

/* --columns "x,y;theta" */
static PfStatus read_columns(Plot *p, const char *text)
{
  Panel *panel = NULL;
  char name[256];
  while (*text) {
    size_t length = strcspn(text, ",;");
    if (length >= sizeof name) return pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "--columns: a name is too long");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!panel) PF_TRY(new_panel(p, &panel));
    if (name[0]) PF_TRY(add_series(p, panel, name));
    if (text[length] == ';') panel = NULL;
    text += length + (text[length] != 0);
  }
  return PF_OK;
}

/* The plot statements of the model, or else all coordinates. */
static PfStatus default_columns(Plot *p)
{
  const PfModel *model = p->s.model;
  Panel *panel;
  for (int i = 0; model && i < model->plot_count; i++) {
    const PfPlot *plot = model->plots + i;
    PF_TRY(new_panel(p, &panel));
    for (int k = 0; k < plot->count; k++) PF_TRY(add_series(p, panel, plot->labels[k]));
    if (plot->against && !p->options->against) PF_TRY(find_column(p, plot->against_label, &panel->against));
  }
  if (p->count) return PF_OK;
  PF_TRY(new_panel(p, &panel));
  if (model && model->complete) model = model->complete; /* the columns are its own */
  int most = model ? model->coordinate_count : p->table.columns - 1;
  for (int i = 1; i <= most && i <= MOST_SERIES && i < p->table.columns; i++)
    PF_TRY(add_series(p, panel, p->table.names[i]));
  return PF_OK;
}

/* ---------------------------------------------------------------- gnuplot */

/* Names as gnuplot takes them literally. */
static void put_label(PfText *text, const char *name, const char *unit)
{
  pf_text_add(text, "\"");
  for (const char *c = name; *c; c++) {
    if (*c == '"' || *c == '\\') pf_text_add(text, "\\");
    pf_text_put(text, c, 1);
  }
  if (unit[0]) pf_text_print(text, "%s[%s]", name[0] ? " " : "", unit);
  pf_text_add(text, "\"");
}

static const char *terminal_for(const char *path)
{
  const char *dot = path ? strrchr(path, '.') : NULL;
  if (dot && !strcmp(dot, ".png")) return "pngcairo size 1200,%d font 'sans,20' linewidth 2";
  if (dot && !strcmp(dot, ".pdf")) return "pdfcairo size 8.6cm,%dcm font 'sans,8' linewidth 1";
  if (!dot || !strcmp(dot, ".svg")) return "svg size 860,%d font 'sans,18' linewidth 2 background rgb 'white'";
  return NULL;
}

/* Smallest and largest number of a column of a panel that are finite; low and high are moved apart. */
static void find_range(const Plot *p, const Panel *panel, int column, double *low, double *high)
{
  int columns = p->table.columns;
  for (int r = 0; r < pf_table_rows(&p->table); r++) {
    double x = p->table.cells.at[r*columns + column];
    if (p->options->log && column != panel->against) x = log10(fabs(x)); /* zeros are left out */
    if (!isfinite(x)) continue;
    *low = fmin(*low, x);
    *high = fmax(*high, x);
  }
}

static PfStatus check_log(const Plot *p)
{
  for (int i = 0; p->options->log && i < p->count; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < p->panel[i].count; k++) find_range(p, p->panel + i, p->panel[i].column[k], &low, &high);
    if (!(low <= high))
      return pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "--log: all numbers of '%s' are zero", p->table.names[p->panel[i].column[0]]);
  }
  return PF_OK;
}

/* A path: lengths over lengths. It keeps its shape, unless that is a thin strip. */
static bool is_path(const Plot *p, const Panel *panel)
{
  const Table *t = &p->table;
  double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
  if (panel->against == 0 || panel->count != 1 || p->options->log) return false;
  if (!t->units[panel->against][0] || strcmp(t->units[panel->against], t->units[panel->column[0]]) != 0) return false;
  find_range(p, panel, panel->against, &left, &right);
  find_range(p, panel, panel->column[0], &low, &high);
  double ratio = (right - left)/(high - low);
  return ratio > 0.25 && ratio < 4;
}

static void put_head(const Plot *p, PfText *text)
{
  /* Okabe and Ito: told apart also by people who do not see all colours */
  static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999933"};
  const char *terminal = terminal_for(p->options->out), *dot = p->options->out ? strrchr(p->options->out, '.') : NULL;
  bool pdf = dot && !strcmp(dot, ".pdf"), png = dot && !strcmp(dot, ".png");
  char line[256];
  snprintf(line, sizeof line, "set terminal %s\n", terminal);
  int height = pdf ? 5 : png ? 560 : 400; /* of a panel */
  for (int i = 0; i < p->count; i++)
    if (is_path(p, p->panel + i)) height = pdf ? 8 : png ? 1020 : 730;
  pf_text_print(text, line, p->count*height);
  if (p->options->out) {
    pf_text_add(text, "set output ");
    put_label(text, p->options->out, "");
    pf_text_add(text, "\n");
  }
  enum { COLOURS = sizeof colours/sizeof *colours };
  for (int i = 0; i < MOST_SERIES; i++) /* dashed when the colours come again */
    pf_text_print(text, "set linetype %d linecolor rgb '%s' linewidth 1.5 dashtype %s\n", i + 1, colours[i%COLOURS],
                  i < COLOURS ? "solid" : "(8,3)");
  pf_text_add(text, "set grid linetype 1 linecolor rgb '#dddddd' linewidth 0.5\nset border 3\nset tics nomirror\n"
              "set rmargin 3\nset key outside top center horizontal Left reverse noenhanced samplen 2\n");
  pf_text_add(text, p->options->log ? "set logscale y\nset format y '10^{%L}'\nunset mytics\n" : "set format y '%g'\n");
  if (p->count > 1) pf_text_add(text, "set lmargin 12\n"); /* so that panels stand below each other */
}

/* The unit of all curves of a panel, or NULL. */
static const char *common_unit(const Plot *p, const Panel *panel)
{
  const char *unit = p->table.units[panel->column[0]];
  for (int k = 1; k < panel->count; k++)
    if (strcmp(p->table.units[panel->column[k]], unit) != 0) return NULL;
  return unit[0] ? unit : NULL;
}

static bool is_last_of_axis(const Plot *p, const Panel *panel)
{
  return panel == p->panel + p->count - 1 || panel[1].against != panel->against;
}

static void put_data(const Plot *p, PfText *text)
{
  int columns = p->table.columns;
  pf_text_add(text, "$data << EOD\n");
  for (int r = 0; r < pf_table_rows(&p->table); r++)
    for (int c = 0; c < columns; c++) {
      double x = p->table.cells.at[r*columns + c];
      pf_text_print(text, "%.9g%s", p->options->log && c ? fabs(x) : x, c + 1 < columns ? " " : "\n");
    }
  pf_text_add(text, "EOD\n");
}

static void put_panel(const Plot *p, const Panel *panel, PfText *text)
{
  const Table *t = &p->table;
  const char *unit = common_unit(p, panel);
  pf_text_add(text, "set xlabel ");
  if (is_last_of_axis(p, panel)) put_label(text, t->names[panel->against], t->units[panel->against]);
  else pf_text_add(text, "\"\"");
  pf_text_add(text, " noenhanced\nset ylabel ");
  put_label(text, panel->count == 1 ? t->names[panel->column[0]] : "", unit ? unit : "");
  pf_text_print(text, " noenhanced\nset size %s\nplot ", is_path(p, panel) ? "ratio -1" : "noratio");
  for (int k = 0; k < panel->count; k++) {
    pf_text_print(text, "%s$data using %d:%d with lines ", k ? ", \\\n     " : "", panel->against + 1, panel->column[k] + 1);
    pf_text_add(text, panel->count == 1 ? "notitle" : "title ");
    if (panel->count > 1) put_label(text, t->names[panel->column[k]], unit ? "" : t->units[panel->column[k]]);
  }
  pf_text_add(text, "\n");
}

static void put_script(const Plot *p, PfText *text)
{
  put_head(p, text);
  put_data(p, text);
  if (p->count > 1) pf_text_print(text, "set multiplot layout %d,1\n", p->count);
  for (int i = 0; i < p->count; i++) put_panel(p, p->panel + i, text);
  if (p->count > 1) pf_text_add(text, "unset multiplot\n");
}

static PfStatus draw(const Plot *p, const PfText *script)
{
  FILE *gnuplot = popen("gnuplot", "w");
  if (!gnuplot) return pf_fail(p->s.ctx, PF_ERR_MISSING, "cannot start gnuplot: %s", strerror(errno));
  fwrite(pf_text_get(script), 1, script->count, gnuplot);
  int code = pclose(gnuplot);
  if (code == 0) return PF_OK;
  pf_fail(p->s.ctx, PF_ERR_MISSING, "gnuplot did not make '%s'", p->options->out);
  pf_hint(p->s.ctx, "is gnuplot installed, and can the file be written? --script prints the script");
  return PF_ERR_MISSING;
}

/* ---------------------------------------------------------------- the terminal */

static void text_panel(const Plot *p, const Panel *panel, PfText *text)
{
  enum { WIDE = 72, HIGH = 18 };
  static const char marks[] = "*+ox#@%&=~^s";
  char canvas[HIGH][WIDE + 1];
  int columns = p->table.columns;
  double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
  memset(canvas, ' ', sizeof canvas);
  for (int i = 0; i < HIGH; i++) canvas[i][WIDE] = 0;
  find_range(p, panel, panel->against, &left, &right);
  for (int k = 0; k < panel->count; k++) find_range(p, panel, panel->column[k], &low, &high);
  if (!(high >= low)) low = high = 0; /* nothing to show */
  if (!(high > low)) low -= 0.5, high = low + 1;
  if (!(right > left)) right = left + 1;
  for (int k = 0; k < panel->count; k++)
    for (int r = 0; r < pf_table_rows(&p->table); r++) {
      double x = p->table.cells.at[r*columns + panel->against], y = p->table.cells.at[r*columns + panel->column[k]];
      if (p->options->log) y = log10(fabs(y));
      if (!isfinite(x) || !isfinite(y)) continue;
      int i = (int)lround((x - left)/(right - left)*(WIDE - 1)), j = (int)lround((high - y)/(high - low)*(HIGH - 1));
      canvas[j][i] = marks[k%(int)(sizeof marks - 1)];
    }
  pf_text_add(text, "\n ");
  for (int k = 0; k < panel->count; k++) {
    const char *unit = p->table.units[panel->column[k]];
    pf_text_print(text, "  %c %s%s%s%s", marks[k%(int)(sizeof marks - 1)], p->table.names[panel->column[k]],
                  unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
  }
  for (int j = 0; j < HIGH; j++) {
    char label[16] = "";
    if (j == 0 || j == HIGH - 1) snprintf(label, sizeof label, p->options->log ? "1e%.1f" : "%.4g", j ? low : high);
    pf_text_print(text, "\n%11s |%s", label, canvas[j]);
  }
  const char *unit = p->table.units[panel->against];
  pf_text_print(text, "\n%11s +------------------------------------------------------------------------\n%11s  %-30.4g%42.4g\n"
                "%11s  %*s%s%s%s%s\n", "", "", left, right, "", 32, "", p->table.names[panel->against], unit[0] ? " [" : "", unit,
                unit[0] ? "]" : "");
}

/* ---------------------------------------------------------------- the command */

static bool is_table(const char *path)
{
  size_t length = strlen(path);
  return length > 4 && !strcmp(path + length - 4, ".csv");
}

static PfStatus load(Plot *p)
{
  const Options *o = p->options;
  if (o->out && !terminal_for(o->out)) {
    p->s = (Session){.ctx = pf_context_new(NULL)};
    return pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "--out %s: pictures are .svg, .png or .pdf", o->out);
  }
  if (is_table(o->file)) {
    p->s = (Session){.ctx = pf_context_new(NULL)};
    if (!p->s.ctx) return PF_ERR_MEMORY;
    p->s.arena = pf_arena_new(pf_context_allocator(p->s.ctx));
    if (!p->s.arena) return pf_fail(p->s.ctx, PF_ERR_MEMORY, "no memory");
    PF_TRY(pf_table_read(p->s.ctx, p->s.arena, o->file, &p->table));
  } else {
    PF_TRY(pf_cli_open(&p->s, o));
    PF_TRY(pf_table_run(&p->s, o, SAMPLES, &p->table));
  }
  return o->columns ? read_columns(p, o->columns) : default_columns(p);
}

static PfStatus show(Plot *p, int *code)
{
  PfText text;
  PfStatus status = PF_OK;
  pf_text_init(&text, pf_context_allocator(p->s.ctx));
  if (p->options->script || p->options->out) put_script(p, &text);
  else
    for (int i = 0; i < p->count; i++) text_panel(p, p->panel + i, &text);
  if (p->options->out && !p->options->script) status = draw(p, &text);
  else *code = pf_cli_print(&text);
  pf_text_free(&text);
  return status;
}

static int run(int argc, char **argv)
{
  Options options;
  unsigned allowed = OPTION_PARAMETER | OPTION_STATE | OPTION_TIME | OPTION_FORM | OPTION_RUN | OPTION_FOR | OPTION_OUT | OPTION_PLOT;
  int code = pf_cli_options(&pf_command_plot, allowed, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Plot p = {.options = &options};
  PfStatus status = load(&p);
  if (status == PF_OK) status = check_log(&p);
  if (status == PF_OK) status = show(&p, &code);
  pf_cli_diagnostics(p.s.ctx);
  if (p.s.ctx) pf_table_free(p.s.ctx, &p.table);
  pf_cli_close(&p.s);
  return status == PF_OK ? code : status == PF_ERR_ARGUMENT ? PF_EXIT_USAGE : PF_EXIT_FAILED;
}
