/** Routes of the control plane: what their handlers work with, and who may call them (identity/authorization.ts). */
import type { Actor, Control } from '../control/control.ts';
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Log } from '../http/log.ts';
import { type Route, routesFor } from '../http/route.ts';
import { allows, type CallerByAction, scopeOf } from '../identity/authorization.ts';
import type { Caller, HumanCaller } from '../identity/caller.ts';
import type { Identity } from '../identity/identity.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { EventSettings } from './event-feed.ts';
import type { Rate } from './rate.ts';
import type { Slots } from './slots.ts';

/** What handlers work with. */
export type ServerServices = {
  readonly control: Control;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly log: Log;
  /** Of this build. */
  readonly version: string;
  /** URLs under which others reach it, besides loopback; the first is the one that links are made with. */
  readonly publicUrls: readonly URL[];
  /** Absent where nobody scrapes. */
  readonly metrics: Metrics | undefined;
  readonly events: EventSettings;
  /** Event streams that may be open at once. */
  readonly streams: Slots;
  /** Calls that need no credential, by address. */
  readonly openCalls: Rate;
  /** Device codes that a person types. */
  readonly codeTries: Rate;
  /** The OpenAPI document, as JSON text. */
  readonly openapi: () => string;
};

/** A route of the control plane. */
export type ServerRoute = Route<ServerServices, Caller>;

/** Makers of {@link ServerRoute}. */
export const { route, openRoute } = routesFor<ServerServices, Caller, CallerByAction>({
  allows,
  async admit({ services, params }, caller, action) {
    if (scopeOf(caller, action) !== 'own' || caller.kind !== 'person') return;
    const { instance_id: instance, owner } = await services.control.instances.get(params.instance ?? '');
    if (owner?.person_id === caller.personId) return;
    throw vpError('INSTANCE_FOREIGN', { instance, owner: owner?.name ?? 'the control plane' });
  },
});

/** How a caller is named in what it writes. */
export function actorOf(caller: HumanCaller): Actor {
  return caller.kind === 'person' ? { name: caller.name, personId: caller.personId } : { name: 'owner' };
}
