/**
 * Splits a command line into words as a POSIX shell does, with bash's `$'…'`. Rejected libraries: shlex unescapes text in
 * single quotes when double quotes follow in the same word, and shell-quote does not know `$'…'`, which browsers copy.
 */

/** Stands for the dollar of a literal `${`, which is no placeholder. */
export const literalDollar = '\u0000';

/** The words of the first command; `problem` says why the text is no command line. */
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
  private index = 0;
  private word: string | undefined;
  private readonly words: string[] = [];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  read(): ShellWords {
    while (this.index < this.text.length) {
      const sign = this.text.charAt(this.index);
      if (/\s/.test(sign)) {
        this.endWord();
        if (sign === '\n' && this.words.length > 0) break;
      } else if (/[;|&<>]/.test(sign) || (sign === '#' && this.word === undefined)) break;
      else {
        const problem = this.readPart(sign);
        if (problem !== undefined) return { problem };
        continue;
      }
      this.index += 1;
    }
    this.endWord();
    return { words: this.words };
  }

  private endWord(): void {
    if (this.word !== undefined) this.words.push(this.word);
    this.word = undefined;
  }

  private append(text: string): void {
    this.word = (this.word ?? '') + text;
  }

  /** Reads what begins with `sign` and moves behind it. Returns a problem. */
  private readPart(sign: string): string | undefined {
    if (sign === "'") return this.readSingleQuotes();
    if (sign === '"') return this.readDoubleQuotes();
    if (sign === '$' && this.text.startsWith("'", this.index + 1)) return this.readEscapedQuotes();
    if (sign === '\\') return this.readEscape(/[\s\S]/);
    this.readPlain(sign);
    return undefined;
  }

  private readSingleQuotes(): string | undefined {
    const end = this.text.indexOf("'", this.index + 1);
    if (end === -1) return 'a single quotation mark is never closed';
    this.append(this.text.slice(this.index + 1, end).replaceAll('${', `${literalDollar}{`));
    this.index = end + 1;
    return undefined;
  }

  private readDoubleQuotes(): string | undefined {
    this.append('');
    this.index += 1;
    while (this.index < this.text.length) {
      const sign = this.text.charAt(this.index);
      if (sign === '"') {
        this.index += 1;
        return undefined;
      }
      if (sign === '\\') this.readEscape(/[$`"\\\n]/);
      else this.readPlain(sign);
    }
    return 'a double quotation mark is never closed';
  }

  /** A backslash before one of `escapable` is dropped; one before a line ending continues the line. */
  private readEscape(escapable: RegExp): undefined {
    const ending = /^\r?\n/.exec(this.text.slice(this.index + 1, this.index + 3))?.[0];
    const next = this.text.charAt(this.index + 1);
    if (ending !== undefined) this.index += 1 + ending.length;
    else {
      const isDollar = next === '$' && this.text.startsWith('{', this.index + 2);
      const plain = isDollar ? literalDollar : next;
      this.append(escapable.test(next) ? plain : `\\${next}`);
      this.index += 2;
    }
    return undefined;
  }

  /** A character, or a variable of the shell, which becomes a placeholder. */
  private readPlain(sign: string): void {
    const match = sign === '$' ? matchAt(variable, this.text, this.index) : null;
    this.append(match ? `\${${match[1] ?? match[2]}}` : sign);
    this.index += match ? match[0].length : 1;
  }

  /** `$'…'`: escapes as in C. */
  private readEscapedQuotes(): string | undefined {
    let text = '';
    this.index += 2;
    while (this.index < this.text.length) {
      const sign = this.text.charAt(this.index);
      this.index += 1;
      if (sign === "'") {
        this.append(text.replaceAll('${', `${literalDollar}{`));
        return undefined;
      }
      text += sign === '\\' ? this.readCodeEscape() : sign;
    }
    return 'a quotation mark after $ is never closed';
  }

  private readCodeEscape(): string {
    const match = matchAt(codeEscape, this.text, this.index);
    if (match) {
      this.index += match[0].length;
      const [, short, unit, long, octal] = match;
      const code = octal === undefined ? Number.parseInt(short ?? unit ?? long ?? '0', 16) : Number.parseInt(octal, 8);
      return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    }
    const next = this.text.charAt(this.index);
    this.index += 1;
    return simpleEscapes[next] ?? (/['"\\?]/.test(next) ? next : `\\${next}`);
  }
}

/** The words up to the end of the first command. Variables of the shell become placeholders: `$TOKEN` is `${TOKEN}`. */
export function splitShellWords(text: string): ShellWords {
  return new WordReader(text.trim()).read();
}
