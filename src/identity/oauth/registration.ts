/**
 * Programs that register themselves (RFC 7591). Anybody may, so registrations from one network are few, all together are
 * bounded, and one that nobody lets in is forgotten; where there are too many, the oldest of those at once.
 */
import { countClients, forgetClients } from '../../store/control/identity-clients.ts';
import { putOAuthRecord } from '../../store/control/identity-oauth.ts';
import { type IdentityContext, newSecret } from '../context.ts';
import { createAllowance } from '../network-allowance.ts';
import { admittedClient, type ClientFields, ClientRefusal } from './client-metadata.ts';
import { oauthHash, sealPayload } from './records.ts';

/** The answer to a registration, as it goes out. */
export type Registered = {
  readonly status: 201 | 400 | 429 | 503;
  readonly body: Readonly<Record<string, unknown>>;
  /** With 429 and 503. */
  readonly retryAfterSeconds?: number;
};

/** Registers what `metadata` describes, for a caller at `address`. */
export type Register = (metadata: unknown, address: string) => Promise<Registered>;

const windowMs = 600_000;
/** More than one goes at a time, so that a full store is not searched for every newcomer. */
const forgottenAtOnce = 50;

/** Makes it. */
export function registrationOf(context: IdentityContext): Register {
  const { clock, settings, tell } = context;
  const allowance = createAllowance(clock, { most: settings.oauth.registrations, windowMs }, (network) =>
    tell({ event: 'oauth_registrations_limited', level: 'warn', network }),
  );
  return async (metadata, address) => {
    const waitSeconds = allowance.take(address);
    if (waitSeconds !== undefined)
      return later(429, 'too many programs were registered from your network', waitSeconds);
    try {
      const client = admittedClient(metadata);
      return (await kept(context, client, address)) ?? later(503, 'too many programs are registered here', 3600);
    } catch (error) {
      if (!(error instanceof ClientRefusal)) throw error;
      tell({ event: 'oauth_registration_refused', level: 'warn', detail: error.message, address });
      return { status: 400, body: { error: error.code, error_description: error.message } };
    }
  };
}

function later(status: 429 | 503, why: string, retryAfterSeconds: number): Registered {
  return { status, body: { error: 'temporarily_unavailable', error_description: why }, retryAfterSeconds };
}

async function kept(context: IdentityContext, client: ClientFields, address: string): Promise<Registered | undefined> {
  const { clock, random, database, settings, tell } = context;
  const { mostClients, unusedClientSeconds } = settings.oauth;
  const nowMs = clock.nowMs();
  const untilMs = nowMs + unusedClientSeconds * 1000;
  const id = random.token(18);
  const secret =
    client.token_endpoint_auth_method === 'none'
      ? {}
      : { client_secret: newSecret(context), client_secret_expires_at: 0 };
  const document = { ...client, client_id: id, client_id_issued_at: Math.floor(nowMs / 1000), ...secret };
  const hash = oauthHash(context, 'id', id);
  const sealed = sealPayload(context, 'Client', hash, document);
  const isKept = await database.write((sql) => {
    if (countClients(sql) >= mostClients && forgetClients(sql, forgottenAtOnce, untilMs) === 0) return false;
    const found = { grant_hash: null, uid_hash: null, code_hash: null, person_id: null };
    putOAuthRecord(sql, { kind: 'Client', hash, sealed, expires_at_ms: untilMs, ...found });
    return true;
  });
  tell({
    event: isKept ? 'oauth_registered' : 'oauth_registrations_full',
    level: isKept ? 'info' : 'warn',
    client: id,
    address,
  });
  return isKept ? { status: 201, body: document } : undefined;
}
