// Functions of glibc that it declares under _GNU_SOURCE only, without which Swift imports it, and
// one that takes variable arguments, which Swift cannot call.
//
// No header that Swift's module of glibc holds is included: its types would seem to be from here.
#ifndef RETAP_CLINUX_H
#define RETAP_CLINUX_H

#include <stddef.h>
#include <sys/prctl.h>

// ppoll(2) with an array of struct pollfd and a struct timespec or nothing: the only wait for
// descriptors that is finer than a millisecond.
static inline int retap_ppoll(void *descriptors, unsigned long count, const void *timeout) {
  extern int ppoll(void *, unsigned long, const void *, const void *);
  return ppoll(descriptors, count, timeout, 0);
}

// pty(7).
extern int posix_openpt(int flags);
extern int grantpt(int descriptor);
extern int unlockpt(int descriptor);
extern int ptsname_r(int descriptor, char *buffer, size_t length);

// PR_SET_TIMERSLACK of prctl(2): how late the kernel may end this thread's sleeps, in nanoseconds.
static inline int retap_timer_slack(void) { return prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); }
static inline int retap_set_timer_slack(unsigned long nanoseconds) {
  return prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
}

#endif
