/** Finds the commands in the texts of the product. */
import { globSync, readFileSync } from 'node:fs';
import { catalogue } from '../../src/commands/catalogue.ts';

export type Suggestion = { readonly source: string; readonly line: string };

const comment = /\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*/gm;
/** A command between backticks, which are escaped inside of a template. */
const quoted = /\\?`(vp (?:[^`\\\n$]|\$\{[^{}]*\})+)\\?`/g;
/** Texts for readers of the sources or of a page, in which a command is named and not suggested. */
const named = /\|/;

export async function listSuggestions(): Promise<readonly Suggestion[]> {
  const suggestions: Suggestion[] = [];
  for (const file of globSync('src/**/*.{ts,tsx}')) {
    const text = readFileSync(file, 'utf8').replaceAll(comment, '');
    for (const [, line = ''] of text.matchAll(quoted)) suggestions.push({ source: file, line });
  }
  for (const entry of catalogue) {
    const { examples } = await entry.load();
    for (const [line] of examples)
      suggestions.push({ source: `help of ${entry.name}`, line: line.replace(/^(\w+=\S+ )+/, '') });
  }
  return suggestions.filter(({ line }) => !named.test(line) && /^vp [a-z]/.test(line));
}

const runId = '20261120T143012345';
const samples: readonly (readonly [RegExp, string])[] = [
  [/run/i, runId],
  [/suite/i, 's20261120T143012345'],
  [/failure/i, '3f9a1c0b7d2e4f58'],
  [/scenario|^id$/i, 'RT-GET-document'],
  [/flag|suffix|hint|signin|option/i, ''],
  [/port/i, '7701'],
  [/url|origin|address|controlplane|control-plane/i, 'http://127.0.0.1:7701'],
  [/number|count|minutes|^n$/i, '1'],
];

/** What stands before the id of an instance, a schedule or a channel, which people choose. */
const isChosenName = /(--instance(-id)?|vp (instances|schedules|notifications) [a-z][\w-]*|vp agent-token [\w-]+) $/;

/** The line with a sample for each placeholder: `{{name}}`, `${name}`, `<name>`. */
export function toSample(line: string): string {
  const sampleFor = (name: string): string => samples.find(([pattern]) => pattern.test(name))?.[1] ?? 'shop';
  const fill = (_all: string, a?: string, b?: string, c?: string, offset = 0): string =>
    isChosenName.test(line.slice(0, offset)) ? 'shop' : sampleFor(a ?? b ?? c ?? '');
  return line
    .replaceAll('--{{flag}}', '--test-dir')
    .replaceAll(/--auth \$\{\w+\}/g, '--auth bearer')
    .replaceAll(/ --expiry "[^"]*"/g, '')
    .replaceAll(/\{\{(\w+)\}\}|\$\{([^{}]*)\}|<([^<>]*)>/g, fill)
    .replace(/ [>#|<] .*$/, '')
    .replaceAll('…', '')
    .replaceAll(/"[^"]*"|'[^']*'/g, 'text')
    .replaceAll(/ +/g, ' ')
    .trim();
}
