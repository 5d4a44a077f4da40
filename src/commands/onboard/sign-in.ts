/** Who acts: whoever is signed in already, else whoever signs in now, in a browser or with a code that is typed in any. */
import { type Client, createClient } from '../../client/client.ts';
import type { Environment } from '../../environment/environment.ts';
import { VpError } from '../../errors/vp-error.ts';
import { openBrowser } from '../../process/open-browser.ts';
import { type ControlPlaneValues, connect, wayTo } from '../control-plane.ts';
import { oauthClient } from '../login/oauth-client.ts';
import { keepGrant } from '../login/renewal.ts';
import { loginByBrowser, loginByDevice } from '../login/ways.ts';
import { askWho, whoText } from '../login/who.ts';

/** How a sign-in goes: `onOpen` is told where the person is to go, and what they type there. */
export type SigningIn = {
  readonly signal: AbortSignal;
  readonly noBrowser: boolean;
  onOpen(url: string, userCode?: string): void;
};

/** A client, who it is, and whether they were asked. */
export type SignedIn = { readonly client: Client; readonly who: string; readonly asked: boolean };

/** Throws CREDENTIAL_*, LOGIN_*, CONTROL_PLANE_*, and the reason of an aborted signal. */
export async function signedIn(flags: ControlPlaneValues, environment: Environment, how: SigningIn): Promise<SignedIn> {
  const there = await alreadySignedIn(flags, environment, how.signal);
  if (there) return { ...there, asked: false };
  await signIn(flags, environment, how);
  const client = await connect(flags, environment);
  return { client, who: whoText(await askWho(client.transport)), asked: true };
}

/** Undefined where there is no credential, or one that has ended. What VP_TOKEN holds was meant: it is not passed over. */
async function alreadySignedIn(flags: ControlPlaneValues, environment: Environment, signal: AbortSignal) {
  try {
    const client = await connect(flags, environment);
    const who = whoText(await askWho(client.transport));
    signal.throwIfAborted();
    return { client, who };
  } catch (error) {
    const isKept = error instanceof VpError && /^CREDENTIAL_(ABSENT|INVALID|EXPIRED|ENDED)$/.test(error.code);
    if (!isKept || environment.variables.VP_TOKEN) throw error;
    return undefined;
  }
}

async function signIn(flags: ControlPlaneValues, environment: Environment, how: SigningIn): Promise<void> {
  const { url, fetch } = await wayTo(flags, environment);
  const client = await oauthClient(url, fetch);
  const { clock } = environment;
  const { onOpen, signal } = how;
  const isDesktop = environment.platform !== 'linux' || hasDisplay(environment);
  const grant =
    how.noBrowser || !isDesktop
      ? loginByDevice(client, clock, ({ verificationUri, userCode }) => onOpen(verificationUri, userCode))
      : loginByBrowser(client, clock, (page) => {
          onOpen(page);
          void openBrowser(environment, page);
        });
  keepGrant(environment, url, await orAborted(grant, signal));
}

function hasDisplay({ variables }: Environment): boolean {
  return Boolean(variables.DISPLAY || variables.WAYLAND_DISPLAY);
}

/** What is waited for on behalf of a person is given up when they interrupt. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** A client with the token of an author, which only the import of scenarios uses. */
export async function clientWith(token: string, flags: ControlPlaneValues, environment: Environment): Promise<Client> {
  const { url, fetch } = await wayTo(flags, environment);
  return createClient({ baseUrl: url, token, fetch });
}
