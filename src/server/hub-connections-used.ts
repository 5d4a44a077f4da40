import type { ConnectionsInUse } from '../hub/connections-in-use.ts';
import { hubProbeRoutes } from './hub-connections-probe.ts';
import { hubSignInRoutes, type SignInRouteParts } from './hub-connections-sign-in.ts';
import { hubTryRoutes } from './hub-try.ts';
import type { ServerRoute } from './route.ts';

/** What the routes are made of; opened at the first call. */
export type UsedRouteParts = SignInRouteParts & { readonly inUse: () => Promise<ConnectionsInUse> };

/** Connections in use: looked at, signed in to, and their tools called by hand. */
export function hubUsedRoutes({ inUse, ...signing }: UsedRouteParts): ServerRoute[] {
  return [...hubProbeRoutes(inUse), ...hubTryRoutes(inUse), ...hubSignInRoutes(signing)];
}
