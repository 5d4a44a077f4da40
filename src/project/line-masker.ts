/** Masks the lines of a config for display: possible secrets are replaced. */

const mask = '[redacted]';
const referencePattern = /^(["']?\$\{\w+\}["']?\s*)((?:[,}#].*)?)$/;
const secretKeyPattern = /^(.*?\b(?:password|bearer_token|token|secret)["']?\s*:\s*)(.*)$/i;
const userInfo = /(\/\/)[^\s/@]+@/g;
const passwordParameter = /([?&](?:password|user)=)[^\s&"']*/gi;
const maxLength = 200;

/**
 * Returns the line with a number (from 1) of `text`, shortened to 200 characters; undefined when there is none. Masked
 * are literal values of secret keys with their continuation lines, and credentials within URLs.
 */
export function createLineMasker(text: string): (line: number) => string | undefined {
  const lines = text.split(/\r\n|\n|\r/);
  let continuations: ReadonlySet<number> | undefined;
  return (line) => {
    const raw = lines[line - 1];
    if (raw === undefined) return undefined;
    continuations ??= listSecretContinuations(lines);
    const maskedLine = continuations.has(line - 1) ? getIndent(raw) + mask : maskLine(raw);
    return maskedLine.length > maxLength ? `${maskedLine.slice(0, maxLength)}…` : maskedLine;
  };
}

function maskLine(line: string): string {
  return maskKeys(line).replaceAll(userInfo, `$1${mask}@`).replaceAll(passwordParameter, `$1${mask}`);
}

function maskKeys(line: string): string {
  const [, key, value] = secretKeyPattern.exec(line) ?? [];
  if (key === undefined || value === undefined || value === '') return line;
  const [, name, lineEnd] = referencePattern.exec(value) ?? [];
  return name === undefined || lineEnd === undefined ? key + mask : key + name + maskKeys(lineEnd);
}

/** The lines whose nearest less indented line above is a secret key with a value that continues below it. */
function listSecretContinuations(lines: readonly string[]): ReadonlySet<number> {
  const continuations = new Set<number>();
  const outerLines: { readonly indent: number; readonly isSecret: boolean }[] = [];
  for (const [index, line] of lines.entries()) {
    const indent = getIndent(line).length;
    const isBlank = line.trim() === '';
    while (!isBlank && (outerLines.at(-1)?.indent ?? -1) >= indent) outerLines.pop();
    const outer = outerLines.findLast((candidate) => candidate.indent < indent);
    if (outer?.isSecret) continuations.add(index);
    if (isBlank) continue;
    const [, , value] = secretKeyPattern.exec(line) ?? [];
    outerLines.push({ indent, isSecret: value !== undefined && !referencePattern.test(value) });
  }
  return continuations;
}

function getIndent(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}
