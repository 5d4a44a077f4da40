/** Every role in one process: the control plane, one instance with its scenarios, and its executor. */
import { join } from 'node:path';
import { toVpError, type VpError } from '../../errors/vp-error.ts';
import { observeHello } from '../../executor/control-plane/observed-control.ts';
import type { Executor } from '../../executor/executor.ts';
import type { LogSource } from '../../logs/log-source.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../control-plane/control-plane.ts';
import { type ExecutorRole, startExecutorRole } from '../executor/executor-role.ts';

/** A scenario for the catalogue. `file` is only for messages; `source` identifies it at the next start on the same folder. */
export type ImportedScenario = {
  readonly id: string;
  readonly text: string;
  readonly file: string;
  readonly source?: string;
};

/** For scenarios that are not files of the user. */
const builtInSource = '0'.repeat(64);

/** A file whose text is not in the catalogue, because the catalogue has another one that was not written by an import. */
export type SkippedImport = { readonly file: string; readonly reason: string };

export type EmbeddedOptions = ControlPlaneOptions & {
  readonly instance: string;
  readonly project: ProjectConfig;
  readonly scenarios: readonly ImportedScenario[];
  readonly extraRoots?: readonly string[];
  /** The target's log, see `ExecutorRoleOptions`. */
  readonly logSource?: string | LogSource | undefined;
};

/**
 * `rejected` are scenarios that the catalogue refused, with the error; `retained` those that were changed in the catalogue and not in
 * the folder; `conflicts` those that were changed in both.
 */
export type EmbeddedControlPlane = ControlPlane & {
  /** Settles when its executor ends before `close`, see `Executor.completion`. */
  readonly executorCompletion: Executor['completion'];
  readonly role: ExecutorRole;
  readonly imported: number;
  readonly rejected: readonly { readonly file: string; readonly error: VpError }[];
  readonly retained: readonly SkippedImport[];
  readonly conflicts: readonly SkippedImport[];
};

const actor = { name: 'embedded' };

/** The instance may exist from an earlier start on the same folder. */
async function ensureInstance({ control }: ControlPlane, id: string): Promise<void> {
  const instances = await control.instances.list();
  if (instances.some(({ instance_id }) => instance_id === id)) return;
  await control.instances.create({ instance_id: id, tier: 'embedded' }, actor);
}

async function importScenarios({ control }: ControlPlane, instance: string, scenarios: readonly ImportedScenario[]) {
  const rejected: { file: string; error: VpError }[] = [];
  const retained: SkippedImport[] = [];
  const conflicts: SkippedImport[] = [];
  for (const { id, text, file, source = builtInSource } of scenarios) {
    try {
      const { outcome, reason } = await control.catalogue.import(instance, id, { text, source }, actor);
      if (outcome === 'kept') retained.push({ file, reason: reason ?? '' });
      if (outcome === 'conflict') conflicts.push({ file, reason: reason ?? '' });
    } catch (thrown) {
      rejected.push({ file, error: toVpError(thrown) });
    }
  }
  const imported = scenarios.length - rejected.length - retained.length - conflicts.length;
  return { imported, rejected, retained, conflicts };
}

/** Rejects with the errors of the roles; nothing is left running then. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedControlPlane> {
  const plane = await startControlPlane(options);
  let role: ExecutorRole | undefined;
  const close = async (): Promise<void> => {
    await role?.close();
    await plane.close();
  };
  try {
    const { instance, environment, project, extraRoots = [], logSource, log } = options;
    await ensureInstance(plane, instance);
    // The executor says hello first, so that scenarios are checked against the variables that its config allows.
    const { port, helloResponse } = observeHello(plane.control.executorPort(instance));
    const folder = join(options.folder, `executor-${instance}`);
    role = await startExecutorRole({
      environment,
      control: port,
      isControlInProcess: true,
      project,
      folder,
      extraRoots,
      logSource,
      log,
    });
    await Promise.race([helloResponse, role.executor.completion]);
    const result = await importScenarios(plane, instance, options.scenarios);
    return { ...plane, ...result, role, executorCompletion: role.executor.completion, close };
  } catch (error) {
    await close();
    throw error;
  }
}
