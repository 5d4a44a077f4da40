/** All hostile targets of streams, and the scenarios that call them. */
import type { HostileTarget } from './behaviour.ts';
import { hostileCalls, hostileReflections } from './calls.ts';
import { hostileEvents } from './events.ts';
import { hostileSockets } from './sockets.ts';

export type HostileStreamKind = 'events' | 'sockets' | 'calls' | 'reflections';

export const hostileStreams: Readonly<Record<HostileStreamKind, readonly HostileTarget[]>> = {
  events: hostileEvents,
  sockets: hostileSockets,
  calls: hostileCalls,
  reflections: hostileReflections,
};

const path = 'GET ${INGESTION_URL}/stream\nX-Request-Id: ${correlation_id}';
const call = 'GRPC shop.v1.Orders/WatchOrder';

const triggers: Readonly<Record<HostileStreamKind, string>> = {
  events: path,
  sockets: path,
  calls: `${call}\nproto: shop/v1/orders.proto\nX-Request-Id: \${correlation_id}\n\n~~~json\n{}\n~~~`,
  reflections: `${call}\nX-Request-Id: \${correlation_id}\n\n~~~json\n{}\n~~~`,
};

/** The text under TRIGGER. */
export function formatTrigger(kind: HostileStreamKind): string {
  return triggers[kind];
}

/** A check of messages that never come. */
export function listReceiveChecks(kind: HostileStreamKind, seconds: number): readonly string[] {
  const [stream, field, state] =
    kind === 'events' ? ['events', 'data.state', 'paid'] : ['messages', 'state', kind === 'sockets' ? 'paid' : 'PAID'];
  return [`receive ${stream} until body some ${field} equals ${state} within ${seconds}s`];
}
