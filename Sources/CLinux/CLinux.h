// Functions of glibc that it declares under _GNU_SOURCE only, without which Swift imports it, and
// one that takes variable arguments, which Swift cannot call.
#ifndef RETAP_CLINUX_H
#define RETAP_CLINUX_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

// ppoll(2): the only wait for descriptors that is finer than a millisecond.
extern int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask);

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
