/** `vp run --direct`: asks the executor of this machine itself, past the queue; refused while it is busy. */
import { objectWith } from '../../client/answer.ts';
import type { Client } from '../../client/client.ts';
import { createTransport, type Transport } from '../../client/transport.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { outwardFetch } from '../../outbound/outward-fetch.ts';
import type { Report } from '../../report/report.ts';
import type { UnfinishedRun } from '../../report/results.ts';
import { chosenInstance, connect } from '../control-plane.ts';
import { directKey } from '../direct-keys.ts';
import type { QueuedFlags } from './queued.ts';
import { selectFromCatalogue, type Wanted } from './select-catalogue.ts';
import type { RunSession } from './session.ts';
import type { Selection } from './words.ts';

/** A scenario may take 600 s; the executor answers at its end. */
const limitMs = 660_000;

type Executor = { readonly transport: Transport; readonly instance: string };

/** Runs the selection, one after another; an interrupt leaves the run under way to the executor. */
export async function runDirectly(selection: Selection, flags: QueuedFlags, session: RunSession): Promise<void> {
  const { gathering, signal } = session;
  const client = await connect(flags, session.environment);
  const { instance_id: instance, executor_port: port } = await chosenInstance(client, flags.instance, signal);
  if (port === null) throw vpError('RUN_EXECUTOR_PORT_UNKNOWN', { instance });
  const executor = { instance, transport: await transportTo(instance, port, session) };
  const wanted = await withTexts(
    await selectFromCatalogue(selection, instance, client, session),
    instance,
    client,
    session,
  );
  gathering.begin(gathering.plan.sets * wanted.length);
  await runEach(executor, wanted, session);
}

/** The key is the one that the executor keeps for callers of its user on its machine while it runs. */
async function transportTo(instance: string, port: number, { environment }: RunSession): Promise<Transport> {
  const baseUrl = `http://127.0.0.1:${port}`;
  const { variables, paths } = environment;
  const token = directKey(paths, port);
  const problem = 'no executor that this user has started listens there';
  if (token === undefined) throw vpError('RUN_EXECUTOR_UNREACHABLE', { instance, url: baseUrl, problem });
  return createTransport({ baseUrl, token, fetch: await outwardFetch({ url: baseUrl, extraRoots: [], variables }) });
}

type Text = { readonly id: string; readonly text: string };

async function withTexts(
  wanted: readonly Wanted[],
  instance: string,
  { scenarios }: Client,
  { gathering, signal }: RunSession,
): Promise<Text[]> {
  return Promise.all(
    wanted.map(async ({ id, text }) => {
      if (text !== undefined) return { id, text };
      const found = await scenarios.get(instance, id, undefined, { signal });
      gathering.sources.set(id, { file: `${instance}/${id}@${found.revision}`, text: found.text });
      return { id, text: found.text };
    }),
  );
}

async function runEach(executor: Executor, wanted: readonly Text[], session: RunSession): Promise<void> {
  const { gathering, teller, progress, signal } = session;
  const total = gathering.plan.sets * wanted.length;
  let place = 0;
  try {
    for (; place < total && !signal.aborted; place += 1) {
      const one = wanted[place % wanted.length];
      if (!one) return;
      progress.tell(`${place} of ${total} runs ended; ${one.id} is in progress`);
      const report = await runOne(executor, one.text, signal);
      gathering.add(place, report);
      teller.ended(report);
    }
  } finally {
    const told = gathering.known || signal.aborted;
    gathering.unfinished = told ? left(wanted, executor.instance, place, total, signal.aborted) : [];
  }
}

const isReport = objectWith<Report>('report_version', 'run_id', 'checks');

async function runOne({ transport, instance }: Executor, text: string, signal: AbortSignal): Promise<Report> {
  try {
    return await transport.json({ method: 'POST', path: '/v1/runs', body: { text }, limitMs, signal }, isReport);
  } catch (error) {
    if (!(error instanceof VpError) || error.code !== 'CONTROL_PLANE_UNREACHABLE') throw error;
    const problem = String(error.values.problem);
    throw vpError('RUN_EXECUTOR_UNREACHABLE', { instance, url: transport.baseUrl, problem }, { cause: error });
  }
}

/** Those never asked for; after an interrupt the first of them is in the executor's hands. */
function left(
  wanted: readonly Text[],
  instance: string,
  from: number,
  total: number,
  aborted: boolean,
): UnfinishedRun[] {
  return Array.from({ length: total - from }, (_, index) => {
    const underWay = aborted && index === 0;
    return {
      scenarioId: wanted[(from + index) % wanted.length]?.id ?? '',
      instance,
      runId: undefined,
      state: underWay ? 'in_progress' : 'not_requested',
      hint: underWay ? `the executor goes on with it: see \`vp runs --instance ${instance}\`` : 'not run',
    };
  });
}
