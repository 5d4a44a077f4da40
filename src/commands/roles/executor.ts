/** `vp executor`: executes the runs of one instance against its target. */
import { join, resolve } from 'node:path';
import { openAgentEndpoint } from '../../assemble/executor/agent-endpoint.ts';
import { type ExecutorListener, startExecutorListener } from '../../assemble/executor/executor-listener.ts';
import { type ExecutorRole, startExecutorRole } from '../../assemble/executor/executor-role.ts';
import { announceExecutor } from '../../assemble/executor/router-presence.ts';
import { openProcessLog, type ProcessLog } from '../../assemble/process-log.ts';
import { openScrapeAccess } from '../../assemble/scrape-key.ts';
import { createHttpControlPort } from '../../client/executor-port.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import { untilInterrupted } from '../../command-line/interrupts.ts';
import type { HelloResponse } from '../../contract/executor-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type ObservedHello, observeHello } from '../../executor/control-plane/observed-control.ts';
import { createBufferedOutboundFetch } from '../../outbound/outbound-fetch.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { loadProject, requireConfig } from '../../project/load-project.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import { readKeyFile } from '../../secrets/key-file.ts';
import { findProductFolder } from '../authoring/placeholders.ts';
import { openClient, resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { removeDirectRunKey, writeDirectRunKey } from '../control-plane/direct-keys.ts';
import { grpcUrlFlag, logFlag, productFolderFlag, roleFlags, targetUrlFlag } from '../role-flags.ts';
import { findExposedAddress, formatHostAndPort } from './exposure.ts';
import { buildLocalUrl, checkHealth, healthFlag } from './role-health.ts';

const flags = {
  ...roleFlags(8765),
  ...controlPlaneFlags,
  'key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file with the executor key from `vp instances create`; else VP_EXECUTOR_KEY',
  },
  'allow-insecure': {
    ...controlPlaneFlags['allow-insecure'],
    describe: 'allow plain http to a control plane on another machine, and on a --host that is not loopback',
  },
  'product-dir': {
    ...productFolderFlag,
    describe: 'folder of platform-config.yaml and .env (default: this folder or ./product)',
    variable: 'VP_PRODUCT_DIR',
  },
  log: { ...logFlag, variable: 'VP_LOG' },
  'host-name': {
    type: 'strings',
    placeholder: '<name>',
    describe: 'host name at which containers reach it; no port of this machine is then reported to the control plane',
  },
  'scrape-key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file with the key for scraping /metrics; without it no metrics are collected',
  },
  'direct-key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file with the key for direct runs; without it a key is created in the data folder',
  },
  health: healthFlag,
  'base-url': { ...targetUrlFlag, variable: 'VP_BASE_URL' },
  'grpc-base-url': { ...grpcUrlFlag, variable: 'VP_GRPC_BASE_URL' },
} as const;

type Call = Invocation<typeof flags>;
type StartedExecutor = {
  readonly role: ExecutorRole;
  readonly api: ExecutorListener;
  readonly project: ProjectConfig;
  readonly greeting: Omit<ObservedHello, 'port'>;
};

function executorKey({ flags, environment }: Call): string {
  const { variables, cwd } = environment;
  const file = flags['key-file'];
  const key = file === undefined ? variables.VP_EXECUTOR_KEY?.trim() : readKeyFile(resolve(cwd, file));
  if (key) return key;
  throw vpError('EXECUTOR_KEY_ABSENT', { source: file ?? 'VP_EXECUTOR_KEY' });
}

/** Throws EXECUTOR_KEY_ABSENT. */
function readDirectKeyFile({ flags, environment }: Call): string | undefined {
  const file = flags['direct-key-file'];
  if (file === undefined) return undefined;
  const key = readKeyFile(resolve(environment.cwd, file));
  if (key) return key;
  throw vpError('EXECUTOR_KEY_ABSENT', { source: file });
}

/** Without TLS the listener is safe only on this machine, or in a container network whose members are trusted. */
function assertNotExposed({ flags }: Call): void {
  const address = findExposedAddress(flags.host);
  if (address !== undefined && !flags['allow-insecure'])
    throw vpError('EXECUTOR_EXPOSED', { address: formatHostAndPort(address, flags.port) });
}

async function start(call: Call, log: ProcessLog): Promise<StartedExecutor> {
  const { flags, environment } = call;
  const { cwd, paths } = environment;
  assertNotExposed(call);
  const options = { use: 'local', baseUrl: flags['base-url'], grpcBaseUrl: flags['grpc-base-url'] } as const;
  const productFolder = resolve(cwd, flags['product-dir'] ?? findProductFolder(cwd) ?? '.');
  const project = requireConfig(await loadProject(productFolder, options));
  const client = await openClient(flags, environment, executorKey(call));
  const folder = resolve(cwd, flags.data ?? join(paths.data, `executor-${flags.port}`));
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  const { port: control, ...greeting } = observeHello(createHttpControlPort(client));
  // In a container it is published on another port, which the registration has.
  const isContained = flags['host-name'].length > 0;
  const directPort = flags.port === 0 || isContained ? undefined : flags.port;
  const scraped = await openScrapeAccess(flags['scrape-key-file'], cwd);
  const role = await startExecutorRole({
    environment,
    control,
    project,
    folder,
    extraRoots,
    directPort,
    logSource: flags.log,
    metrics: scraped?.metrics,
    log,
  });
  try {
    const { host, port, 'host-name': hostNames } = flags;
    const { executor, evidenceSources } = role;
    const { database, log: logs } = evidenceSources;
    const agentOptions = {
      environment,
      executor,
      project,
      productFolder,
      projectOptions: options,
      database,
      logs,
      log,
    };
    const agents = openAgentEndpoint({
      ...agentOptions,
      controlPlane: await resolveControlPlane(flags, environment, createBufferedOutboundFetch),
    });
    const api = await startExecutorListener({
      environment,
      executor,
      folder,
      host,
      port,
      hostNames,
      scrapeAccess: scraped,
      directKey: readDirectKeyFile(call),
      agents,
      log,
    });
    return { role, api, project, greeting };
  } catch (error) {
    await role.close();
    throw error;
  }
}

function formatStarted({ flags, json }: Call, { api, project }: StartedExecutor): string {
  const target = project.targets.http.baseUrl;
  const controlPlane = flags['control-plane'];
  if (json)
    return `${JSON.stringify({ event: 'listening', version, url: api.url, target, control_plane: controlPlane })}\n`;
  const lines = [
    `vp ${version} executor`,
    `  target         ${target}`,
    `  control plane  ${controlPlane}`,
    `  direct runs    ${api.url} (\`vp run --direct\`)`,
    `  agents         ${api.url}/mcp`,
    'Press Ctrl-C to finish the current run and stop.',
  ];
  return `${lines.join('\n')}\n`;
}

async function runExecutor(call: Call): Promise<ExitCode> {
  const { environment } = call;
  if (call.flags.health) return checkHealth('executor', buildLocalUrl(call.flags), call);
  const log = await openProcessLog('executor', call.logLevel, environment.streams.stderr);
  const stop = untilInterrupted(environment);
  const started = await start(call, log);
  const { role, api } = started;
  const port = Number(new URL(api.url).port);
  writeDirectRunKey(environment.paths, port, api.key);
  environment.streams.stdout.write(formatStarted(call, started));
  const announced = announceExecutor({ environment, helloResponse: started.greeting.helloResponse, url: api.url, log });
  printRegistration(started.greeting, { json: call.json, environment });
  try {
    const end = await Promise.race([stop, role.executor.completion]);
    if (end === 'superseded') throw vpError('EXECUTOR_ENDED_SUPERSEDED', {});
    if (end === 'removed') throw vpError('EXECUTOR_ENDED_REMOVED', {});
    return exitCode.done;
  } finally {
    await role.close();
    removeDirectRunKey(environment.paths, port);
    await announced.withdraw();
    await api.close();
  }
}

export const executorCommand = command({
  name: 'executor',
  summary: 'execute the runs of one instance against its target',
  positionals: [],
  flags,
  examples: [
    ['vp executor --key-file app.key --product-dir product', 'for the instance of the key'],
    ['VP_EXECUTOR_KEY=vpe_… vp executor --base-url http://127.0.0.1:3200', 'where compose host names do not resolve'],
  ],
  notes:
    'Makes outgoing connections only: it can run on any machine that reaches the control plane and the target. Reports that are ' +
    'not yet delivered are stored in its data folder and delivered after a restart.',
  run: runExecutor,
});

type RegistrationOutput = { readonly json: boolean; readonly environment: Pick<Environment, 'streams'> };

/** Prints the registration when the hello response arrives; its log says why it is late. Call it after the executor's start was printed. */
export function printRegistration(
  { helloResponse }: Pick<ObservedHello, 'helloResponse'>,
  output: RegistrationOutput,
): void {
  void helloResponse.then((welcome) => output.environment.streams.stdout.write(formatRegistration(welcome, output)));
}

function formatRegistration({ instance, control_plane_version }: HelloResponse, { json }: RegistrationOutput): string {
  return json
    ? `${JSON.stringify({ event: 'registered', instance, control_plane_version })}\n`
    : `registered as ${instance}\n`;
}
