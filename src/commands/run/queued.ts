/** `vp run` through the control plane: requests, waits, reads the reports. */
import type { Client } from '../../client/client.ts';
import { isPassing } from '../../client/passing.ts';
import { waitForRun } from '../../client/wait-for-run.ts';
import type { Instance, Run, RunDocument, RunsNew } from '../../contract/api.ts';
import { asVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { outcomeOf } from '../../report/outcome.ts';
import type { UnfinishedRun } from '../../report/results.ts';
import { type ControlPlaneValues, chosenInstance, connect, lineFlag } from '../control-plane.ts';
import { requestsOf, selectFromCatalogue, type Wanted } from './select-catalogue.ts';
import type { RunSession } from './session.ts';
import type { Selection } from './words.ts';

/** The flags of this way. */
export type QueuedFlags = ControlPlaneValues & { readonly instance: string | undefined };

/**
 * `runs` are those requested so far, `ended` how many of them are known to have ended, the first ones; `unsure` were
 * being requested when an answer was no longer waited for.
 */
type Way = {
  readonly client: Client;
  readonly instance: string;
  readonly session: RunSession;
  readonly runs: Run[];
  ended: number;
  unsure: number;
};

/** Runs the selection; resolves when all runs have ended, or when an interrupt ends the waiting. */
export async function runQueued(selection: Selection, flags: QueuedFlags, session: RunSession): Promise<void> {
  const { gathering, signal } = session;
  const client = await connect(flags, session.environment);
  const chosen = await chosenInstance(client, flags.instance, signal);
  const instance = chosen.instance_id;
  tellAbsence(chosen, session);
  const wanted = await selectFromCatalogue(selection, instance, client, session);
  gathering.begin(gathering.plan.sets * wanted.length);
  const way: Way = { client, instance, session, runs: [], ended: 0, unsure: 0 };
  try {
    await requestAll(way, wanted);
    await waitForAll(way);
  } catch (thrown) {
    if (!signal.aborted) throw lost(way, thrown);
  } finally {
    gathering.unfinished = unfinishedOf(way, wanted);
  }
}

/** Runs wait in the queue until the executor is there: a person who waits with them should know. */
function tellAbsence(
  { instance_id: id, executor_status: status }: Instance,
  { environment, progress }: RunSession,
): void {
  if (status === 'REGISTERED') return;
  const seen = status === 'AWAY' ? 'is away' : 'has never called';
  const text = `note: the executor of ${id} ${seen}; runs wait until it does. Start it with \`vp executor\`.\n`;
  progress.aside(() => environment.streams.stderr.write(text));
}

/** Adds to `runs` as it goes, so that what was requested is known whatever happens. */
async function requestAll(way: Way, wanted: readonly Wanted[]): Promise<void> {
  const { gathering, signal } = way.session;
  for (const scenarios of requestsOf(wanted, gathering.plan.sets)) {
    if (signal.aborted) return;
    way.unsure = scenarios.length;
    way.runs.push(...(await request(way, scenarios)));
    way.unsure = 0;
  }
}

const attempts = 8;
/** An interrupt does not tear a request in two: its answer, which has the run ids, is waited for so long. */
const patienceMs = 2000;

/** Repeated under the same key when the answer was lost, so that nothing is requested twice. */
async function request(
  { client, instance, session, runs }: Way,
  scenarios: RunsNew['scenarios'],
): Promise<readonly Run[]> {
  const { signal, environment, gathering } = session;
  const asked: RunsNew = gathering.plan.prove ? { scenarios, prove: true } : { scenarios };
  const idempotencyKey = environment.random.token(16);
  const patient = new AbortController();
  const lose = (): void => void environment.clock.after(patienceMs, () => patient.abort());
  signal.addEventListener('abort', lose);
  try {
    for (let failures = 1; ; failures += 1) {
      try {
        return await client.runs.request(instance, asked, { idempotencyKey, signal: patient.signal });
      } catch (error) {
        const hopeless = !isPassing(error) || (runs.length === 0 && neverArrived(error));
        if (hopeless || signal.aborted || failures === attempts) throw error;
        await client.pause(Math.min(2000, 100 * 2 ** failures), signal);
      }
    }
  } finally {
    signal.removeEventListener('abort', lose);
  }
}

/** Nobody is there at all: waiting for that is of no use before anything was requested. */
function neverArrived({ values }: VpError): boolean {
  return values.problem === 'nothing listens there';
}

async function waitForAll(way: Way): Promise<void> {
  const { runs, client, session } = way;
  const { progress, signal } = session;
  const trouble = troubleTeller(way);
  for (const run of [...runs]) {
    const tell = (known: Run): void =>
      progress.tell(`${way.ended} of ${runs.length} runs ended; ${waitingText(known)}`);
    const onRun = (known: Run): void => {
      trouble.over();
      runs[way.ended] = known;
      tell(known);
    };
    tell(run);
    take(await waitForRun(client, run.run_id, { signal, onRun, onProblem: trouble.tell }), way);
  }
}

function waitingText({ scenario_id, run_id, state, queue_position }: Run): string {
  const place = state === 'queued' ? `queued, ${queue_position} before it` : state.replaceAll('_', ' ');
  return `${scenario_id} ${run_id} is ${place}`;
}

/** The end of a run. One that was cancelled in the queue has no report. */
function take(document: RunDocument, way: Way): void {
  const { instance } = way;
  const { gathering, teller } = way.session;
  const place = way.ended;
  way.ended += 1;
  const { report, scenario_id: id, scenario_text: text, revision, result, failure_kind: kind } = document;
  if (text !== null && !gathering.sources.has(id)) {
    gathering.sources.set(id, { file: `${instance}/${id}${revision === null ? '' : `@${revision}`}`, text });
  }
  if (report) {
    gathering.add(place, report);
    teller.ended(report);
  } else {
    const failure = kind === null ? null : { kind, message: '', cure: '' };
    gathering.addWithout(outcomeOf({ result, failure }));
    teller.endedWithout(document);
  }
}

function unfinishedOf(way: Way, wanted: readonly Wanted[]): UnfinishedRun[] {
  const { client, instance, runs, ended, unsure, session } = way;
  const requested = runs.slice(ended).map(({ scenario_id: scenarioId, run_id: runId, state }) => {
    const hint = `see it with \`vp runs show ${runId}${lineFlag(client)}\``;
    return { scenarioId, instance, runId, state: state === 'in_progress' ? state : ('queued' as const), hint };
  });
  if (runs.length === 0 && !session.signal.aborted) return [];
  const left = session.gathering.plan.sets * wanted.length - runs.length;
  const others = Array.from({ length: left }, (_, index) => ({
    scenarioId: wanted[(runs.length + index) % wanted.length]?.id ?? '',
    instance,
    runId: undefined,
    state: 'not_requested' as const,
    hint: index < unsure ? `perhaps it was: see \`vp runs${lineFlag(client)}\`` : 'not run',
  }));
  return [...requested, ...others];
}

/** Says once that the control plane is gone, with the ids of the runs, and once that it is back. */
function troubleTeller(way: Way) {
  const { client, session, runs } = way;
  const { progress, environment } = session;
  const write = (text: string): void => progress.aside(() => environment.streams.stderr.write(`${text}\n`));
  let gone = false;
  return {
    tell(problem: VpError): void {
      const safe = `    the runs are safe there: ${idsText(runs.slice(way.ended))}`;
      if (!gone) write(`vp: ${problem.message}; asking again for about a minute\n${safe}`);
      gone = true;
    },
    over(): void {
      if (gone) write(`vp: the control plane at ${client.transport.baseUrl} answers again`);
      gone = false;
    },
  };
}

const idsShown = 10;

function idsText(runs: readonly Run[]): string {
  const shown = runs.slice(0, idsShown).map(({ run_id }) => run_id);
  return `${shown.join(', ')}${runs.length > shown.length ? ` and ${runs.length - shown.length} more` : ''}`;
}

/** A control plane that went away while there was something to wait for. */
function lost({ client, runs, ended }: Way, thrown: unknown): VpError {
  const error = asVpError(thrown);
  const waiting = runs.length - ended;
  if (waiting === 0 || !isPassing(error)) return error;
  const count = waiting === 1 ? '1 run is' : `${waiting} runs are`;
  const hint = `\`vp runs${lineFlag(client)}\` lists them, \`vp runs show <run id>\` tells one`;
  const values = { url: client.transport.baseUrl, count, problem: error.message, hint };
  return vpError('RUN_WAIT_LOST', values, { cause: error });
}
