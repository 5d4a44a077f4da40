/** `vp executor`: executes the runs of one instance against its target. */
import { join, resolve } from 'node:path';
import { agentsOf } from '../assemble/agents.ts';
import { type ExecutorApi, listenForDirectRuns } from '../assemble/executor-api.ts';
import { type ExecutorRole, startExecutorRole } from '../assemble/executor-role.ts';
import { type HeardGreeting, heardGreeting } from '../assemble/greeting.ts';
import { openLog, type ProcessLog } from '../assemble/process-log.ts';
import { announceExecutor } from '../assemble/router-presence.ts';
import { openScraped } from '../assemble/scrape-key.ts';
import { executorPort } from '../client/executor-port.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { outwardCalls } from '../outbound/outward-fetch.ts';
import { readCertificates } from '../outbound/tls-roots.ts';
import { configOrThrow, loadProject } from '../project/load.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import { readKeyFile } from '../secrets/key-file.ts';
import { command, type Invocation } from './command.ts';
import { logFlag, roleFlags } from './common-flags.ts';
import { connect, wayTo } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { forgetDirectKey, writeDirectKey } from './direct-keys.ts';
import { tellGreeting } from './executor-greeting.ts';
import { exposedAddress, hostAndPort } from './exposure.ts';
import { healthFlag, ownAddress, tellHealth } from './role-health.ts';

const flags = {
  ...roleFlags(8765),
  ...controlPlaneFlags,
  'key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file with the executor key that `vp instances create` gave; VP_EXECUTOR_KEY stands in for it',
  },
  'allow-insecure': {
    ...controlPlaneFlags['allow-insecure'],
    describe: 'allow plain http to a control plane elsewhere, and on a --host that is not loopback',
  },
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of platform-config.yaml and .env',
    default: '.',
    variable: 'VP_PRODUCT_DIR',
  },
  log: { ...logFlag, variable: 'VP_LOG' },
  'host-name': {
    type: 'strings',
    placeholder: '<name>',
    describe: 'name by which containers reach it; it then tells the control plane no port of this machine',
  },
  'scrape-key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file with the key that Prometheus shows at /metrics; nothing is counted without',
  },
  health: healthFlag,
  'base-url': {
    type: 'string',
    placeholder: '<url>',
    describe: 'where the target answers, in place of base_url of the config',
    variable: 'VP_BASE_URL',
  },
} as const;

type Call = Invocation<typeof flags>;
type Started = {
  readonly role: ExecutorRole;
  readonly api: ExecutorApi;
  readonly project: ProjectConfig;
  readonly greeting: Omit<HeardGreeting, 'port'>;
};

function executorKey({ flags, environment }: Call): string {
  const { variables, cwd } = environment;
  const file = flags['key-file'];
  const key = file === undefined ? variables.VP_EXECUTOR_KEY?.trim() : readKeyFile(resolve(cwd, file));
  if (key) return key;
  throw vpError('EXECUTOR_KEY_ABSENT', { looked: file ?? 'VP_EXECUTOR_KEY' });
}

/** Without TLS the listener is for this machine, or for a container network whose members may be trusted. */
function refuseExposed({ flags }: Call): void {
  const address = exposedAddress(flags.host);
  if (address !== undefined && !flags['allow-insecure'])
    throw vpError('EXECUTOR_EXPOSED', { address: hostAndPort(address, flags.port) });
}

async function start(call: Call, log: ProcessLog): Promise<Started> {
  const { flags, environment } = call;
  const { cwd, paths } = environment;
  refuseExposed(call);
  const options = { use: 'local', baseUrl: flags['base-url'] } as const;
  const productFolder = resolve(cwd, flags['product-dir']);
  const project = configOrThrow(await loadProject(productFolder, options));
  const client = await connect(flags, environment, executorKey(call));
  const folder = resolve(cwd, flags.data ?? join(paths.data, `executor-${flags.port}`));
  const extraRoots = flags.ca === undefined ? [] : readCertificates(resolve(cwd, flags.ca));
  const { port: control, ...greeting } = heardGreeting(executorPort(client));
  // In a container it is published under another port, which the registration knows.
  const isContained = flags['host-name'].length > 0;
  const directPort = flags.port === 0 || isContained ? undefined : flags.port;
  const scraped = await openScraped(flags['scrape-key-file'], cwd);
  const role = await startExecutorRole({
    environment,
    control,
    project,
    folder,
    extraRoots,
    directPort,
    logFrom: flags.log,
    metrics: scraped?.metrics,
    log,
  });
  try {
    const { host, port, 'host-name': hostNames } = flags;
    const { executor, witnesses } = role;
    const { database, log: logs } = witnesses;
    const place = { environment, executor, project, productFolder, projectOptions: options, database, logs, log };
    const agents = agentsOf({ ...place, controlPlane: await wayTo(flags, environment, outwardCalls) });
    const api = await listenForDirectRuns({
      environment,
      executor,
      folder,
      host,
      port,
      hostNames,
      scraped,
      agents,
      log,
    });
    return { role, api, project, greeting };
  } catch (error) {
    await role.close();
    throw error;
  }
}

function told({ flags, json }: Call, { api, project }: Started): string {
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
    'Ctrl-C finishes the run in hand, then stops.',
  ];
  return `${lines.join('\n')}\n`;
}

function interrupted(environment: Environment): Promise<'stopped'> {
  return new Promise((done) => {
    environment.onInterrupt(() => done('stopped'));
  });
}

async function serve(call: Call): Promise<ExitCode> {
  const { environment } = call;
  if (call.flags.health) return tellHealth('executor', ownAddress(call.flags), call);
  const log = await openLog('executor', call.logLevel, environment.streams.stderr);
  const stop = interrupted(environment);
  const started = await start(call, log);
  const { role, api } = started;
  const port = Number(new URL(api.url).port);
  writeDirectKey(environment.paths, port, api.key);
  environment.streams.stdout.write(told(call, started));
  const announced = announceExecutor({ environment, welcomed: started.greeting.welcomed, url: api.url, log });
  tellGreeting(started.greeting, { json: call.json, environment });
  try {
    const end = await Promise.race([stop, role.executor.ended]);
    if (end === 'superseded') throw vpError('EXECUTOR_ENDED_SUPERSEDED', {});
    return exitCode.done;
  } finally {
    await role.close();
    forgetDirectKey(environment.paths, port);
    await announced.withdraw();
    await api.close();
  }
}

/** The command. */
export const executorCommand = command({
  name: 'executor',
  summary: 'execute the runs of one instance against its target',
  positionals: [],
  flags,
  examples: [
    ['vp executor --key-file app.key --product-dir product', 'the instance is the key’s'],
    ['VP_EXECUTOR_KEY=vpe_… vp executor --base-url http://127.0.0.1:3200', 'where compose names do not resolve'],
  ],
  notes:
    'Only calls out: it may stand on any machine that reaches the control plane and the target. What it has run and not ' +
    'yet delivered is kept in its data folder and delivered after a restart.',
  run: serve,
});
