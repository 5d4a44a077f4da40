/** The part of `vp serve` that `--embedded` adds: one target's executor in the same process. */
import { resolve } from 'node:path';
import type { ControlPlaneOptions } from '../assemble/control-plane.ts';
import { type Embedded, startEmbedded } from '../assemble/embedded.ts';
import { withAgents } from '../assemble/embedded-agents.ts';
import { startRouter } from '../assemble/router.ts';
import { instanceIdFrom } from '../control/instance-id.ts';
import { readCertificates } from '../outbound/tls-roots.ts';
import { configOrThrow, loadProject } from '../project/load.ts';
import { parseFile } from './read-scenarios.ts';
import { readScenarioFiles } from './scenario-files.ts';

/** The flags of `vp serve` that matter here. */
export type EmbeddedFlags = {
  readonly 'product-dir': string;
  readonly 'test-dir': string | undefined;
  readonly 'base-url': string | undefined;
  readonly instance: string | undefined;
  readonly ca: string | undefined;
  readonly log: string | undefined;
  readonly 'router-port': number | undefined;
};

function importLine({ imported, refused }: Embedded, instance: string): string[] {
  const total = imported + refused.length;
  const why = refused.map(({ file, error }) => `  ! ${file}: ${error.message}; ${error.cure}`);
  return [`  instance   ${instance}, imported ${imported} of ${total} scenarios`, ...why];
}

function nextLines(instance: string, router: string | undefined): string[] {
  const connect = `agents: \`vp connect --instance ${instance} --test-dir <folder> --product-dir <folder>\``;
  return [
    ...(router === undefined ? [] : [`  agents     ${router}/mcp`]),
    'next: `vp run <ID>` or `vp scenarios list`',
    router === undefined ? `${connect}, and \`vp router\`` : connect,
  ];
}

/** `plane` with a router on `port` that ends before it; as it is without a port. Throws ROUTER_*. */
async function withRouter(plane: Embedded, port: number | undefined, { environment, log }: ControlPlaneOptions) {
  if (port === undefined) return { plane, url: undefined };
  const router = await startRouter({ environment, host: '127.0.0.1', port, log });
  const close = async (): Promise<void> => {
    await router.close();
    await plane.close();
  };
  return { plane: { ...plane, close }, url: router.url };
}

/** Starts control plane and executor. Throws CONFIG_* for the product folder, SCENARIO_FILE_* for the test folder, EXECUTOR_CA_UNREADABLE. */
export async function startWithExecutor(
  flags: EmbeddedFlags,
  options: ControlPlaneOptions,
): Promise<{ plane: Embedded; more: readonly string[] }> {
  const { cwd } = options.environment;
  const folder = resolve(cwd, flags['product-dir']);
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  const projectOptions = { use: 'local', baseUrl: flags['base-url'] } as const;
  const project = configOrThrow(await loadProject(folder, projectOptions));
  const testDir = flags['test-dir'];
  const files = testDir === undefined ? [] : readScenarioFiles([testDir], cwd);
  const parsed = files.map((file) => parseFile(file, project.names));
  const scenarios = parsed.map(({ scenario, file, text }) => ({ id: scenario?.id ?? file, text, file }));
  const instance = flags.instance ?? instanceIdFrom(project.project.name);
  const embedded = await startEmbedded({ ...options, instance, project, scenarios, extraRoots, logFrom: flags.log });
  const agents = { ...options, instance, project, productFolder: folder, projectOptions };
  let reached = embedded;
  try {
    reached = await withAgents(embedded, agents);
    const { plane, url } = await withRouter(reached, flags['router-port'], options);
    return { plane, more: [...importLine(plane, instance), ...nextLines(instance, url)] };
  } catch (error) {
    await reached.close();
    throw error;
  }
}
