/** `vp runs --watch`: what there is, then each change as it happens. */
import type { Client } from '../../client/client.ts';
import type { RunsWanted } from '../../client/runs.ts';
import type { ChangeEvent, Run } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import type { VpError } from '../../errors/vp-error.ts';
import { paintFor } from '../../terminal/paint.ts';
import { runLine } from './run-look.ts';

type Watched = {
  readonly client: Client;
  readonly wanted: RunsWanted;
  readonly json: boolean;
  readonly environment: Environment;
};

/** Watches until interrupted; the stream mends itself. Each run is told once in each state. */
export async function watchRuns(watched: Watched): Promise<ExitCode> {
  const { client, wanted, environment } = watched;
  const stopped = new AbortController();
  const unwatch = environment.onInterrupt(() => stopped.abort());
  const { signal } = stopped;
  const tell = runTeller(watched);
  const connection = connectionTeller(environment);
  try {
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    const onConnection = (problem: VpError | undefined): void => {
      connection(problem);
      if (!problem) resolve();
    };
    const changes = client.events({ instance: wanted.instance, signal, onConnection });
    // The stream first, then the list: what happens in between is told by both and shown once.
    let next = changes.next();
    await Promise.race([connected, next]);
    const { items } = await client.runs.list(wanted, { signal });
    for (const run of items.toReversed()) tell(run);
    for (let event = await next; !event.done; event = await next) {
      next = changes.next();
      if (isWanted(event.value, wanted)) tell(event.value.run);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    unwatch();
    stopped.abort();
  }
  return exitCode.interrupted;
}

function isWanted(event: ChangeEvent, { scenario, states, since }: RunsWanted): event is ChangeEvent & { type: 'run' } {
  if (event.type !== 'run') return false;
  const { scenario_id, state, requested_at } = event.run;
  if (scenario !== undefined && scenario_id !== scenario) return false;
  if (since !== undefined && Date.parse(requested_at) < Date.parse(since)) return false;
  return states === undefined || states.length === 0 || states.includes(state);
}

/** Runs whose last state is remembered; older ones are unlikely to change again. */
const remembered = 10_000;

function runTeller({ json, environment }: Watched): (run: Run) => void {
  const { stdout } = environment.streams;
  const paint = paintFor(stdout, environment.variables);
  const states = new Map<string, string>();
  return (run) => {
    const state = `${run.state} ${run.cancel_requested}`;
    if (states.get(run.run_id) === state) return;
    states.set(run.run_id, state);
    const [oldest] = states.keys();
    if (states.size > remembered && oldest !== undefined) states.delete(oldest);
    stdout.write(json ? `${JSON.stringify({ run })}\n` : runLine(run, paint));
  };
}

function connectionTeller({ streams }: Environment): (problem: VpError | undefined) => void {
  let gone = false;
  return (problem) => {
    if (problem && !gone) streams.stderr.write(`vp: ${problem.message}; trying again until it answers\n`);
    if (!problem && gone) streams.stderr.write('vp: it answers again\n');
    gone = problem !== undefined;
  };
}
