/** `vp serve --embedded`: the executor of one target in the same process. */
import { resolve } from 'node:path';
import type { ControlPlaneOptions } from '../../assemble/control-plane/control-plane.ts';
import { type EmbeddedControlPlane, startEmbedded } from '../../assemble/embedded/embedded.ts';
import { startEmbeddedAgents } from '../../assemble/embedded/embedded-agents.ts';
import { startRouter } from '../../assemble/router.ts';
import { toInstanceId } from '../../contract/instance-id.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { loadProject, requireConfig } from '../../project/load-project.ts';
import { parseFile } from '../scenarios/read-scenarios.ts';
import { readScenarioFiles } from '../scenarios/scenario-files.ts';
import { computeImportSource } from '../scenarios/scenario-folder.ts';

export type EmbeddedFlags = {
  readonly 'product-dir': string;
  readonly 'test-dir': string | undefined;
  readonly 'base-url': string | undefined;
  readonly 'grpc-base-url': string | undefined;
  readonly instance: string | undefined;
  readonly ca: string | undefined;
  readonly log: string | undefined;
  readonly 'router-port': number | undefined;
};

function formatImportLines(
  { url, imported, rejected: refused, retained, conflicts }: EmbeddedControlPlane,
  instance: string,
  testDir: string,
): string[] {
  const target = `${testDir} --instance ${instance} --control-plane ${url}`;
  const [push, diff] = [`vp scenarios push ${target}`, `vp scenarios diff ${target}`];
  const total = imported + refused.length + retained.length + conflicts.length;
  const counts = [
    `imported ${imported} of ${total} scenarios`,
    ...(retained.length > 0 ? [`${retained.length} kept as edited in the catalogue`] : []),
    ...(conflicts.length > 0 ? [`${conflicts.length} NOT imported: changed in the folder and in the catalogue`] : []),
  ];
  return [
    `  instance   ${instance}, ${counts.join(', ')}`,
    ...refused.map(({ file, error }) => `  ! ${file}: ${error.message}; ${error.cure}`),
    ...retained.map(({ file, reason }) => `  · ${file}: ${reason}`),
    ...conflicts.map(({ file, reason }) => `  ! ${file}: ${reason}`),
    ...(conflicts.length === 0
      ? []
      : [
          `  next: take the files with \`${push} --force\`,`,
          `        or keep the catalogue with \`${push} --keep\`; compare with \`${diff}\``,
        ]),
  ];
}

function formatNextLines(instance: string, router: string | undefined): string[] {
  const connectHint = `agents: \`vp connect --instance ${instance} --test-dir <folder> --product-dir <folder>\``;
  return [
    ...(router === undefined ? [] : [`  agents     ${router}/mcp`]),
    'next: `vp run <ID>` or `vp scenarios list`',
    router === undefined ? `${connectHint}, and \`vp router\`` : connectHint,
  ];
}

/** Adds a router on `port`, if given, which stops before the control plane. Throws ROUTER_*. */
async function withRouter(
  plane: EmbeddedControlPlane,
  port: number | undefined,
  { environment, log }: ControlPlaneOptions,
) {
  if (port === undefined) return { plane, url: undefined };
  const router = await startRouter({ environment, host: '127.0.0.1', port, log });
  const close = async (): Promise<void> => {
    await router.close();
    await plane.close();
  };
  return { plane: { ...plane, close }, url: router.url };
}

/** Starts control plane and executor. Throws CONFIG_* for the product folder, SCENARIO_FILE_* for the test folder, EXECUTOR_CA_UNREADABLE. */
export async function startControlPlaneWithExecutor(
  flags: EmbeddedFlags,
  options: ControlPlaneOptions,
): Promise<{ plane: EmbeddedControlPlane; extraLines: readonly string[] }> {
  const { cwd } = options.environment;
  const folder = resolve(cwd, flags['product-dir']);
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  const projectOptions = { use: 'local', baseUrl: flags['base-url'], grpcBaseUrl: flags['grpc-base-url'] } as const;
  const project = requireConfig(await loadProject(folder, projectOptions));
  const testDir = flags['test-dir'];
  const files = testDir === undefined ? [] : readScenarioFiles([testDir], cwd);
  const parsed = files.map((file) => parseFile(file, project.names));
  const scenarios = parsed.map(({ scenario, file, text }) => ({
    ...{ id: scenario?.id ?? file, text, file },
    source: computeImportSource(options.environment, file),
  }));
  const instance = flags.instance ?? toInstanceId(project.project.name);
  const embedded = await startEmbedded({ ...options, instance, project, scenarios, extraRoots, logSource: flags.log });
  const agents = { ...options, instance, project, productFolder: folder, projectOptions };
  let running = embedded;
  try {
    running = await startEmbeddedAgents(embedded, agents);
    const { plane, url } = await withRouter(running, flags['router-port'], options);
    return {
      plane,
      extraLines: [...formatImportLines(plane, instance, testDir ?? ''), ...formatNextLines(instance, url)],
    };
  } catch (error) {
    await running.close();
    throw error;
  }
}
