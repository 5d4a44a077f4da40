/** `vp serve`: the control plane, and with `--embedded` the executor of one target in the same process. */
import { join } from 'node:path';
import type { ControlPlane, ControlPlaneOptions } from '../assemble/control-plane.ts';
import type { Embedded } from '../assemble/embedded.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { setupLinkFile } from '../identity/setup.ts';
import { command, type Invocation } from './command.ts';
import { logFlag, roleFlags } from './common-flags.ts';
import { forgetCredential, writeCredential } from './credentials.ts';
import { exposedAddress, hostAndPort } from './exposure.ts';
import { registryChoice, registryLine, registryServeFlags, toldRegistry } from './registry-flags.ts';
import { healthFlag, ownAddress, tellHealth } from './role-health.ts';
import { hubFlags, hubSettingsOf, upstreamSettings } from './serve/hub-flags.ts';
import { keepingFlags, keptAudit, keptRuns } from './serve/keeping-flags.ts';
import { allowedOrigins, originFlags } from './serve/origin-flags.ts';
import { singleSignOnFlags, singleSignOnSettings } from './serve/single-sign-on.ts';
import { handOver, linkText, type ToldLink } from './setup/tell-link.ts';

const flags = {
  ...roleFlags(7700),
  'public-url': {
    type: 'string',
    placeholder: '<url>',
    describe: 'how others reach it, for example behind a TLS proxy',
    variable: 'VP_PUBLIC_URL',
  },
  'trusted-proxy': {
    type: 'strings',
    placeholder: '<address>',
    describe: 'address of a proxy on another machine whose X-Forwarded-For is believed',
  },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'allow plain http on an address that is not loopback',
  },
  'executor-socket': {
    type: 'boolean',
    default: true,
    describe: 'on Linux, also listen on a unix socket in the data folder, for executors in containers of this machine',
  },
  health: healthFlag,
  'recommended-version': {
    type: 'string',
    placeholder: '<version>',
    describe: 'executor version shown as recommended',
  },
  'lease-seconds': {
    type: 'number',
    placeholder: '<seconds>',
    describe: 'a run whose executor is silent for so long has lost it, and ends as failed',
    default: 30,
    whole: [5, 3600],
    variable: 'VP_LEASE_SECONDS',
  },
  ...keepingFlags,
  ...singleSignOnFlags,
  ...hubFlags,
  ...originFlags,
  ...registryServeFlags,
  embedded: { type: 'boolean', default: false, describe: 'also execute runs, of the target in --product-dir' },
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'with --embedded: folder of platform-config.yaml',
    default: '.',
  },
  'test-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'with --embedded: folder whose scenarios are imported',
  },
  'router-port': {
    type: 'number',
    placeholder: '<port>',
    describe: 'with --embedded: also route agents on this port of this machine, usually 9765',
    whole: [0, 65_535],
  },
  log: { ...logFlag, describe: `with --embedded: ${logFlag.describe}` },
  'base-url': {
    type: 'string',
    placeholder: '<url>',
    describe: 'with --embedded: where the target answers this machine',
  },
  ca: {
    type: 'string',
    placeholder: '<file.pem>',
    describe:
      'certificates that the provider’s, and with --embedded the target’s, may be signed by, besides the usual ones',
    variable: 'VP_CA',
  },
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'with --embedded: its instance id; the project’s name unless given',
  },
} as const;

type Serve = Invocation<typeof flags>;

/** The public URL, refused where credentials would cross a network in the clear. */
function publicUrlOf({ flags }: Serve): URL | undefined {
  const text = flags['public-url'];
  const url = text === undefined ? undefined : URL.parse(text);
  if (url === null || (url && !/^https?:$/.test(url.protocol)))
    throw vpError('FLAG_INVALID', {
      flag: '--public-url',
      problem: `is no http address: ${text}`,
      command: 'vp serve',
    });
  const address = exposedAddress(flags.host, url);
  if (address !== undefined && !flags['allow-insecure']) throw vpError('SERVE_INSECURE', { address });
  return url;
}

function optionsOf(invocation: Serve, log: ControlPlaneOptions['log']): ControlPlaneOptions {
  const { flags, environment } = invocation;
  const upstreams = upstreamSettings(flags, environment);
  return {
    environment,
    folder: flags.data ?? environment.paths.data,
    host: flags.host,
    port: flags.port,
    publicUrl: publicUrlOf(invocation),
    proxies: flags['trusted-proxy'],
    allowOrigins: allowedOrigins(flags),
    singleSignOn: singleSignOnSettings(flags, environment),
    hubSettings: hubSettingsOf(upstreams),
    upstreams,
    registry: registryChoice(flags),
    auditSettings: keptAudit(flags),
    executorSocket: flags['executor-socket'] && environment.platform === 'linux',
    settings: {
      recommendedVersion: flags['recommended-version'] ?? version,
      leaseMs: flags['lease-seconds'] * 1000,
      ...keptRuns(flags),
    },
    log,
  };
}

/** What runs; with `ended` where an executor is among it. */
type Running = { readonly plane: ControlPlane & Partial<Pick<Embedded, 'ended'>>; readonly more: readonly string[] };

async function start(invocation: Serve): Promise<Running> {
  const { openLog } = await import('../assemble/process-log.ts');
  const log = await openLog('serve', invocation.logLevel, invocation.environment.streams.stderr);
  const options = optionsOf(invocation, log);
  if (invocation.flags.embedded)
    return (await import('./serve-embedded.ts')).startWithExecutor(invocation.flags, options);
  const { startControlPlane } = await import('../assemble/control-plane.ts');
  const plane = await startControlPlane(options);
  return { plane, more: ['next: `vp instances create <id>` registers an instance; `vp executor` serves it'] };
}

type Started = Running & { readonly link: ToldLink | undefined };

function told({ flags, json, environment }: Serve, { plane, more, link }: Started): string {
  const folder = flags.data ?? environment.paths.data;
  const publicUrl = flags['public-url'] ?? null;
  const listensOn = hostAndPort(flags.host, new URL(plane.url).port);
  const registry = toldRegistry(publicUrl ?? plane.url, registryChoice(flags));
  if (json)
    return `${JSON.stringify({ event: 'listening', version, url: plane.url, listens_on: listensOn, public_url: publicUrl, data: folder, executor_socket: plane.executorSocket ?? null, owner_key_file: link ? plane.ownerKeyFile : null, setup_link_file: link?.file ?? null, registry: registry ?? null })}\n`;
  const lines = [
    `vp ${version} control plane`,
    `  address    ${publicUrl ?? plane.url}`,
    ...(publicUrl === null ? [] : [`  this host  ${plane.url}`]),
    `  listens    ${listensOn}`,
    ...(plane.executorSocket === undefined ? [] : [`  containers ${plane.executorSocket}`]),
    `  store      ${join(folder, 'control.db')}`,
    ...(registry ? [registryLine(registry)] : []),
    ...(link
      ? [
          `  owner key  ${plane.ownerKeyFile} (commands of this user find it by themselves, until there is an owner)`,
          `  set up     ${linkText(link)}`,
        ]
      : ['  accounts   commands sign in with `vp login`, programs use VP_TOKEN']),
    ...more,
    'Ctrl-C stops it.',
  ];
  return `${lines.join('\n')}\n`;
}

function interrupted(environment: Environment): Promise<'stopped'> {
  return new Promise((resolve) => {
    environment.onInterrupt(() => resolve('stopped'));
  });
}

async function serve(invocation: Serve): Promise<ExitCode> {
  const { environment } = invocation;
  if (invocation.flags.health) return tellHealth('control plane', ownAddress(invocation.flags), invocation);
  const stop = interrupted(environment);
  const running = await start(invocation);
  const { plane } = running;
  try {
    await introduce(invocation, running);
    const end = await Promise.race(plane.ended ? [stop, plane.ended] : [stop]);
    if (end === 'superseded') throw vpError('EXECUTOR_ENDED_SUPERSEDED', {});
    return exitCode.done;
  } finally {
    // A port that was free by chance is nobody's address afterwards.
    if (invocation.flags.port === 0) forgetCredential(environment.paths, plane.url);
    await plane.close();
  }
}

/** Lets commands of this user find it, and says where it is. */
async function introduce(invocation: Serve, running: Running): Promise<void> {
  const { environment } = invocation;
  const { plane } = running;
  if (plane.ownerKey !== undefined) writeCredential(environment.paths, plane.url, plane.ownerKey);
  const url = await plane.setupLink();
  const folder = invocation.flags.data ?? environment.paths.data;
  const link = url === undefined ? undefined : handOver(invocation, url, setupLinkFile(folder));
  environment.streams.stdout.write(told(invocation, { ...running, link }));
}

/** The command. */
export const serveCommand = command({
  name: 'serve',
  summary: 'run the control plane: queue, catalogue, run history, API',
  positionals: [],
  flags,
  examples: [
    ['vp serve', 'on this machine only, at http://127.0.0.1:7700'],
    [
      'vp serve --embedded --product-dir product --test-dir test --base-url http://localhost:3200',
      'with an executor for one target',
    ],
    [
      'vp serve --sso-issuer https://login.example.com --sso-client-id vp',
      'with single sign-on; the client secret is in VP_SSO_CLIENT_SECRET',
    ],
    ['vp serve --host 0.0.0.0 --public-url https://vp.example.com', 'behind a TLS proxy'],
    ['vp serve --registry-domain example.com', 'with a registry that takes servers of example.com'],
  ],
  notes: 'Ends with 0 after Ctrl-C or SIGTERM. Everything it keeps is in the data folder; `vp backup` copies it.',
  run: serve,
});
