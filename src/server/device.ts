/** Programs on machines without a browser: a person types the code that the program shows. */
import { DeviceCode, DeviceDecision, DeviceRequest } from '../contract/identity-api.ts';
import type { SessionCaller } from '../identity/caller.ts';
import { closed } from './parameters.ts';
import { route, type ServerRoute, type ServerServices } from './route.ts';

/** Codes are short, so that trying many must not pay. Throws RATE_LIMITED. */
function slowGuessing({ codeTries, identity }: ServerServices, { personId }: SessionCaller, address: string): void {
  try {
    codeTries.take(personId);
  } catch (error) {
    identity.tell({ event: 'device_codes_guessed', level: 'warn', person: personId, address });
    throw error;
  }
}

/** Typed codes. */
export const deviceRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/device/look-up',
    operation: 'lookUpDevice',
    summary: 'Who waits with a code',
    action: 'grant.decide',
    body: closed(DeviceCode),
    answer: DeviceRequest,
    handler: async ({ services, body, caller, address }) => {
      slowGuessing(services, caller, address);
      return services.identity.oauth.device({ userCode: body.user_code, caller });
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/device',
    operation: 'decideDevice',
    summary: 'Let the program that waits with this code act for the caller, or refuse it',
    action: 'grant.decide',
    body: closed(DeviceDecision),
    handler: async ({ services, body: { user_code: userCode, allow }, caller, address }) => {
      slowGuessing(services, caller, address);
      await services.identity.oauth.decideDevice({ userCode, allow, caller });
    },
  }),
];
