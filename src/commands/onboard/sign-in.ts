/** Uses the existing sign-in, or asks the person to sign in with a browser or a code. */
import { type Client, createClient } from '../../client/client.ts';
import type { Environment } from '../../environment/environment.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { OnboardingPorts, SignInCallOptions } from '../../onboarding/context.ts';
import { openBrowser } from '../../process/open-browser.ts';
import { type ControlPlaneFlagValues, openClient, resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { preferControlPlane } from '../control-plane/preferences.ts';
import { storeGrant } from '../control-plane/token-renewal.ts';
import { fetchWhoami, formatWhoami } from '../login/fetch-whoami.ts';
import { createOAuthClient } from '../login/oauth-client.ts';
import { loginByBrowser, loginByDevice } from '../login/sign-in-methods.ts';

/** `noBrowser`: show a code to be typed in any browser, instead of opening one here. */
export type CommandSignInOptions = SignInCallOptions & { readonly noBrowser: boolean };

type SignInResult = Awaited<ReturnType<OnboardingPorts['signIn']>>;

/** Throws CREDENTIAL_*, LOGIN_*, CONTROL_PLANE_*, and the reason of an aborted signal. */
export async function ensureSignedIn(
  flags: ControlPlaneFlagValues,
  environment: Environment,
  options: CommandSignInOptions,
): Promise<SignInResult> {
  const signedIn = await findSignedIn(flags, environment, options.signal);
  if (signedIn) return { ...signedIn, prompted: false };
  await signIn(flags, environment, options);
  const client = await openClient(flags, environment);
  return { client, userName: formatWhoami(await fetchWhoami(client.transport)), prompted: true };
}

/** Undefined without a valid credential, or where the control plane does not answer. */
export async function findExistingClient(
  flags: ControlPlaneFlagValues,
  environment: Environment,
): Promise<Client | undefined> {
  const { signal } = new AbortController();
  return (await findSignedIn(flags, environment, signal).catch(() => undefined))?.client;
}

/** Undefined without a valid credential. An invalid VP_TOKEN is an error: it was set on purpose. */
export async function findSignedIn(flags: ControlPlaneFlagValues, environment: Environment, signal: AbortSignal) {
  try {
    const client = await openClient(flags, environment);
    const userName = formatWhoami(await fetchWhoami(client.transport));
    signal.throwIfAborted();
    return { client, userName };
  } catch (error) {
    const isCredentialUnusable =
      error instanceof VpError && /^CREDENTIAL_(ABSENT|INVALID|EXPIRED|ENDED)$/.test(error.code);
    if (!isCredentialUnusable || environment.variables.VP_TOKEN) throw error;
    return undefined;
  }
}

async function signIn(
  flags: ControlPlaneFlagValues,
  environment: Environment,
  options: CommandSignInOptions,
): Promise<void> {
  const { url, fetch } = await resolveControlPlane(flags, environment);
  const client = await createOAuthClient(url, fetch);
  const { clock } = environment;
  const { onOpen, signal } = options;
  const isDesktop = environment.platform !== 'linux' || hasDisplay(environment);
  const grant =
    options.noBrowser || !isDesktop
      ? loginByDevice(client, clock, ({ verificationUri, userCode }) => onOpen(verificationUri, userCode))
      : loginByBrowser(client, clock, (page) => {
          onOpen(page);
          void openBrowser(environment, page);
        });
  storeGrant(environment, url, await rejectOnAbort(grant, signal));
  preferControlPlane(environment.paths, url);
}

function hasDisplay({ variables }: Environment): boolean {
  return Boolean(variables.DISPLAY || variables.WAYLAND_DISPLAY);
}

/** Rejects when `signal` is aborted, even if `work` goes on. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

export async function createClientWithToken(
  token: string,
  flags: ControlPlaneFlagValues,
  environment: Environment,
): Promise<Client> {
  const { url, fetch } = await resolveControlPlane(flags, environment);
  return createClient({ baseUrl: url, token, fetch });
}
