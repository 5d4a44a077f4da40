/**
 * Dynamic client registration (RFC 7591). It is open to everybody, so registrations are limited per network and in total.
 * Clients without a grant expire, and are evicted, oldest first, when the limit is reached.
 */
import { createNetworkLimiter } from '../../../limits/rate-limiter.ts';
import { countOAuthClients, evictOAuthClients } from '../../../store/control/oauth/oauth-clients.ts';
import { saveOAuthRecord } from '../../../store/control/oauth/oauth-records.ts';
import { createSecret, type IdentityContext } from '../../context.ts';
import { hashOAuthValue, sealPayload } from '../records.ts';
import { ClientMetadataError, parseClientMetadata, type StoredClientMetadata } from './client-metadata.ts';

/** The HTTP response to a registration. */
export type RegistrationResponse = {
  readonly status: 201 | 400 | 429 | 503;
  readonly body: Readonly<Record<string, unknown>>;
  /** With 429 and 503. */
  readonly retryAfterSeconds?: number;
};

export type RegisterClient = (metadata: unknown, address: string) => Promise<RegistrationResponse>;

const windowMs = 600_000;
/** Evicting several clients at a time saves a search per registration when the store is full. */
const evictionBatchSize = 50;

export function createClientRegistration(context: IdentityContext): RegisterClient {
  const { clock, settings, logSecurityEvent } = context;
  const networkLimiter = createNetworkLimiter(
    clock,
    { maxCount: settings.oauth.maxRegistrations, windowMs },
    (network) => logSecurityEvent({ event: 'oauth_registrations_limited', level: 'warn', network }),
  );
  return async (metadata, address) => {
    const waitSeconds = networkLimiter.tryTake(address);
    if (waitSeconds !== undefined)
      return buildRetryResponse(429, 'too many clients were registered from your network', waitSeconds);
    try {
      const client = parseClientMetadata(metadata);
      return (
        (await storeClient(context, client, address)) ??
        buildRetryResponse(503, 'too many clients are registered here', 3600)
      );
    } catch (error) {
      if (!(error instanceof ClientMetadataError)) throw error;
      logSecurityEvent({ event: 'oauth_registration_refused', level: 'warn', detail: error.message, address });
      return { status: 400, body: { error: error.code, error_description: error.message } };
    }
  };
}

function buildRetryResponse(status: 429 | 503, description: string, retryAfterSeconds: number): RegistrationResponse {
  return { status, body: { error: 'temporarily_unavailable', error_description: description }, retryAfterSeconds };
}

async function storeClient(
  context: IdentityContext,
  client: StoredClientMetadata,
  address: string,
): Promise<RegistrationResponse | undefined> {
  const { clock, random, database, settings, logSecurityEvent } = context;
  const { maxClients, unusedClientSeconds } = settings.oauth;
  const nowMs = clock.nowMs();
  const expiresAtMs = nowMs + unusedClientSeconds * 1000;
  const id = random.token(18);
  const secret =
    client.token_endpoint_auth_method === 'none'
      ? {}
      : { client_secret: createSecret(context), client_secret_expires_at: 0 };
  const document = { ...client, client_id: id, client_id_issued_at: Math.floor(nowMs / 1000), ...secret };
  const hash = hashOAuthValue(context, 'id', id);
  const sealed = sealPayload(context, 'Client', hash, document);
  const isStored = await database.write((sql) => {
    if (countOAuthClients(sql) >= maxClients && evictOAuthClients(sql, evictionBatchSize, expiresAtMs) === 0)
      return false;
    const emptyColumns = { grant_hash: null, uid_hash: null, code_hash: null, person_id: null };
    saveOAuthRecord(sql, { kind: 'Client', hash, sealed, expires_at_ms: expiresAtMs, ...emptyColumns });
    return true;
  });
  logSecurityEvent({
    event: isStored ? 'oauth_registered' : 'oauth_registrations_full',
    level: isStored ? 'info' : 'warn',
    client: id,
    address,
  });
  return isStored ? { status: 201, body: document } : undefined;
}
