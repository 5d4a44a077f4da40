import type { ControlPort, Offer, Pulse, Welcome } from '../contract/executor-api.ts';
import { objectWith } from './answer.ts';
import type { Client } from './client.ts';

const isWelcome = objectWith<Welcome>('instance', 'epoch', 'lease_ms', 'heartbeat_ms');
const isOffer = objectWith<Offer>('lease');
const isPulse = objectWith<Pulse>('lease_ms', 'cancel_requested');

/** Beyond the wait itself: time for an answer to travel. */
const travelMs = 15_000;
/** A report of 12 MB over a slow line. */
const uploadMs = 120_000;

/** The control plane as the executor whose key the client has sees it, over HTTP. */
export function executorPort({ transport }: Pick<Client, 'transport'>): ControlPort {
  const say = (call: string, body: object, signal: AbortSignal | undefined, limitMs = travelMs) =>
    ({ method: 'POST', path: `/api/v1/executor/${call}`, body, signal, limitMs }) as const;
  return {
    hello: (message, signal) => transport.json(say('hello', message, signal, uploadMs), isWelcome),
    poll: (message, signal) => transport.json(say('poll', message, signal, message.wait_ms + travelMs), isOffer),
    heartbeat: (message, signal) => transport.json(say('heartbeat', message, signal), isPulse),
    complete: (message, signal) => transport.json(say('complete', message, signal, uploadMs), isOffer),
    giveBack: (message, signal) => transport.nothing(say('give-back', message, signal)),
    directRun: (message, signal) => transport.nothing(say('direct-run', message, signal, uploadMs)),
  };
}
