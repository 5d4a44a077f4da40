/** `vp dashboard`: charts of all instances of this machine, from Prometheus. */
import { resolve } from 'node:path';
import { completeAddress } from '../../addresses/written-address.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import { untilInterrupted } from '../../command-line/interrupts.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readCertificates } from '../../outbound/tls-roots.ts';
import { certificatesFlag, roleFlags } from '../role-flags.ts';
import { findExposedAddress, formatHostAndPort } from './exposure.ts';
import { buildLocalUrl, checkHealth, healthFlag } from './role-health.ts';

const { host, port } = roleFlags(3000);

const flags = {
  host,
  port,
  prometheus: {
    type: 'string',
    placeholder: '<url>',
    describe: 'URL of Prometheus',
    default: 'http://127.0.0.1:9095',
    variable: 'VP_PROMETHEUS',
  },
  'control-plane': {
    type: 'string',
    placeholder: '<url>',
    describe: 'control plane whose metrics are passed on to Prometheus; unix:<path> for its socket',
  },
  'public-url': {
    type: 'strings',
    placeholder: '<url>',
    describe: 'URL at which others reach it, for example behind an authenticating proxy',
  },
  'host-name': {
    type: 'strings',
    placeholder: '<name>',
    describe: 'host name at which Prometheus reaches it in a container network',
  },
  ca: { ...certificatesFlag, variable: 'VP_CA' },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'allow a --host that is not loopback, although the dashboard has no sign-in',
  },
  health: healthFlag,
  'export-grafana': { type: 'boolean', default: false, describe: 'print the panels as a Grafana dashboard' },
  'export-alerts': { type: 'boolean', default: false, describe: 'print alert rules for Prometheus' },
} as const;

type Call = Invocation<typeof flags>;

/** Throws FLAG_INVALID. */
function parseWebUrl(flag: string, text: string): URL {
  const url = URL.parse(completeAddress(text));
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw vpError('FLAG_INVALID', { command: 'vp dashboard', flag, problem: `is not an http or https URL: ${text}` });
}

function trimSlashes(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

function controlPlaneUrl({ flags }: Call): string | undefined {
  const text = flags['control-plane'];
  return text === undefined || text.startsWith('unix:') ? text : trimSlashes(parseWebUrl('--control-plane', text));
}

function formatStarted({ json, flags }: Call, url: string): string {
  if (json) return `${JSON.stringify({ event: 'listening', version, url, prometheus: flags.prometheus })}\n`;
  const lines = [
    `vp ${version} dashboard`,
    `  address     ${url}`,
    `  prometheus  ${flags.prometheus}`,
    'Press Ctrl-C to stop.',
  ];
  return `${lines.join('\n')}\n`;
}

async function serve(call: Call): Promise<ExitCode> {
  const { flags, environment, logLevel } = call;
  const { host, port } = flags;
  if (findExposedAddress(host) !== undefined && !flags['allow-insecure'])
    throw vpError('DASHBOARD_EXPOSED', { address: formatHostAndPort(host, port) });
  const urls = {
    prometheusUrl: trimSlashes(parseWebUrl('--prometheus', flags.prometheus)),
    controlPlaneUrl: controlPlaneUrl(call),
    publicUrls: flags['public-url'].map((text) => parseWebUrl('--public-url', text)),
    extraRoots: flags.ca === undefined ? [] : readCertificates(resolve(environment.cwd, flags.ca)),
  };
  const { openProcessLog: openLog } = await import('../../assemble/process-log.ts');
  const { startDashboard } = await import('../../assemble/dashboard.ts');
  const log = await openLog('dashboard', logLevel, environment.streams.stderr);
  const stop = untilInterrupted(environment);
  const dashboard = await startDashboard({ environment, host, port, hostNames: flags['host-name'], ...urls, log });
  environment.streams.stdout.write(formatStarted(call, dashboard.url));
  await stop;
  await dashboard.close();
  return exitCode.done;
}

async function run(call: Call): Promise<ExitCode> {
  const { flags, environment } = call;
  if (flags.health) return checkHealth('dashboard', buildLocalUrl(flags), call);
  if (!flags['export-grafana'] && !flags['export-alerts']) return serve(call);
  const text = flags['export-grafana']
    ? (await import('../../dashboard/grafana.ts')).formatGrafanaDashboard()
    : (await import('../../dashboard/alerts.ts')).formatAlertRules();
  environment.streams.stdout.write(text);
  return exitCode.done;
}

export const dashboardCommand = command({
  name: 'dashboard',
  summary: 'serve charts of the instances of this machine',
  positionals: [],
  flags,
  examples: [
    ['vp dashboard', 'at http://127.0.0.1:3000, from Prometheus at http://127.0.0.1:9095'],
    ['vp dashboard --export-grafana > vp.json', 'to import into Grafana'],
    ['vp dashboard --export-alerts > vp-alerts.yml', 'for rule_files of Prometheus'],
  ],
  notes:
    '`vp onboard` starts it, together with Prometheus, as the compose project platform-obs. It has no sign-in, so it ' +
    'listens on loopback only, unless --allow-insecure is given.',
  run,
});
