/** `vp dashboard`: charts of all instances of this machine, from its Prometheus. */
import { once } from 'node:events';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { command, type Invocation } from './command.ts';
import { roleFlags } from './common-flags.ts';
import { exposedAddress, hostAndPort } from './exposure.ts';
import { healthFlag, ownAddress, tellHealth } from './role-health.ts';

const { host, port } = roleFlags(3000);

const flags = {
  host,
  port,
  prometheus: {
    type: 'string',
    placeholder: '<url>',
    describe: 'where Prometheus answers',
    default: 'http://127.0.0.1:9095',
    variable: 'VP_PROMETHEUS',
  },
  'control-plane': {
    type: 'string',
    placeholder: '<url>',
    describe: 'control plane whose metrics are led on to Prometheus; unix:<path> for its socket',
  },
  'public-url': {
    type: 'strings',
    placeholder: '<url>',
    describe: 'how others reach it, for example behind a proxy that asks people to sign in',
  },
  'host-name': {
    type: 'strings',
    placeholder: '<name>',
    describe: 'name by which Prometheus reaches it among containers',
  },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'allow an address that is not loopback: nobody is asked to sign in',
  },
  health: healthFlag,
  'export-grafana': { type: 'boolean', default: false, describe: 'print the panels as a dashboard for Grafana' },
  'export-alerts': { type: 'boolean', default: false, describe: 'print alert rules for Prometheus' },
} as const;

type Call = Invocation<typeof flags>;

/** A web address without a slash at its end. Throws FLAG_INVALID. */
function webUrl(flag: string, text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw vpError('FLAG_INVALID', { command: 'vp dashboard', flag, problem: `is no http address: ${text}` });
}

function bare(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

function controlPlaneUrl({ flags }: Call): string | undefined {
  const text = flags['control-plane'];
  return text === undefined || text.startsWith('unix:') ? text : bare(webUrl('--control-plane', text));
}

function told({ json, flags }: Call, url: string): string {
  if (json) return `${JSON.stringify({ event: 'listening', version, url, prometheus: flags.prometheus })}\n`;
  const lines = [
    `vp ${version} dashboard`,
    `  address     ${url}`,
    `  prometheus  ${flags.prometheus}`,
    'Ctrl-C stops it.',
  ];
  return `${lines.join('\n')}\n`;
}

function interrupted(environment: Environment): AbortSignal {
  const stop = new AbortController();
  environment.onInterrupt(() => stop.abort());
  return stop.signal;
}

async function serve(call: Call): Promise<ExitCode> {
  const { flags, environment, logLevel } = call;
  const { host, port } = flags;
  if (exposedAddress(host) !== undefined && !flags['allow-insecure'])
    throw vpError('DASHBOARD_EXPOSED', { address: hostAndPort(host, port) });
  const urls = {
    prometheusUrl: bare(webUrl('--prometheus', flags.prometheus)),
    controlPlaneUrl: controlPlaneUrl(call),
    publicUrls: flags['public-url'].map((text) => webUrl('--public-url', text)),
  };
  const { openLog } = await import('../assemble/process-log.ts');
  const { startDashboard } = await import('../assemble/dashboard.ts');
  const log = await openLog('dashboard', logLevel, environment.streams.stderr);
  const stop = interrupted(environment);
  const dashboard = await startDashboard({ environment, host, port, hostNames: flags['host-name'], ...urls, log });
  environment.streams.stdout.write(told(call, dashboard.url));
  if (!stop.aborted) await once(stop, 'abort');
  await dashboard.close();
  return exitCode.done;
}

async function run(call: Call): Promise<ExitCode> {
  const { flags, environment } = call;
  if (flags.health) return tellHealth('dashboard', ownAddress(flags), call);
  if (!flags['export-grafana'] && !flags['export-alerts']) return serve(call);
  const text = flags['export-grafana']
    ? (await import('../dashboard/grafana.ts')).grafanaText()
    : (await import('../dashboard/alerts.ts')).alertsText();
  environment.streams.stdout.write(text);
  return exitCode.done;
}

/** The command. */
export const dashboardCommand = command({
  name: 'dashboard',
  summary: 'show how the instances of this machine are, in charts',
  positionals: [],
  flags,
  examples: [
    ['vp dashboard', 'at http://127.0.0.1:3000, from Prometheus at http://127.0.0.1:9095'],
    ['vp dashboard --export-grafana > vp.json', 'for those who have a Grafana: import the file there'],
    ['vp dashboard --export-alerts > vp-alerts.yml', 'to be named under rule_files of a Prometheus'],
  ],
  notes:
    '`vp onboard` starts it with its Prometheus as the compose project platform-obs. Nobody is asked to sign in, so it ' +
    'listens on loopback only unless told otherwise.',
  run,
});
