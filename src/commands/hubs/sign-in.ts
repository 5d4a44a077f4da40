import { command, type Invocation } from '../../command-line/command.ts';
import type { HubConnection } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openBrowser } from '../../process/open-browser.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

const flags = {
  forget: { type: 'boolean', default: false, describe: 'remove the current sign-in' },
  ...controlPlaneFlags,
} as const;
type Call = Invocation<typeof flags>;

/** As long as a sign-in that was started in the browser is valid. */
const timeoutMs = 600_000;
const pollIntervalMs = 2000;

/** `vp hubs sign-in`. */
export const hubsSignInCommand = command({
  name: 'hubs sign-in',
  summary: 'sign in at the server of a connection, in the browser',
  positionals: [hubArgument, { name: 'connection', describe: 'name or id of the connection', required: true }],
  flags,
  examples: [
    ['vp hubs sign-in acme mail', 'opens the hub’s connections page and waits for the sign-in'],
    ['vp hubs sign-in acme mail --forget', 'its tools require a sign-in again'],
  ],
  notes:
    'The browser must be signed in to the control plane: the sign-in is bound to that session. It is for the whole hub or only for you, ' +
    'as the connection is configured. With --json: {"event": "open", "url"}, then {"event": "signed_in", "connection"}.',
  async run(invocation) {
    const { args, json, environment } = invocation;
    const [hub = '', ref = ''] = args;
    const { hubs, hubConnectionUse: hubConnect, transport, pause } = await openClient(invocation.flags, environment);
    const write = (document: object, text: string): void =>
      void environment.streams.stdout.write(json ? `${JSON.stringify(document)}\n` : text);
    if (invocation.flags.forget) {
      await hubConnect.forgetSignIn(hub, ref);
      write({ event: 'forgotten', connection: ref }, `the sign-in at ${ref} is removed\n`);
      return exitCode.done;
    }
    let connection = await hubs.getConnection(hub, ref);
    if (connection.sign_in === null) throw vpError('CONNECTION_SIGN_IN_NONE', { connection: connection.name });
    if (!isSignedIn(connection))
      printPage(invocation, `${transport.baseUrl}/hubs/${encodeURIComponent(hub)}/connections`);
    const deadlineMs = environment.clock.monotonicMs() + timeoutMs;
    while (!isSignedIn(connection)) {
      if (environment.clock.monotonicMs() > deadlineMs) throw vpError('CONNECTION_SIGN_IN_OVER', {});
      await pause(pollIntervalMs);
      connection = await hubs.getConnection(hub, ref);
    }
    write({ event: 'signed_in', connection }, `signed in at ${connection.name}\n`);
    return exitCode.done;
  },
});

function isSignedIn({ sign_in: signIn }: HubConnection): boolean {
  return signIn === null || (signIn.signed_in && !signIn.needed);
}

function printPage({ json, environment }: Call, url: string): void {
  const { streams } = environment;
  const text = `select Sign in next to the connection on this page, then return here:\n  ${url}\n`;
  streams.stdout.write(json ? `${JSON.stringify({ event: 'open', url })}\n` : text);
  if ((streams.stdout.isTTY || streams.stderr.isTTY) && !json) void openBrowser(environment, url);
}
