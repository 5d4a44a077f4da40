/** Signing in to the servers of connections: for the whole hub by its owners, or by everybody for themselves. */
import type { HubSignInBegun } from '../contract/hub-connect-api.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import type { SessionCaller } from '../identity/caller.ts';
import type { Asked } from './connections.ts';
import type { ConnectionRecords } from './connections-draft.ts';
import type { HubAction } from './hubs-authorization.ts';
import { changeGrant, type KeptGrant, type KeptTokens, readGrant } from './upstream/kept-grant.ts';
import type { EndedSignIn } from './upstream/revocations.ts';
import type { Returned, SignIns } from './upstream/sign-ins.ts';
import type { Upstreams } from './upstream/upstreams.ts';
import type { Connection, ConnectionSecrets } from './words.ts';

/** A browser that begins a sign-in. */
export type BeginningBrowser = {
  /** A secret that this browser alone has. */
  readonly secret: string;
  /** Where it comes back to. */
  readonly redirectUrl: string;
  /** Calls `ended` when its session ends; the returned function stops that. */
  onEnd(ended: () => void): () => void;
};

/** How a sign-in came back; where nothing is known of it, `connection` is undefined. */
export type SignInEnd = {
  readonly connection: { readonly hub: string; readonly name: string } | undefined;
  readonly problem: VpError | undefined;
};

/** Whoever names a connection throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT, CONNECTION_UNKNOWN, CONNECTION_SIGN_IN_NONE. */
export type HubSignIns = {
  /** Throws CONNECTION_SIGN_IN_UNAVAILABLE, CONNECTION_SIGN_IN_UNTRUSTED, UPSTREAM_*. */
  begin(asked: Asked & { readonly caller: SessionCaller }, browser: BeginningBrowser): Promise<HubSignInBegun>;
  finish(returned: Returned, browser: string | undefined): Promise<SignInEnd>;
  forget(asked: Asked): Promise<void>;
};

/** What a sign-in remembers of who began it. */
export type SignInAbout = { readonly asked: Asked; readonly stop: () => void };

/** What it is made of. */
export type SignInServices = {
  readonly records: ConnectionRecords;
  readonly signIns: SignIns<SignInAbout>;
  readonly upstreams: Pick<Upstreams, 'renew'>;
  readonly secrets: ConnectionSecrets;
};

/** See {@link HubSignIns}. */
export function hubSignIns(services: SignInServices): HubSignIns {
  const { signIns, upstreams, secrets, records } = services;
  return {
    async begin(asked, browser) {
      const { connection, holder } = await signable(records, asked);
      const { personId } = asked.caller;
      const place = { browser: browser.secret, redirectUrl: browser.redirectUrl };
      let state: string | undefined;
      const stop = browser.onEnd(() => state !== undefined && signIns.drop(state));
      const about = { asked: { ...asked, ref: connection.id }, stop };
      try {
        const begun = await signIns.begin({ connection, holder, personId, ...place, about });
        state = begun.state;
        const { revocationProblem: problem } = begun;
        if (problem !== undefined) records.revocationRefused(connection, asked.caller, problem);
        return { authorization_url: begun.url, expires_at: new Date(begun.expiresAtMs).toISOString() };
      } catch (error) {
        stop();
        throw error;
      }
    },
    finish: (returned, browser) => finish(services, returned, browser),
    async forget(asked) {
      const { connection, holder } = await signable(records, asked);
      const tokens = await forgotten(secrets, connection.id, holder);
      upstreams.renew(connection, holder);
      await records.signInChanged(connection, asked.caller, 'hub_sign_in_forgotten');
      if (tokens) records.signInsEnded([endedSignIn(connection, tokens)]);
    },
  };
}

function endedSignIn(
  { hubId, id: connectionId, name }: Connection,
  tokens: KeptTokens,
  instead?: KeptTokens | undefined,
): EndedSignIn {
  return { hubId, connectionId, name, tokens, instead };
}

/** Forgets the tokens, and gives those that were there at that moment. */
async function forgotten(
  secrets: ConnectionSecrets,
  connectionId: string,
  holder: string | undefined,
): Promise<KeptTokens | undefined> {
  let tokens: KeptTokens | undefined;
  const expected = (kept: KeptGrant): boolean => {
    ({ tokens } = kept);
    return true;
  };
  const isForgotten = await changeGrant(secrets, connectionId, holder, { tokens: undefined }, { expected });
  return isForgotten ? tokens : undefined;
}

type Signable = { readonly connection: Connection; readonly holder: string | undefined };

async function signable(records: ConnectionRecords, asked: Asked): Promise<Signable> {
  const connection = await records.find(asked, 'connection.see');
  const { credential } = connection;
  if (credential.kind !== 'oauth') throw vpError('CONNECTION_SIGN_IN_NONE', { connection: connection.name });
  const isShared = credential.sharing === 'shared';
  const action: HubAction = isShared ? 'connection.manage' : 'connection.see';
  return {
    connection: await records.find(asked, action),
    holder: isShared ? undefined : asked.caller.personId,
  };
}

async function finish(
  { signIns, upstreams, records, secrets }: SignInServices,
  returned: Returned,
  browser: string | undefined,
): Promise<SignInEnd> {
  let known: SignInEnd['connection'];
  try {
    const { beginning, complete } = signIns.take(returned, browser);
    const { about, connection, holder } = beginning;
    about.stop();
    known = { hub: about.asked.slug, name: connection.name };
    // Whoever has left the hub since, or whose connection is another one now, gets nothing kept; its server takes its time.
    const demandSame = async (): Promise<void> => {
      const now = await signable(records, about.asked);
      if (now.connection.revision !== connection.revision) throw vpError('CONNECTION_SIGN_IN_OVER', {});
    };
    await demandSame();
    const { tokens, keep } = await complete();
    let replaced: KeptTokens | undefined;
    try {
      await demandSame();
      replaced = await keep();
    } catch (error) {
      const { tokens: instead } = await readGrant(secrets, connection.id, holder);
      records.signInsEnded([endedSignIn(connection, tokens, instead)]);
      throw error;
    }
    upstreams.renew(connection, holder);
    if (replaced) records.signInsEnded([endedSignIn(connection, replaced, tokens)]);
    await records.signInChanged(connection, about.asked.caller, 'hub_signed_in');
    return { connection: known, problem: undefined };
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { connection: known, problem: error };
  }
}
