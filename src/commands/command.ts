/** What a subcommand is: flags in, exit code out. Its file exports one `Command` value and is loaded only when asked for. */
import type { Environment } from '../environment/environment.ts';
import type { ExitCode } from '../errors/exit-code.ts';

/** A flag. `variable` names the environment variable that stands in for it. `strings` may be repeated. */
export type Flag = {
  readonly type: 'string' | 'boolean' | 'number' | 'strings';
  readonly describe: string;
  /** What stands behind the flag in the help, such as `<folder>`. */
  readonly placeholder?: string;
  readonly alias?: string;
  readonly choices?: readonly string[];
  /** Of a number: it must be a whole one, not below the first and not above the second. */
  readonly whole?: readonly [least: number, most: number];
  readonly default?: string | number | boolean;
  readonly variable?: string;
  readonly hidden?: boolean;
};

/** A word without a flag. Only the last may be `many`. */
export type Positional = {
  readonly name: string;
  readonly describe: string;
  readonly required: boolean;
  readonly many?: boolean;
};

/** Flags by name; the type of each follows from its declaration. */
export type Flags = Readonly<Record<string, Flag>>;

type ValueTypes = { string: string; boolean: boolean; number: number; strings: readonly string[] };
type Base<F extends Flag> = ValueTypes[F['type']];

/** The values of declared flags: always there when a default is declared, or `strings`. */
export type FlagValues<F extends Flags> = {
  readonly [N in keyof F]: F[N] extends { default: string | number | boolean } | { type: 'strings' }
    ? Base<F[N]>
    : Base<F[N]> | undefined;
};

/** How much is logged; each level includes those before it. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** One call of a subcommand. `json` and `logLevel` are flags every command has. */
export type Invocation<F extends Flags> = {
  readonly flags: FlagValues<F>;
  readonly words: readonly string[];
  readonly json: boolean;
  readonly logLevel: LogLevel;
  readonly environment: Environment;
};

/** A subcommand; `name` may be two words (`scenarios push`). At least one example. */
export type Command<F extends Flags = Flags> = {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly flags: F;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** Longer text below the flags: exit codes, what is written where. */
  readonly notes?: string;
  run(invocation: Invocation<F>): Promise<ExitCode>;
};

/** Gives a command its precise flag types. */
export function command<const F extends Flags>(definition: Command<F>): Command<F> {
  return definition;
}
