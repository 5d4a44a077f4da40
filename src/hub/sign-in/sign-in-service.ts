/** Signs in to the servers of connections: owners for the whole hub, or each person for themselves. */
import type { StartHubSignInResponse } from '../../contract/hubs/connection-use-api.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { SessionCaller } from '../../identity/caller.ts';
import type { HubAction } from '../access/permissions.ts';
import type { ConnectionSecrets, UpstreamConnection } from '../connections/connection.ts';
import type { ConnectionAccess } from '../connections/connection-access.ts';
import type { ConnectionRef } from '../connections/connections-service.ts';
import type { UpstreamPool } from '../upstream/upstream-pool.ts';
import type { PendingSignIns, SignInCallback } from './pending-sign-ins.ts';
import type { RemovedSignIn } from './sign-in-revoker.ts';
import { readGrant, type StoredGrant, type StoredTokens, updateStoredGrant } from './stored-grant.ts';

export type SignInBrowser = {
  /** A secret that only this browser has. */
  readonly secret: string;
  readonly redirectUrl: string;
  /** Returns a function that stops the listener. */
  onSessionEnd(listener: () => void): () => void;
};

/** `connection` is undefined for an unknown sign-in. */
export type SignInResult = {
  readonly connection: { readonly hub: string; readonly name: string } | undefined;
  readonly problem: VpError | undefined;
};

/**
 * Each method that names a connection throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT, CONNECTION_UNKNOWN,
 * CONNECTION_SIGN_IN_NONE.
 */
export type SignInService = {
  /** Throws CONNECTION_SIGN_IN_UNAVAILABLE, _UNANSWERED, _UNTRUSTED, UPSTREAM_*. */
  start(
    connectionRef: ConnectionRef & { readonly caller: SessionCaller },
    browser: SignInBrowser,
  ): Promise<StartHubSignInResponse>;
  finish(callback: SignInCallback, browser: string | undefined): Promise<SignInResult>;
  forget(connectionRef: ConnectionRef): Promise<void>;
};

export type SignInContext = { readonly connectionRef: ConnectionRef; readonly stop: () => void };

export type SignInServiceDependencies = {
  readonly connectionAccess: ConnectionAccess;
  readonly signIns: PendingSignIns<SignInContext>;
  readonly upstreams: Pick<UpstreamPool, 'reset'>;
  readonly secrets: ConnectionSecrets;
};

export function createSignInService(dependencies: SignInServiceDependencies): SignInService {
  const { signIns, upstreams, secrets, connectionAccess } = dependencies;
  return {
    async start(connectionRef, browser) {
      const { connection, holder } = await findSignInTarget(connectionAccess, connectionRef);
      const { personId } = connectionRef.caller;
      const browserInput = { browserSecret: browser.secret, redirectUrl: browser.redirectUrl };
      let state: string | undefined;
      const stop = browser.onSessionEnd(() => state !== undefined && signIns.cancel(state));
      const context = { connectionRef: { ...connectionRef, ref: connection.id }, stop };
      try {
        const started = await signIns.start({ connection, holder, personId, ...browserInput, context });
        state = started.state;
        const { revocationProblem: problem } = started;
        if (problem !== undefined) connectionAccess.logRevocationRefused(connection, connectionRef.caller, problem);
        return { authorization_url: started.url, expires_at: new Date(started.expiresAtMs).toISOString() };
      } catch (error) {
        stop();
        throw error;
      }
    },
    finish: (callback, browser) => finishSignIn(dependencies, callback, browser),
    async forget(connectionRef) {
      const { connection, holder } = await findSignInTarget(connectionAccess, connectionRef);
      const tokens = await removeTokens(secrets, connection.id, holder);
      upstreams.reset(connection, holder);
      await connectionAccess.recordSignInChange(connection, connectionRef.caller, 'hub_sign_in_forgotten');
      if (tokens) connectionAccess.notifySignInsRemoved([toRemovedSignIn(connection, tokens)]);
    },
  };
}

function toRemovedSignIn(
  { hubId, id: connectionId, name }: UpstreamConnection,
  tokens: StoredTokens,
  replacement?: StoredTokens | undefined,
): RemovedSignIn {
  return { hubId, connectionId, name, tokens, replacement };
}

/** Removes the stored tokens and returns them. */
async function removeTokens(
  secrets: ConnectionSecrets,
  connectionId: string,
  holder: string | undefined,
): Promise<StoredTokens | undefined> {
  let storedTokens: StoredTokens | undefined;
  const expected = (grant: StoredGrant): boolean => {
    ({ tokens: storedTokens } = grant);
    return true;
  };
  const isRemoved = await updateStoredGrant(secrets, connectionId, holder, { tokens: undefined }, { expected });
  return isRemoved ? storedTokens : undefined;
}

type SignInTarget = { readonly connection: UpstreamConnection; readonly holder: string | undefined };

async function findSignInTarget(
  connectionAccess: ConnectionAccess,
  connectionRef: ConnectionRef,
): Promise<SignInTarget> {
  const connection = await connectionAccess.find(connectionRef, 'connection.see');
  const { credential } = connection;
  if (credential.kind !== 'oauth') throw vpError('CONNECTION_SIGN_IN_NONE', { connection: connection.name });
  const isShared = credential.sharing === 'shared';
  const action: HubAction = isShared ? 'connection.manage' : 'connection.see';
  return {
    connection: await connectionAccess.find(connectionRef, action),
    holder: isShared ? undefined : connectionRef.caller.personId,
  };
}

async function finishSignIn(
  { signIns, upstreams, connectionAccess, secrets }: SignInServiceDependencies,
  callback: SignInCallback,
  browser: string | undefined,
): Promise<SignInResult> {
  let connectionName: SignInResult['connection'];
  try {
    const { request, exchangeCode: complete } = signIns.redeem(callback, browser);
    const { context, connection, holder } = request;
    context.stop();
    connectionName = { hub: context.connectionRef.slug, name: connection.name };
    // Nothing is stored if the person left the hub or the connection changed while the server was called.
    const assertUnchanged = async (): Promise<void> => {
      const current = await findSignInTarget(connectionAccess, context.connectionRef);
      if (current.connection.revision !== connection.revision) throw vpError('CONNECTION_SIGN_IN_OVER', {});
    };
    await assertUnchanged();
    const { tokens, save } = await complete();
    let replaced: StoredTokens | undefined;
    try {
      await assertUnchanged();
      replaced = await save();
    } catch (error) {
      const { tokens: replacement } = await readGrant(secrets, connection.id, holder);
      connectionAccess.notifySignInsRemoved([toRemovedSignIn(connection, tokens, replacement)]);
      throw error;
    }
    upstreams.reset(connection, holder);
    if (replaced) connectionAccess.notifySignInsRemoved([toRemovedSignIn(connection, replaced, tokens)]);
    await connectionAccess.recordSignInChange(connection, context.connectionRef.caller, 'hub_signed_in');
    return { connection: connectionName, problem: undefined };
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { connection: connectionName, problem: error };
  }
}
