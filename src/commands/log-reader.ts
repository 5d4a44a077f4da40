/** `vp log-reader`: reads the logs of one compose project from the container engine, for an executor beside it. */
import { resolve } from 'node:path';
import { type LogReader, startLogReader } from '../assemble/log-reader.ts';
import { openLog } from '../assemble/process-log.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { isProjectName } from '../logs/reader/engine-request.ts';
import { command, type Invocation } from './command.ts';
import { healthFlag, tellHealth } from './role-health.ts';

const flags = {
  project: {
    type: 'string',
    placeholder: '<name>',
    describe: 'compose project whose logs are read, as `docker compose ls` names it',
    variable: 'VP_PROJECT',
  },
  socket: {
    type: 'string',
    placeholder: '<path>',
    describe: 'unix socket to listen on, for this user and group; its folder must exist',
    variable: 'VP_SOCKET',
  },
  engine: {
    type: 'string',
    placeholder: '<path>',
    describe: 'unix socket of the container engine',
    default: '/var/run/docker.sock',
    variable: 'VP_ENGINE',
  },
  health: healthFlag,
} as const;

type Call = Invocation<typeof flags>;

/** Where the one that runs is asked. */
function runningSocket({ flags, environment }: Call): string {
  if (flags.socket === undefined) throw vpError('FLAG_VALUE_MISSING', { flag: '--socket', placeholder: '<path>' });
  return `unix:${resolve(environment.cwd, flags.socket)}`;
}

/** Paths and a name, whole. */
function asked({ flags, environment }: Call) {
  const { project, socket } = flags;
  if (project === undefined) throw vpError('FLAG_VALUE_MISSING', { flag: '--project', placeholder: '<name>' });
  if (socket === undefined) throw vpError('FLAG_VALUE_MISSING', { flag: '--socket', placeholder: '<path>' });
  if (!isProjectName(project)) throw vpError('LOG_PROJECT_INVALID', { project });
  const engine = flags.engine.replace(/^unix:(\/\/)?/, '');
  if (engine === '' || /^[a-z]+:\/\//.test(engine)) throw vpError('LOG_ENGINE_INVALID', { engine: flags.engine });
  const { cwd } = environment;
  return { engine: { project, socketPath: resolve(cwd, engine) }, socketPath: resolve(cwd, socket) };
}

function told({ json }: Call, reader: LogReader, engine: { project: string; socketPath: string }): string {
  const { url, services } = reader;
  const { project, socketPath } = engine;
  if (json) return `${JSON.stringify({ event: 'listening', version, url, project, engine: socketPath, services })}\n`;
  const lines = [
    `vp ${version} log reader`,
    `  project    ${project} (${services.length === 0 ? 'no containers yet' : services.join(', ')})`,
    `  engine     ${socketPath}`,
    `  executor   vp executor --log ${url}`,
  ];
  return `${lines.join('\n')}\n`;
}

function interrupted(environment: Environment): Promise<'stopped'> {
  return new Promise((done) => {
    environment.onInterrupt(() => done('stopped'));
  });
}

async function serve(call: Call): Promise<ExitCode> {
  const { environment, logLevel } = call;
  if (call.flags.health) return tellHealth('log reader', runningSocket(call), call);
  const { engine, socketPath } = asked(call);
  const log = await openLog('log-reader', logLevel, environment.streams.stderr);
  const stop = interrupted(environment);
  const reader = await startLogReader({ environment, engine, socketPath, log });
  environment.streams.stdout.write(told(call, reader, engine));
  try {
    const end = await Promise.race([stop, reader.engineLost]);
    if (end !== 'stopped') throw end;
    return exitCode.done;
  } finally {
    await reader.close();
  }
}

/** The command. */
export const logReaderCommand = command({
  name: 'log-reader',
  summary: 'read the logs of one compose project for an executor, and nothing else',
  positionals: [],
  flags,
  examples: [
    ['vp log-reader --project shop --socket /run/vp/log.sock', 'then `vp executor --log unix:/run/vp/log.sock`'],
  ],
  notes:
    'Keeps the engine’s socket, which allows everything, away from the executor: it asks the engine for the list of the ' +
    'project’s containers, their starts and their logs, and answers `GET /v1/tail` only. Ends with 4 when the engine is ' +
    'away, to be started again.',
  run: serve,
});
