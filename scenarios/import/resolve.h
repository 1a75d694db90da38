/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What CloudFormation's functions in a template stand for, as far as the template says it. */
#ifndef IMPORT_RESOLVE_H
#define IMPORT_RESOLVE_H

#include "aws.h"

/* Puts in the place of each function below `Resources` what it stands for; null where the template does not say it,
 * which a note tells. Failures stay in the document. */
void resolve_template(struct aws *aws);
/* Is a resource made, by its Condition? */
bool resolve_is_made(struct aws *aws, const json_t *resource);
/* What a Ref to a resource gives: its name, else its logical ID; copied. */
const char *resolve_name(struct aws *aws, const char *logical_id);

#endif
