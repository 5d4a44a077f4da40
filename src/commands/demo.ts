/** `vp demo`: see it work, with nothing installed and nothing left behind. */
import { once } from 'node:events';
import type { Demo } from '../assemble/demo.ts';
import { type Client, createClient } from '../client/client.ts';
import { waitForRun } from '../client/wait-for-run.ts';
import type { RunDocument } from '../contract/api.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { paintFor } from '../terminal/paint.ts';
import { command, type Invocation } from './command.ts';
import { closingText, introText, passText, plantedText, rowText } from './demo-texts.ts';

const flags = {
  keep: { type: 'boolean', default: false, describe: 'go on serving until Ctrl-C, to look around with other commands' },
} as const;

type DemoCall = Invocation<typeof flags>;

/** What was seen: the four runs and the planted one. */
export type DemoResult = { readonly runs: readonly RunDocument[]; readonly planted: RunDocument };

/** Requests everything at once and tells each run as it ends: the queue of an instance runs one at a time, in order. */
async function watch(
  client: Client,
  demo: Demo,
  signal: AbortSignal,
  onRun: (run: RunDocument) => void,
): Promise<DemoResult> {
  const scenarios = [...demo.scenarioIds.map((id) => ({ id })), { text: demo.planted }];
  const requested = await client.runs.request(demo.instance, { scenarios }, { signal });
  const runs: RunDocument[] = [];
  for (const { run_id } of requested) {
    const run = await waitForRun(client, run_id, { signal });
    runs.push(run);
    if (runs.length < requested.length) onRun(run);
  }
  const planted = runs.pop();
  if (!planted) throw new TypeError('a request answers with a run for each scenario');
  return { runs, planted };
}

/** The demo has gone as it should: four passed for real, and the planted one failed in its planted check. */
function isAsExpected({ runs, planted }: DemoResult): boolean {
  return runs.every(({ state }) => state === 'passed') && planted.failure_kind === 'body_mismatch';
}

async function present({ json, environment, flags }: DemoCall, demo: Demo, signal: AbortSignal): Promise<ExitCode> {
  const { streams, clock, variables } = environment;
  const paint = paintFor(streams.stdout, variables, json);
  const write = (text: string): unknown => (json ? undefined : streams.stdout.write(text));
  const startedMs = clock.monotonicMs();
  write(introText(demo, paint));
  const client = createClient({ baseUrl: demo.plane.url, token: demo.plane.ownerKey, fetch });
  const result = await watch(client, demo, signal, (run) => write(rowText(run, paint)));
  const tookMs = clock.monotonicMs() - startedMs;
  write(passText(result.runs, demo.logLines, paint) + plantedText(result.planted, demo.planted, paint));
  write(closingText(result, tookMs, paint));
  if (json) streams.stdout.write(`${JSON.stringify(documentOf(demo, result, tookMs), null, 2)}\n`);
  if (flags.keep) await lookAround(environment, demo, signal, write);
  return isAsExpected(result) ? exitCode.done : exitCode.broken;
}

function documentOf(demo: Demo, { runs, planted }: DemoResult, tookMs: number): object {
  const [application, control_plane] = [demo.applicationUrl, demo.plane.url];
  return { vp_version: version, application, control_plane, took_ms: Math.round(tookMs), runs, planted };
}

async function lookAround(
  environment: Environment,
  demo: Demo,
  signal: AbortSignal,
  write: (text: string) => unknown,
): Promise<void> {
  const { forgetCredential, writeCredential } = await import('./credentials.ts');
  const { url, ownerKey } = demo.plane;
  if (ownerKey !== undefined) writeCredential(environment.paths, url, ownerKey);
  write(`\nStill serving. In another terminal: vp runs --control-plane ${demo.plane.url}\nCtrl-C ends it.\n`);
  if (!signal.aborted) await once(signal, 'abort');
  forgetCredential(environment.paths, url);
}

/** The command. */
export const demoCommand = command({
  name: 'demo',
  summary: 'see four scenarios verify a real application, and one failure explained',
  positionals: [],
  flags,
  examples: [
    ['vp demo', 'takes a few seconds, needs nothing, leaves nothing behind'],
    ['vp demo --keep', 'then try `vp runs`, `vp run RT-GET-document` … on it'],
  ],
  notes:
    'Starts an example application, a control plane and an executor in this process, on free ports of this machine. ' +
    'Exit code 0 when all went as it should.',
  async run(invocation) {
    const { openLog } = await import('../assemble/process-log.ts');
    const { startDemo } = await import('../assemble/demo.ts');
    const level = invocation.logLevel === 'info' ? 'warn' : invocation.logLevel;
    const log = await openLog('demo', level, invocation.environment.streams.stderr);
    const interrupted = new AbortController();
    // Heeded from before the start: whenever it comes, what was started is ended and the folder removed.
    const unwatch = invocation.environment.onInterrupt(() => interrupted.abort());
    const demo = await startDemo(invocation.environment, log);
    try {
      return await present(invocation, demo, interrupted.signal);
    } catch (thrown) {
      if (interrupted.signal.aborted) return exitCode.interrupted;
      throw thrown;
    } finally {
      await demo.close();
      unwatch();
    }
  },
});
