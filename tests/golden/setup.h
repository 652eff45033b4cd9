/* The profile that captures are held against, and where they lie. */
#ifndef GOLDEN_SETUP_H
#define GOLDEN_SETUP_H

#include "tests/golden/capture.h"
#include "models/transport/xp.h"

#define GOLDEN_FOLDER "tests/golden/softroce"

/* The profile NAME, NULL: the one that golden.ini names.  false with *why. */
bool golden_profile(const char *name, struct xp_profile *out, struct trouble *why);

/* The profile that golden.ini names, but for one key ("hca.migreq"). */
bool golden_profile_with(const char *key, const char *value, struct xp_profile *out,
                         struct trouble *why);

/* Names of the captures in a folder, in their order, ending with NULL; NULL: no such folder. */
char **golden_names(const char *folder);
void golden_names_free(char **names);

#endif
