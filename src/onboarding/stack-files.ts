/** Compose files as they lie on this machine, and the containers that they describe. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container } from '../containers/containers.ts';
import { containersOfProject } from '../containers/containers.ts';
import type { Engine } from '../containers/engine.ts';
import type { Random } from '../environment/random.ts';
import { writeWhole } from './engine/whole-file.ts';
import type { Stack } from './stacks/stack.ts';

/** The files of a stack that differ from what lies in `folder`, or are missing there. */
export async function staleFiles({ files }: Stack, folder: string): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const there = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (there !== text) stale.push(name);
  }
  return stale;
}

/** Writes those of a stack. */
export async function writeFiles({ files }: Stack, folder: string, random: Pick<Random, 'token'>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeWhole(join(folder, name), text, random);
}

/** What keeps a project from being up: services without a container that runs and is healthy. Empty when it is. */
export async function notRunning(engine: Engine, project: string, services: readonly string[]): Promise<string[]> {
  const found = await containersOfProject(engine, project);
  return services.flatMap((service) => {
    const container = found.find((one) => one.service === service);
    if (!container) return [`${service} is not there`];
    return isWell(container) ? [] : [`${service} is ${container.status.toLowerCase() || container.state}`];
  });
}

function isWell({ state, status }: Container): boolean {
  return state === 'running' && !/unhealthy|health: starting|paused/i.test(status);
}
