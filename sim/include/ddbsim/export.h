/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What leaves the library: everything else is hidden. */
#ifndef DDBSIM_EXPORT_H
#define DDBSIM_EXPORT_H

#if defined(__GNUC__)
#define DDBSIM_API __attribute__((visibility("default")))
#define DDBSIM_MUST_CHECK __attribute__((warn_unused_result))
#define DDBSIM_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DDBSIM_API
#define DDBSIM_MUST_CHECK
#define DDBSIM_PRINTF(text, first)
#endif

#endif
