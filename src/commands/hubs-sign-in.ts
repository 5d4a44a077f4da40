import type { HubConnection } from '../contract/hub-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { openBrowser } from '../process/open-browser.ts';
import { command, type Invocation } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const flags = {
  forget: { type: 'boolean', default: false, describe: 'forget the sign-in that there is' },
  ...controlPlaneFlags,
} as const;
type SignIn = Invocation<typeof flags>;

/** As long as a sign-in that somebody began in the browser holds. */
const waitMs = 600_000;
const everyMs = 2000;

/** `vp hubs sign-in`. */
export const hubsSignInCommand = command({
  name: 'hubs sign-in',
  summary: 'sign in at the server of a connection, in the browser',
  positionals: [
    { name: 'hub', describe: 'slug of the hub', required: true },
    { name: 'connection', describe: 'its name or id', required: true },
  ],
  flags,
  examples: [
    ['vp hubs sign-in acme mail', 'opens the page of the hub’s connections, and waits until it is done'],
    ['vp hubs sign-in acme mail --forget', 'its tools ask for a sign-in again'],
  ],
  notes:
    'The browser must be signed in to the control plane: a sign-in is bound to it. For the whole hub, or for you alone, ' +
    'as the connection says. With --json: {"event": "open", "url"}, then {"event": "signed_in", "connection"}.',
  async run(invocation) {
    const { words, json, environment } = invocation;
    const [hub = '', ref = ''] = words;
    const { hubs, hubConnect, transport, pause } = await connect(invocation.flags, environment);
    const write = (document: object, text: string): void =>
      void environment.streams.stdout.write(json ? `${JSON.stringify(document)}\n` : text);
    if (invocation.flags.forget) {
      await hubConnect.forgetSignIn(hub, ref);
      write({ event: 'forgotten', connection: ref }, `the sign-in at ${ref} is forgotten\n`);
      return exitCode.done;
    }
    let connection = await hubs.connection(hub, ref);
    if (connection.sign_in === null) throw vpError('CONNECTION_SIGN_IN_NONE', { connection: connection.name });
    if (!isSignedIn(connection))
      tellPage(invocation, `${transport.baseUrl}/hubs/${encodeURIComponent(hub)}/connections`);
    const endMs = environment.clock.monotonicMs() + waitMs;
    while (!isSignedIn(connection)) {
      if (environment.clock.monotonicMs() > endMs) throw vpError('CONNECTION_SIGN_IN_OVER', {});
      await pause(everyMs);
      connection = await hubs.connection(hub, ref);
    }
    write({ event: 'signed_in', connection }, `signed in at ${connection.name}\n`);
    return exitCode.done;
  },
});

function isSignedIn({ sign_in: sign }: HubConnection): boolean {
  return sign === null || (sign.signed_in && !sign.needed);
}

function tellPage({ json, environment }: SignIn, url: string): void {
  const { streams } = environment;
  const text = `press Sign in beside the connection on this page, and come back:\n  ${url}\n`;
  streams.stdout.write(json ? `${JSON.stringify({ event: 'open', url })}\n` : text);
  if ((streams.stdout.isTTY || streams.stderr.isTTY) && !json) void openBrowser(environment, url);
}
