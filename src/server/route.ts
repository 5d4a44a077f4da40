/** Factories of the control plane's routes, which enforce the authorization table (identity/authorization.ts). */
import type { Actor } from '../control/control.ts';
import { vpError } from '../errors/vp-error.ts';
import { createRouteFactories, type Route } from '../http/route.ts';
import { type AuthorizedAction, type CallerByAction, isActionAllowed } from '../identity/authorization.ts';
import type { ActingCaller, Caller } from '../identity/caller.ts';
import { assertInstanceAccess } from './access/instance-access.ts';
import type { ServerServices } from './services.ts';

export type ServerRoute = Route<ServerServices, Caller>;

/** Throws HUB_PERSON_NEEDED for the owner key, because another role would not help. */
function isAllowed<A extends AuthorizedAction>(caller: Caller, action: A): caller is CallerByAction[A] & Caller {
  if (caller.kind === 'owner' && action.startsWith('hub.')) throw vpError('HUB_PERSON_NEEDED', {});
  return isActionAllowed(caller, action);
}

export const { route, openRoute } = createRouteFactories<ServerServices, Caller, CallerByAction>({
  allows: isAllowed,
  checkAccess: assertInstanceAccess,
});

/** A list that is complete in one page. */
export function toSinglePage<T>(items: readonly T[]): { items: T[]; next_cursor: null } {
  return { items: [...items], next_cursor: null };
}

/** The name recorded for changes by a caller. */
export function toActor(caller: ActingCaller): Actor {
  if (caller.kind === 'agent') return { name: `${caller.role} agent of ${caller.instance} (${caller.person})` };
  return caller.kind === 'person' ? { name: caller.name, personId: caller.personId } : { name: 'owner' };
}
