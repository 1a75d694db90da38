/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SANITIZED is defined where a sanitizer makes all of it slow: tests of many runs then make fewer. */
#ifndef SUPPORT_SANITIZED_H
#define SUPPORT_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#endif
