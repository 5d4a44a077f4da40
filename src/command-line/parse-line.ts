/** Parses a command line with the runtime's parser, which takes no time to load: every call needs it. */
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import { completeAddress } from '../addresses/written-address.ts';
import { formatSuggestion } from '../errors/suggestion.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Command, Flag, FlagDefinitions, FlagValues, LogLevel, Positional } from './command.ts';
import { commonFlags, logLevels } from './common-flags.ts';
import { type InheritedValue, type InheritedValues, noInheritedValues, type ValueOrigin } from './inherited-values.ts';
import { assertValueForm } from './value-forms.ts';

export type ParsedLine = {
  readonly flags: FlagValues<FlagDefinitions>;
  readonly args: readonly string[];
  readonly json: boolean;
  readonly logLevel: LogLevel;
  /** Where the control plane and the instance come from, if they are not on the line. */
  readonly origins: readonly ValueOrigin[];
};

type Declaration = Pick<Command, 'name' | 'positionals' | 'flags'>;
type Variables = Readonly<Record<string, string | undefined>>;
type Value = string | number | boolean | readonly string[];
/** The values of a flag in the order of the line; `source` is its name in errors. */
type FlagInput = { readonly source: string; readonly values: (string | boolean)[] };

function toParserOption(flag: Flag): ParseArgsOptionDescriptor {
  const type = flag.type === 'boolean' ? 'boolean' : 'string';
  return flag.alias === undefined ? { type } : { type, short: flag.alias };
}

class LineParser {
  readonly args: string[] = [];
  readonly origins: ValueOrigin[] = [];
  readonly #command: string;
  readonly #flags: FlagDefinitions;
  readonly #positionals: readonly Positional[];
  readonly #inputs = new Map<string, FlagInput>();
  readonly #variables: Variables;
  readonly #inherited: InheritedValues;

  constructor({ name, flags, positionals }: Declaration, variables: Variables, inherited: InheritedValues) {
    this.#command = `vp ${name}`;
    this.#flags = { ...flags, ...commonFlags };
    this.#positionals = positionals;
    this.#variables = variables;
    this.#inherited = inherited;
  }

  read(args: readonly string[]): void {
    const { tokens } = parseArgs({
      args: [...args],
      options: Object.fromEntries(Object.entries(this.#flags).map(([name, flag]) => [name, toParserOption(flag)])),
      allowPositionals: true,
      strict: false,
      tokens: true,
    });
    for (const token of tokens) {
      if (token.kind === 'positional') this.args.push(token.value);
      if (token.kind === 'option') this.#option(token.name, token.rawName, token.value, token.inlineValue ?? false);
    }
  }

  #option(name: string, source: string, value: string | undefined, inline: boolean): void {
    const positive = name.replace(/^no-/, '');
    const flag = this.#flagNamed(name);
    if (flag === undefined && this.#flagNamed(positive)?.type === 'boolean') {
      if (inline) this.#invalid(source, 'takes no value');
      this.#add(positive, source, false);
    } else if (flag === undefined) this.#unknown(source);
    else if (flag.type === 'boolean') {
      if (inline) this.#invalid(source, 'takes no value');
      this.#add(name, source, true);
    } else this.#add(name, source, this.#requireValue(flag, source, value, inline));
  }

  /** Text that looks like a flag is not a value, unless it is a negative number or follows `=`. */
  #requireValue(flag: Flag, source: string, value: string | undefined, inline: boolean): string {
    const looksLikeFlag = !inline && value !== undefined && /^-./.test(value);
    const negative = flag.type === 'number' && value !== undefined && /^-[\d.]/.test(value);
    if (value !== undefined && value !== '' && (!looksLikeFlag || negative)) return value;
    throw vpError('FLAG_VALUE_MISSING', { flag: source, placeholder: flag.placeholder ?? '<value>' });
  }

  #flagNamed(name: string): Flag | undefined {
    return Object.hasOwn(this.#flags, name) ? this.#flags[name] : undefined;
  }

  #add(name: string, source: string, value: string | boolean): void {
    const input = this.#inputs.get(name);
    if (input) input.values.push(value);
    else this.#inputs.set(name, { source, values: [value] });
  }

  #unknown(source: string): never {
    const visibleFlags = Object.entries(this.#flags).filter(([, flag]) => !flag.hidden);
    const known = visibleFlags.map(([name]) => `--${name}`);
    throw vpError('FLAG_UNKNOWN', { command: this.#command, flag: source, hint: formatSuggestion(source, known) });
  }

  #invalid(source: string, problem: string): never {
    throw vpError('FLAG_INVALID', { command: this.#command, flag: source, problem });
  }

  /** The value of each flag: from the line, else its variable, else the folder, else `vp use`, else the default. */
  values(): FlagValues<FlagDefinitions> {
    const pairs = Object.entries(this.#flags).map(([name, flag]) => [name, this.#value(name, flag)]);
    const values = Object.fromEntries(pairs);
    for (const [name, flag] of Object.entries(this.#flags))
      if (flag.inherits) this.#addOrigin(name, flag, values[name]);
    return values;
  }

  /** Adds the instance that the line does not name. Only the first argument can be omitted. */
  completeArguments(): void {
    const [first] = this.#positionals;
    const required = this.#positionals.filter((positional) => positional.required).length;
    if (first?.inherits !== 'instance' || this.args.length >= required) return;
    const variable = first.variable === undefined ? undefined : this.#variables[first.variable];
    const origin: InheritedValue | undefined = variable
      ? { value: variable, source: 'variable', label: String(first.variable) }
      : this.#inheritedInstance();
    if (origin === undefined) return;
    this.args.unshift(origin.value);
    this.origins.push({ name: 'instance', ...origin });
  }

  #value(name: string, flag: Flag): Value | undefined {
    const input = this.#inputs.get(name) ?? this.#readVariable(flag);
    if (input === undefined && flag.inherits) return this.#inheritedValue(flag)?.value ?? flag.default;
    if (input === undefined) return flag.type === 'strings' ? [] : flag.default;
    if (flag.type === 'strings')
      return input.values.map((value) => this.#checkChoice(flag, input.source, String(value)));
    const last = input.values.at(-1) ?? '';
    if (flag.type === 'boolean') return last === true;
    if (flag.type === 'number') return this.#number(flag, input.source, String(last));
    const text = this.#checkChoice(flag, input.source, String(last));
    // What is stored for an address is found, however it is written.
    return flag.inherits === 'control-plane' ? completeAddress(text) : text;
  }

  #inheritedValue({ inherits }: Flag): InheritedValue | undefined {
    return inherits === 'instance' ? this.#inheritedInstance() : this.#inherited.controlPlane();
  }

  /** The instance in use at the control plane of this line. */
  #inheritedInstance(): InheritedValue | undefined {
    const flag = this.#flagNamed('control-plane');
    const controlPlane = flag && this.#value('control-plane', flag);
    return typeof controlPlane === 'string' ? this.#inherited.instance(controlPlane) : undefined;
  }

  #addOrigin(name: string, flag: Flag, value: Value | undefined): void {
    if (value === undefined || this.#inputs.has(name)) return;
    const inherited: InheritedValue = this.#readVariable(flag)
      ? { value: String(value), source: 'variable', label: String(flag.variable) }
      : (this.#inheritedValue(flag) ?? { value: String(value), source: 'default', label: 'the default' });
    this.origins.push({ name: flag.inherits === 'instance' ? 'instance' : 'control plane', ...inherited });
  }

  #readVariable(flag: Flag): FlagInput | undefined {
    const text = flag.variable === undefined ? undefined : this.#variables[flag.variable];
    if (flag.variable === undefined || text === undefined || text === '') return undefined;
    const source = flag.variable;
    if (flag.type === 'strings') return { source, values: text.split(',').map((part) => part.trim()) };
    if (flag.type !== 'boolean') return { source, values: [text] };
    if (/^(1|true|yes|on)$/i.test(text)) return { source, values: [true] };
    if (/^(0|false|no|off)$/i.test(text)) return { source, values: [false] };
    return this.#invalid(source, `must be true or false, not \`${text}\``);
  }

  #number({ integerRange }: Flag, source: string, text: string): number {
    if (!/^-?\d+(\.\d+)?$/.test(text)) this.#invalid(source, `must be a number, not \`${text}\``);
    const value = Number(text);
    if (!integerRange || (Number.isInteger(value) && value >= integerRange[0] && value <= integerRange[1]))
      return value;
    return this.#invalid(
      source,
      `must be a whole number from ${integerRange[0]} to ${integerRange[1]}, not \`${text}\``,
    );
  }

  #checkChoice(flag: Flag, source: string, text: string): string {
    if (flag.kind) assertValueForm(flag.kind, text);
    if (!flag.choices || flag.choices.includes(text)) return text;
    if (flag.synonyms && Object.hasOwn(flag.synonyms, text)) return flag.synonyms[text] ?? text;
    const hint = formatSuggestion(text, flag.choices).trimEnd();
    const problem = `must be one of ${flag.choices.join(', ')}, not \`${text}\``;
    return this.#invalid(source, hint === '' ? problem : `${problem}; ${hint}`);
  }
}

function checkArguments({ name, positionals }: Declaration, args: readonly string[]): void {
  const missing = positionals.find((positional, index) => positional.required && args[index] === undefined);
  if (missing) throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: `<${missing.name}>` });
  const unexpected = positionals.at(-1)?.many ? undefined : args[positionals.length];
  if (unexpected !== undefined) throw vpError('COMMAND_WORD_UNEXPECTED', { command: `vp ${name}`, word: unexpected });
  for (const [index, arg] of args.entries()) {
    const { kind, mayBeEmpty, name: word = '' } = positionals[Math.min(index, positionals.length - 1)] ?? {};
    // An empty variable in a script would otherwise select the current folder, or everything.
    if (!mayBeEmpty && arg.trim() === '')
      throw vpError('COMMAND_WORD_EMPTY', { command: `vp ${name}`, word: `<${word}>` });
    if (kind) assertValueForm(kind, arg);
  }
}

/**
 * Reads `args`, the words behind the command's name. Throws FLAG_UNKNOWN, FLAG_VALUE_MISSING, FLAG_INVALID,
 * COMMAND_WORD_MISSING, COMMAND_WORD_UNEXPECTED, COMMAND_WORD_EMPTY, PREFERENCES_UNUSABLE, and what {@link assertValueForm} throws.
 */
export function parseLine(
  declaration: Declaration,
  args: readonly string[],
  variables: Variables,
  inherited: InheritedValues = noInheritedValues,
): ParsedLine {
  const line = new LineParser(declaration, variables, inherited);
  line.read(args);
  const flags = line.values();
  line.completeArguments();
  checkArguments(declaration, line.args);
  const logLevel = logLevels.find((level) => level === flags['log-level']) ?? commonFlags['log-level'].default;
  return { flags, args: line.args, json: flags.json === true, logLevel, origins: line.origins };
}
