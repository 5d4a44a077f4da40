/** Interactions of the OAuth server with the person in this browser: sign-in and consent. */
import { Type } from '@sinclair/typebox';
import { Interaction, InteractionDecision, InteractionDecisionResponse } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readCookie } from '../identity/session-cookies.ts';
import { closedSchema } from '../request-schemas.ts';
import { openRoute, route, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

const InteractionPath = Type.Object({ uid: Type.String({ pattern: '^[\\w-]{1,64}$' }) });

/** Only the browser that the client redirected may read and decide it. Throws INTERACTION_ENDED. */
function assertOwnInteraction({ identity }: ServerServices, request: Request, uid: string): void {
  if (readCookie(request, identity.oauth.getInteractionCookieName()) !== uid) throw vpError('INTERACTION_ENDED', {});
}

export const interactionRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path: '/api/v1/interactions/{uid}',
    operation: 'getInteraction',
    summary: 'The pending interaction of this browser: sign-in or consent',
    params: InteractionPath,
    response: Interaction,
    handler: async ({ services, params, request, address }) => {
      services.openCallLimiter.take(address);
      assertOwnInteraction(services, request, params.uid);
      return services.identity.oauth.describeInteraction(params.uid);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/interactions/{uid}',
    operation: 'decideInteraction',
    summary: 'Continue as the signed-in person, consent, or refuse; the browser then goes to redirect_to',
    action: 'grant.decide',
    params: InteractionPath,
    body: closedSchema(InteractionDecision),
    response: InteractionDecisionResponse,
    handler: async ({ services, params: { uid }, body: { allow }, caller, request }) => {
      assertOwnInteraction(services, request, uid);
      return { redirect_to: await services.identity.oauth.decideInteraction({ uid, allow, caller }) };
    },
  }),
];
