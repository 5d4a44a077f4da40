/**
 * `vp serve`: the control plane, and with `--embedded` the executor of one target in the same process.
 * Length: the flags of the largest command, and what it prints.
 */
import { join } from 'node:path';
import type { ControlPlane, ControlPlaneOptions } from '../../assemble/control-plane/control-plane.ts';
import type { EmbeddedControlPlane } from '../../assemble/embedded/embedded.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import { untilInterrupted } from '../../command-line/interrupts.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { getSetupLinkPath } from '../../identity/accounts/setup-link.ts';
import { type DeliveredLink, deliverLink, formatLink } from '../admin/deliver-link.ts';
import { removeCredential, writeCredential } from '../control-plane/credentials.ts';
import { parseDatabase } from '../database-flags.ts';
import {
  certificatesFlag,
  grpcUrlFlag,
  logFlag,
  productFolderFlag,
  roleFlags,
  scenarioFolderFlag,
  targetUrlFlag,
} from '../role-flags.ts';
import { findExposedAddress, formatHostAndPort } from '../roles/exposure.ts';
import { buildLocalUrl, checkHealth, healthFlag } from '../roles/role-health.ts';
import { completeCommands } from '../suggest.ts';
import { approvalWebhookFlags, parseApprovalWebhook } from './approval-webhook-flags.ts';
import { auditAnchorFlags, openAuditAnchoring } from './audit-anchor-flags.ts';
import { hubFlags, toHubSettings, upstreamSettings } from './hub-flags.ts';
import { originFlags, parseAllowedOrigins } from './origin-flags.ts';
import { announceRegistry, formatRegistryLine, parseRegistryFlags, registryFlags } from './registry-flags.ts';
import { replicaFlags } from './replica-flags.ts';
import { retentionFlags, toAuditRetention, toRunRetention } from './retention-flags.ts';
import { parseSingleSignOn, singleSignOnFlags } from './single-sign-on-flags.ts';

const flags = {
  ...roleFlags(7700),
  'public-url': {
    type: 'string',
    placeholder: '<url>',
    describe: 'URL at which others reach it',
    variable: 'VP_PUBLIC_URL',
  },
  'trusted-proxy': {
    type: 'strings',
    placeholder: '<address>',
    describe: 'proxy whose X-Forwarded-For is trusted',
  },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'allow plain http on a --host that is not loopback',
  },
  'executor-socket': {
    type: 'boolean',
    default: true,
    describe: 'on Linux, also a socket for executor containers',
  },
  health: healthFlag,
  'recommended-version': {
    type: 'string',
    placeholder: '<v>',
    describe: 'executor version to recommend',
  },
  'lease-seconds': {
    type: 'number',
    placeholder: '<seconds>',
    describe: 'a run fails if its executor is silent so long',
    default: 30,
    integerRange: [5, 3600],
    variable: 'VP_LEASE_SECONDS',
  },
  ...retentionFlags,
  ...auditAnchorFlags,
  ...approvalWebhookFlags,
  'accept-audit-loss': {
    type: 'boolean',
    default: false,
    describe: 'start although audit entries are lost, and record it',
  },
  'trust-clock': {
    type: 'boolean',
    default: false,
    describe: 'accept a clock that jumped since the last write',
  },
  ...singleSignOnFlags,
  ...hubFlags,
  ...originFlags,
  ...registryFlags,
  ...replicaFlags,
  embedded: { type: 'boolean', default: false, describe: 'also run an executor for one target' },
  'product-dir': { ...productFolderFlag, describe: 'folder of platform-config.yaml', default: '.' },
  'test-dir': { ...scenarioFolderFlag, describe: 'folder of scenarios to import' },
  'router-port': {
    type: 'number',
    placeholder: '<port>',
    describe: 'also run a router for agents there, usually on 9765',
    integerRange: [0, 65_535],
  },
  log: { ...logFlag, describe: "the target's log: a file, -, or unix:<socket>" },
  'base-url': { ...targetUrlFlag, describe: 'URL of the target, as reached from this machine' },
  'grpc-base-url': grpcUrlFlag,
  ca: { ...certificatesFlag, variable: 'VP_CA' },
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'instance id (default: the project’s name)',
    kind: 'instance',
  },
} as const;

type Call = Invocation<typeof flags>;

/** Throws SERVE_INSECURE if credentials would cross a network unencrypted. */
function parsePublicUrl({ flags }: Call): URL | undefined {
  const text = flags['public-url'];
  const url = text === undefined ? undefined : URL.parse(text);
  if (url === null || (url && !/^https?:$/.test(url.protocol)))
    throw vpError('FLAG_INVALID', {
      flag: '--public-url',
      problem: `is not an http or https URL: ${text}`,
      command: 'vp serve',
    });
  const address = findExposedAddress(flags.host, url);
  if (address !== undefined && !flags['allow-insecure']) throw vpError('SERVE_INSECURE', { address });
  return url;
}

async function toControlPlaneOptions(invocation: Call, log: ControlPlaneOptions['log']): Promise<ControlPlaneOptions> {
  const { flags, environment } = invocation;
  const upstreams = upstreamSettings(flags, environment);
  return {
    environment,
    folder: flags.data ?? environment.paths.data,
    host: flags.host,
    port: flags.port,
    publicUrl: parsePublicUrl(invocation),
    proxies: flags['trusted-proxy'],
    allowOrigins: parseAllowedOrigins(flags),
    singleSignOn: parseSingleSignOn(flags, environment),
    hubSettings: toHubSettings(upstreams),
    upstreams,
    registry: parseRegistryFlags(flags),
    auditSettings: toAuditRetention(flags),
    auditAnchoring: await openAuditAnchoring(flags, environment, invocation.logLevel),
    approvalWebhook: parseApprovalWebhook(flags, environment),
    isAuditLossAccepted: flags['accept-audit-loss'],
    isClockConfirmed: flags['trust-clock'],
    executorSocket: flags['executor-socket'] && environment.platform === 'linux',
    settings: {
      recommendedVersion: flags['recommended-version'] ?? version,
      leaseMs: flags['lease-seconds'] * 1000,
      ...toRunRetention(flags),
    },
    log,
  };
}

/** `executorCompletion` is set if an executor is embedded. */
type Running = {
  readonly plane: ControlPlane & Partial<Pick<EmbeddedControlPlane, 'executorCompletion'>>;
  readonly extraLines: readonly string[];
};

async function start(invocation: Call, log: ControlPlaneOptions['log']): Promise<Running> {
  const options = await toControlPlaneOptions(invocation, log);
  if (invocation.flags.embedded)
    return (await import('./embedded-executor.ts')).startControlPlaneWithExecutor(invocation.flags, options);
  const { startControlPlane } = await import('../../assemble/control-plane/control-plane.ts');
  const plane = await startControlPlane(options);
  return {
    plane,
    extraLines: ['next: register an instance with `vp instances create <id>`, then start `vp executor`'],
  };
}

type Started = Running & { readonly link: DeliveredLink | undefined };

function formatStarted({ flags, json, environment }: Call, { plane, extraLines, link }: Started): string {
  const folder = flags.data ?? environment.paths.data;
  const publicUrl = flags['public-url'] ?? null;
  const listensOn = formatHostAndPort(flags.host, new URL(plane.url).port);
  const registry = announceRegistry(publicUrl ?? plane.url, parseRegistryFlags(flags));
  if (json)
    return `${JSON.stringify({ event: 'listening', version, url: plane.url, listens_on: listensOn, public_url: publicUrl, data: folder, executor_socket: plane.executorSocket ?? null, owner_key_file: link ? plane.ownerKeyFile : null, setup_link_file: link?.file ?? null, registry: registry ?? null })}\n`;
  const lines = [
    `vp ${version} control plane`,
    `  address    ${publicUrl ?? plane.url}`,
    ...(publicUrl === null ? [] : [`  this host  ${plane.url}`]),
    `  listens    ${listensOn}`,
    ...(plane.executorSocket === undefined ? [] : [`  containers ${plane.executorSocket}`]),
    `  store      ${join(folder, 'control.db')}`,
    ...(registry ? [formatRegistryLine(registry)] : []),
    ...(link
      ? [
          `  owner key  ${plane.ownerKeyFile} (used automatically by commands of this user until there is an owner)`,
          `  set up     ${formatLink(link)}`,
        ]
      : ['  accounts   sign in with `vp login`; scripts use an API key in VP_TOKEN']),
    ...extraLines,
    'Press Ctrl-C to stop.',
  ];
  return `${lines.join('\n')}\n`;
}

async function serve(invocation: Call): Promise<ExitCode> {
  const { environment } = invocation;
  if (invocation.flags.health) return checkHealth('control plane', buildLocalUrl(invocation.flags), invocation);
  const stop = untilInterrupted(environment);
  const { openProcessLog: openLog } = await import('../../assemble/process-log.ts');
  const log = await openLog('serve', invocation.logLevel, environment.streams.stderr);
  const database = parseDatabase(invocation.flags, environment, 'vp serve');
  if (database) {
    const { serveReplica } = await import('./serve-replica.ts');
    return serveReplica(invocation, { database, stop, options: await toControlPlaneOptions(invocation, log) });
  }
  const running = await start(invocation, log);
  const { plane } = running;
  try {
    await announce(invocation, running);
    const end = await Promise.race(plane.executorCompletion ? [stop, plane.executorCompletion] : [stop]);
    if (end === 'superseded') throw vpError('EXECUTOR_ENDED_SUPERSEDED', {});
    if (end === 'removed') throw vpError('EXECUTOR_ENDED_REMOVED', {});
    log.info({}, 'stopping');
    return exitCode.done;
  } finally {
    // With port 0 the address is not used again.
    if (invocation.flags.port === 0) removeCredential(environment.paths, plane.url);
    await plane.close();
  }
}

/** Writes the credential for commands of this user, and prints the addresses. */
async function announce(invocation: Call, running: Running): Promise<void> {
  const { environment } = invocation;
  const { plane } = running;
  if (plane.ownerKey !== undefined) writeCredential(environment.paths, plane.url, plane.ownerKey);
  const url = await plane.setupLink();
  const folder = invocation.flags.data ?? environment.paths.data;
  const link = url === undefined ? undefined : deliverLink(invocation, url, getSetupLinkPath(folder));
  const text = formatStarted(invocation, { ...running, link });
  environment.streams.stdout.write(invocation.json ? text : await completeCommands(text, invocation, plane.url));
}

export const serveCommand = command({
  name: 'serve',
  summary: 'run the control plane: queue, catalogue, run history, API',
  positionals: [],
  flags,
  flagGroups: {
    'Retention and audit log': [
      ...['keep-reports', 'keep-bodies', 'keep-mib', 'keep-audit', 'keep-arguments', 'audit-mib'],
      ...['audit-strict', 'audit-intent', 'audit-gaps', 'accept-audit-loss'],
    ] as const,
    'Statements about the audit log': [
      'audit-anchor',
      'audit-anchor-seconds',
      'audit-key',
      'audit-tsa',
      'audit-tsa-ca',
    ],
    'Single sign-on': ['sso-issuer', 'sso-client-id', 'sso-secret-file', 'sso-name', 'sso-domain', 'sso-role'],
    'Hubs and registry': [
      'allow-private-upstreams',
      'approval-webhook',
      'hub-commands',
      'unsafe-stdio',
      'hub-sessions',
      'allow-origin',
      'registry-domain',
      'registry-resolver',
    ],
    'With --embedded': ['product-dir', 'test-dir', 'base-url', 'grpc-base-url', 'instance', 'log', 'router-port'],
  },
  examples: [
    ['vp serve', 'on this machine only, at http://127.0.0.1:7700'],
    [
      'vp serve --embedded --product-dir product --test-dir test --base-url http://localhost:3200',
      'with an executor for one target',
    ],
    ['vp serve --host 0.0.0.0 --public-url https://vp.example.com', 'behind a TLS proxy'],
  ],
  notes: 'Exits with 0 after Ctrl-C or SIGTERM. Back its data up with `vp backup <file>`.',
  run: serve,
});
