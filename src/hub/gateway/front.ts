/** The addresses of the hub service: who comes in by which, and what is told to those who do not. */
import type { Clock } from '../../environment/clock.ts';
import { refusalResponse } from '../door-refusals.ts';
import { allHubScopes, scopeRefusal } from '../door-scopes.ts';
import { isListening, whileWelcome } from '../door-streams.ts';
import type { HubDoor, HubEntrance } from '../words.ts';
import type { Baseline, KnownHub } from './baseline.ts';
import type { Gateway, HubRequest } from './gateway.ts';

/** A request with the credential it brought: undefined without the header, empty where that is not one. */
export type FrontRequest = {
  readonly request: Request;
  readonly bearer: string | undefined;
  readonly address: string;
  /** Reads and parses the body, which nobody does for those who are not let in; the answer where it cannot be used. */
  read(): Promise<HubRequest | Response>;
};

/** The addresses. */
export type HubFront = {
  /** `/agent/mcp` */
  agent(asked: FrontRequest): Promise<Response>;
  /** `/hub/<slug>/mcp` */
  hub(slug: string, asked: FrontRequest): Promise<Response>;
  /** `/mcp`, which belongs to no hub and lets everybody in. */
  bare(asked: FrontRequest): Promise<Response>;
  close(): Promise<void>;
};

/** What it is made of. */
export type FrontParts = {
  readonly door: HubDoor;
  readonly gateway: Gateway;
  readonly baseline: Baseline;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** Where a client learns how to sign in to a hub (RFC 9728); undefined where it cannot. */
  readonly resourceMetadata?: (slug: string, request: Request) => string;
};

/** Whoever was let in is taken to be welcome for so long. */
const freshMs = 1000;

/** Makes it. */
export function hubFront({ door, gateway, baseline, clock, resourceMetadata }: FrontParts): HubFront {
  const answered = async (
    enter: () => Promise<HubEntrance>,
    asked: FrontRequest,
    metadata?: string,
  ): Promise<Response> => {
    const first = await enter();
    if (first.kind === 'refused') return refusalResponse(first, metadata, allHubScopes);
    const beganMs = clock.monotonicMs();
    const arrived = await asked.read();
    if (arrived instanceof Response) return arrived;
    // Bodies take minutes where somebody wants them to.
    const entrance = clock.monotonicMs() - beganMs > freshMs ? await enter() : first;
    if (entrance.kind === 'refused') return refusalResponse(entrance, metadata, allHubScopes);
    const refused = scopeRefusal(entrance.principal, arrived.body);
    if (!refused) {
      const answer = await gateway.answer(entrance.principal, arrived);
      if (!isListening(arrived.request, arrived.body)) return answer;
      return whileWelcome(answer, async () => (await enter()).kind === 'in', clock);
    }
    await gateway.refused(entrance.principal, arrived, refused.code);
    return refusalResponse(refused, metadata);
  };
  return {
    agent: (asked) => answered(() => door.agent(asked.bearer, asked.address), asked),
    hub: (slug, asked) =>
      answered(() => door.hub(slug, asked.bearer, asked.address), asked, resourceMetadata?.(slug, asked.request)),
    async bare({ request, bearer, address, read }) {
      const arrived = await read();
      if (arrived instanceof Response) return arrived;
      const { body } = arrived;
      const hubs = bearer === undefined ? undefined : await knownHubs(door, bearer, address);
      return baseline.answer(request, body, { hubs });
    },
    async close() {
      await gateway.close();
      await baseline.close();
    },
  };
}

/** What the token opens, where it holds; whoever is refused is served all the same. */
async function knownHubs(door: HubDoor, bearer: string, address: string): Promise<readonly KnownHub[] | undefined> {
  const entrance = await door.agent(bearer, address);
  if (entrance.kind === 'in') return [{ slug: entrance.principal.hub.slug, role: entrance.principal.role }];
  return entrance.code === 'membership_required' ? [] : undefined;
}
