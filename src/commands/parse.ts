/**
 * A command line against a command's declaration, by node's own parser. It stands on the way of every call; yargs, which
 * writes the help, takes 40 ms to load and is left out of it.
 */
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import { didYouMean } from '../errors/suggestion.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Command, Flag, Flags, FlagValues, LogLevel } from './command.ts';
import { commonFlags, logLevels } from './common-flags.ts';

/** A line that fits the command's declaration. */
export type ParsedLine = {
  readonly flags: FlagValues<Flags>;
  readonly words: readonly string[];
  readonly json: boolean;
  readonly logLevel: LogLevel;
};

type Declaration = Pick<Command, 'name' | 'positionals' | 'flags'>;
type Variables = Readonly<Record<string, string | undefined>>;
type Value = string | number | boolean | readonly string[];
/** What was given for a flag, in the order of the line; `source` is what it is called in errors. */
type Given = { readonly source: string; readonly values: (string | boolean)[] };

function optionOf(flag: Flag): ParseArgsOptionDescriptor {
  const type = flag.type === 'boolean' ? 'boolean' : 'string';
  return flag.alias === undefined ? { type } : { type, short: flag.alias };
}

class Line {
  readonly words: string[] = [];
  readonly #command: string;
  readonly #flags: Flags;
  readonly #given = new Map<string, Given>();

  constructor({ name, flags }: Declaration) {
    this.#command = `vp ${name}`;
    this.#flags = { ...flags, ...commonFlags };
  }

  read(args: readonly string[]): void {
    const { tokens } = parseArgs({
      args: [...args],
      options: Object.fromEntries(Object.entries(this.#flags).map(([name, flag]) => [name, optionOf(flag)])),
      allowPositionals: true,
      strict: false,
      tokens: true,
    });
    for (const token of tokens) {
      if (token.kind === 'positional') this.words.push(token.value);
      if (token.kind === 'option') this.#option(token.name, token.rawName, token.value, token.inlineValue ?? false);
    }
  }

  #option(name: string, source: string, value: string | undefined, inline: boolean): void {
    const positive = name.replace(/^no-/, '');
    const flag = this.#own(name);
    if (flag === undefined && this.#own(positive)?.type === 'boolean') {
      if (inline) this.#invalid(source, 'takes no value');
      this.#add(positive, source, false);
    } else if (flag === undefined) this.#unknown(source);
    else if (flag.type === 'boolean') {
      if (inline) this.#invalid(source, 'takes no value');
      this.#add(name, source, true);
    } else this.#add(name, source, this.#wholeValue(flag, source, value, inline));
  }

  /** What looks like a flag is no value, unless it is a negative number or stands behind `=`. */
  #wholeValue(flag: Flag, source: string, value: string | undefined, inline: boolean): string {
    const looksLikeFlag = !inline && value !== undefined && /^-./.test(value);
    const negative = flag.type === 'number' && value !== undefined && /^-[\d.]/.test(value);
    if (value !== undefined && value !== '' && (!looksLikeFlag || negative)) return value;
    throw vpError('FLAG_VALUE_MISSING', { flag: source, placeholder: flag.placeholder ?? '<value>' });
  }

  #own(name: string): Flag | undefined {
    return Object.hasOwn(this.#flags, name) ? this.#flags[name] : undefined;
  }

  #add(name: string, source: string, value: string | boolean): void {
    const given = this.#given.get(name);
    if (given) given.values.push(value);
    else this.#given.set(name, { source, values: [value] });
  }

  #unknown(source: string): never {
    const shown = Object.entries(this.#flags).filter(([, flag]) => !flag.hidden);
    const known = shown.map(([name]) => `--${name}`);
    throw vpError('FLAG_UNKNOWN', { command: this.#command, flag: source, hint: didYouMean(source, known) });
  }

  #invalid(source: string, problem: string): never {
    throw vpError('FLAG_INVALID', { command: this.#command, flag: source, problem });
  }

  /** The value of each flag: the line's, else the variable's, else the default. */
  values(variables: Variables): FlagValues<Flags> {
    const pairs = Object.entries(this.#flags).map(([name, flag]) => [name, this.#value(name, flag, variables)]);
    return Object.fromEntries(pairs);
  }

  #value(name: string, flag: Flag, variables: Variables): Value | undefined {
    const given = this.#given.get(name) ?? this.#standIn(flag, variables);
    if (given === undefined) return flag.type === 'strings' ? [] : flag.default;
    if (flag.type === 'strings') return given.values.map((value) => this.#chosen(flag, given.source, String(value)));
    const last = given.values.at(-1) ?? '';
    if (flag.type === 'boolean') return last === true;
    return flag.type === 'number'
      ? this.#number(flag, given.source, String(last))
      : this.#chosen(flag, given.source, String(last));
  }

  #standIn(flag: Flag, variables: Variables): Given | undefined {
    const text = flag.variable === undefined ? undefined : variables[flag.variable];
    if (flag.variable === undefined || text === undefined || text === '') return undefined;
    const source = flag.variable;
    if (flag.type === 'strings') return { source, values: text.split(',').map((part) => part.trim()) };
    if (flag.type !== 'boolean') return { source, values: [text] };
    if (/^(1|true|yes|on)$/i.test(text)) return { source, values: [true] };
    if (/^(0|false|no|off)$/i.test(text)) return { source, values: [false] };
    return this.#invalid(source, `must be true or false, not \`${text}\``);
  }

  #number({ whole }: Flag, source: string, text: string): number {
    if (!/^-?\d+(\.\d+)?$/.test(text)) this.#invalid(source, `must be a number, not \`${text}\``);
    const value = Number(text);
    if (!whole || (Number.isInteger(value) && value >= whole[0] && value <= whole[1])) return value;
    return this.#invalid(source, `must be a whole number from ${whole[0]} to ${whole[1]}, not \`${text}\``);
  }

  #chosen(flag: Flag, source: string, text: string): string {
    if (!flag.choices || flag.choices.includes(text)) return text;
    return this.#invalid(source, `must be one of ${flag.choices.join(', ')}, not \`${text}\``);
  }
}

function checkWords({ name, positionals }: Declaration, words: readonly string[]): void {
  const missing = positionals.find((positional, index) => positional.required && words[index] === undefined);
  if (missing) throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: `<${missing.name}>` });
  const unexpected = positionals.at(-1)?.many ? undefined : words[positionals.length];
  if (unexpected !== undefined) throw vpError('COMMAND_WORD_UNEXPECTED', { command: `vp ${name}`, word: unexpected });
}

/**
 * Reads `args`, the words behind the command's name. Throws FLAG_UNKNOWN, FLAG_VALUE_MISSING, FLAG_INVALID,
 * COMMAND_WORD_MISSING, COMMAND_WORD_UNEXPECTED.
 */
export function parseLine(declaration: Declaration, args: readonly string[], variables: Variables): ParsedLine {
  const line = new Line(declaration);
  line.read(args);
  const flags = line.values(variables);
  checkWords(declaration, line.words);
  const logLevel = logLevels.find((level) => level === flags['log-level']) ?? commonFlags['log-level'].default;
  return { flags, words: line.words, json: flags.json === true, logLevel };
}
