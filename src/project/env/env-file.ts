/**
 * Parses the `.env` format: `NAME=value` on each line, optional `export` before it, `#` for comments. Values are
 * literal, also in single quotes, or in double quotes with `
 * `, `\r`, `\t`, `\"`, `\\` and `\$`. Nothing is expanded. Rejected alternative: the runtime's own `parseEnv`, which
 * skips malformed lines silently.
 */
import { createConfigProblem, type OnProblem } from '../config-problem.ts';

export type EnvEntry = { readonly value: string; readonly line: number };
/** Name to value; the last occurrence of a name wins. */
export type EnvFile = ReadonlyMap<string, EnvEntry>;

const linePattern = /^\s*(?:export\s+)?([^\s=]*)\s*=[ \t]*(.*)$/;
const namePattern = /^[A-Za-z_]\w*$/;
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"(.*)$/;
const singleQuoted = /^'([^']*)'(.*)$/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Malformed lines are reported with their number and skipped. Problems contain no value. */
export function parseEnvFile(text: string, file: string, onProblem: OnProblem): EnvFile {
  const entries = new Map<string, EnvEntry>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (const [index, raw] of lines.entries()) {
    if (/^\s*(#|$)/.test(raw)) continue;
    const location = { file, position: { line: index + 1, column: raw.search(/\S/) + 1 } };
    const parsedLine = parseLine(raw);
    if ('problem' in parsedLine) {
      onProblem(createConfigProblem('CONFIG_ENV_LINE_INVALID', location, { problem: parsedLine.problem }));
      continue;
    }
    const previous = entries.get(parsedLine.name);
    if (previous)
      onProblem(
        createConfigProblem('CONFIG_ENV_NAME_DOUBLED', location, { name: parsedLine.name, line: previous.line }),
      );
    entries.set(parsedLine.name, { value: parsedLine.value, line: index + 1 });
  }
  return entries;
}

type EnvLine = { readonly name: string; readonly value: string } | { readonly problem: string };

function parseLine(raw: string): EnvLine {
  const [, name, rawValue] = linePattern.exec(raw) ?? [];
  if (name === undefined || rawValue === undefined) return { problem: 'this line has no `=`' };
  if (!namePattern.test(name)) {
    return {
      problem: 'the text before `=` is not a name (letters, digits, underscores, not beginning with a digit)',
    };
  }
  const value = parseValueText(rawValue);
  if (value === undefined) return { problem: `the quote after \`${name}=\` is not closed on this line` };
  if (value.suffix !== '') return { problem: `there is text after the closing quote of \`${name}\`` };
  if (value.text.includes('\0')) return { problem: `the value of \`${name}\` contains a NUL character` };
  return { name, value: value.text };
}

type EnvValue = { readonly text: string; readonly suffix: string };

function parseValueText(rawValue: string): EnvValue | undefined {
  const quote = rawValue[0];
  if (quote !== '"' && quote !== "'") return { text: readUnquoted(rawValue), suffix: '' };
  const [, inner, suffix] = (quote === '"' ? doubleQuoted : singleQuoted).exec(rawValue) ?? [];
  if (inner === undefined || suffix === undefined) return undefined;
  return { text: quote === '"' ? unescapeText(inner) : inner, suffix: suffix.replace(/^\s*(#.*)?$/, '') };
}

/** A `#` begins a comment only after white space, so that a value may contain one. */
function readUnquoted(rawValue: string): string {
  return (rawValue.startsWith('#') ? '' : rawValue.replace(/\s+#.*$/, '')).trimEnd();
}

function unescapeText(text: string): string {
  return text.replaceAll(/\\(.)/g, (escapeSequence, letter: string) => {
    return escapes[letter] ?? ('"\\$'.includes(letter) ? letter : escapeSequence);
  });
}
