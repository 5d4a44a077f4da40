/** `vp router`: the one address of agents on this machine. */
import { once } from 'node:events';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { baseUrlOf } from '../router/whereabouts.ts';
import { command, type Invocation } from './command.ts';
import { roleFlags } from './common-flags.ts';
import { exposedAddress, hostAndPort } from './exposure.ts';
import { healthFlag, ownAddress, tellHealth } from './role-health.ts';

const { host, port } = roleFlags(9765);

const flags = {
  host,
  port: { ...port, variable: 'VP_ROUTER_PORT' },
  executor: {
    type: 'strings',
    placeholder: '<instance>=<url>',
    describe: 'where the executor of an instance is; those of this user on this machine are found without',
  },
  'executor-url': {
    type: 'string',
    placeholder: '<url>',
    describe: 'where all other executors are, with {instance} in the name of the host',
    variable: 'VP_EXECUTOR_URL',
  },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'allow a --host that is not loopback, and executors over plain http elsewhere: for a container network',
    variable: 'VP_ALLOW_INSECURE',
  },
  'host-name': { type: 'strings', placeholder: '<name>', describe: 'name by which containers reach it' },
  'scrape-key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'file with the key that Prometheus shows at /metrics; nothing is counted without',
  },
  health: healthFlag,
} as const;

type Call = Invocation<typeof flags>;

/** The executors that flags name, by instance. Throws FLAG_INVALID, ROUTER_EXPOSED. */
function namedExecutors({ flags }: Call): ReadonlyMap<string, string> {
  return new Map(
    flags.executor.map((text): [string, string] => {
      const [, instance, address] = /^([a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?)=(.+)$/.exec(text) ?? [];
      if (instance === undefined || address === undefined)
        throw invalid('--executor', `is not <instance>=<url>: ${text}`);
      return [instance, checkedUrl('--executor', address, flags['allow-insecure'])];
    }),
  );
}

/** Throws FLAG_INVALID, ROUTER_EXPOSED. */
function urlPattern({ flags }: Call): string | undefined {
  const pattern = flags['executor-url'];
  if (pattern === undefined) return undefined;
  const [before, after, ...more] = pattern.split('{instance}');
  if (after === undefined || more.length > 0)
    throw invalid('--executor-url', `has not {instance} in it once: ${pattern}`);
  const stand = 'instance-0';
  const url = checkedUrl('--executor-url', `${before}${stand}${after}`, flags['allow-insecure']);
  if (!new URL(url).hostname.includes(stand))
    throw invalid('--executor-url', `has {instance} outside the host: ${pattern}`);
  return url.replace(stand, '{instance}');
}

function invalid(flag: string, problem: string) {
  return vpError('FLAG_INVALID', { command: 'vp router', flag, problem });
}

function checkedUrl(flag: string, text: string, allowInsecure: boolean): string {
  const checked = baseUrlOf(text);
  if ('problem' in checked) throw invalid(flag, checked.problem);
  const { protocol, hostname, host } = new URL(checked.url);
  const isExposed = protocol === 'http:' && exposedAddress(hostname) !== undefined;
  if (isExposed && !allowInsecure) throw vpError('ROUTER_EXPOSED', { address: host });
  return checked.url;
}

function told({ json, flags }: Call, url: string): string {
  if (json) return `${JSON.stringify({ event: 'listening', version, url: `${url}/mcp` })}\n`;
  const others = [...flags.executor, flags['executor-url']].filter((text) => text !== undefined);
  const lines = [
    `vp ${version} router`,
    `  agents     ${url}/mcp`,
    `  executors  those of this user on this machine${others.map((text) => `, ${text}`).join('')}`,
    'next: `vp connect --instance <id> --test-dir <folder> --product-dir <folder>`',
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
  const { host, port, 'host-name': hostNames } = flags;
  if (flags.health) return tellHealth('router', ownAddress(flags), call);
  if (exposedAddress(host) !== undefined && !flags['allow-insecure'])
    throw vpError('ROUTER_EXPOSED', { address: hostAndPort(host, port) });
  const [named, pattern] = [namedExecutors(call), urlPattern(call)];
  const { openLog } = await import('../assemble/process-log.ts');
  const { startRouter } = await import('../assemble/router.ts');
  const { openScraped } = await import('../assemble/scrape-key.ts');
  const log = await openLog('router', logLevel, environment.streams.stderr);
  const scraped = await openScraped(flags['scrape-key-file'], environment.cwd);
  const stop = interrupted(environment);
  const router = await startRouter({ environment, host, port, hostNames, scraped, named, pattern, log });
  environment.streams.stdout.write(told(call, router.url));
  if (!stop.aborted) await once(stop, 'abort');
  await router.close();
  return exitCode.done;
}

/** The command. */
export const routerCommand = command({
  name: 'router',
  summary: 'lead the agents of this machine to the executors of their instances',
  positionals: [],
  flags,
  examples: [
    ['vp router', 'one for all instances of this machine; agents reach it at http://127.0.0.1:9765/mcp'],
    [
      "vp router --host 0.0.0.0 --allow-insecure --executor-url 'http://platform-inst-{instance}:8765'",
      'among containers',
    ],
  ],
  notes:
    'Keeps nothing: an agent’s token names its instance, the executor checks it. `vp connect` writes tokens and this ' +
    'address into the folders of agents.',
  run: serve,
});
