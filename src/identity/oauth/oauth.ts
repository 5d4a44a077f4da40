/** The OAuth side of identity: the server, the decisions of people, and the tokens that programs bring. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeviceRequest, Grant, Interaction } from '../../contract/identity-api.ts';
import { findOAuthGrant } from '../../store/control/identity-oauth.ts';
import { findPerson } from '../../store/control/people.ts';
import type { SessionCaller, TokenCaller } from '../caller.ts';
import type { IdentityContext } from '../context.ts';
import { grantHolder } from './adapter.ts';
import { type ClientDocumentSettings, clientDocuments as clientDocumentsOf } from './client-documents.ts';
import { interactionCookie, oauthPaths, resumePath } from './configuration.ts';
import { endGrant, isUseDue, listGrants, noteGrantUse } from './grants.ts';
import { type HubGrant, type HubKnock, hubGrantOf, liveToken } from './hub-grants.ts';
import type { RefusedPage } from './refused-requests.ts';
import { type Register, registrationOf } from './registration.ts';
import { apiAudience, apiScope } from './resources.ts';

/** OAuth as our server and its routes use it. */
export type OAuth = {
  /** Answers requests for {@link isOAuthPath}. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, address: string): void;
  /** The cookie whose value is the uid of this browser's interaction. */
  interactionCookie(): string;
  /** Throws INTERACTION_ENDED. */
  interaction(uid: string): Promise<Interaction>;
  /** Where the browser goes on. Throws INTERACTION_ENDED, HUB_MEMBERSHIP_NEEDED. */
  decideInteraction(decision: { uid: string; allow: boolean; caller: SessionCaller }): Promise<string>;
  /** Throws DEVICE_CODE_UNKNOWN. */
  device(asked: { userCode: string; caller: SessionCaller }): Promise<DeviceRequest>;
  /** Throws DEVICE_CODE_UNKNOWN, HUB_MEMBERSHIP_NEEDED. */
  decideDevice(decision: { userCode: string; allow: boolean; caller: SessionCaller }): Promise<void>;
  /** Programs that the caller let act for them. */
  grants(caller: SessionCaller): Promise<Grant[]>;
  /** Throws GRANT_UNKNOWN. */
  endGrant(caller: SessionCaller, grantId: string): Promise<void>;
  /** Whom an access token for our API stands for. */
  use(token: string, address: string): Promise<TokenCaller | undefined>;
  /** Registers a program (RFC 7591). */
  readonly register: Register;
  /** Whom an access token for this hub stands for; `expired` for one that was ours, undefined for any other. */
  hubGrant(knock: HubKnock & { readonly address: string }): Promise<HubGrant | 'expired' | undefined>;
  /** Where the server stands: the origin that everything is made from. */
  issuer(): string;
  /** Whether the grant behind a caller still holds. */
  holds(holder: string): Promise<boolean>;
  close(): Promise<void>;
};

/** True for what the OAuth server answers itself: exactly so spelled, since its own router is not as strict. */
export function isOAuthPath(path: string): boolean {
  return oauthPaths.has(path) || resumePath.test(path);
}

/** What it stands on: faults in what nobody waits for are told, and documents of programs fetched where it is said how. */
export type OAuthPlace = {
  readonly issuer: () => string;
  readonly onFault: (fault: unknown) => void;
  readonly documents?: ClientDocumentSettings | undefined;
  /** What people see of a request that cannot go on; they get the JSON without it. */
  readonly refusedPage?: RefusedPage | undefined;
};

/** `issuer` is asked when the server is first used: a listener on a free port knows its address late. */
export function oauthOf(
  context: IdentityContext,
  { issuer, onFault, documents, refusedPage: page }: OAuthPlace,
): OAuth {
  let opened: ReturnType<typeof open> | undefined;
  const clientDocuments = documents && clientDocumentsOf(context, documents);
  const open = async () =>
    (await import('./server.ts')).openOAuthServer(context, issuer(), { documents: clientDocuments, page });
  const server = (): ReturnType<typeof open> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    handle(incoming, outgoing, address) {
      server().then(
        (ready) => ready.handle(incoming, outgoing, address),
        (error: unknown) => {
          context.tell({ event: 'oauth_failed', level: 'warn', error: String(error) });
          outgoing.writeHead(500).end();
        },
      );
    },
    interactionCookie: () => interactionCookie(issuer()),
    async interaction(uid) {
      return (await import('./interactions.ts')).shownInteraction(context, await server(), uid);
    },
    async decideInteraction(decision) {
      return (await import('./interactions.ts')).decideInteraction(context, await server(), decision);
    },
    async device(asked) {
      return (await import('./devices.ts')).shownDevice(context, await server(), asked);
    },
    async decideDevice(decision) {
      return (await import('./devices.ts')).decideDevice(context, await server(), decision);
    },
    grants: (caller) => listGrants(context, { issuer: issuer() }, caller),
    endGrant: (caller, grantId) => endGrant(context, caller, grantId),
    async use(token, address) {
      const caller = await callerOf(context, issuer(), token);
      if (caller) await noteGrantUse(context, hashOfHolder(caller.holder), address);
      return caller;
    },
    async hubGrant({ address, ...knock }) {
      const found = await hubGrantOf(context, knock);
      if (!found || found === 'expired') return found;
      // No call waits for this.
      const { grantHash, lastUsedAtMs } = found;
      if (isUseDue(context, lastUsedAtMs)) noteGrantUse(context, grantHash, address).catch(onFault);
      return found.grant;
    },
    issuer,
    register: registrationOf(context),
    async close() {
      await clientDocuments?.close();
    },
    async holds(holder) {
      return (await context.database.read((sql) => findOAuthGrant(sql, hashOfHolder(holder)))) !== undefined;
    },
  };
}

function hashOfHolder(holder: string): string {
  return holder.slice(grantHolder('').length);
}

/** Looked up in the store directly: a call to the API does not need the OAuth server. */
async function callerOf(context: IdentityContext, issuer: string, token: string): Promise<TokenCaller | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined;
  return context.database.read((sql) => {
    const live = liveToken(context, sql, token);
    if (!live || live === 'expired' || live.payload.aud !== apiAudience(issuer)) return undefined;
    const { accountId, scope } = live.payload;
    if (typeof accountId !== 'string' || typeof scope !== 'string' || !scope.split(' ').includes(apiScope))
      return undefined;
    const person = live.facts.person_id === accountId ? findPerson(sql, accountId) : undefined;
    if (!person) return undefined;
    const { id: personId, name, role } = person;
    return { kind: 'person', personId, name, role, via: 'grant', holder: grantHolder(live.grantHash) } as const;
  });
}
