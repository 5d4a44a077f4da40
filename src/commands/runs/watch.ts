/** `vp runs --watch`: prints the current runs, then each change. */
import type { Client } from '../../client/client.ts';
import type { RunsFilter } from '../../client/runs.ts';
import type { ChangeEvent, Run } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import type { VpError } from '../../errors/vp-error.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatWatchLine } from './run-style.ts';

type WatchOptions = {
  readonly client: Client;
  readonly query: RunsFilter;
  readonly json: boolean;
  readonly environment: Environment;
};

/** Watches until interrupted; the event stream reconnects. Prints each run once per state. */
export async function watchRuns(options: WatchOptions): Promise<ExitCode> {
  const { client, query, environment } = options;
  const controller = new AbortController();
  const stopListening = environment.onInterrupt(() => controller.abort());
  const { signal } = controller;
  const printRun = createRunPrinter(options);
  const printConnection = createConnectionPrinter(environment);
  try {
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    const onConnection = (problem: VpError | undefined): void => {
      printConnection(problem);
      if (!problem) resolve();
    };
    const changes = client.events({ instance: query.instance, signal, onConnection });
    // Open the stream before the list, so that no change is missed; a run in both is printed once.
    let next = changes.next();
    await Promise.race([connected, next]);
    const { items } = await client.runs.list(query, { signal });
    for (const run of items.toReversed()) printRun(run);
    for (let event = await next; !event.done; event = await next) {
      next = changes.next();
      if (matchesQuery(event.value, query)) printRun(event.value.run);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    stopListening();
    controller.abort();
  }
  return exitCode.interrupted;
}

function matchesQuery(
  event: ChangeEvent,
  { scenario, states, since }: RunsFilter,
): event is ChangeEvent & { type: 'run' } {
  if (event.type !== 'run') return false;
  const { scenario_id, state, requested_at } = event.run;
  if (scenario !== undefined && scenario_id !== scenario) return false;
  if (since !== undefined && Date.parse(requested_at) < Date.parse(since)) return false;
  return states === undefined || states.length === 0 || states.includes(state);
}

/** The last state is remembered for this many runs; older ones are unlikely to change. */
const maxRememberedRuns = 10_000;

function createRunPrinter({ json, environment }: WatchOptions): (run: Run) => void {
  const { stdout } = environment.streams;
  const paint = paintFor(stdout, environment.variables);
  const states = new Map<string, string>();
  return (run) => {
    const state = `${run.state} ${run.cancel_requested}`;
    if (states.get(run.run_id) === state) return;
    states.set(run.run_id, state);
    const [oldest] = states.keys();
    if (states.size > maxRememberedRuns && oldest !== undefined) states.delete(oldest);
    stdout.write(json ? `${JSON.stringify({ run })}\n` : formatWatchLine(run, paint));
  };
}

function createConnectionPrinter({ streams }: Environment): (problem: VpError | undefined) => void {
  let isDisconnected = false;
  return (problem) => {
    if (problem && !isDisconnected) streams.stderr.write(`vp: ${problem.message}; retrying until it responds\n`);
    if (!problem && isDisconnected) streams.stderr.write('vp: the control plane responds again\n');
    isDisconnected = problem !== undefined;
  };
}
