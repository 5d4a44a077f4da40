/** Compose files on this machine, and the state of the containers that they describe. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerInfo } from '../../../containers/containers.ts';
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

/** Why a project is not up: one text for each role without a running, healthy container. */
export function listRoleProblems(containers: readonly ContainerInfo[], roles: readonly string[]): string[] {
  return roles.flatMap((role) => {
    const container = findRoleContainer(containers, role);
    if (!container) return [`${role} is not there`];
    return isHealthy(container) ? [] : [`${role} is ${container.status.toLowerCase() || container.state}`];
  });
}

/** The container of a role, `…-<role>-1`. The name of its service may have a prefix. */
export function findRoleContainer(containers: readonly ContainerInfo[], role: string): ContainerInfo | undefined {
  return containers.find(({ name, service }) => service === role || name.endsWith(`-${role}-1`));
}

function isHealthy({ state, status }: ContainerInfo): boolean {
  return state === 'running' && !/unhealthy|health: starting|paused/i.test(status);
}
