/** The operator's file of commands that connections may run: names → programs. Hubs know the names only. */
import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { vpError } from '../../errors/vp-error.ts';

const OperatorCommand = Type.Object(
  {
    /** It runs in a container of this image; without one it needs `--unsafe-stdio`. */
    image: Type.Optional(Type.String({ minLength: 1, pattern: '^[^-\\s]' })),
    /** The program and its words; with an image they may be left to it. */
    command: Type.Array(Type.String({ minLength: 1 }), { default: [] }),
    variables: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z_]\\w*$' }), Type.String())),
    /** Containers reach no network unless it says `bridge`. */
    network: Type.Optional(Type.Union([Type.Literal('none'), Type.Literal('bridge')])),
    /** For people who choose among them. */
    description: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    memory_mb: Type.Optional(Type.Integer({ minimum: 16, maximum: 65_536 })),
  },
  { additionalProperties: false },
);
const OperatorFile = Type.Object({ commands: Type.Record(Type.String(), OperatorCommand) });

/** A command of the operator's file. */
export type OperatorCommand = Static<typeof OperatorCommand>;
/** Name → command. */
export type OperatorCommands = ReadonlyMap<string, OperatorCommand>;

/** Reads the file. Throws UPSTREAM_COMMANDS_UNREADABLE. */
export function readOperatorCommands(file: string): OperatorCommands {
  const unreadable = (problem: string) => vpError('UPSTREAM_COMMANDS_UNREADABLE', { file, problem });
  let text: unknown;
  try {
    text = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw unreadable(cause instanceof SyntaxError ? 'it is not JSON' : 'it cannot be opened');
  }
  const check = TypeCompiler.Compile(OperatorFile);
  if (!check.Check(text)) {
    const first = check.Errors(text).First();
    throw unreadable(`${first?.path || 'the file'}: ${first?.message ?? 'does not fit'}`);
  }
  return new Map(Object.entries(text.commands));
}

/** A program, ready to start. */
export type ProgramWords = {
  readonly file: string;
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** A program to start; `removal` ends what it may leave behind. */
export type StartedProgram = ProgramWords & { readonly removal?: ProgramWords };

/** How commands are run: in containers of this engine, or, where the operator said so, as they are. */
export type CommandRunning = {
  /** `docker` or `podman`, and the environment it needs; undefined where there is none. */
  readonly engine: { readonly file: string; readonly variables: ProgramWords['variables'] } | undefined;
  /** Names the control plane in the labels of its containers, so that it finds what an earlier start left behind. */
  readonly plane?: string;
  /** Without containers: they share our user, so they can read our keys. */
  readonly unsafe: boolean;
  /** For unconfined programs: where they are looked for. */
  readonly path: string | undefined;
};

/** The label of all containers of a control plane. */
export function planeLabel(plane: string): string {
  return `vp.hub.plane=${plane}`;
}

const defaultMemoryMb = 512;

/**
 * The words that start `command`; undefined where nothing may start it. `label` says what a container is for, `name` is its own.
 */
export function programOf(
  command: OperatorCommand,
  running: CommandRunning,
  { label, name }: { readonly label: string; readonly name: string },
): StartedProgram | undefined {
  const { image, variables = {} } = command;
  if (image !== undefined && running.engine) {
    const { file, variables: engineVariables } = running.engine;
    // Values go by the environment: an argument list is read by everybody on the machine.
    const plane = running.plane === undefined ? [] : ['--label', planeLabel(running.plane)];
    return {
      file,
      words: ['run', '--name', name, ...plane, ...containerWords(command, image, label)],
      variables: { ...engineVariables, ...variables },
      removal: { file, words: ['rm', '--force', name], variables: engineVariables },
    };
  }
  const [file, ...words] = command.command;
  if (!running.unsafe || file === undefined) return undefined;
  return { file, words, variables: { PATH: running.path, ...variables } };
}

function containerWords(command: OperatorCommand, image: string, label: string): string[] {
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
