/**
 * Prints figures of the code below the current folder: sizes, cycles, repeated and retired names.
 *
 *     node test/code-figures.ts          of this version
 *     cd OTHER && node …/code-figures.ts of another one
 */

import { exportedType, findFileCycles, findRepeatedNames, readSources, type SourceFile } from './source-files.ts';
import { findNamesWithRetiredWords, findRetiredIdentifiers } from './vocabulary.ts';

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Of a line that ends with the `{` of a function: a declaration, a method, or an arrow. */
const functionHead =
  /(?:\bfunction\b.*|=>|^\s*\)(?:: .*)?|^\s*(?:async |static |get |set |override )*#?[\w$]+(?:<.*>)?\(.*\)(?:: .*)?) \{$/;
const otherBlock = /^\s*(?:\} )?(?:if|else|for|while|do|switch|try|catch|finally)\b/;

/** The lengths of a file's functions in lines. The formatter indents the end of each as its beginning. */
function measureFunctions({ lines }: SourceFile): readonly number[] {
  return lines.flatMap((line, index) => {
    if (!functionHead.test(line) || otherBlock.test(line)) return [];
    const indent = indentOf(line);
    const length = lines.slice(index + 1).findIndex((next) => next.trim() !== '' && indentOf(next) <= indent) + 2;
    if (!/^\s*\)/.test(line)) return [length];
    // The parameters stand above, each in a line of its own.
    const parameters = lines.slice(0, index).reverse();
    return [length + parameters.findIndex((before) => before.trim() !== '' && indentOf(before) === indent) + 1];
  });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

const sources = readSources('src/**/*.{ts,tsx}').filter(({ file }) => !file.includes('.generated.'));
const tests = readSources('test/**/*.{ts,tsx,mjs}');
const countLines = (files: readonly SourceFile[]): number => files.reduce((sum, { lines }) => sum + lines.length, 0);
const lengths = sources.map(({ lines }) => lines.length);
const functions = sources.flatMap(measureFunctions);
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
