/** The definition of a subcommand: flags in, exit code out. Its file exports one `Command` and is loaded when it is needed. */
import type { Environment } from '../environment/environment.ts';
import type { ExitCode } from '../errors/exit-code.ts';

/** What a value names: its form is checked before the command runs, and shells complete it. */
export type ValueKind =
  | 'instance'
  | 'scenario'
  | 'scenario-or-file'
  | 'run'
  | 'suite'
  | 'failure'
  | 'schedule'
  | 'channel'
  | 'hub'
  | 'approval'
  | 'token'
  | 'agent-token'
  | 'tag'
  | 'view';

/** What a command takes from the folder or from `vp use` where neither the line nor a variable has it. */
export type InheritedName = 'control-plane' | 'instance';

/** `variable` names the environment variable that replaces a missing flag. A flag of type `strings` may be repeated. */
export type Flag = {
  readonly type: 'string' | 'boolean' | 'number' | 'strings';
  readonly describe: string;
  /** The value in the help, such as `<folder>`. */
  readonly placeholder?: string;
  readonly alias?: string;
  readonly choices?: readonly string[];
  /** Further words for choices, such as those of tables: the command gets the choice. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** The number must be an integer from the first to the second. */
  readonly integerRange?: readonly [least: number, most: number];
  readonly default?: string | number | boolean;
  readonly variable?: string;
  readonly inherits?: InheritedName;
  readonly kind?: ValueKind;
  readonly hidden?: boolean;
};

/** An argument without a flag. Only the last may be `many`; only the first may have a variable or be inherited. */
export type Positional = {
  readonly name: string;
  readonly describe: string;
  readonly required: boolean;
  readonly many?: boolean;
  /** An empty argument is a value. Elsewhere it is refused. */
  readonly mayBeEmpty?: boolean;
  /** For completion; the command checks them. */
  readonly choices?: readonly string[];
  readonly variable?: string;
  readonly inherits?: InheritedName;
  readonly kind?: ValueKind;
};

export type FlagDefinitions = Readonly<Record<string, Flag>>;

type ValueTypes = { string: string; boolean: boolean; number: number; strings: readonly string[] };
type BaseValue<F extends Flag> = ValueTypes[F['type']];

/** The values of declared flags: never undefined with a default, or for `strings`. */
export type FlagValues<F extends FlagDefinitions> = {
  readonly [N in keyof F]: F[N] extends { default: string | number | boolean } | { type: 'strings' }
    ? BaseValue<F[N]>
    : BaseValue<F[N]> | undefined;
};

/** Each level includes those before it. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** One call of a subcommand. `json` and `logLevel` are flags of every command; `catalogue` is of all commands. */
export type Invocation<F extends FlagDefinitions> = {
  readonly flags: FlagValues<F>;
  readonly args: readonly string[];
  readonly json: boolean;
  readonly logLevel: LogLevel;
  readonly environment: Environment;
  readonly catalogue: readonly CommandEntry[];
};

/** `name` may be two words (`scenarios push`). At least one example is required. */
export type Command<F extends FlagDefinitions = FlagDefinitions> = {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly flags: F;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** Headings of the help and their flags; the others come first. */
  readonly flagGroups?: Readonly<Record<string, readonly (keyof F & string)[]>>;
  /** Longer text below the flags: exit codes, JSON output, files. */
  readonly notes?: string;
  run(invocation: Invocation<F>): Promise<ExitCode>;
  /** Called before the reason is reported why `args` cannot be parsed: files of an earlier call must not pass as those of this one. */
  onInvalidLine?(args: readonly string[], environment: Environment): Promise<void>;
};

/** A line of the catalogue of commands. The file behind `load` repeats `name` and `summary`; a test compares them. */
export type CommandEntry = {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
  /** Names of earlier versions, which still work; help and completion do not list them. */
  readonly formerNames?: readonly string[];
};

/** A heading of the help and the first words of its commands; a word that is no command itself has a summary here. */
export type CommandGroup = { readonly title: string; readonly words: Readonly<Record<string, string | undefined>> };

/** Infers the precise flag types of a command. */
export function command<const F extends FlagDefinitions>(definition: Command<F>): Command<F> {
  return definition;
}
