/** What the gateway is given: whom it lets in, what is allowed, where it is told, and the ways to upstream servers. */
import type { Tool } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import type { UpstreamParts } from '../upstream/upstream.ts';
import type { Audit, Connection, ConnectionBook, HubPrincipal, Policy } from '../words.ts';

/** Which tools of a connection a caller may see, by the names of the upstream; asked for each list. */
export type ToolOffers = {
  offered(principal: HubPrincipal, connection: Connection, tools: readonly Tool[]): Promise<ReadonlySet<string>>;
};

/** All of it. */
export type GatewayPorts = {
  readonly book: ConnectionBook;
  readonly policy: Policy;
  readonly offers: ToolOffers;
  readonly audit: Audit;
  readonly upstream: UpstreamParts;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  /** How long a list waits for connections that do not answer. */
  readonly listBoundMs: number;
  readonly onFault: (fault: unknown) => void;
};
