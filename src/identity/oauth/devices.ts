/** What a person is asked when a program on a machine without a browser wants to act for them (RFC 8628). */
import type { Provider } from 'oidc-provider';
import type { DeviceRequest } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { SessionCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { momentOf } from '../person.ts';
import { type Asking, askingOf, giveLeave, shownLeave } from './leave.ts';
import type { OAuthServer } from './server.ts';

type Code = InstanceType<Provider['DeviceCode']>;

/** Codes are read aloud and typed: case and hyphens mean nothing. */
function normalized(userCode: string): string {
  return userCode.toUpperCase().replaceAll(/[^A-Z]/g, '');
}

/** The open request of a code. Throws DEVICE_CODE_UNKNOWN, also for one that was answered or has expired. */
async function find({ provider }: OAuthServer, userCode: string): Promise<Code> {
  const code = await provider.DeviceCode.findByUserCode(normalized(userCode));
  if (code && !code.isExpired && !code.accountId && !code.error) return code;
  throw vpError('DEVICE_CODE_UNKNOWN', {});
}

const fieldOf = (value: unknown, name: string): string => {
  const record: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  const field = record[name];
  return typeof field === 'string' ? field : '';
};

/** What it asks for; its parameters are kept with the code. */
function asking({ params, clientId = '' }: Code): Asking {
  const kept: Record<string, unknown> = typeof params === 'object' && params !== null ? { ...params } : {};
  return { ...askingOf(kept), clientId, redirectUri: undefined };
}

/** Who asks, and for what. Throws DEVICE_CODE_UNKNOWN. */
export async function shownDevice(
  context: IdentityContext,
  server: OAuthServer,
  { userCode, caller }: { userCode: string; caller: SessionCaller },
): Promise<DeviceRequest> {
  const code = await find(server, userCode);
  const asked = asking(code);
  const leave = await shownLeave(context, server, asked, caller.personId);
  return {
    client_name: leave.client.name,
    address: fieldOf(code.deviceInfo, 'address'),
    requested_at: momentOf((code.iat ?? 0) * 1000),
    scopes: [...asked.scopes],
    ...leave,
  };
}

/** Another answer came first: what was given by this one goes. */
async function answeredMeanwhile(
  { provider }: OAuthServer,
  grantId: string | undefined,
  error: unknown,
): Promise<never> {
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  await grant?.destroy();
  throw fieldOf(error, 'error') === 'invalid_grant' ? vpError('DEVICE_CODE_UNKNOWN', {}) : error;
}

/** Answers a request, once. Throws DEVICE_CODE_UNKNOWN, HUB_MEMBERSHIP_NEEDED. */
export async function decideDevice(
  context: IdentityContext,
  server: OAuthServer,
  { userCode, allow, caller: { personId } }: { userCode: string; allow: boolean; caller: SessionCaller },
): Promise<void> {
  const { tell, clock } = context;
  const code = await find(server, userCode);
  const asked = asking(code);
  const grantId = allow ? await giveLeave(context, server, asked, personId) : undefined;
  if (allow) {
    const given = { accountId: personId, grantId, scope: asked.scopes.join(' '), resource: asked.resource };
    Object.assign(code, { ...given, authTime: Math.floor(clock.nowMs() / 1000) });
  } else Object.assign(code, { error: 'access_denied', errorDescription: 'the person refused' });
  await code.save().catch((error: unknown) => answeredMeanwhile(server, grantId, error));
  const event = allow ? 'oauth_device_allowed' : 'oauth_device_declined';
  tell({ event, level: 'info', person: personId, client: code.clientId, resource: asked.resource });
}
