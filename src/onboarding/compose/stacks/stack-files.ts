/** Compose files on this machine, and the state of the containers that they describe. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerInfo } from '../../../containers/containers.ts';
import { listProjectContainers } from '../../../containers/containers.ts';
import type { ContainerEngine } from '../../../containers/engine.ts';
import type { Random } from '../../../environment/random.ts';
import { writeOnboardingFile } from '../../onboarding-file.ts';
import type { ComposeStack } from './stack.ts';

/** Files of a stack that are missing in `folder` or differ. */
export async function listStaleFiles({ files }: ComposeStack, folder: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const currentText = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (currentText !== text) stale.push(name);
  }
  return stale;
}

export async function writeStackFiles(
  { files }: ComposeStack,
  folder: string,
  random: Pick<Random, 'token'>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeOnboardingFile(join(folder, name), text, random);
}

/** Why a project is not up: one text for each service without a running, healthy container. */
export async function listServiceProblems(
  engine: ContainerEngine,
  project: string,
  services: readonly string[],
): Promise<string[]> {
  const containers = await listProjectContainers(engine, project);
  return services.flatMap((service) => {
    const container = containers.find((candidate) => candidate.service === service);
    if (!container) return [`${service} is not there`];
    return isHealthy(container) ? [] : [`${service} is ${container.status.toLowerCase() || container.state}`];
  });
}

function isHealthy({ state, status }: ContainerInfo): boolean {
  return state === 'running' && !/unhealthy|health: starting|paused/i.test(status);
}
