/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of a simulation: a head with a check of what it belongs to and the state of its controller, then the inputs
 * as doubles, then the bytes of the driver. They are of one build of the program on one kind of machine: numbers are
 * written as they are in memory. */
#include "sim/sim_impl.h"

#include <stddef.h>
#include <string.h>

typedef struct Head {
  uint64_t magic, size;
  uint64_t sum;      /* of all that follows */
  uint64_t identity; /* of model, method and formulation */
  double control_start;
  long control_next;
  PfError trouble;
} Head;

static const uint64_t magic = 0x33736666616670; /* "pfaffs3" */

/* Fowler, Noll and Vo. */
static uint64_t mix(uint64_t hash, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) hash = (hash ^ (unsigned char)bytes[i])*0x100000001b3u;
  return hash;
}

/* With the 0 at its end, so that "ab", "c" and "a", "bc" differ. */
static uint64_t mix_word(uint64_t hash, const char *word)
{
  return mix(hash, word, strlen(word) + 1);
}

/* A hash of the text of the model and of the names of method and formulation in use. */
static uint64_t identity(const PfSim *sim)
{
  uint64_t hash = mix(0xcbf29ce484222325u, sim->model->text, sim->model->text_size);
  const PfRunOptions *o = &sim->motion.driver->options;
  hash = mix_word(hash, pf_run_method(o));
  return mix_word(hash, pf_run_formulation(o));
}

/* In bytes; 0 while there is no motion. The size changes with the phases of the motion. */
size_t pf_sim_snapshot_size(const PfSim *sim)
{
  size_t inputs = (size_t)sim->model->input_count*sizeof(double);
  return pf_sim_moves(sim) ? sizeof(Head) + inputs + pf_driver_checkpoint_size(sim->motion.driver) : 0;
}

/* A snapshot holds places in arrays: one that was changed on the way must not be followed. */
static uint64_t sum_of(const char *bytes, size_t size)
{
  size_t first = offsetof(Head, sum) + sizeof(uint64_t);
  return pf_hash_bytes(bytes + first, size - first, magic);
}

/* The sum is over all bytes after it, and put in last. */
static PfStatus save(PfSim *sim, char *bytes, size_t size)
{
  if (!pf_sim_moves(sim))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "a simulation that has not been started has no snapshot");
  const PfSimMotion *m = &sim->motion;
  Head head = {magic, pf_sim_snapshot_size(sim), 0, identity(sim), m->control_start, m->control_next, m->trouble};
  if (size < head.size)
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "a snapshot needs %zu bytes, not %zu", (size_t)head.size, size);
  size_t inputs = (size_t)sim->model->input_count*sizeof(double);
  memcpy(bytes, &head, sizeof head);
  if (inputs) memcpy(bytes + sizeof head, sim->settings.input, inputs);
  pf_driver_save(sim->motion.driver, bytes + sizeof head + inputs);
  head.sum = sum_of(bytes, (size_t)head.size);
  memcpy(bytes + offsetof(Head, sum), &head.sum, sizeof head.sum);
  return PF_OK;
}

/* The bytes are the caller's. */
bool pf_sim_save(PfSim *sim, void *bytes, size_t size)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, save(sim, bytes, size), before);
}

/* Everything is checked before anything is changed: head, sum, model, size, and the driver's own part. */
static PfStatus restore(PfSim *sim, const char *bytes, size_t size)
{
  Head head;
  if (!pf_sim_moves(sim))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "start the simulation before a snapshot is restored");
  if (size < sizeof head) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "this is no snapshot: it has %zu bytes", size);
  memcpy(&head, bytes, sizeof head);
  if (head.magic != magic || head.size < sizeof head || head.size > size)
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "this is no snapshot, or a part of one");
  if (head.sum != sum_of(bytes, (size_t)head.size))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the snapshot was changed after it was saved");
  if (head.identity != identity(sim))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the snapshot belongs to another model, method or formulation");
  size_t inputs = (size_t)sim->model->input_count*sizeof(double);
  if (head.size < sizeof head + inputs)
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "this is no snapshot, or a part of one");
  PF_TRY(pf_driver_load(sim->motion.driver, bytes + sizeof head + inputs, (size_t)head.size - sizeof head - inputs));
  if (inputs) memcpy(sim->settings.input, bytes + sizeof head, inputs);
  sim->motion.control_start = head.control_start;
  sim->motion.control_next = head.control_next;
  sim->motion.trouble = head.trouble;
  pf_sim_forget_sample(sim);
  return PF_OK;
}

/* A failure leaves the motion as it was. */
bool pf_sim_restore(PfSim *sim, const void *bytes, size_t size)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, restore(sim, bytes, size), before);
}
