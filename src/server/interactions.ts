/** What programs ask of the person in this browser, by the OAuth server. */
import { Type } from '@sinclair/typebox';
import { Interaction, InteractionDecision, InteractionResult } from '../contract/identity-api.ts';
import { vpError } from '../errors/vp-error.ts';
import { closed } from './parameters.ts';
import { openRoute, route, type ServerRoute, type ServerServices } from './route.ts';
import { cookieValue } from './session-cookies.ts';

const InteractionPath = Type.Object({ uid: Type.String({ pattern: '^[\\w-]{1,64}$' }) });

/** Only the browser that the program sent here may see and answer it. Throws INTERACTION_ENDED. */
function demandOwn({ identity }: ServerServices, request: Request, uid: string): void {
  if (cookieValue(request, identity.oauth.interactionCookie()) !== uid) throw vpError('INTERACTION_ENDED', {});
}

/** Interactions. */
export const interactionRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'GET',
    path: '/api/v1/interactions/{uid}',
    operation: 'getInteraction',
    summary: 'What a program asks in this browser: to sign in, or for leave',
    params: InteractionPath,
    answer: Interaction,
    handler: async ({ services, params, request, address }) => {
      services.openCalls.take(address);
      demandOwn(services, request, params.uid);
      return services.identity.oauth.interaction(params.uid);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/interactions/{uid}',
    operation: 'decideInteraction',
    summary: 'Go on as the person who is signed in, give leave, or refuse; the browser then goes to redirect_to',
    action: 'grant.decide',
    params: InteractionPath,
    body: closed(InteractionDecision),
    answer: InteractionResult,
    handler: async ({ services, params: { uid }, body: { allow }, caller, request }) => {
      demandOwn(services, request, uid);
      return { redirect_to: await services.identity.oauth.decideInteraction({ uid, allow, caller }) };
    },
  }),
];
