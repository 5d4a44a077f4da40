/**
 * Reads the `.env` format: `NAME=value` on each line, `export` allowed in front, `#` for comments. Values stand as they
 * are, in single quotes as they are, or in double quotes with `\n`, `\r`, `\t`, `\"`, `\\` and `\$`. Nothing is expanded.
 * Rejected: the runtime's own `parseEnv`, which passes over bad lines in silence.
 */
import { type OnProblem, problemOf } from './problem.ts';

/** A name of the file. */
export type EnvEntry = { readonly value: string; readonly line: number };
/** Name → value; the last one of a name wins. */
export type EnvFile = ReadonlyMap<string, EnvEntry>;

const lineShape = /^\s*(?:export\s+)?([^\s=]*)\s*=[ \t]*(.*)$/;
const nameShape = /^[A-Za-z_]\w*$/;
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"(.*)$/;
const singleQuoted = /^'([^']*)'(.*)$/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Parses `text`; bad lines are told with their number and left out. Problems show no value. */
export function parseEnvFile(text: string, file: string, onProblem: OnProblem): EnvFile {
  const entries = new Map<string, EnvEntry>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (const [index, raw] of lines.entries()) {
    if (/^\s*(#|$)/.test(raw)) continue;
    const where = { file, spot: { line: index + 1, column: raw.search(/\S/) + 1 } };
    const read = readLine(raw);
    if ('problem' in read) {
      onProblem(problemOf('CONFIG_ENV_LINE_INVALID', where, { problem: read.problem }));
      continue;
    }
    const earlier = entries.get(read.name);
    if (earlier) onProblem(problemOf('CONFIG_ENV_NAME_DOUBLED', where, { name: read.name, line: earlier.line }));
    entries.set(read.name, { value: read.value, line: index + 1 });
  }
  return entries;
}

type Read = { readonly name: string; readonly value: string } | { readonly problem: string };

function readLine(raw: string): Read {
  const [, name, rest] = lineShape.exec(raw) ?? [];
  if (name === undefined || rest === undefined) return { problem: 'this line has no `=`' };
  if (!nameShape.test(name)) {
    return {
      problem: 'what stands before `=` is not a name (letters, digits, underscores, not beginning with a digit)',
    };
  }
  const value = readValue(rest);
  if (value === undefined) return { problem: `the quote behind \`${name}=\` is not closed on this line` };
  if (value.behind !== '') return { problem: `something stands behind the closing quote of \`${name}\`` };
  if (value.text.includes('\0')) return { problem: `the value of \`${name}\` holds a NUL character` };
  return { name, value: value.text };
}

type Value = { readonly text: string; readonly behind: string };

function readValue(rest: string): Value | undefined {
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return { text: unquoted(rest), behind: '' };
  const [, inner, behind] = (quote === '"' ? doubleQuoted : singleQuoted).exec(rest) ?? [];
  if (inner === undefined || behind === undefined) return undefined;
  return { text: quote === '"' ? withoutEscapes(inner) : inner, behind: behind.replace(/^\s*(#.*)?$/, '') };
}

/** A `#` begins a comment only behind white space, so that a value may hold one. */
function unquoted(rest: string): string {
  return (rest.startsWith('#') ? '' : rest.replace(/\s+#.*$/, '')).trimEnd();
}

function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(.)/g, (whole, letter: string) => {
    return escapes[letter] ?? ('"\\$'.includes(letter) ? letter : whole);
  });
}
