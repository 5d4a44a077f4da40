/** The agents' endpoint of an executor, connected to its control plane. */
import { agentTokensOf } from '../client/agent-tokens.ts';
import { type Client, createClient } from '../client/client.ts';
import type { Fetch } from '../client/transport.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { agentDoor } from '../executor/agent-credentials.ts';
import { type AgentEndpoint, agentEndpoint } from '../executor/agent-endpoint.ts';
import { agentPorts } from '../executor/agent-ports.ts';
import { configCheck } from '../executor/config-check.ts';
import type { TargetDatabase } from '../executor/database/target-database.ts';
import type { Executor } from '../executor/executor.ts';
import type { LogSource } from '../logs/log-source.ts';
import type { ProjectOptions } from '../project/parse.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { ProcessLog } from './process-log.ts';

/** What agents are served with. */
export type AgentsOptions = {
  readonly environment: Environment;
  readonly executor: Executor;
  readonly project: ProjectConfig;
  /** The folder that the config was read from, and how. */
  readonly productFolder: string;
  readonly projectOptions: ProjectOptions;
  /** The way to the control plane, for calls with the agents' own tokens. */
  readonly controlPlane: { readonly url: string; readonly fetch: Fetch };
  readonly database?: TargetDatabase | undefined;
  readonly logs?: Pick<LogSource, 'trouble'> | undefined;
  readonly log: ProcessLog;
};

/** An answer that takes longer is told as unreachable: agents must not hang before they are let in. */
const verifyLimitMs = 10_000;

/** Makes the endpoint; nothing is called yet. */
export function agentsOf(options: AgentsOptions): AgentEndpoint {
  const { environment, executor, project, productFolder, projectOptions, controlPlane, database, logs, log } = options;
  const { clock } = environment;
  const clientOf = (token: string): Client => {
    const pause = (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs, signal).catch(() => {});
    return createClient({ baseUrl: controlPlane.url, token, fetch: controlPlane.fetch, pause });
  };
  let instance: string | undefined;
  const knowInstance = async (): Promise<void> => {
    instance ??= (await executor.status()).instance;
  };
  const door = agentDoor({
    instance: () => instance,
    ask: (token) => agentTokensOf(clientOf(token).transport).self({ limitMs: verifyLimitMs }),
    clock,
  });
  const portsOf = agentPorts({
    ...{ executor, project, database, clock, version },
    log: logs,
    checkConfig: configCheck(productFolder, projectOptions),
  });
  const endpoint = agentEndpoint({
    door: { verify: (token) => knowInstance().then(() => door.verify(token)) },
    portsFor: (token) => portsOf(clientOf(token)),
    version,
    log,
  });
  return endpoint;
}
