/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What scalers asked of a resource, when it acted, and what AWS refused: marks beside a capacity's line. */
#ifndef PLOTS_CHART_SCALING_H
#define PLOTS_CHART_SCALING_H

#include <plots/chart.h>

struct scaling_mark;
struct scaling_marks {
    struct scaling_mark *items; /* in time's order */
    size_t count;
    double most; /* that was asked for */
    bool asked, refused;
};

DDBSIM_MUST_CHECK enum ddbsim_status scaling_marks_load(const struct chart_data *data,
                                                        const struct chart_resource *resource,
                                                        struct scaling_marks *out,
                                                        struct ddbsim_error *error);
void scaling_marks_free(struct scaling_marks *marks);
void scaling_marks_draw(const struct chart *chart, const struct scaling_marks *marks,
                        struct box plot, const struct scale *time, const struct scale *values);
/* The title of what a scaler came too late for; false, and the title as it was, where none did. */
DDBSIM_MUST_CHECK enum ddbsim_status scaling_title(struct chart *chart,
                                                   const struct scaling_marks *marks,
                                                   const struct chart_resource *worst, bool *titled,
                                                   struct ddbsim_error *error);
/* What the marks are, at the end of the line that says what is drawn. */
void scaling_legend(struct chart *chart, bool asked, bool refused);

#endif
