/* pfaff plot: columns of a trajectory or of a model's run, as a picture or in the terminal. */
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);

static const OptionHelp own[] = {
  {.name = "show", .argument = "\"x,y;theta\"",
   .help = "columns with commas, panels with semicolons between them (default: what the model plots)"},
  {.name = "out", .argument = "PICTURE", .help = "a picture, .svg, .png or .pdf (default: in the terminal)"},
  {0}};

const Command pf_command_plot = {
  .name = "plot", .summary = "columns of a trajectory or of a model's run, as a picture or in the terminal",
  .operands = "FILE",
  .about = "FILE is a model, which is run, or a trajectory in CSV. Without --out the plot is drawn in the terminal.",
  .takes = TAKES_STATE TAKES_METHOD "show against log out ",
  .own = own,
  .examples = "pfaff plot --show \"x,y;theta\" examples/snakeboard.pf\npfaff plot --show y --against x --out path.svg "
              "examples/snakeboard.pf\n",
  .run = run};

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

/* --show "x,y;theta" */
static PfStatus read_columns(Plot *p, const char *text)
{
  Panel *panel = NULL;
  char name[256];
  while (*text) {
    size_t length = strcspn(text, ",;");
    if (length >= sizeof name) return pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "--show: a name is too long");
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

/* ---------------------------------------------------------------- ranges */

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

/* ---------------------------------------------------------------- the picture */

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

/* "x [m]", in the arena. */
static const char *label_of(const Plot *p, const char *name, const char *unit)
{
  size_t length = strlen(name) + strlen(unit) + 4;
  char *text = pf_arena_alloc(p->s.arena, length, 1);
  if (!text) return "";
  if (unit[0]) snprintf(text, length, "%s%s[%s]", name, name[0] ? " " : "", unit);
  else snprintf(text, length, "%s", name);
  return text;
}

static double *column_of(const Plot *p, int column)
{
  int rows = pf_table_rows(&p->table);
  double *x = pf_arena_array(p->s.arena, double, rows);
  for (int r = 0; x && r < rows; r++) x[r] = p->table.cells.at[(size_t)r*(size_t)p->table.columns + (size_t)column];
  return x;
}

static PfStatus make_chart(const Plot *p, const Panel *panel, PfChart *chart)
{
  const Table *t = &p->table;
  const char *unit = common_unit(p, panel);
  PfSeries *series = pf_arena_array(p->s.arena, PfSeries, panel->count);
  const double *x = column_of(p, panel->against);
  if (!series || !x) return pf_fail(p->s.ctx, PF_ERR_MEMORY, "no memory for the picture");
  for (int k = 0; k < panel->count; k++) {
    int column = panel->column[k];
    const char *label = label_of(p, t->names[column], unit ? "" : t->units[column]);
    series[k] = (PfSeries){.count = pf_table_rows(t), .x = x, .y = column_of(p, column), .color = k,
                           .label = panel->count > 1 ? label : NULL};
    if (!series[k].y) return pf_fail(p->s.ctx, PF_ERR_MEMORY, "no memory for the picture");
  }
  *chart = (PfChart){.title = "", .count = panel->count, .series = series, .log_y = p->options->log, .equal = is_path(p, panel)};
  chart->x_label = is_last_of_axis(p, panel) ? label_of(p, t->names[panel->against], t->units[panel->against]) : "";
  chart->y_label = label_of(p, panel->count == 1 ? t->names[panel->column[0]] : "", unit ? unit : "");
  return PF_OK;
}

static PfStatus draw(const Plot *p)
{
  PfChart charts[MOST_PANELS];
  PfText text;
  for (int i = 0; i < p->count; i++) PF_TRY(make_chart(p, p->panel + i, charts + i));
  charts[0].title = p->s.model && p->s.model->title[0] ? p->s.model->title : p->s.model ? pf_cli_name(p->s.model) : "";
  for (int i = 0; i + 1 < p->count; i++) charts[i].shared_x = p->panel[i].against == p->panel[i + 1].against;
  pf_text_init(&text, pf_context_allocator(p->s.ctx));
  pf_svg_charts(&text, charts, p->count);
  PfStatus status = pf_cli_write(p->s.ctx, p->options, &text);
  pf_text_free(&text);
  return status;
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
  if (is_table(o->file)) {
    p->s = (Session){.ctx = pf_cli_context()};
    if (!p->s.ctx) return PF_ERR_MEMORY;
    PF_TRY(pf_cli_check_out(p->s.ctx, o));
    p->s.arena = pf_arena_new(pf_context_allocator(p->s.ctx));
    if (!p->s.arena) return pf_fail(p->s.ctx, PF_ERR_MEMORY, "no memory");
    PF_TRY(pf_table_read(p->s.ctx, p->s.arena, o->file, &p->table));
  } else {
    PF_TRY(pf_cli_open(&p->s, o));
    PF_TRY(pf_table_run(&p->s, o, SAMPLES, &p->table));
  }
  return o->show ? read_columns(p, o->show) : default_columns(p);
}

static PfStatus show(const Plot *p, int *code)
{
  PfText text;
  if (p->options->out) return draw(p);
  pf_text_init(&text, pf_context_allocator(p->s.ctx));
  for (int i = 0; i < p->count; i++) text_panel(p, p->panel + i, &text);
  *code = pf_cli_print(&text);
  pf_text_free(&text);
  return PF_OK;
}

static int run(int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_plot, argc, argv, &options);
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
