/**
 * Splits a command line into words as a POSIX shell does, with bash's `$'…'`. Rejected libraries: shlex unescapes text in
 * single quotes when double quotes follow in the same word, and shell-quote does not know `$'…'`, which browsers copy.
 */

/** Stands for the dollar of a literal `${`, which is not a placeholder. */
export const literalDollar = '\u0000';

/** The words of the first command; `problem` says why the text is not a command line. */
export type ShellWords = { readonly words: readonly string[] } | { readonly problem: string };

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const codeEscape = /x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})/y;
const variable = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/y;

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

class WordReader {
  #index = 0;
  #word: string | undefined;
  readonly #words: string[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ShellWords {
    while (this.#index < this.#text.length) {
      const character = this.#text.charAt(this.#index);
      if (/\s/.test(character)) {
        this.#endWord();
        if (character === '\n' && this.#words.length > 0) break;
      } else if (/[;|&<>]/.test(character) || (character === '#' && this.#word === undefined)) break;
      else {
        const problem = this.#readPart(character);
        if (problem !== undefined) return { problem };
        continue;
      }
      this.#index += 1;
    }
    this.#endWord();
    return { words: this.#words };
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
  }

  #append(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  /** Reads what begins with `character` and moves behind it. Returns a problem. */
  #readPart(character: string): string | undefined {
    if (character === "'") return this.#readSingleQuotes();
    if (character === '"') return this.#readDoubleQuotes();
    if (character === '$' && this.#text.startsWith("'", this.#index + 1)) return this.#readEscapedQuotes();
    if (character === '\\') return this.#readEscape(/[\s\S]/);
    this.#readPlain(character);
    return undefined;
  }

  #readSingleQuotes(): string | undefined {
    const end = this.#text.indexOf("'", this.#index + 1);
    if (end === -1) return 'a single quotation mark is never closed';
    this.#append(this.#text.slice(this.#index + 1, end).replaceAll('${', `${literalDollar}{`));
    this.#index = end + 1;
    return undefined;
  }

  #readDoubleQuotes(): string | undefined {
    this.#append('');
    this.#index += 1;
    while (this.#index < this.#text.length) {
      const character = this.#text.charAt(this.#index);
      if (character === '"') {
        this.#index += 1;
        return undefined;
      }
      if (character === '\\') this.#readEscape(/[$`"\\\n]/);
      else this.#readPlain(character);
    }
    return 'a double quotation mark is never closed';
  }

  /** A backslash before one of `escapable` is dropped; one before a line ending continues the line. */
  #readEscape(escapable: RegExp): undefined {
    const ending = /^\r?\n/.exec(this.#text.slice(this.#index + 1, this.#index + 3))?.[0];
    const next = this.#text.charAt(this.#index + 1);
    if (ending !== undefined) this.#index += 1 + ending.length;
    else {
      const isDollar = next === '$' && this.#text.startsWith('{', this.#index + 2);
      const plain = isDollar ? literalDollar : next;
      this.#append(escapable.test(next) ? plain : `\\${next}`);
      this.#index += 2;
    }
    return undefined;
  }

  /** A character, or a variable of the shell, which becomes a placeholder. */
  #readPlain(character: string): void {
    const match = character === '$' ? matchAt(variable, this.#text, this.#index) : null;
    this.#append(match ? `\${${match[1] ?? match[2]}}` : character);
    this.#index += match ? match[0].length : 1;
  }

  /** `$'…'`: escapes as in C. */
  #readEscapedQuotes(): string | undefined {
    let text = '';
    this.#index += 2;
    while (this.#index < this.#text.length) {
      const character = this.#text.charAt(this.#index);
      this.#index += 1;
      if (character === "'") {
        this.#append(text.replaceAll('${', `${literalDollar}{`));
        return undefined;
      }
      text += character === '\\' ? this.#readCodeEscape() : character;
    }
    return 'a quotation mark after $ is never closed';
  }

  #readCodeEscape(): string {
    const match = matchAt(codeEscape, this.#text, this.#index);
    if (match) {
      this.#index += match[0].length;
      const [, short, unit, long, octal] = match;
      const code = octal === undefined ? Number.parseInt(short ?? unit ?? long ?? '0', 16) : Number.parseInt(octal, 8);
      return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    }
    const next = this.#text.charAt(this.#index);
    this.#index += 1;
    return simpleEscapes[next] ?? (/['"\\?]/.test(next) ? next : `\\${next}`);
  }
}

/** The words up to the end of the first command. Variables of the shell become placeholders: `$TOKEN` is `${TOKEN}`. */
export function splitShellWords(text: string): ShellWords {
  return new WordReader(text.trim()).read();
}
