/** `vp login`: signs this user in to a control plane, and writes the credential to a file that only they can read. */
import { type Client, createClient } from '../../client/client.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import type { Whoami } from '../../contract/identity-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openBrowser } from '../../process/open-browser.ts';
import { resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { credentialFile, readStoredCredential, type StoredCredential } from '../control-plane/credentials.ts';
import { preferControlPlane, preferInstance, readPreferences } from '../control-plane/preferences.ts';
import { storeGrant } from '../control-plane/token-renewal.ts';
import { fetchWhoami, formatWhoami } from './fetch-whoami.ts';
import { createOAuthClient, type OAuthClient } from './oauth-client.ts';
import { revokeStoredSignIn } from './revoke-grant.ts';
import { type DeviceCode, loginByBrowser, loginByDevice, type TokenGrant } from './sign-in-methods.ts';

const flags = {
  device: {
    type: 'boolean',
    default: false,
    describe: 'show a code to enter in a browser on any device',
  },
  ...controlPlaneFlags,
} as const;
type Call = Invocation<typeof flags>;

function printUrl({ json, environment }: Call, url: string): void {
  const { streams } = environment;
  const isTerminal = streams.stdout.isTTY || streams.stderr.isTTY;
  streams.stdout.write(json ? `${JSON.stringify({ event: 'open', url })}\n` : `open this page to sign in:\n  ${url}\n`);
  if (isTerminal && !json) void openBrowser(environment, url).then((isOpen) => isOpen || printDeviceHint(streams));
}

/** The page leads back to this machine: a browser elsewhere cannot finish. */
function printDeviceHint({ stderr }: Environment['streams']): void {
  stderr.write('no browser opened here; to use one of another machine, press Ctrl-C and run `vp login --device`\n');
}

function printCode({ json, environment }: Call, code: DeviceCode): void {
  const { verificationUri, userCode, expiresInSeconds } = code;
  const document = {
    event: 'code',
    verification_uri: verificationUri,
    user_code: userCode,
    expires_in: expiresInSeconds,
  };
  const text = `open ${verificationUri} in a browser and enter the code\n\n    ${userCode}\n\nwaiting for ${Math.round(expiresInSeconds / 60)} minutes …\n`;
  environment.streams.stdout.write(json ? `${JSON.stringify(document)}\n` : text);
}

function signIn(invocation: Call, client: OAuthClient): Promise<TokenGrant> {
  if (invocation.flags.device)
    return loginByDevice(client, invocation.environment.clock, (code) => printCode(invocation, code));
  return loginByBrowser(client, invocation.environment.clock, (url) => printUrl(invocation, url));
}

/** The instance of the next commands: the one chosen before if it still exists, else the only one. */
async function chooseInstance({ instances, transport }: Client, { paths }: Environment): Promise<string | undefined> {
  const previous = readPreferences(paths).instances[transport.baseUrl];
  // The sign-in is done: that instances cannot be listed right now does not undo it.
  const listed = await instances.list().catch(() => undefined);
  if (listed === undefined) return previous;
  const ids = listed.map(({ instance_id: id }) => id);
  const only = ids.length === 1 ? ids[0] : undefined;
  const instance = previous !== undefined && ids.includes(previous) ? previous : only;
  preferInstance(paths, transport.baseUrl, instance);
  return instance;
}

function printSignedIn({ json, environment }: Call, url: string, whoami: Whoami, instance: string | undefined): void {
  const { streams, paths, variables } = environment;
  const file = credentialFile(paths, url);
  const tokenNote = variables.VP_TOKEN ? 'note: VP_TOKEN is set and takes precedence\n' : '';
  const use = `commands now use it${instance === undefined ? '' : `, and the instance ${instance}`}; \`vp use\` shows and changes that`;
  const text = `signed in at ${url} as ${formatWhoami(whoami)}\nthe credential is in ${file}\n${use}\n${tokenNote}`;
  const document = { event: 'signed_in', control_plane: url, instance: instance ?? null, ...whoami, file };
  streams.stdout.write(json ? `${JSON.stringify(document)}\n` : text);
}

/** Undefined for an unreadable file, which is replaced. */
function readPreviousCredential({ environment }: Call, url: string): StoredCredential | undefined {
  try {
    return readStoredCredential(environment.paths, url);
  } catch {
    return undefined;
  }
}

export const loginCommand = command({
  name: 'login',
  summary: 'sign in to a control plane, in the browser',
  positionals: [],
  flags,
  examples: [
    ['vp login', 'opens a browser, and prints the URL'],
    ['vp login --device --control-plane https://vp.example.com', 'on a machine without a browser'],
  ],
  notes:
    'The credential is stored in a file of mode 0600, one for each control plane, and renewed automatically; ' +
    'the next commands use this control plane, see `vp use`. `vp logout` revokes it. Scripts and CI use an API key in VP_TOKEN instead.',
  async run(invocation) {
    const { flags, environment } = invocation;
    const { url, fetch } = await resolveControlPlane(flags, environment);
    const grant = await signIn(invocation, await createOAuthClient(url, fetch));
    const previous = readPreviousCredential(invocation, url);
    storeGrant(environment, url, grant);
    // The replaced sign-in should not stay valid. If it cannot be revoked, it expires.
    if (previous) await revokeStoredSignIn(previous, url, fetch);
    const client = createClient({ baseUrl: url, token: grant.token, fetch });
    const whoami = await fetchWhoami(client.transport);
    preferControlPlane(environment.paths, url);
    const instance = await chooseInstance(client, environment);
    printSignedIn(invocation, url, whoami, instance);
    return exitCode.done;
  },
});
