/*
 * The life cycle of a QP as data (IBA 10.3, 11.2.5.2): [from][to] names the step, the service's
 * descriptor the attributes that the step wants and allows.
 */
#include "models/transport/service.h"

static const uint8_t steps[XP_STATES][XP_STATES] = {
    [XP_RESET] = {[XP_RESET] = LIFE_BARE, [XP_INIT] = LIFE_TO_INIT},
    [XP_INIT] = {[XP_RESET] = LIFE_BARE,
                 [XP_INIT] = LIFE_IN_INIT,
                 [XP_RTR] = LIFE_TO_RTR,
                 [XP_ERR] = LIFE_BARE},
    [XP_RTR] = {[XP_RESET] = LIFE_BARE, [XP_RTS] = LIFE_TO_RTS, [XP_ERR] = LIFE_BARE},
    [XP_RTS] = {[XP_RESET] = LIFE_BARE,
                [XP_RTS] = LIFE_IN_RTS,
                [XP_SQD] = LIFE_TO_SQD,
                [XP_ERR] = LIFE_BARE},
    [XP_SQD] = {[XP_RESET] = LIFE_BARE,
                [XP_RTS] = LIFE_IN_RTS,
                [XP_SQD] = LIFE_IN_SQD,
                [XP_ERR] = LIFE_BARE},
    [XP_SQE] = {[XP_RESET] = LIFE_BARE, [XP_RTS] = LIFE_SQE_TO_RTS, [XP_ERR] = LIFE_BARE},
    [XP_ERR] = {[XP_RESET] = LIFE_BARE, [XP_ERR] = LIFE_BARE},
};

struct xp_transition xp_transition_check(enum xp_service_id s, enum xp_state from, enum xp_state to,
                                         uint32_t mask)
{
    if ((unsigned)s >= XP_SERVICES || (unsigned)from >= XP_STATES || (unsigned)to >= XP_STATES)
        return (struct xp_transition){.valid = false};
    const struct life_attrs *l = &xp__services[s]->life[steps[from][to]];
    if (!l->valid)
        return (struct xp_transition){.valid = false};
    uint32_t given = mask & ~(uint32_t)XP_A_STATE;
    return (struct xp_transition){
        .valid = true,
        .missing = l->required & ~given,
        .excess = given & ~(l->required | l->optional),
    };
}
