/** The container engine of this machine, through its command line, so that contexts, DOCKER_HOST and podman work as in a shell. */
import type { Environment } from '../environment/environment.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { type ProcessResult, runProcess } from '../process/run-process.ts';

/** The environment in which the engine's command is found and run. */
export type EngineEnvironment = Pick<Environment, 'variables' | 'platform'>;

/** `program` is the command; the engine that answers it may be podman also behind `docker`, by DOCKER_HOST. */
export type EngineInfo = {
  readonly program: 'docker' | 'podman';
  readonly isPodman: boolean;
  readonly version: string;
  readonly composeVersion: string;
  /** Path of the socket on the engine's own machine, for the log reader. */
  readonly socketFile: string;
  readonly selinux: boolean;
};

export type EngineCommandOptions = {
  readonly timeoutMs?: number;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: (line: string) => void;
  /** In addition to those of the environment, for compose files. */
  readonly variables?: Readonly<Record<string, string>>;
};

/** A running engine. Both methods throw ENGINE_COMMAND_SLOW, ENGINE_STOPPED, ENGINE_FORBIDDEN. */
export type ContainerEngine = {
  readonly info: EngineInfo;
  /** Runs a command; a failure is returned, not thrown. */
  run(args: readonly string[], options?: EngineCommandOptions): Promise<ProcessResult>;
  /** Standard output of a command. Also throws ENGINE_COMMAND_FAILED, with the engine's message. */
  output(args: readonly string[], options?: EngineCommandOptions): Promise<string>;
};

const defaultTimeoutMs = 30_000;
const programs = ['docker', 'podman'] as const;

/** Finds the engine. Throws ENGINE_ABSENT, ENGINE_STOPPED, ENGINE_FORBIDDEN, ENGINE_COMPOSE_ABSENT. */
export async function openEngine(environment: EngineEnvironment, signal?: AbortSignal): Promise<ContainerEngine> {
  let firstError: VpError | undefined;
  for (const program of programs) {
    const version = await readVersion(environment, program, signal);
    if (version instanceof VpError) firstError ??= version;
    if (version === undefined || version instanceof VpError) continue;
    const server = program === 'podman' ? 'podman' : await readServerKind(environment, signal);
    // The package podman-docker: `podman` itself is tried next, whose answers have their own form.
    if (server === 'podman command') continue;
    const composeVersion = await readComposeVersion(environment, program, signal).catch((error: unknown) => {
      // A stopped docker is what its user repairs, and not a podman that was installed beside it.
      throw firstError ?? error;
    });
    const { socketFile, selinux } = await readSocketSettings(environment, program, signal);
    const isPodman = server === 'podman';
    return createEngine(environment, { program, isPodman, version, composeVersion, socketFile, selinux });
  }
  throw firstError ?? vpError('ENGINE_ABSENT', {});
}

function createEngine(environment: EngineEnvironment, info: EngineInfo): ContainerEngine {
  const run = async (args: readonly string[], options: EngineCommandOptions = {}): Promise<ProcessResult> => {
    const { timeoutMs = defaultTimeoutMs, variables = {}, ...rest } = options;
    const allVariables = { ...environment.variables, ...variables };
    const result = await runProcess(info.program, args, { variables: allVariables, timeoutMs, ...rest });
    const command = formatCommand(info.program, args);
    if (result.kind === 'timed_out') throw vpError('ENGINE_COMMAND_SLOW', { command, seconds: timeoutMs / 1000 });
    const unavailable = result.exitCode === 0 ? undefined : toUnavailableError(result.stderr);
    if (unavailable) throw unavailable;
    return result;
  };
  const output = async (args: readonly string[], options?: EngineCommandOptions): Promise<string> => {
    const result = await run(args, options);
    if (result.exitCode === 0) return result.stdout;
    throw vpError('ENGINE_COMMAND_FAILED', {
      command: formatCommand(info.program, args),
      reason: describeEngineFailure(result),
    });
  };
  return { info, run, output };
}

/** A command as a user would type it, shortened. */
function formatCommand(program: string, args: readonly string[]): string {
  const text = [program, ...args].join(' ');
  return text.length <= 160 ? text : `${text.slice(0, 160)}…`;
}

/** The last lines that the engine printed. */
export function describeEngineFailure({ kind, stdout, stderr }: ProcessResult): string {
  const lastLines = (stderr.trim() || stdout.trim()).split('\n').slice(-3).join('; ').slice(0, 500);
  return lastLines === '' ? kind.replaceAll('_', ' ') : lastLines;
}

const unreachablePattern =
  /cannot connect to (the docker daemon|podman)|(failed|unable) to connect to (the docker|podman)|error during connect|is the docker daemon running|dial unix/i;

/** ENGINE_STOPPED or ENGINE_FORBIDDEN; undefined for other errors, such as those that a reachable engine returns. */
function toUnavailableError(stderr: string): VpError | undefined {
  if (/error response from daemon/i.test(stderr)) return undefined;
  const reason = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  if (/permission denied/i.test(stderr) && /socket|connect|dial/i.test(stderr)) {
    return vpError('ENGINE_FORBIDDEN', { reason });
  }
  return unreachablePattern.test(stderr) ? vpError('ENGINE_STOPPED', { reason }) : undefined;
}

type EngineQuery = {
  readonly environment: EngineEnvironment;
  readonly program: string;
  readonly signal: AbortSignal | undefined;
};

function query({ environment, program, signal }: EngineQuery, args: readonly string[]): Promise<ProcessResult> {
  return runProcess(program, args, { variables: environment.variables, timeoutMs: defaultTimeoutMs, signal });
}

/** The engine's version; undefined without such a command. */
async function readVersion(environment: EngineEnvironment, program: string, signal: AbortSignal | undefined) {
  const result = await query({ environment, program, signal }, ['version', '--format', '{{.Server.Version}}']);
  if (result.kind === 'absent') return undefined;
  const version = result.stdout.trim();
  if (result.exitCode === 0 && /^\d/.test(version)) return version;
  return toUnavailableError(result.stderr) ?? vpError('ENGINE_STOPPED', { reason: describeEngineFailure(result) });
}

/** What answers `docker`: an engine through docker's command, or podman's command under that name. */
async function readServerKind(environment: EngineEnvironment, signal: AbortSignal | undefined) {
  const components = ['version', '--format', '{{range .Server.Components}}{{.Name}},{{end}}'];
  const { stdout, stderr } = await query({ environment, program: 'docker', signal }, components);
  if (/can't evaluate field Components/.test(stderr)) return 'podman command';
  return /\bpodman\b/i.test(stdout) ? 'podman' : 'docker';
}

async function readComposeVersion(
  environment: EngineEnvironment,
  program: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const result = await query({ environment, program, signal }, ['compose', 'version', '--short']);
  const version = /(\d+\.\d+\S*)\s*$/.exec(result.stdout)?.[1] ?? '';
  if (result.exitCode === 0 && Number(version.split('.')[0]) >= 2) return version;
  throw vpError('ENGINE_COMPOSE_ABSENT', { program, reason: describeEngineFailure(result) });
}

/** For containers that mount the engine's socket. */
async function readSocketSettings(environment: EngineEnvironment, program: string, signal: AbortSignal | undefined) {
  const format = program === 'podman' ? 'selinux={{.Host.Security.SELinuxEnabled}}' : '{{json .SecurityOptions}}';
  const security = await query({ environment, program, signal }, ['info', '--format', format]);
  const selinux = /selinux(?!=false)/i.test(security.stdout);
  const defaultSocket = program === 'podman' ? '/run/podman/podman.sock' : '/var/run/docker.sock';
  const dockerHost = environment.variables.DOCKER_HOST;
  if (dockerHost)
    return {
      selinux,
      socketFile: dockerHost.startsWith('unix://') ? dockerHost.slice('unix://'.length) : defaultSocket,
    };
  const args = program === 'podman' ? podmanSocketArgs : dockerSocketArgs;
  const host = (await query({ environment, program, signal }, args)).stdout.trim();
  // A desktop engine runs in a virtual machine, where its socket has the default path.
  const isLocalSocket = host.startsWith('unix:///') && environment.platform === 'linux';
  return { selinux, socketFile: isLocalSocket ? host.slice('unix://'.length) : defaultSocket };
}

const dockerSocketArgs = ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'];
const podmanSocketArgs = ['info', '--format', 'unix://{{.Host.RemoteSocket.Path}}'];
