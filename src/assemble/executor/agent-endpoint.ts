/** The agents' MCP endpoint of an executor, connected to its control plane. */

import { createAgentTokensClient } from '../../client/agent-tokens.ts';
import { type Client, createClient } from '../../client/client.ts';
import type { Fetch } from '../../client/transport/transport.ts';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import { createAgentAuthenticator } from '../../executor/agents/agent-authenticator.ts';
import { type AgentEndpoint, createAgentEndpoint } from '../../executor/agents/agent-endpoint.ts';
import { createAgentPorts } from '../../executor/agents/agent-ports.ts';
import { createConfigCheck } from '../../executor/agents/config-check.ts';
import type { TargetDatabase } from '../../executor/database/target-database.ts';
import type { Executor } from '../../executor/executor.ts';
import type { LogSource } from '../../logs/log-source.ts';
import type { ProjectOptions } from '../../project/parse-project.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import type { ProcessLog } from '../process-log.ts';

export type AgentEndpointDependencies = {
  readonly environment: Environment;
  readonly executor: Executor;
  readonly project: ProjectConfig;
  /** The folder of the config, and the options it was parsed with. */
  readonly productFolder: string;
  readonly projectOptions: ProjectOptions;
  /** For calls with the agents' own tokens. */
  readonly controlPlane: { readonly url: string; readonly fetch: Fetch };
  readonly database?: TargetDatabase | undefined;
  readonly logs?: Pick<LogSource, 'getProblem'> | undefined;
  readonly log: ProcessLog;
};

/** After this the control plane counts as unreachable: agents must not hang during authentication. */
const verifyTimeoutMs = 10_000;

/** Does not connect yet. */
export function openAgentEndpoint(options: AgentEndpointDependencies): AgentEndpoint {
  const { environment, executor, project, productFolder, projectOptions, controlPlane, database, logs, log } = options;
  const { clock } = environment;
  const createAgentClient = (token: string): Client => {
    const pause = (delayMs: number, signal?: AbortSignal) => pauseUntilAborted(clock, delayMs, signal);
    return createClient({ baseUrl: controlPlane.url, token, fetch: controlPlane.fetch, pause });
  };
  let instance: string | undefined;
  const resolveInstance = async (): Promise<void> => {
    instance ??= (await executor.status()).instance;
  };
  const authenticator = createAgentAuthenticator({
    instance: () => instance,
    fetchAgent: (token) =>
      createAgentTokensClient(createAgentClient(token).transport).getIdentity({ timeoutMs: verifyTimeoutMs }),
    clock,
  });
  const createPorts = createAgentPorts({
    ...{ executor, project, database, clock, version },
    log: logs,
    checkConfig: createConfigCheck(productFolder, projectOptions),
  });
  const endpoint = createAgentEndpoint({
    authenticator: { verify: (token) => resolveInstance().then(() => authenticator.verify(token)) },
    createPorts: (token) => createPorts(createAgentClient(token)),
    version,
    log,
  });
  return endpoint;
}
