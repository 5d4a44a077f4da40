/** `vp login`: signs this user in to a control plane, and keeps the credential in a file that only they can read. */
import { createClient } from '../client/client.ts';
import type { Whoami } from '../contract/identity-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { openBrowser } from '../process/open-browser.ts';
import { command, type Invocation } from './command.ts';
import { wayTo } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { credentialFile, type Kept, keptCredential } from './credentials.ts';
import { endGrant } from './login/end-grant.ts';
import { type OAuthClient, oauthClient } from './login/oauth-client.ts';
import { keepGrant } from './login/renewal.ts';
import { type DeviceCode, type Grant, loginByBrowser, loginByDevice } from './login/ways.ts';
import { askWho, whoText } from './login/who.ts';

const flags = {
  device: {
    type: 'boolean',
    default: false,
    describe: 'show a code to be typed in any browser, where this machine has none',
  },
  ...controlPlaneFlags,
} as const;
type Login = Invocation<typeof flags>;

function tellUrl({ json, environment }: Login, url: string): void {
  const { streams } = environment;
  const people = streams.stdout.isTTY || streams.stderr.isTTY;
  streams.stdout.write(json ? `${JSON.stringify({ event: 'open', url })}\n` : `open this page to sign in:\n  ${url}\n`);
  if (people && !json) void openBrowser(environment, url);
}

function tellCode({ json, environment }: Login, code: DeviceCode): void {
  const { verificationUri, userCode, expiresInSeconds } = code;
  const told = { event: 'code', verification_uri: verificationUri, user_code: userCode, expires_in: expiresInSeconds };
  const text = `open ${verificationUri} in a browser and type the code\n\n    ${userCode}\n\nwaiting for ${Math.round(expiresInSeconds / 60)} minutes …\n`;
  environment.streams.stdout.write(json ? `${JSON.stringify(told)}\n` : text);
}

function grantFor(invocation: Login, client: OAuthClient): Promise<Grant> {
  if (invocation.flags.device)
    return loginByDevice(client, invocation.environment.clock, (code) => tellCode(invocation, code));
  return loginByBrowser(client, invocation.environment.clock, (url) => tellUrl(invocation, url));
}

function tellDone({ json, environment }: Login, url: string, who: Whoami): void {
  const { streams, paths, variables } = environment;
  const file = credentialFile(paths, url);
  const stands = variables.VP_TOKEN ? 'VP_TOKEN is set and stands before it\n' : '';
  const text = `signed in at ${url} as ${whoText(who)}\nkept in ${file}\n${stands}`;
  streams.stdout.write(json ? `${JSON.stringify({ event: 'signed_in', control_plane: url, ...who, file })}\n` : text);
}

/** What is in the way is replaced, whatever it is. */
function keptBefore({ environment }: Login, url: string): Kept | undefined {
  try {
    return keptCredential(environment.paths, url);
  } catch {
    return undefined;
  }
}

/** The command. */
export const loginCommand = command({
  name: 'login',
  summary: 'sign in to a control plane, in the browser',
  positionals: [],
  flags,
  examples: [
    ['vp login', 'opens a browser; its address is printed too'],
    ['vp login --device --control-plane https://vp.example.com', 'on a machine without a browser'],
  ],
  notes:
    'The credential is kept in a file of mode 0600, one for each control plane, and renewed by itself; ' +
    '`vp logout` ends it. Programs use an API key in VP_TOKEN instead.',
  async run(invocation) {
    const { flags, environment } = invocation;
    const { url, fetch } = await wayTo(flags, environment);
    const grant = await grantFor(invocation, await oauthClient(url, fetch));
    const before = keptBefore(invocation, url);
    keepGrant(environment, url, grant);
    // A sign-in that nobody holds any more should not stay good; where it cannot be ended it ends by itself.
    if (before) await endGrant(before, url, fetch);
    const who = await askWho(createClient({ baseUrl: url, token: grant.token, fetch }).transport);
    tellDone(invocation, url, who);
    return exitCode.done;
  },
});
