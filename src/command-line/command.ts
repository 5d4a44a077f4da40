/** The definition of a subcommand: flags in, exit code out. Its file exports one `Command` and is loaded when it is needed. */
import type { Environment } from '../environment/environment.ts';
import type { ExitCode } from '../errors/exit-code.ts';

/** `variable` names the environment variable that replaces a missing flag. A flag of type `strings` may be repeated. */
export type Flag = {
  readonly type: 'string' | 'boolean' | 'number' | 'strings';
  readonly describe: string;
  /** The value in the help, such as `<folder>`. */
  readonly placeholder?: string;
  readonly alias?: string;
  readonly choices?: readonly string[];
  /** The number must be an integer from the first to the second. */
  readonly integerRange?: readonly [least: number, most: number];
  readonly default?: string | number | boolean;
  readonly variable?: string;
  readonly hidden?: boolean;
};

/** An argument without a flag. Only the last may be `many`. */
export type Positional = {
  readonly name: string;
  readonly describe: string;
  readonly required: boolean;
  readonly many?: boolean;
};

export type Flags = Readonly<Record<string, Flag>>;

type ValueTypes = { string: string; boolean: boolean; number: number; strings: readonly string[] };
type BaseValue<F extends Flag> = ValueTypes[F['type']];

/** The values of declared flags: never undefined with a default, or for `strings`. */
export type FlagValues<F extends Flags> = {
  readonly [N in keyof F]: F[N] extends { default: string | number | boolean } | { type: 'strings' }
    ? BaseValue<F[N]>
    : BaseValue<F[N]> | undefined;
};

/** Each level includes those before it. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** One call of a subcommand. `json` and `logLevel` are flags of every command. */
export type Invocation<F extends Flags> = {
  readonly flags: FlagValues<F>;
  readonly args: readonly string[];
  readonly json: boolean;
  readonly logLevel: LogLevel;
  readonly environment: Environment;
};

/** `name` may be two words (`scenarios push`). At least one example is required. */
export type Command<F extends Flags = Flags> = {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly flags: F;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** Longer text below the flags: exit codes, JSON output, files. */
  readonly notes?: string;
  run(invocation: Invocation<F>): Promise<ExitCode>;
};

/** A line of the catalogue of commands. The file behind `load` repeats `name` and `summary`; a test compares them. */
export type CommandEntry = {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
};

/** Infers the precise flag types of a command. */
export function command<const F extends Flags>(definition: Command<F>): Command<F> {
  return definition;
}
