/**
 * Prints figures of the code below the current folder: sizes, cycles, repeated and retired names.
 *
 *     node test/code-figures.ts          of this version
 *     cd OTHER && node …/code-figures.ts of another one
 */

import {
  exportedType,
  findFileCycles,
  findRepeatedNames,
  listFunctions,
  readSources,
  type SourceFile,
} from './source-files.ts';
import { findNamesWithRetiredWords, findRetiredIdentifiers } from './vocabulary.ts';

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

const sources = readSources('src/**/*.{ts,tsx}').filter(({ file }) => !file.includes('.generated.'));
const tests = readSources('test/**/*.{ts,tsx,mjs}');
const countLines = (files: readonly SourceFile[]): number => files.reduce((sum, { lines }) => sum + lines.length, 0);
const lengths = sources.map(({ lines }) => lines.length);
const functions = sources.flatMap(listFunctions).map(({ length }) => length);
const retiredWords = [...sources, ...tests].flatMap((source) => [
  ...findRetiredIdentifiers(source),
  ...findNamesWithRetiredWords(source),
]);

const rows: readonly (readonly [name: string, value: string | number])[] = [
  ['files of src', sources.length],
  ['lines of a file, median', quantile(lengths, 0.5)],
  ['lines of a file, p90', quantile(lengths, 0.9)],
  ['lines of a file, longest', Math.max(...lengths)],
  ['lines of a function, median', quantile(functions, 0.5)],
  ['lines of a function, p90', quantile(functions, 0.9)],
  ['lines of a function, longest', Math.max(...functions)],
  ['import cycles, types included', findFileCycles(sources).length],
  ['exported type names of several files', findRepeatedNames(sources, exportedType).size],
  ['retired words, by file', retiredWords.length],
  ['lines of tests for each of src', (countLines(tests) / countLines(sources)).toFixed(2)],
];
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(40)}${value}\n`);
