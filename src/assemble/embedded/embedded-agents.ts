/** Agents of an embedded executor: a listener of its own on this machine, which the router finds. */
import { join } from 'node:path';
import { createBufferedOutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { ProjectOptions } from '../../project/parse-project.ts';
import { openAgentEndpoint } from '../executor/agent-endpoint.ts';
import { startExecutorListener } from '../executor/executor-listener.ts';
import { announceExecutor } from '../executor/router-presence.ts';
import type { EmbeddedControlPlane, EmbeddedOptions } from './embedded.ts';

/** The project's folder, for agents that check its config, and the options it was parsed with. */
export type EmbeddedAgentsOptions = Pick<EmbeddedOptions, 'environment' | 'folder' | 'instance' | 'project' | 'log'> & {
  readonly productFolder: string;
  readonly projectOptions: ProjectOptions;
};

/** Returns `plane` with agents, which close first. Rejects with LISTEN_*. */
export async function startEmbeddedAgents(
  plane: EmbeddedControlPlane,
  options: EmbeddedAgentsOptions,
): Promise<EmbeddedControlPlane> {
  const { environment, folder, instance, project, productFolder, projectOptions, log } = options;
  const { executor, evidenceSources } = plane.role;
  const { variables } = environment;
  const controlPlane = {
    url: plane.url,
    fetch: await createBufferedOutboundFetch({ url: plane.url, extraRoots: [], variables }),
  };
  const { database, log: logs } = evidenceSources;
  const agents = openAgentEndpoint({
    ...{ environment, executor, project, productFolder, projectOptions, controlPlane, database, logs, log },
  });
  const listenOptions = { folder: join(folder, `executor-${instance}`), host: '127.0.0.1', port: 0 };
  const api = await startExecutorListener({ environment, executor, ...listenOptions, agents, log });
  const announcement = announceExecutor({
    environment,
    helloResponse: Promise.resolve({ instance }),
    url: api.url,
    log,
  });
  await announcement.announced;
  return {
    ...plane,
    async close() {
      await announcement.withdraw();
      await api.close();
      await plane.close();
    },
  };
}
