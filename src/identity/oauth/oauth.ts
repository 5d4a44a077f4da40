/** The OAuth side of identity: the authorization server, consent, grants and access tokens. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeviceRequest, Grant, Interaction } from '../../contract/identity-api.ts';
import { findPerson } from '../../store/control/identity/people.ts';
import { findOAuthGrant } from '../../store/control/oauth/oauth-records.ts';
import type { SessionCaller, TokenCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { toGrantCredentialId } from './adapter.ts';
import { type ClientDocumentSettings, createClientDocumentFetcher } from './clients/client-documents.ts';
import { createClientRegistration, type RegisterClient } from './clients/registration.ts';
import { getInteractionCookieName, oauthPaths, oauthResumePath } from './configuration.ts';
import type { RenderErrorPage } from './error-responses/error-response.ts';
import { findHubGrant, findLiveToken, type HubGrant, type HubTokenRequest } from './grants/access-tokens.ts';
import { isUseRecordingDue, listGrants, recordGrantUse, revokeGrant } from './grants/grants.ts';
import { apiScope, buildApiAudience } from './resources/resources.ts';

/** OAuth for the routes of the control plane. */
export type OAuth = {
  /** Answers requests for {@link isOAuthPath}. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, address: string): void;
  /** The name of the cookie that holds the uid of this browser's interaction. */
  getInteractionCookieName(): string;
  /** Throws INTERACTION_ENDED. */
  describeInteraction(uid: string): Promise<Interaction>;
  /** Returns the URL at which the browser continues. Throws INTERACTION_ENDED, HUB_MEMBERSHIP_NEEDED. */
  decideInteraction(decision: { uid: string; allow: boolean; caller: SessionCaller }): Promise<string>;
  /** Throws DEVICE_CODE_UNKNOWN. */
  describeDeviceRequest(request: { userCode: string; caller: SessionCaller }): Promise<DeviceRequest>;
  /** Throws DEVICE_CODE_UNKNOWN, HUB_MEMBERSHIP_NEEDED. */
  decideDevice(decision: { userCode: string; allow: boolean; caller: SessionCaller }): Promise<void>;
  /** The grants that the caller gave to clients. */
  listGrants(caller: SessionCaller): Promise<Grant[]>;
  /** Throws GRANT_UNKNOWN. */
  revokeGrant(caller: SessionCaller, grantId: string): Promise<void>;
  /** The caller behind an access token for the API. */
  authenticate(token: string, address: string): Promise<TokenCaller | undefined>;
  /** Registers a client (RFC 7591). */
  readonly register: RegisterClient;
  /** The grant behind an access token for this hub; `expired` for a token that we issued, undefined for any other. */
  findHubGrant(tokenRequest: HubTokenRequest & { readonly address: string }): Promise<HubGrant | 'expired' | undefined>;
  /** The issuer: the origin from which all URLs are built. */
  issuer(): string;
  /** Whether the grant behind a caller is still valid. */
  isValid(credentialId: string): Promise<boolean>;
  close(): Promise<void>;
};

/** True for paths that the OAuth server handles. Compared exactly, since its own router is less strict. */
export function isOAuthPath(path: string): boolean {
  return oauthPaths.has(path) || oauthResumePath.test(path);
}

/** `onError` receives errors of background work; `clientDocuments` says how client metadata documents are fetched. */
export type OAuthOptions = {
  readonly issuer: () => string;
  readonly onError: (error: unknown) => void;
  readonly clientDocuments?: ClientDocumentSettings | undefined;
  /** Renders the page for an invalid request; without it, browsers get JSON. */
  readonly errorPage?: RenderErrorPage | undefined;
};

/** `issuer` is called at first use: a listener on a free port knows its address late. */
export function createOAuth(
  context: IdentityContext,
  { issuer, onError, clientDocuments, errorPage }: OAuthOptions,
): OAuth {
  let openedServer: ReturnType<typeof open> | undefined;
  const documentFetcher = clientDocuments && createClientDocumentFetcher(context, clientDocuments);
  const open = async () =>
    (await import('./server.ts')).openOAuthServer(context, issuer(), { documentFetcher, errorPage });
  const server = (): ReturnType<typeof open> => {
    openedServer ??= open().catch((error: unknown) => {
      openedServer = undefined;
      throw error;
    });
    return openedServer;
  };
  return {
    handle(incoming, outgoing, address) {
      server().then(
        (ready) => ready.handle(incoming, outgoing, address),
        (error: unknown) => {
          context.logSecurityEvent({ event: 'oauth_failed', level: 'warn', error: String(error) });
          outgoing.writeHead(500).end();
        },
      );
    },
    getInteractionCookieName: () => getInteractionCookieName(issuer()),
    async describeInteraction(uid) {
      return (await import('./consent/interactions.ts')).describeInteraction(context, await server(), uid);
    },
    async decideInteraction(decision) {
      return (await import('./consent/interactions.ts')).decideInteraction(context, await server(), decision);
    },
    async describeDeviceRequest(request) {
      return (await import('./consent/device-consent.ts')).describeDeviceRequest(context, await server(), request);
    },
    async decideDevice(decision) {
      return (await import('./consent/device-consent.ts')).decideDevice(context, await server(), decision);
    },
    listGrants: (caller) => listGrants(context, { issuer: issuer() }, caller),
    revokeGrant: (caller, grantId) => revokeGrant(context, caller, grantId),
    async authenticate(token, address) {
      const caller = await findCaller(context, issuer(), token);
      if (caller) await recordGrantUse(context, parseGrantHash(caller.credentialId), address);
      return caller;
    },
    async findHubGrant({ address, ...tokenRequest }) {
      const match = await findHubGrant(context, tokenRequest);
      if (!match || match === 'expired') return match;
      // Not awaited, so that it delays no call.
      const { grantHash, lastUsedAtMs } = match;
      if (isUseRecordingDue(context, lastUsedAtMs)) recordGrantUse(context, grantHash, address).catch(onError);
      return match.grant;
    },
    issuer,
    register: createClientRegistration(context),
    async close() {
      await documentFetcher?.close();
    },
    async isValid(credentialId) {
      const grant = await context.database.read((sql) => findOAuthGrant(sql, parseGrantHash(credentialId)));
      return grant !== undefined && (grant.expires_at_ms === null || grant.expires_at_ms > context.clock.nowMs());
    },
  };
}

function parseGrantHash(credentialId: string): string {
  return credentialId.slice(toGrantCredentialId('').length);
}

/** Reads the store directly: a call to the API does not need the OAuth server. */
async function findCaller(context: IdentityContext, issuer: string, token: string): Promise<TokenCaller | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined;
  return context.database.read((sql) => {
    const accessToken = findLiveToken(context, sql, token);
    if (!accessToken || accessToken === 'expired' || accessToken.payload.aud !== buildApiAudience(issuer))
      return undefined;
    const { accountId, scope } = accessToken.payload;
    if (typeof accountId !== 'string' || typeof scope !== 'string' || !scope.split(' ').includes(apiScope))
      return undefined;
    const person = accessToken.details.person_id === accountId ? findPerson(sql, accountId) : undefined;
    if (!person) return undefined;
    const { id: personId, name, role } = person;
    return {
      kind: 'person',
      personId,
      name,
      role,
      via: 'grant',
      credentialId: toGrantCredentialId(accessToken.grantHash),
    } as const;
  });
}
