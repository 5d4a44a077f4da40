/** Every role in one process: the control plane, one instance with its scenarios, and its executor. */
import { join } from 'node:path';
import { asVpError, type VpError } from '../errors/vp-error.ts';
import type { Executor } from '../executor/executor.ts';
import type { LogSource } from '../logs/log-source.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
import { type ExecutorRole, startExecutorRole } from './executor-role.ts';
import { heardGreeting } from './greeting.ts';

/** A scenario to be put into the catalogue. `file` only names it in messages. */
export type ScenarioToImport = { readonly id: string; readonly text: string; readonly file: string };

/** What is served beside the control plane. */
export type EmbeddedOptions = ControlPlaneOptions & {
  readonly instance: string;
  readonly project: ProjectConfig;
  readonly scenarios: readonly ScenarioToImport[];
  readonly extraRoots?: readonly string[];
  /** The target's log, see `ExecutorRoleOptions`. */
  readonly logFrom?: string | LogSource | undefined;
};

/** A running embedded shape. `refused` are scenarios that the catalogue did not take, with the reason. */
export type Embedded = ControlPlane & {
  /** Settles when its executor ends before it is closed, see `Executor.ended`. */
  readonly ended: Executor['ended'];
  readonly role: ExecutorRole;
  readonly imported: number;
  readonly refused: readonly { readonly file: string; readonly error: VpError }[];
};

const actor = { name: 'embedded' };

/** Registered on an earlier start is right: the folder is the same. */
async function ensureInstance({ control }: ControlPlane, id: string): Promise<void> {
  const known = await control.instances.list();
  if (known.some(({ instance_id }) => instance_id === id)) return;
  await control.instances.create({ instance_id: id, tier: 'embedded' }, actor);
}

async function importScenarios({ control }: ControlPlane, instance: string, scenarios: readonly ScenarioToImport[]) {
  const refused: { file: string; error: VpError }[] = [];
  for (const { id, text, file } of scenarios) {
    const refuse = (thrown: unknown): number => refused.push({ file, error: asVpError(thrown) });
    await control.catalogue.write(instance, id, { text }, actor).catch(refuse);
  }
  return { imported: scenarios.length - refused.length, refused };
}

/** Starts all roles. Rejects with what each throws; nothing is left running then. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const plane = await startControlPlane(options);
  let role: ExecutorRole | undefined;
  const close = async (): Promise<void> => {
    await role?.close();
    await plane.close();
  };
  try {
    const { instance, environment, project, extraRoots = [], logFrom, log } = options;
    await ensureInstance(plane, instance);
    // It greets first, so that the scenarios are checked against the names its config allows.
    const { port, welcomed } = heardGreeting(plane.control.executorOf(instance));
    const folder = join(options.folder, `executor-${instance}`);
    role = await startExecutorRole({ environment, control: port, project, folder, extraRoots, logFrom, log });
    await Promise.race([welcomed, role.executor.ended]);
    const result = await importScenarios(plane, instance, options.scenarios);
    return { ...plane, ...result, role, ended: role.executor.ended, close };
  } catch (error) {
    await close();
    throw error;
  }
}
