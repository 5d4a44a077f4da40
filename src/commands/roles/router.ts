/** `vp router`: the single endpoint for agents on this machine. */
import { command, type Invocation } from '../../command-line/command.ts';
import { untilInterrupted } from '../../command-line/interrupts.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseExecutorBaseUrl } from '../../router/executor-locator.ts';
import { listRunningRouters } from '../../router/router-presence.ts';
import { roleFlags } from '../role-flags.ts';
import { findExposedAddress, formatHostAndPort } from './exposure.ts';
import { healthFlag } from './role-health.ts';
import { checkRouterHealth } from './router-health.ts';

const { host, port } = roleFlags(9765);

const flags = {
  host,
  port: { ...port, variable: 'VP_ROUTER_PORT' },
  executor: {
    type: 'strings',
    placeholder: '<instance>=<url>',
    describe: 'URL of an instance’s executor; executors of this user on this machine are found automatically',
  },
  'executor-url': {
    type: 'string',
    placeholder: '<url>',
    describe: 'URL of all other executors, with {instance} in the host name',
    variable: 'VP_EXECUTOR_URL',
  },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'allow a --host that is not loopback, and plain http to executors on other hosts: for container networks',
    variable: 'VP_ALLOW_INSECURE',
  },
  'host-name': { type: 'strings', placeholder: '<name>', describe: 'host name at which containers reach it' },
  'scrape-key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file with the key for scraping /metrics; without it no metrics are collected',
  },
  health: healthFlag,
} as const;

type Call = Invocation<typeof flags>;

/** By instance. Throws FLAG_INVALID, ROUTER_EXPOSED. */
function parseNamedExecutors({ flags }: Call): ReadonlyMap<string, string> {
  return new Map(
    flags.executor.map((text): [string, string] => {
      const [, instance, address] = /^([a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?)=(.+)$/.exec(text) ?? [];
      if (instance === undefined || address === undefined)
        throw createFlagError('--executor', `is not <instance>=<url>: ${text}`);
      return [instance, parseExecutorUrl('--executor', address, flags['allow-insecure'])];
    }),
  );
}

/** Throws FLAG_INVALID, ROUTER_EXPOSED. */
function parseUrlPattern({ flags }: Call): string | undefined {
  const pattern = flags['executor-url'];
  if (pattern === undefined) return undefined;
  const [before, after, ...more] = pattern.split('{instance}');
  if (after === undefined || more.length > 0)
    throw createFlagError('--executor-url', `must contain {instance} exactly once: ${pattern}`);
  const sampleInstance = 'instance-0';
  const url = parseExecutorUrl('--executor-url', `${before}${sampleInstance}${after}`, flags['allow-insecure']);
  if (!new URL(url).hostname.includes(sampleInstance))
    throw createFlagError('--executor-url', `must have {instance} in the host name: ${pattern}`);
  return url.replace(sampleInstance, '{instance}');
}

function createFlagError(flag: string, problem: string) {
  return vpError('FLAG_INVALID', { command: 'vp router', flag, problem });
}

function parseExecutorUrl(flag: string, text: string, allowInsecure: boolean): string {
  const checked = parseExecutorBaseUrl(text);
  if ('problem' in checked) throw createFlagError(flag, checked.problem);
  const { protocol, hostname, host } = new URL(checked.url);
  const isExposed = protocol === 'http:' && findExposedAddress(hostname) !== undefined;
  if (isExposed && !allowInsecure) throw vpError('ROUTER_EXPOSED', { address: host });
  return checked.url;
}

function formatStarted({ json, flags }: Call, url: string, others: readonly string[]): string {
  if (json) return `${JSON.stringify({ event: 'listening', version, url: `${url}/mcp` })}\n`;
  const extraExecutors = [...flags.executor, flags['executor-url']].filter((text) => text !== undefined);
  const lines = [
    `vp ${version} router`,
    `  agents     ${url}/mcp`,
    `  executors  those of this user on this machine${extraExecutors.map((text) => `, ${text}`).join('')}`,
    ...others.map(
      (other) =>
        `  note       another router of this user runs at ${other}; folders keep the one they were connected with`,
    ),
    'next: `vp connect --instance <id> --test-dir <folder> --product-dir <folder>`',
    'Press Ctrl-C to stop.',
  ];
  return `${lines.join('\n')}\n`;
}

async function serve(call: Call): Promise<ExitCode> {
  const { flags, environment, logLevel } = call;
  const { host, port, 'host-name': hostNames } = flags;
  if (flags.health) return checkRouterHealth(call, parseNamedExecutors(call), parseUrlPattern(call));
  if (findExposedAddress(host) !== undefined && !flags['allow-insecure'])
    throw vpError('ROUTER_EXPOSED', { address: formatHostAndPort(host, port) });
  const [named, pattern] = [parseNamedExecutors(call), parseUrlPattern(call)];
  const { openProcessLog: openLog } = await import('../../assemble/process-log.ts');
  const { startRouter } = await import('../../assemble/router.ts');
  const { openScrapeAccess: openScraped } = await import('../../assemble/scrape-key.ts');
  const log = await openLog('router', logLevel, environment.streams.stderr);
  const scraped = await openScraped(flags['scrape-key-file'], environment.cwd);
  const others = await listRunningRouters(environment.paths);
  const stop = untilInterrupted(environment);
  const router = await startRouter({
    environment,
    host,
    port,
    hostNames,
    scrapeAccess: scraped,
    executorUrls: named,
    urlPattern: pattern,
    log,
  });
  environment.streams.stdout.write(formatStarted(call, router.url, others));
  await stop;
  await router.close();
  return exitCode.done;
}

export const routerCommand = command({
  name: 'router',
  summary: 'route agents of this machine to executors',
  positionals: [],
  flags,
  examples: [
    ['vp router', 'one for all instances of this machine; agents connect to http://127.0.0.1:9765/mcp'],
    [
      "vp router --host 0.0.0.0 --allow-insecure --executor-url 'http://platform-inst-{instance}:8765'",
      'in a container network',
    ],
  ],
  notes:
    'Stores nothing: an agent’s token names its instance, and the executor verifies it. `vp connect` writes tokens and this ' +
    'URL to agents’ folders. `vp router --health` also asks every executor that a router with these flags would find, and says which ' +
    'answer; it ends with 0 if the router answers. With --json: {"healthy", "executors"}.',
  run: serve,
});
