/*
 * Why a send completes in error, as adapters tell it apart.  Part of xp.h, which includes it.
 *
 * Verbs has one status where adapters have several causes, and beside the status a code of the vendor's own
 * (ibv_wc.vendor_err).  A profile says for each cause which code that is, and how long the adapter takes
 * until the completion is there: errors are handled by firmware.  What it does not name is 0 and at once.
 */
#ifndef XP_FAULT_H
#define XP_FAULT_H

#include <stdint.h>

#include "sim/base/tm.h"

enum xp_fault {
    XP_F_OTHER,
    XP_F_LKEY,        /* status 4: the key is none of the PD's */
    XP_F_SGE,         /* status 4: the segment leaves its region */
    XP_F_LOCAL_WRITE, /* status 4: what comes back may not be written there */
    XP_F_FLUSH,       /* status 5; the time is of sends that are posted where all flush */
    XP_F_REM_INV_REQ, /* status 9 */
    XP_F_REM_ACCESS,  /* status 10 */
    XP_F_RETRY,       /* status 12 */
    XP_F_RNR_RETRY,   /* status 13 */
    XP_FAULTS
};

struct xp_faults {
    tm_ps delay_ps[XP_FAULTS];
    uint8_t vendor_err[XP_FAULTS];
};

#endif
