/** `vp run --direct`: calls the executor on this machine directly, bypassing the queue. It refuses while it is busy. */

import type { Client } from '../../client/client.ts';
import { createObjectGuard } from '../../client/transport/json-response.ts';
import { createTransport, type Transport } from '../../client/transport/transport.ts';
import type { UserPaths } from '../../environment/paths.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { readDirectKey as readOnboardedDirectKey } from '../../onboarding/machine-keys.ts';
import { findOnboardedInstance } from '../../onboarding/onboarded-instances.ts';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { Report } from '../../report/report.ts';
import type { UnfinishedRun } from '../../report/results.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { readDirectRunKey } from '../control-plane/direct-keys.ts';
import type { QueuedFlags } from './run-queued.ts';
import { explainUnfinishedRun, type RunSession } from './run-session.ts';
import { type RequestedScenario, selectFromCatalogue } from './select-catalogue.ts';
import type { Selection } from './selection.ts';

/** A scenario may take 600 s, and the executor responds at its end. */
const timeoutMs = 660_000;

type ExecutorTarget = { readonly transport: Transport; readonly instance: string };

/** Runs the selected scenarios one after another. After an interrupt the executor finishes the current run. */
export async function runDirectly(selection: Selection, flags: QueuedFlags, session: RunSession): Promise<void> {
  const { collector, signal } = session;
  const client = await openClient(flags, session.environment);
  const { instance_id: instance, executor_port: port } = await selectInstance(client, flags.instance, signal);
  if (port === null) throw vpError('RUN_EXECUTOR_PORT_UNKNOWN', { instance });
  const executor = { instance, transport: await createExecutorTransport(instance, port, session) };
  const requested = await loadTexts(
    session.history.narrow(await selectFromCatalogue(selection, instance, client, session), ({ id }) => id),
    instance,
    client,
    session,
  );
  collector.start(collector.plan.sets * requested.length);
  await runEach(executor, requested, session);
}

/** Uses the key that a running executor writes for callers of the same user. */
async function createExecutorTransport(
  instance: string,
  port: number,
  { environment }: RunSession,
): Promise<Transport> {
  const baseUrl = `http://127.0.0.1:${port}`;
  const { variables, paths } = environment;
  const token = readDirectRunKey(paths, port) ?? (await readOnboardedKey(paths, instance));
  const problem = 'no executor that this user has started listens there';
  if (token === undefined) throw vpError('RUN_EXECUTOR_UNREACHABLE', { instance, url: baseUrl, problem });
  return createTransport({
    baseUrl,
    token,
    fetch: await createOutboundFetch({ url: baseUrl, extraRoots: [], variables }),
  });
}

/** The key that an onboarding of this user has given to the executor in its container. */
async function readOnboardedKey(paths: UserPaths, instance: string): Promise<string | undefined> {
  const onboarded = await findOnboardedInstance(paths, instance);
  return onboarded && readOnboardedDirectKey(onboarded.kit);
}

type ScenarioWithText = { readonly id: string; readonly text: string };

async function loadTexts(
  requested: readonly RequestedScenario[],
  instance: string,
  { scenarios }: Client,
  { collector, signal }: RunSession,
): Promise<ScenarioWithText[]> {
  return Promise.all(
    requested.map(async ({ id, text }) => {
      if (text !== undefined) return { id, text };
      const document = await scenarios.get(instance, id, undefined, { signal });
      collector.sources.set(id, {
        file: `${instance}/${id}@${document.revision}`,
        text: document.text,
        inCatalogue: true,
      });
      return { id, text: document.text };
    }),
  );
}

async function runEach(
  executor: ExecutorTarget,
  requested: readonly ScenarioWithText[],
  session: RunSession,
): Promise<void> {
  const { collector, output, progress, signal } = session;
  const total = collector.plan.sets * requested.length;
  let position = 0;
  try {
    for (; position < total && !signal.aborted && !collector.stop; position += 1) {
      const scenario = requested[position % requested.length];
      if (!scenario) return;
      progress.update(`${position} of ${total} runs ended; ${scenario.id} is running`);
      const report = await runScenario(executor, scenario.text, signal).catch((thrown: unknown) => {
        if (signal.aborted && collector.stop) return undefined;
        throw thrown;
      });
      if (!report) return;
      collector.add(position, report);
      output.onRunEnded(report);
    }
  } finally {
    const shouldReport = collector.hasResults || signal.aborted;
    collector.unfinished = shouldReport ? listUnfinished(requested, executor.instance, position, total, session) : [];
  }
}

const isReport = createObjectGuard<Report>('report_version', 'run_id', 'checks');

async function runScenario(
  { transport, instance }: ExecutorTarget,
  text: string,
  signal: AbortSignal,
): Promise<Report> {
  try {
    return await transport.json({ method: 'POST', path: '/v1/runs', body: { text }, timeoutMs, signal }, isReport);
  } catch (error) {
    if (!(error instanceof VpError) || error.code !== 'CONTROL_PLANE_UNREACHABLE') throw error;
    const problem = String(error.values.problem);
    throw vpError('RUN_EXECUTOR_UNREACHABLE', { instance, url: transport.baseUrl, problem }, { cause: error });
  }
}

/** The runs that were not requested; after an interrupt the executor still has the first of them. */
function listUnfinished(
  requested: readonly ScenarioWithText[],
  instance: string,
  from: number,
  total: number,
  { signal, collector: { stop } }: RunSession,
): UnfinishedRun[] {
  return Array.from({ length: total - from }, (_, index) => {
    const isInProgress = signal.aborted && index === 0;
    return {
      scenarioId: requested[(from + index) % requested.length]?.id ?? '',
      instance,
      runId: undefined,
      ...(isInProgress
        ? { state: 'in_progress', hint: `the executor continues it: see \`vp runs --instance ${instance}\`` }
        : { state: 'not_requested', ...explainUnfinishedRun(stop) }),
    };
  });
}
