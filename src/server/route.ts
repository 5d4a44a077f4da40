/** Routes of the control plane: who may call, and what their handlers work with. */
import type { Actor, Control, Credential } from '../control/control.ts';
import type { Clock } from '../environment/clock.ts';
import type { Log } from '../http/log.ts';
import { type Route, routesFor } from '../http/route.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { EventSettings } from './event-feed.ts';
import type { Slots } from './slots.ts';

/** What handlers work with. */
export type ServerServices = {
  readonly control: Control;
  readonly clock: Clock;
  readonly log: Log;
  /** Of this build. */
  readonly version: string;
  /** Absent where nobody scrapes. */
  readonly metrics: Metrics | undefined;
  readonly events: EventSettings;
  /** Event streams that may be open at once. */
  readonly streams: Slots;
  /** The OpenAPI document, as JSON text. */
  readonly openapi: () => string;
};

/** A route of the control plane. */
export type ServerRoute = Route<ServerServices, Credential>;

/** Makers of {@link ServerRoute}. */
export const { route, openRoute } = routesFor<ServerServices, Credential>();

/** How a caller is named in what it writes. */
export function actorOf(caller: Credential): Actor {
  return { name: caller.kind === 'executor' ? `executor ${caller.instance}` : caller.kind };
}
