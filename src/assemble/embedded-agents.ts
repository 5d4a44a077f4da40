/** Agents at an embedded executor: a listener of its own on this machine, which the router finds. */
import { join } from 'node:path';
import { outwardCalls } from '../outbound/outward-fetch.ts';
import type { ProjectOptions } from '../project/parse.ts';
import { agentsOf } from './agents.ts';
import type { Embedded, EmbeddedOptions } from './embedded.ts';
import { listenForDirectRuns } from './executor-api.ts';
import { announceExecutor } from './router-presence.ts';

/** The project's folder, for agents that check its config, and how it was read. */
export type EmbeddedAgentsOptions = Pick<EmbeddedOptions, 'environment' | 'folder' | 'instance' | 'project' | 'log'> & {
  readonly productFolder: string;
  readonly projectOptions: ProjectOptions;
};

/** `plane` with its agents; closing it ends them first. Rejects with LISTEN_*. */
export async function withAgents(plane: Embedded, options: EmbeddedAgentsOptions): Promise<Embedded> {
  const { environment, folder, instance, project, productFolder, projectOptions, log } = options;
  const { executor, witnesses } = plane.role;
  const { variables } = environment;
  const controlPlane = { url: plane.url, fetch: await outwardCalls({ url: plane.url, extraRoots: [], variables }) };
  const { database, log: logs } = witnesses;
  const agents = agentsOf({
    ...{ environment, executor, project, productFolder, projectOptions, controlPlane, database, logs, log },
  });
  const place = { folder: join(folder, `executor-${instance}`), host: '127.0.0.1', port: 0 };
  const api = await listenForDirectRuns({ environment, executor, ...place, agents, log });
  const announced = announceExecutor({ environment, welcomed: Promise.resolve({ instance }), url: api.url, log });
  await announced.told;
  return {
    ...plane,
    async close() {
      await announced.withdraw();
      await api.close();
      await plane.close();
    },
  };
}
