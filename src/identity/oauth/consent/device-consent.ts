/** Consent for a client on a device without a browser (RFC 8628). */
import type { Provider } from 'oidc-provider';
import type { DeviceRequest } from '../../../contract/identity-api.ts';
import { formatTimestamp } from '../../../contract/timestamp.ts';
import { vpError } from '../../../errors/vp-error.ts';
import type { SessionCaller } from '../../caller.ts';
import type { IdentityContext } from '../../context.ts';
import type { OAuthServer } from '../server.ts';
import { type AuthorizationRequest, describeConsent, grantConsent, parseAuthorizationRequest } from './consent.ts';

type DeviceCode = InstanceType<Provider['DeviceCode']>;

/** User codes are typed by people: case and hyphens are ignored. */
function normalizeUserCode(userCode: string): string {
  return userCode.toUpperCase().replaceAll(/[^A-Z]/g, '');
}

/** The pending request of a user code. Throws DEVICE_CODE_UNKNOWN, also when it was decided or has expired. */
async function findPendingCode({ provider }: OAuthServer, userCode: string): Promise<DeviceCode> {
  const code = await provider.DeviceCode.findByUserCode(normalizeUserCode(userCode));
  if (code && !code.isExpired && !code.accountId && !code.error) return code;
  throw vpError('DEVICE_CODE_UNKNOWN', {});
}

const getTextField = (value: unknown, name: string): string => {
  const record: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  const field = record[name];
  return typeof field === 'string' ? field : '';
};

/** The authorization request, whose parameters are stored with the code. */
function readRequest({ params, clientId = '' }: DeviceCode): AuthorizationRequest {
  const fields: Record<string, unknown> = typeof params === 'object' && params !== null ? { ...params } : {};
  return { ...parseAuthorizationRequest(fields), clientId, redirectUri: undefined };
}

/** What the consent page displays. Throws DEVICE_CODE_UNKNOWN. */
export async function describeDeviceRequest(
  context: IdentityContext,
  server: OAuthServer,
  { userCode, caller }: { userCode: string; caller: SessionCaller },
): Promise<DeviceRequest> {
  const code = await findPendingCode(server, userCode);
  const request = readRequest(code);
  const consent = await describeConsent(context, server, request, caller.personId);
  return {
    client_name: consent.client.name,
    address: getTextField(code.deviceInfo, 'address'),
    requested_at: formatTimestamp((code.iat ?? 0) * 1000),
    scopes: [...request.scopes],
    ...consent,
  };
}

/** Another decision was stored first, so the grant of this one is deleted. */
async function handleDecisionConflict(
  { provider }: OAuthServer,
  grantId: string | undefined,
  error: unknown,
): Promise<never> {
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  await grant?.destroy();
  throw getTextField(error, 'error') === 'invalid_grant' ? vpError('DEVICE_CODE_UNKNOWN', {}) : error;
}

/** Approves or denies a request. Throws DEVICE_CODE_UNKNOWN, HUB_MEMBERSHIP_NEEDED. */
export async function decideDevice(
  context: IdentityContext,
  server: OAuthServer,
  { userCode, allow, caller: { personId } }: { userCode: string; allow: boolean; caller: SessionCaller },
): Promise<void> {
  const { logSecurityEvent, clock } = context;
  const code = await findPendingCode(server, userCode);
  const request = readRequest(code);
  const grantId = allow ? await grantConsent(context, server, request, personId) : undefined;
  if (allow) {
    const approval = { accountId: personId, grantId, scope: request.scopes.join(' '), resource: request.resource };
    Object.assign(code, { ...approval, authTime: Math.floor(clock.nowMs() / 1000) });
  } else Object.assign(code, { error: 'access_denied', errorDescription: 'the person denied the request' });
  await code.save().catch((error: unknown) => handleDecisionConflict(server, grantId, error));
  const event = allow ? 'oauth_device_allowed' : 'oauth_device_declined';
  logSecurityEvent({ event, level: 'info', person: personId, client: code.clientId, resource: request.resource });
}
