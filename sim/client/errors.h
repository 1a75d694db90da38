/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an attempt's error means to its SDK: the class decides whether it is retried, after what wait and for
 * how many tokens of the retry quota.
 */
#ifndef CLIENT_ERRORS_H
#define CLIENT_ERRORS_H

enum error_class {
    ERROR_NONE,
    ERROR_THROTTLE,
    ERROR_TRANSIENT, /* HTTP 500, 502, 503, 504, or no connection */
    ERROR_TIMEOUT,   /* no answer in time: waits like TRANSIENT, with a quota cost of its own */
    ERROR_FINAL      /* nothing that a retry would mend */
};

#endif
