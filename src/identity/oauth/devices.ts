/** What a person is asked when a program on a machine without a browser wants to act for them (RFC 8628). */
import type { Provider } from 'oidc-provider';
import type { DeviceRequest } from '../../contract/identity-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { SessionCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { momentOf } from '../person.ts';
import { apiAudience, apiScope } from './configuration.ts';
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

function scopesOf({ params }: Code): string[] {
  return fieldOf(params, 'scope').split(' ').filter(Boolean);
}

/** Who asks. Throws DEVICE_CODE_UNKNOWN. */
export async function shownDevice(server: OAuthServer, userCode: string): Promise<DeviceRequest> {
  const code = await find(server, userCode);
  const client = await server.provider.Client.find(code.clientId ?? '');
  return {
    client_name: client?.clientName ?? '',
    address: fieldOf(code.deviceInfo, 'address'),
    requested_at: momentOf((code.iat ?? 0) * 1000),
    scopes: scopesOf(code),
  };
}

/** Answers a request, once. Throws DEVICE_CODE_UNKNOWN. */
export async function decideDevice(
  { tell, clock }: IdentityContext,
  server: OAuthServer,
  { userCode, allow, caller }: { userCode: string; allow: boolean; caller: SessionCaller },
): Promise<void> {
  const code = await find(server, userCode);
  const { provider, issuer } = server;
  if (allow) {
    const grant = new provider.Grant({ accountId: caller.personId, clientId: code.clientId });
    grant.addResourceScope(apiAudience(issuer), apiScope);
    const given = { accountId: caller.personId, grantId: await grant.save(), scope: apiScope };
    const authTime = Math.floor(clock.nowMs() / 1000);
    Object.assign(code, { ...given, authTime, resource: apiAudience(issuer) });
  } else Object.assign(code, { error: 'access_denied', errorDescription: 'the person refused' });
  await code.save();
  const event = allow ? 'oauth_device_allowed' : 'oauth_device_declined';
  tell({ event, level: 'info', person: caller.personId, client: code.clientId });
}
