/** Config and keys of the executor. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OnboardingContext, requireState } from '../context.ts';
import { ensureDirectKey, ensureScrapeKey } from '../machine-keys.ts';
import { caFileName, directKeyFileName } from '../platform/platform.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';

/** An executor key is shown once, so each run of this step creates a new one, which revokes the previous key. */
export const executorConfigStep: WorkflowStep<OnboardingContext> = {
  id: 'executor-config',
  title: 'config and keys of the executor',
  async check(context) {
    const { journal, ports, request, state } = context;
    const spec = { instanceId: requireState(context, 'instanceId'), image: request.image, files: {} };
    const finding = await ports.platform.inspect({ component: 'executor-config', ...spec });
    if (finding.state === 'todo') return finding;
    if (state.executorKey !== undefined) return actionNeeded('the executor key is new');
    return journal.facts?.config_hash === (await hashExecutorConfigFiles(context))
      ? upToDate(finding.detail)
      : actionNeeded('platform-config.yaml or .env changed');
  },
  async act(context) {
    const { journal, ports, request, signal, state } = context;
    const instanceId = requireState(context, 'instanceId');
    await journal.updateFacts({ config_hash: undefined });
    const { instances } = requireState(context, 'client');
    const executorKey = state.executorKey ?? (await instances.rotateKey(instanceId, { signal })).executor_key;
    const files = { ...(await readExecutorConfigFiles(context)), 'executor.key': executorKey };
    const spec = { instanceId, image: request.image, files };
    const { detail } = await ports.platform.apply({ component: 'executor-config', ...spec }, context);
    signal.throwIfAborted();
    delete state.executorKey;
    state.isConfigWritten = true;
    await journal.updateFacts({ config_hash: await hashExecutorConfigFiles(context) });
    return { detail };
  },
};

/** All files except the executor key, which is created again each time that they are written. */
async function readExecutorConfigFiles(context: OnboardingContext): Promise<Readonly<Record<string, string>>> {
  const { request } = context;
  const endpoint = requireState(context, 'endpoint');
  const env = await readFile(join(request.productDir, '.env'), 'utf8').catch(() => undefined);
  return {
    'platform-config.yaml': await readFile(join(request.productDir, 'platform-config.yaml'), 'utf8'),
    ...(env === undefined ? {} : { '.env': env }),
    'scrape.key': await ensureScrapeKey(context),
    [directKeyFileName]: await ensureDirectKey(context),
    ...(endpoint.kind === 'url' && endpoint.ca !== undefined ? { [caFileName]: endpoint.ca } : {}),
  };
}

/** A hash keyed with the scrape key, which does not leave the machine, so that it reveals nothing of short secrets. */
async function hashExecutorConfigFiles(context: OnboardingContext): Promise<string> {
  const files = await readExecutorConfigFiles(context);
  const hash = createHash('sha256').update(files['scrape.key'] ?? '');
  for (const [name, text] of Object.entries(files).sort()) hash.update(`\0${name}\0${text}`);
  return hash.digest('hex');
}
