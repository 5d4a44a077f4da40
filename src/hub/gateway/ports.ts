/** What the gateway is given: whom it lets in, what is allowed, where it is told, and the ways to upstream servers. */
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { UpstreamParts } from '../upstream/upstream.ts';
import type { Audit, ConnectionBook, Policy } from '../words.ts';

/** All of it. */
export type GatewayPorts = {
  readonly book: ConnectionBook;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly upstream: UpstreamParts;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  /** How long a list waits for connections that do not answer. */
  readonly listBoundMs: number;
  readonly onFault: (fault: unknown) => void;
};
