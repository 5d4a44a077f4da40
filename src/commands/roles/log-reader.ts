/** `vp log-reader`: reads the logs of one compose project from the container engine, for its executor. */
import { resolve } from 'node:path';
import { type LogReader, startLogReader } from '../../assemble/log-reader.ts';
import { openProcessLog } from '../../assemble/process-log.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import { untilInterrupted } from '../../command-line/interrupts.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isProjectName } from '../../logs/reader/engine-request.ts';
import { checkHealth, healthFlag } from './role-health.ts';

const flags = {
  project: {
    type: 'string',
    placeholder: '<name>',
    describe: 'compose project whose logs are read, see `docker compose ls`',
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

/** The address of the running log reader. */
function runningSocket({ flags, environment }: Call): string {
  if (flags.socket === undefined) throw vpError('FLAG_VALUE_MISSING', { flag: '--socket', placeholder: '<path>' });
  return `unix:${resolve(environment.cwd, flags.socket)}`;
}

function parseOptions({ flags, environment }: Call) {
  const { project, socket } = flags;
  if (project === undefined) throw vpError('FLAG_VALUE_MISSING', { flag: '--project', placeholder: '<name>' });
  if (socket === undefined) throw vpError('FLAG_VALUE_MISSING', { flag: '--socket', placeholder: '<path>' });
  if (!isProjectName(project)) throw vpError('LOG_PROJECT_INVALID', { project });
  const engine = flags.engine.replace(/^unix:(\/\/)?/, '');
  if (engine === '' || /^[a-z]+:\/\//.test(engine)) throw vpError('LOG_ENGINE_INVALID', { engine: flags.engine });
  const { cwd } = environment;
  return { engine: { project, socketPath: resolve(cwd, engine) }, socketPath: resolve(cwd, socket) };
}

function formatStarted({ json }: Call, reader: LogReader, engine: { project: string; socketPath: string }): string {
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

async function serve(call: Call): Promise<ExitCode> {
  const { environment, logLevel } = call;
  if (call.flags.health) return checkHealth('log reader', runningSocket(call), call);
  const { engine, socketPath } = parseOptions(call);
  const log = await openProcessLog('log-reader', logLevel, environment.streams.stderr);
  const stop = untilInterrupted(environment);
  const reader = await startLogReader({ environment, engine, socketPath, log });
  environment.streams.stdout.write(formatStarted(call, reader, engine));
  try {
    const end = await Promise.race([stop, reader.engineLost]);
    if (end !== 'stopped') throw end;
    return exitCode.done;
  } finally {
    await reader.close();
  }
}

export const logReaderCommand = command({
  name: 'log-reader',
  summary: 'let an executor read the logs of one compose project',
  positionals: [],
  flags,
  examples: [
    ['vp log-reader --project shop --socket /run/vp/log.sock', 'then `vp executor --log unix:/run/vp/log.sock`'],
  ],
  notes:
    'Keeps the engine’s socket, which grants full control, away from the executor: it only reads the list of the ' +
    'project’s containers, their start times and their logs, and only serves `GET /v1/tail`. Exits with 4 when the engine is ' +
    'unreachable, to be restarted.',
  run: serve,
});
