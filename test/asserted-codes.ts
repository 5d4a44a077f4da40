/**
 * The error codes that tests assert. A code counts where it stands
 * - in a call of an assertion: `t.match(…)`, `t.rejects(…)`, `assertRefused(…)`, `waitForText(…)`;
 * - in a list that a loop takes cases from, if the loop's variables stand in an assertion of the file, or in the file of its
 *   folder that the list is imported from;
 * - in the value of a constant that stands in an assertion;
 * - in a golden file.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const assertionStart =
  /\b(?:t\d*\.(?:match|rejects|throws|equal|same|strictSame|has|hasStrict|ok|not\w*)|(?:assert|expect|waitForText|waitForMatch)\w*)\(/g;
const loopStart = /\bfor \(const ([^;]+?) of |(?<list>[\w.]+)\.(?:map|forEach)\((?:async )?\(([^)]*)\) =>/g;
const closingBrackets: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

function listCodes(text: string): string[] {
  return text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/g) ?? [];
}

function listNames(text: string): string[] {
  return text.match(/\b[A-Za-z_]\w*\b/g) ?? [];
}

/** The index behind the bracket that closes the one at `start`; brackets in strings do not count. */
function findEnd(text: string, start: number): number {
  const expected: string[] = [];
  for (let index = start; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (char === "'" || char === '"' || char === '`') {
      for (index += 1; index < text.length && text[index] !== char; index += 1) if (text[index] === '\\') index += 1;
    } else if (closingBrackets[char]) expected.push(closingBrackets[char]);
    else if (char === expected.at(-1)) {
      expected.pop();
      if (expected.length === 0) return index + 1;
    }
  }
  return text.length;
}

/** The initializers of the constants of a file that are strings, lists, objects or calls, by name. */
function readConstants(source: string): Map<string, string> {
  const constants = new Map<string, string>();
  for (const { index, 0: head, 1: binding = '' } of source.matchAll(
    /\bconst (\w+|[[{][^=;]*?[\]}])(?:: [^=;]*?(?:=>[^=;]*?)*)? = /g,
  )) {
    const initializer = source.slice(index + head.length);
    const start = /^(?:'[^'\n]*'|(?:await |new )?[\w.]*(?:<[^>\n]*>)?[[{(])/.exec(initializer)?.[0];
    if (start === undefined) continue;
    const text = start.endsWith("'") ? start : initializer.slice(0, findEnd(initializer, start.length - 1));
    for (const name of listNames(binding)) constants.set(name, `${constants.get(name) ?? ''}\n${text}`);
  }
  return constants;
}

/** The names that a file imports from its own folder, with the text of the imported file. */
function readImports(source: string, readImport: (path: string) => string): Map<string, string> {
  const imports = new Map<string, string>();
  for (const [, names = '', path = ''] of source.matchAll(/^import \{([^}]*)\} from '(\.\/[^']*)';/gm)) {
    const text = readImport(path);
    for (const name of listNames(names)) imports.set(name, text);
  }
  return imports;
}

/** The codes that one test asserts; `readImport` reads a file of its folder. */
export function listAssertedCodes(source: string, readImport: (path: string) => string): string[] {
  const assertions = [...source.matchAll(assertionStart)].map(({ index, 0: head }) =>
    source.slice(index, findEnd(source, index + head.length - 1)),
  );
  const codes = assertions.flatMap(listCodes);
  const assertedNames = new Set(assertions.flatMap(listNames));
  const constants = readConstants(source);
  const imports = readImports(source, readImport);
  const addList = (expression: string): void => {
    codes.push(...listCodes(expression));
    for (const name of listNames(expression)) codes.push(...listCodes(constants.get(name) ?? imports.get(name) ?? ''));
  };
  for (const name of assertedNames) codes.push(...listCodes(constants.get(name) ?? ''));
  for (const { index, 0: head, 1: loopBinding, 3: callbackBinding, groups } of source.matchAll(loopStart)) {
    if (!listNames(loopBinding ?? callbackBinding ?? '').some((name) => assertedNames.has(name))) continue;
    if (groups?.list) addList(groups.list);
    else {
      const loopHead = source.lastIndexOf('(', index + head.length - 1);
      const start = source.indexOf('(', index);
      addList(source.slice(Math.max(loopHead, index + head.length), findEnd(source, start)));
    }
  }
  return codes;
}

export function listAssertedCodesOfTests(): Set<string> {
  const readTest = (file: string): string[] =>
    listAssertedCodes(readFileSync(file, 'utf8'), (path) => readFileSync(join(dirname(file), path), 'utf8'));
  const tests = globSync('test/**/*.test.{ts,tsx}');
  const expectations = globSync('test/golden/**/*.{json,txt,md}').map((file) => readFileSync(file, 'utf8'));
  return new Set([...tests.flatMap(readTest), ...expectations.flatMap(listCodes)]);
}
