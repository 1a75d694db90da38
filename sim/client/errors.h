/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an attempt's error means to its SDK: the class decides whether it is retried, after what wait and for
 * how many tokens of the retry quota (M-77). Which errors belong to which class is a client's own data.
 */
#ifndef CLIENT_ERRORS_H
#define CLIENT_ERRORS_H

#include <ddbsim/scenario.h>

enum error_class {
    ERROR_NONE,
    ERROR_THROTTLE,
    ERROR_TRANSIENT, /* HTTP 500, 502, 503, 504, or no connection */
    ERROR_TIMEOUT,   /* no answer in time: waits like TRANSIENT, with a quota cost of its own */
    ERROR_CANCELLED, /* a transaction, for load: no SDK makes it again (M-68) */
    ERROR_FINAL      /* nothing that a retry would mend, or that this client does not retry */
};

/* Of an answer by its status and its error code, "" where it has none. Throttles are looked for first. */
enum error_class error_of_answer(const struct ddbsim_retry_on *on, int http_status,
                                 const char *code);
/* Of an attempt without any answer: it was cut off for its length, or never got through. */
enum error_class error_of_silence(const struct ddbsim_client *client, bool timed_out);

#endif
