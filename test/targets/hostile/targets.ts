/** Targets that break HTTP in every way known from tests from outside: what they do, and the exact outcome. */
import type { Socket } from 'node:net';
import type { Behaviour } from '../raw-target.ts';
import type { HostileTarget } from './behaviour.ts';
import { hostileBodies } from './bodies.ts';
import { hostileHeads } from './heads.ts';
import { hostilePacing } from './pacing.ts';

export const hostileTargets: readonly HostileTarget[] = [...hostileHeads, ...hostileBodies, ...hostilePacing];

/** The target's side of a connection. */
export function behaveAs({ begins, respond }: HostileTarget, expire: () => void): Behaviour {
  return (socket: Socket) => {
    if (begins === 'accept') respond(socket, expire, '');
    else socket.once('data', (request: Buffer) => respond(socket, expire, request.toString('latin1')));
  };
}
