/** The container engine of this machine, through its command line: contexts, DOCKER_HOST and podman work as they do by hand. */
import type { Environment } from '../environment/environment.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { type ProgramEnd, runProgram } from '../process/run-program.ts';

/** Where the engine's program is looked for and what it is given. */
export type EnginePlace = Pick<Environment, 'variables' | 'platform'>;

/** Which engine it is. */
export type EngineFacts = {
  readonly program: 'docker' | 'podman';
  readonly version: string;
  readonly composeVersion: string;
  /** The socket's file on the engine's own machine, for the log reader. */
  readonly socketFile: string;
  readonly selinux: boolean;
};

/** How a command of the engine is run. */
export type EngineCall = {
  readonly timeoutMs?: number;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: (line: string) => void;
  /** Beside those of the place, for compose files. */
  readonly variables?: Readonly<Record<string, string>>;
};

/** A running engine. Both throw ENGINE_COMMAND_SLOW, ENGINE_STOPPED, ENGINE_FORBIDDEN. */
export type Engine = {
  readonly facts: EngineFacts;
  /** Runs a command and gives how it ended, be it badly. */
  attempt(words: readonly string[], call?: EngineCall): Promise<ProgramEnd>;
  /** Its standard output. Throws ENGINE_COMMAND_FAILED with what the engine said, too. */
  output(words: readonly string[], call?: EngineCall): Promise<string>;
};

const usualMs = 30_000;
const programs = ['docker', 'podman'] as const;

/** Finds the engine. Throws ENGINE_ABSENT, ENGINE_STOPPED, ENGINE_FORBIDDEN, ENGINE_COMPOSE_ABSENT. */
export async function openEngine(place: EnginePlace, signal?: AbortSignal): Promise<Engine> {
  let stopped: VpError | undefined;
  for (const program of programs) {
    const found = await versionOf(place, program, signal);
    if (found instanceof VpError) stopped ??= found;
    if (found === undefined || found instanceof VpError) continue;
    const composeVersion = await composeVersionOf(place, program, signal);
    const { socketFile, selinux } = await settingsOf(place, program, signal);
    return engineOf(place, { program, version: found, composeVersion, socketFile, selinux });
  }
  throw stopped ?? vpError('ENGINE_ABSENT', {});
}

function engineOf(place: EnginePlace, facts: EngineFacts): Engine {
  const attempt = async (words: readonly string[], call: EngineCall = {}): Promise<ProgramEnd> => {
    const { timeoutMs = usualMs, variables = {}, ...rest } = call;
    const all = { ...place.variables, ...variables };
    const end = await runProgram(facts.program, words, { variables: all, timeoutMs, ...rest });
    const command = commandText(facts.program, words);
    if (end.kind === 'timed_out') throw vpError('ENGINE_COMMAND_SLOW', { command, seconds: timeoutMs / 1000 });
    const away = end.exitCode === 0 ? undefined : awayProblem(end.stderr);
    if (away) throw away;
    return end;
  };
  const output = async (words: readonly string[], call?: EngineCall): Promise<string> => {
    const end = await attempt(words, call);
    if (end.exitCode === 0) return end.stdout;
    throw vpError('ENGINE_COMMAND_FAILED', { command: commandText(facts.program, words), reason: reasonOf(end) });
  };
  return { facts, attempt, output };
}

/** A command as a person would type it, shortened; what is given on standard input never stands in it. */
export function commandText(program: string, words: readonly string[]): string {
  const text = [program, ...words].join(' ');
  return text.length <= 160 ? text : `${text.slice(0, 160)}…`;
}

/** The last lines that the engine said. */
export function reasonOf({ kind, stdout, stderr }: ProgramEnd): string {
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-3).join('; ').slice(0, 500);
  return said === '' ? kind.replaceAll('_', ' ') : said;
}

const isAway =
  /cannot connect to (the docker daemon|podman)|(failed|unable) to connect to (the docker|podman)|error during connect|is the docker daemon running|dial unix/i;

/** The engine is not there for us; undefined where something else is wrong, be it a refusal that the engine passes on. */
function awayProblem(stderr: string): VpError | undefined {
  if (/error response from daemon/i.test(stderr)) return undefined;
  const reason = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  if (/permission denied/i.test(stderr) && /socket|connect|dial/i.test(stderr)) {
    return vpError('ENGINE_FORBIDDEN', { reason });
  }
  return isAway.test(stderr) ? vpError('ENGINE_STOPPED', { reason }) : undefined;
}

type Asked = { readonly place: EnginePlace; readonly program: string; readonly signal: AbortSignal | undefined };

function ask({ place, program, signal }: Asked, words: readonly string[]): Promise<ProgramEnd> {
  return runProgram(program, words, { variables: place.variables, timeoutMs: usualMs, signal });
}

/** The engine's version; undefined without such a program. */
async function versionOf(place: EnginePlace, program: string, signal: AbortSignal | undefined) {
  const end = await ask({ place, program, signal }, ['version', '--format', '{{.Server.Version}}']);
  if (end.kind === 'absent') return undefined;
  const version = end.stdout.trim();
  if (end.exitCode === 0 && /^\d/.test(version)) return version;
  return awayProblem(end.stderr) ?? vpError('ENGINE_STOPPED', { reason: reasonOf(end) });
}

async function composeVersionOf(place: EnginePlace, program: string, signal: AbortSignal | undefined): Promise<string> {
  const end = await ask({ place, program, signal }, ['compose', 'version', '--short']);
  const version = /(\d+\.\d+\S*)\s*$/.exec(end.stdout)?.[1] ?? '';
  if (end.exitCode === 0 && Number(version.split('.')[0]) >= 2) return version;
  throw vpError('ENGINE_COMPOSE_ABSENT', { program, reason: reasonOf(end) });
}

/** What a container that is given the socket needs to know. */
async function settingsOf(place: EnginePlace, program: string, signal: AbortSignal | undefined) {
  const info = await ask({ place, program, signal }, ['info', '--format', '{{json .SecurityOptions}}']);
  const selinux = /selinux/i.test(info.stdout);
  const usual = program === 'podman' ? '/run/podman/podman.sock' : '/var/run/docker.sock';
  const named = place.variables.DOCKER_HOST;
  if (named) return { selinux, socketFile: named.startsWith('unix://') ? named.slice('unix://'.length) : usual };
  const words = program === 'podman' ? podmanSocket : dockerSocket;
  const host = (await ask({ place, program, signal }, words)).stdout.trim();
  // A desktop engine is inside a virtual machine, where its socket has the usual name.
  const isHere = host.startsWith('unix:///') && place.platform === 'linux';
  return { selinux, socketFile: isHere ? host.slice('unix://'.length) : usual };
}

const dockerSocket = ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'];
const podmanSocket = ['info', '--format', 'unix://{{.Host.RemoteSocket.Path}}'];
