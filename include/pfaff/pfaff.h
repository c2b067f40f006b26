/* SPDX-License-Identifier: Apache-2.0 */
/* The whole library. */
#ifndef PFAFF_PFAFF_H
#define PFAFF_PFAFF_H

#include "pfaff/base.h"
#include "pfaff/codegen.h"
#include "pfaff/expr.h"
#include "pfaff/form.h"
#include "pfaff/import.h"
#include "pfaff/integrals.h"
#include "pfaff/kernel.h"
#include "pfaff/lang.h"
#include "pfaff/machine.h"
#include "pfaff/mech.h"
#include "pfaff/model.h"
#include "pfaff/report.h"
#include "pfaff/request.h"
#include "pfaff/scene.h"
#include "pfaff/sim.h"
#include "pfaff/sim_parts.h"
#include "pfaff/study.h"
#include "pfaff/sweep.h"
#include "pfaff/task.h"
#include "pfaff/time.h"
#include "pfaff/tree.h"

#endif
