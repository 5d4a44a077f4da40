/** `vp demo`: needs no installation and leaves nothing behind. */
import { once } from 'node:events';
import type { Demo } from '../../assemble/embedded/demo.ts';
import { type Client, createClient } from '../../client/client.ts';
import { waitForRun } from '../../client/wait-for-run.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import type { RunDocument } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { nameProgram } from '../../environment/running-binary.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatClosing, formatDemoRun, formatIntro, formatPassedRun, formatPlantedFailure } from './demo-texts.ts';

const flags = {
  keep: { type: 'boolean', default: false, describe: 'keep serving until Ctrl-C, to try other commands' },
} as const;

type DemoCall = Invocation<typeof flags>;

/** The four runs and the planted failure. */
export type DemoResult = { readonly runs: readonly RunDocument[]; readonly planted: RunDocument };

/** Requests all runs at once and reports each when it ends: an instance executes its queue in order, one run at a time. */
async function requestAndWait(
  client: Client,
  demo: Demo,
  signal: AbortSignal,
  onRun: (run: RunDocument) => void,
): Promise<DemoResult> {
  const scenarios = [...demo.scenarioIds.map((id) => ({ id })), { text: demo.failingScenario }];
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

/** Whether four runs passed and the planted one failed in its planted check. */
function isAsExpected({ runs, planted }: DemoResult): boolean {
  return runs.every(({ state }) => state === 'passed') && planted.failure_kind === 'body_mismatch';
}

async function playDemo({ json, environment, flags }: DemoCall, demo: Demo, signal: AbortSignal): Promise<ExitCode> {
  const { streams, clock, variables } = environment;
  const paint = paintFor(streams.stdout, variables, json);
  const write = (text: string): unknown => (json ? undefined : streams.stdout.write(text));
  const startedMs = clock.monotonicMs();
  write(formatIntro(demo, paint));
  const client = createClient({ baseUrl: demo.plane.url, token: demo.plane.ownerKey, fetch });
  const result = await requestAndWait(client, demo, signal, (run) => write(formatDemoRun(run, paint)));
  const tookMs = clock.monotonicMs() - startedMs;
  write(
    formatPassedRun(result.runs, demo.logLines, paint) +
      formatPlantedFailure(result.planted, demo.failingScenario, paint),
  );
  write(formatClosing(result, tookMs, { paint, program: nameProgram(environment) }));
  if (json) streams.stdout.write(`${JSON.stringify(toDocument(demo, result, tookMs), null, 2)}\n`);
  if (flags.keep) await keepServing(environment, demo, signal, write);
  return isAsExpected(result) ? exitCode.done : exitCode.broken;
}

function toDocument(demo: Demo, { runs, planted }: DemoResult, tookMs: number): object {
  const [application, control_plane] = [demo.applicationUrl, demo.plane.url];
  return { vp_version: version, application, control_plane, took_ms: Math.round(tookMs), runs, planted };
}

async function keepServing(
  environment: Environment,
  demo: Demo,
  signal: AbortSignal,
  write: (text: string) => unknown,
): Promise<void> {
  const { removeCredential: forgetCredential, writeCredential } = await import('../control-plane/credentials.ts');
  const { url, ownerKey } = demo.plane;
  if (ownerKey !== undefined) writeCredential(environment.paths, url, ownerKey);
  write(`\nStill serving. In another terminal: vp runs --control-plane ${demo.plane.url}\nPress Ctrl-C to stop.\n`);
  if (!signal.aborted) await once(signal, 'abort');
  forgetCredential(environment.paths, url);
}

export const demoCommand = command({
  name: 'demo',
  summary: 'see scenarios verify an application, and a failure explained',
  positionals: [],
  flags,
  examples: [
    ['vp demo', 'takes a few seconds, needs no setup, leaves nothing behind'],
    ['vp demo --keep', 'then try `vp runs` or `vp run RT-GET-document`'],
  ],
  notes:
    'Starts an example application, a control plane and an executor in this process, on free ports of this machine. ' +
    'Exit code 0: everything went as expected.',
  async run(invocation) {
    const { openProcessLog: openLog } = await import('../../assemble/process-log.ts');
    const { startDemo } = await import('../../assemble/embedded/demo.ts');
    const level = invocation.logLevel === 'info' ? 'warn' : invocation.logLevel;
    const log = await openLog('demo', level, invocation.environment.streams.stderr);
    const controller = new AbortController();
    // Registered before the start, so that an interrupt at any time stops what was started and removes the folder.
    const stopListening = invocation.environment.onInterrupt(() => controller.abort());
    const demo = await startDemo(invocation.environment, log);
    try {
      return await playDemo(invocation, demo, controller.signal);
    } catch (thrown) {
      if (controller.signal.aborted) return exitCode.interrupted;
      throw thrown;
    } finally {
      await demo.close();
      stopListening();
    }
  },
});
