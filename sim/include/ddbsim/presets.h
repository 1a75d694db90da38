/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Retry presets by name: what each SDK does by default, as data with its source. */
#ifndef DDBSIM_PRESETS_H
#define DDBSIM_PRESETS_H

#include <ddbsim/scenario.h>

struct ddbsim_preset {
    const char *name, *what, *source;
    const char *unverified;      /* what of it nobody has seen in code or in a run; NULL: nothing */
    struct ddbsim_client client; /* processes 1 */
};

/* By number, NULL past the end; by name, NULL where there is none. Owned by the library. */
DDBSIM_API const struct ddbsim_preset *ddbsim_preset(int number);
DDBSIM_API const struct ddbsim_preset *ddbsim_preset_find(const char *name);

#endif
