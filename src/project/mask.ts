/** The lines of a config as they may be shown: what may be a secret is replaced. */

const masked = '[redacted]';
const reference = /^(["']?\$\{\w+\}["']?\s*)((?:[,}#].*)?)$/;
const secretKey = /^(.*?\b(?:password|bearer_token|token|secret)["']?\s*:\s*)(.*)$/i;
const userInfo = /(\/\/)[^\s/@]+@/g;
const passwordParameter = /([?&](?:password|user)=)[^\s&"']*/gi;
const maxLength = 200;

/**
 * Gives a line of `text` by its number (from 1), shortened to 200 characters; undefined where there is none.
 * Hidden are literal values of secret keys with their continuation lines, and credentials inside URLs.
 */
export function maskedLines(text: string): (line: number) => string | undefined {
  const lines = text.split(/\r\n|\n|\r/);
  return (line) => {
    const raw = lines[line - 1];
    if (raw === undefined) return undefined;
    const shown = continuesSecret(lines, line - 1) ? indentOf(raw) + masked : maskLine(raw);
    return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown;
  };
}

function maskLine(line: string): string {
  return maskKeys(line).replaceAll(userInfo, `$1${masked}@`).replaceAll(passwordParameter, `$1${masked}`);
}

function maskKeys(line: string): string {
  const [, key, value] = secretKey.exec(line) ?? [];
  if (key === undefined || value === undefined || value === '') return line;
  const [, name, rest] = reference.exec(value) ?? [];
  return name === undefined || rest === undefined ? key + masked : key + name + maskKeys(rest);
}

/** True when the nearest line above that is indented less is a secret key whose value goes on below it. */
function continuesSecret(lines: readonly string[], index: number): boolean {
  const indent = indentOf(lines[index] ?? '').length;
  for (let above = index - 1; above >= 0; above -= 1) {
    const line = lines[above] ?? '';
    if (line.trim() === '' || indentOf(line).length >= indent) continue;
    const [, , value] = secretKey.exec(line) ?? [];
    return value !== undefined && !reference.test(value);
  }
  return false;
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}
