/** The addresses of the hub service: who comes in by which, and what is told to those who do not. */
import type { Clock } from '../../environment/clock.ts';
import { refusalResponse } from '../door-refusals.ts';
import { allHubScopes, scopeRefusal } from '../door-scopes.ts';
import { isListening, whileWelcome } from '../door-streams.ts';
import type { HubDoor, HubEntrance } from '../words.ts';
import type { Baseline, KnownHub } from './baseline.ts';
import type { Gateway, HubRequest } from './gateway.ts';

/** A request with the credential it brought: undefined without the header, empty where that is not one. */
export type FrontRequest = HubRequest & { readonly bearer: string | undefined; readonly address: string };

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
  readonly clock: Pick<Clock, 'after'>;
  /** Where a client learns how to sign in to a hub (RFC 9728); undefined where it cannot. */
  readonly resourceMetadata?: (slug: string, request: Request) => string;
};

/** Makes it. */
export function hubFront({ door, gateway, baseline, clock, resourceMetadata }: FrontParts): HubFront {
  const answered = async (
    enter: () => Promise<HubEntrance>,
    asked: FrontRequest,
    metadata?: string,
  ): Promise<Response> => {
    const entrance = await enter();
    if (entrance.kind === 'refused') return refusalResponse(entrance, metadata, allHubScopes);
    const refused = scopeRefusal(entrance.principal, asked.body);
    if (!refused) {
      const answer = await gateway.answer(entrance.principal, asked);
      if (!isListening(asked.request, asked.body)) return answer;
      return whileWelcome(answer, async () => (await enter()).kind === 'in', clock);
    }
    await gateway.refused(entrance.principal, asked, refused.code);
    return refusalResponse(refused, metadata);
  };
  return {
    agent: (asked) => answered(() => door.agent(asked.bearer, asked.address), asked),
    hub: (slug, asked) =>
      answered(() => door.hub(slug, asked.bearer, asked.address), asked, resourceMetadata?.(slug, asked.request)),
    async bare({ request, body, bearer, address }) {
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
