import { type ErrorCode, errorTable } from '../errors/table.ts';
import type { ErrorValues } from '../errors/vp-error.ts';
import { type ConfigPosition, createConfigProblem, type OnProblem } from './config-problem.ts';
import type { KeyValuePositions } from './yaml/yaml-tree.ts';

/** Reports problems of the config file by JSON pointer, and remembers which values are wrong. */
export type ProblemReporter = {
  /** Reports a problem at the position of the value (or its key); at the file's start when there is none. */
  report<C extends ErrorCode>(code: C, pointer: string, values: ErrorValues<C>, anchor?: 'key' | 'value'): void;
  /** For values reported elsewhere: consequential problems are not reported. */
  markWrong(pointer: string): void;
  isWrong(pointer: string): boolean;
};

/** `getLine` returns the line to display, already masked. */
export function createProblemReporter(
  file: string,
  positions: ReadonlyMap<string, KeyValuePositions>,
  getLine: (line: number) => string | undefined,
  onProblem: OnProblem,
): ProblemReporter {
  const wrongPointers = new Set<string>();
  return {
    report(code, pointer, values, anchor = 'value') {
      if (errorTable[code].severity === 'error') wrongPointers.add(pointer);
      const position = selectPosition(positions.get(pointer), anchor);
      onProblem(createConfigProblem(code, { file, position, excerpt: getLine(position.line) }, values));
    },
    markWrong: (pointer) => wrongPointers.add(pointer),
    isWrong: (pointer) => wrongPointers.has(pointer),
  };
}

function selectPosition(positions: KeyValuePositions | undefined, anchor: 'key' | 'value'): ConfigPosition {
  return (anchor === 'key' ? positions?.key : undefined) ?? positions?.value ?? { line: 1, column: 1 };
}
