/** The device flow, for clients on machines without a browser: a person types the code that the client displays. */
import { DeviceDecision, DeviceLookupRequest, DeviceRequest } from '../../contract/identity-api.ts';
import type { SessionCaller } from '../../identity/caller.ts';
import { closedSchema } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

/** Codes are short, so guessing is rate-limited. Throws RATE_LIMITED. */
function assertFewGuesses(
  { deviceCodeLimiter, identity }: ServerServices,
  { personId }: SessionCaller,
  address: string,
): void {
  try {
    deviceCodeLimiter.take(personId);
  } catch (error) {
    identity.logSecurityEvent({ event: 'device_codes_guessed', level: 'warn', person: personId, address });
    throw error;
  }
}

export const deviceRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/device/look-up',
    operation: 'lookUpDevice',
    summary: 'The pending request of a code',
    action: 'grant.decide',
    body: closedSchema(DeviceLookupRequest),
    response: DeviceRequest,
    handler: async ({ services, body, caller, address }) => {
      assertFewGuesses(services, caller, address);
      return services.identity.oauth.describeDeviceRequest({ userCode: body.user_code, caller });
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/device',
    operation: 'decideDevice',
    summary: 'Allow or refuse the client that waits with this code to act for the caller',
    action: 'grant.decide',
    body: closedSchema(DeviceDecision),
    handler: async ({ services, body: { user_code: userCode, allow }, caller, address }) => {
      assertFewGuesses(services, caller, address);
      await services.identity.oauth.decideDevice({ userCode, allow, caller });
    },
  }),
];
