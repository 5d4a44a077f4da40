/** The operator's file of commands that connections may run. Hubs know only the names. */
import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { vpError } from '../../../errors/vp-error.ts';

const OperatorCommand = Type.Object(
  {
    /** The container image; without one the command needs `--unsafe-stdio`. */
    image: Type.Optional(Type.String({ minLength: 1, pattern: '^[^-\\s]' })),
    /** The executable and its arguments; optional with an image. */
    command: Type.Array(Type.String({ minLength: 1 }), { default: [] }),
    variables: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z_]\\w*$' }), Type.String())),
    /** Containers have no network unless this is `bridge`. */
    network: Type.Optional(Type.Union([Type.Literal('none'), Type.Literal('bridge')])),
    description: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    memory_mb: Type.Optional(Type.Integer({ minimum: 16, maximum: 65_536 })),
  },
  { additionalProperties: false },
);
const OperatorFile = Type.Object({ commands: Type.Record(Type.String(), OperatorCommand) });

export type OperatorCommand = Static<typeof OperatorCommand>;
/** By name. */
export type OperatorCommands = ReadonlyMap<string, OperatorCommand>;

/** Throws UPSTREAM_COMMANDS_UNREADABLE. */
export function readOperatorCommands(file: string): OperatorCommands {
  const unreadableError = (problem: string) => vpError('UPSTREAM_COMMANDS_UNREADABLE', { file, problem });
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw unreadableError(cause instanceof SyntaxError ? 'it is not JSON' : 'it cannot be opened');
  }
  const check = TypeCompiler.Compile(OperatorFile);
  if (!check.Check(content)) {
    const firstError = check.Errors(content).First();
    throw unreadableError(`${firstError?.path || 'the file'}: ${firstError?.message ?? 'is invalid'}`);
  }
  return new Map(Object.entries(content.commands));
}

export type ProcessCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** `removeCommand` removes what the process may leave behind. */
export type CommandProcess = ProcessCommand & { readonly removeCommand?: ProcessCommand };

/** Runs commands in containers, or unconfined if the operator allows it. */
export type CommandRunnerOptions = {
  /** `docker` or `podman` with its environment; undefined if neither is available. */
  readonly engine: { readonly file: string; readonly variables: ProcessCommand['variables'] } | undefined;
  /** Labels the containers, so that a control plane finds those of an earlier start. */
  readonly controlPlaneId?: string;
  /** Allows commands without containers: they run as our user and can read our keys. */
  readonly unsafe: boolean;
  /** `PATH` of unconfined commands. */
  readonly path: string | undefined;
};

/** The label of all containers of a control plane. */
export function getControlPlaneLabel(controlPlaneId: string): string {
  return `vp.hub.plane=${controlPlaneId}`;
}

const defaultMemoryMb = 512;

/** Returns undefined if the command must not run. `label` names the connection of a container. */
export function buildCommandProcess(
  command: OperatorCommand,
  options: CommandRunnerOptions,
  { label, name }: { readonly label: string; readonly name: string },
): CommandProcess | undefined {
  const { image, variables = {} } = command;
  if (image !== undefined && options.engine) {
    const { file, variables: engineVariables } = options.engine;
    // Values are passed in the environment: every user of the machine can read an argument list.
    const labelArgs =
      options.controlPlaneId === undefined ? [] : ['--label', getControlPlaneLabel(options.controlPlaneId)];
    return {
      file,
      args: ['run', '--name', name, ...labelArgs, ...buildContainerArgs(command, image, label)],
      variables: { ...engineVariables, ...variables },
      removeCommand: { file, args: ['rm', '--force', name], variables: engineVariables },
    };
  }
  const [file, ...args] = command.command;
  if (!options.unsafe || file === undefined) return undefined;
  return { file, args, variables: { PATH: options.path, ...variables } };
}

function buildContainerArgs(command: OperatorCommand, image: string, label: string): string[] {
  const { network = 'none', memory_mb = defaultMemoryMb, variables = {} } = command;
  return [
    ...['--rm', '--interactive', '--init', '--pull', 'missing', '--label', `vp.hub.connection=${label}`],
    ...['--network', network, '--memory', `${memory_mb}m`, '--memory-swap', `${memory_mb}m`, '--pids-limit', '256'],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--read-only', '--tmpfs', '/tmp:rw,size=64m'],
    ...Object.keys(variables).flatMap((name) => ['--env', name]),
    image,
    ...command.command,
  ];
}
