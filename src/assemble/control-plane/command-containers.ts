/** The containers in which the operator's commands run. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type ContainerEngine, openEngine } from '../../containers/engine.ts';
import type { Environment } from '../../environment/environment.ts';
import {
  type CommandRunnerOptions,
  getControlPlaneLabel,
  type OperatorCommands,
} from '../../hub/upstream/commands/operator-commands.ts';
import type { ProcessLog } from '../process-log.ts';

type RunnerContext = { readonly environment: Environment; readonly folder: string; readonly log: ProcessLog };

/** Looks for a container engine only when the operator defines commands with an image. */
export async function createCommandRunnerOptions(
  { environment, folder, log }: RunnerContext,
  settings: { readonly commands: OperatorCommands; readonly unsafeStdio: boolean },
): Promise<CommandRunnerOptions> {
  const { variables } = environment;
  const shared = { unsafe: settings.unsafeStdio, path: variables.PATH };
  const usesContainers = [...settings.commands.values()].some(({ image }) => image !== undefined);
  const engine = usesContainers ? await openEngine(environment).catch(() => undefined) : undefined;
  if (!engine) return { ...shared, engine };
  const controlPlaneId = getControlPlaneId(folder);
  await removeStaleContainers(engine, controlPlaneId).catch((err) =>
    log.warn({ err }, 'containers of an earlier start could not be removed'),
  );
  return {
    ...shared,
    controlPlaneId,
    engine: { file: engine.info.program, variables: engineVariables(variables) },
  };
}

/** The same at each start; unique, because only one control plane can lock the folder. */
export function getControlPlaneId(folder: string): string {
  return createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16);
}

/** Removes containers that a killed control plane has left. */
async function removeStaleContainers(engine: ContainerEngine, controlPlaneId: string): Promise<void> {
  const output = await engine.output([
    'ps',
    '--all',
    '--quiet',
    '--filter',
    `label=${getControlPlaneLabel(controlPlaneId)}`,
  ]);
  const ids = output.split('\n').filter(Boolean);
  if (ids.length > 0) await engine.run(['rm', '--force', ...ids]);
}

/** Variables for the engine's command line; containers get none of them. */
function engineVariables(variables: Environment['variables']): Environment['variables'] {
  const engineVariable = /^(PATH|HOME|DOCKER_.*|CONTAINER_.*|XDG_RUNTIME_DIR)$/;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => engineVariable.test(name)));
}
