/** Whether an executor takes the runs of the queue: since when it is offline, and how to start it. */
import type { Client } from '../../client/client.ts';
import type { Instance } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { findKitFolder } from '../../onboarding/kit/kit-paths.ts';
import { readJournal } from '../../onboarding/workflow/journal.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import { formatControlPlaneFlag } from '../control-plane/control-plane-client.ts';
import type { RunSession } from './run-session.ts';

const checkEveryMs = 5_000;

/** `offlineText` is empty while the executor is online. */
export type ExecutorWatch = { readonly offlineText: string; stop(): void };

type WatchTarget = { readonly client: Client; readonly session: RunSession };

/**
 * Writes a note when the executor is offline, or goes offline while runs wait, and when it is back. `onCheck` is called after each
 * look, so that a line of progress stays current.
 */
export async function watchExecutor(
  first: Instance,
  { client, session }: WatchTarget,
  onCheck: () => void,
): Promise<ExecutorWatch> {
  const { environment, progress } = session;
  const { clock, streams } = environment;
  const controller = new AbortController();
  const write = (text: string): void => progress.suspend(() => streams.stderr.write(text));
  let offlineText = '';
  const observe = async (instance: Instance): Promise<void> => {
    const before = offlineText;
    offlineText = formatOffline(instance);
    if (offlineText !== '' && before === '') write(await formatNote(instance, client, environment));
    if (offlineText === '' && before !== '') write(`note: the executor of ${instance.instance_id} is online\n`);
  };
  const look = async (): Promise<void> => {
    // An unreachable control plane is reported by the calls that wait for the runs.
    const current = await client.instances.get(first.instance_id, { signal: controller.signal }).catch(() => undefined);
    if (current && !controller.signal.aborted) await observe(current);
    if (!controller.signal.aborted) onCheck();
  };
  await observe(first);
  const stopLooking = repeatEvery(clock, checkEveryMs, look, () => undefined);
  return {
    get offlineText() {
      return offlineText;
    },
    stop() {
      stopLooking();
      controller.abort();
    },
  };
}

function formatOffline({ executor_status: status, last_seen_at: lastSeenAt }: Instance): string {
  if (status === 'REGISTERED') return '';
  return status === 'AWAY' && lastSeenAt !== null
    ? `the executor has been offline since ${formatMoment(lastSeenAt)}`
    : 'the executor was never connected';
}

function formatMoment(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} UTC`;
}

async function formatNote(instance: Instance, client: Client, environment: Environment): Promise<string> {
  const { instance_id: id, executor_status: status, last_seen_at: lastSeenAt } = instance;
  const absence =
    status === 'AWAY' && lastSeenAt !== null
      ? `has been offline since ${formatMoment(lastSeenAt)} (${formatRelativeTime(lastSeenAt, environment.clock.nowMs())})`
      : 'was never connected';
  const start = await describeStart(instance, client, environment);
  return `note: the executor of ${id} ${absence}; runs wait until it is online.\n      fix: ${start}\n`;
}

/** How to start the executor of an instance: by its tier, and by whether it was onboarded on this machine. */
async function describeStart(
  { instance_id: id, tier }: Instance,
  client: Client,
  { paths }: Environment,
): Promise<string> {
  const flag = formatControlPlaneFlag(client);
  if (tier === 'embedded') return 'it is part of the control plane: restart `vp serve --embedded`';
  const doctor = `\`vp doctor --instance ${id} --fix${flag}\``;
  const journal = await readJournal(await findKitFolder(paths, id)).catch(() => undefined);
  if (journal?.facts.instance_id === id) return `run ${doctor}, or the same \`vp onboard\` again`;
  return `run ${doctor} on the machine where it was onboarded; without containers, start it with \`vp executor${flag}\``;
}
