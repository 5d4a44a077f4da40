/** Routes of the control plane: what their handlers work with, and who may call them (identity/authorization.ts). */
import type { Actor, Control } from '../control/control.ts';
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Log } from '../http/log.ts';
import { type Route, routesFor } from '../http/route.ts';
import type { HubService } from '../hub/hubs-service.ts';
import { type Action, allows, type CallerByAction } from '../identity/authorization.ts';
import type { ActingCaller, Caller } from '../identity/caller.ts';
import type { Identity } from '../identity/identity.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { EventSettings } from './event-feed.ts';
import { admitOwn } from './own.ts';
import type { Rate } from './rate.ts';
import type { SharedReads } from './shared-reads.ts';
import type { Slots } from './slots.ts';

/** What handlers work with. */
export type ServerServices = {
  readonly control: Control;
  readonly identity: Identity;
  readonly hub: HubService;
  readonly clock: Clock;
  readonly log: Log;
  /** Of this build. */
  readonly version: string;
  /** URLs under which others reach it, besides loopback; the first is the one that links are made with. */
  readonly publicUrls: readonly URL[];
  /** Absent where nobody scrapes. */
  readonly metrics: Metrics | undefined;
  readonly events: EventSettings;
  /** What event streams read, together. */
  readonly reads: SharedReads;
  /** The folder of the unix socket for containers of this machine, when there is one. */
  readonly executorSocketFolder: () => string | undefined;
  /** Event streams that may be open at once. */
  readonly streams: Slots;
  /** Calls that need no credential, by address. */
  readonly openCalls: Rate;
  /** Device codes that a person types. */
  readonly codeTries: Rate;
  /** Writing calls of agents, by token. */
  readonly agentWrites: Rate;
  /** The OpenAPI document, as JSON text. */
  readonly openapi: () => string;
};

/** A route of the control plane. */
export type ServerRoute = Route<ServerServices, Caller>;

/** Throws HUB_PERSON_NEEDED, because to whoever has the owner key no other role would help. */
function allowsHere<A extends Action>(caller: Caller, action: A): caller is CallerByAction[A] & Caller {
  if (caller.kind === 'owner' && action.startsWith('hub.')) throw vpError('HUB_PERSON_NEEDED', {});
  return allows(caller, action);
}

/** Makers of {@link ServerRoute}. */
export const { route, openRoute } = routesFor<ServerServices, Caller, CallerByAction>({
  allows: allowsHere,
  admit: admitOwn,
});

/** How a caller is named in what it writes. */
export function actorOf(caller: ActingCaller): Actor {
  if (caller.kind === 'agent') return { name: `${caller.role} agent of ${caller.instance} (${caller.person})` };
  return caller.kind === 'person' ? { name: caller.name, personId: caller.personId } : { name: 'owner' };
}
