/** Source files as the tests of layout and language read them. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

export type SourceFile = {
  /** Path from the project's root, with `/`. */
  readonly file: string;
  /** The folder below `src/` or `test/`. */
  readonly folder: string;
  readonly lines: readonly string[];
  /** The text without comments and without the contents of string literals. */
  readonly code: string;
  /** Module specifiers of static and dynamic imports. */
  readonly imports: readonly string[];
  /** Those that are evaluated, or type-checked, together with the file. */
  readonly staticImports: readonly string[];
};

const literal =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

/** Removes comments and the contents of strings, templates (besides their expressions) and regular expressions. */
export function stripTexts(text: string): string {
  return text.replaceAll(literal, (match) => {
    if (match.startsWith('/*') || match.startsWith('//')) return ' ';
    if (!match.startsWith('`')) return "''";
    const expressions = [...match.matchAll(/\$\{([^{}]*)\}/g)].map(([, expression = '']) => stripTexts(expression));
    return `(${expressions.join(' + ')})`;
  });
}

function parseImports(text: string): string[] {
  const withoutComments = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*/gm, '');
  const matches = withoutComments.matchAll(/(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)'([^']+)'/gm);
  return [...matches].map(([, name = '']) => name);
}

export function readSources(pattern: string | readonly string[]): SourceFile[] {
  return globSync(pattern).map((name) => {
    const file = name.replaceAll('\\', '/');
    const text = readFileSync(file, 'utf8');
    const folder = file.split('/')[1] ?? '';
    return {
      file,
      folder,
      lines: text.split('\n'),
      code: stripTexts(text),
      imports: parseImports(text),
      staticImports: parseImports(text.replaceAll(/\bimport\s*\(/g, '(')),
    };
  });
}

/** Lists `file: what` for each source that breaks a rule. */
export function findBreaches(sources: readonly SourceFile[], rule: (source: SourceFile) => Iterable<string>): string[] {
  return sources.flatMap((source) => [...rule(source)].map((what) => `${source.file}: ${what}`));
}

/** Each cycle of imports as `a → b → a`, types and import() included. */
export function findFileCycles(sources: readonly SourceFile[]): readonly string[] {
  const targets = new Map(
    sources.map(({ file, imports }) => [
      file,
      imports.filter((name) => name.startsWith('.')).map((name) => posix.join(posix.dirname(file), name)),
    ]),
  );
  const finished = new Set<string>();
  const cycles: string[] = [];
  function visit(file: string, path: readonly string[]): void {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (finished.has(file) || path.includes(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    finished.add(file);
  }
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Of a line that ends with the `{` of a function: a declaration, a method, or an arrow. */
const functionHead =
  /(?:\bfunction\b.*|=>|^\s*\}?(?:: [^()]*)?\)(?:: .*)?|^\s*(?:async |static |get |set |override )*#?[\w$]+(?:<.*>)?\(.*\)(?:: .*)?) \{$/;
const otherBlock = /^\s*(?:\} )?(?:if|else|for|while|do|switch|try|catch|finally)\b/;

/** Functions with a block, by their first line; the formatter indents the end of each as its beginning. */
export function listFunctions({
  lines,
}: Pick<SourceFile, 'lines'>): readonly { readonly line: number; readonly length: number }[] {
  return lines.flatMap((text, index) => {
    if (!functionHead.test(text) || otherBlock.test(text)) return [];
    const indent = indentOf(text);
    const isBeginning = (before: string): boolean => before.trim() !== '' && indentOf(before) === indent;
    // Where the parameters stand above, each in a line of its own, the beginning is above them.
    const first = /^\s*[)}]/.test(text) ? lines.slice(0, index).findLastIndex(isBeginning) : index;
    const last = lines.findIndex((next, at) => at > index && next.trim() !== '' && indentOf(next) <= indent);
    return [{ line: first + 1, length: last - first + 1 }];
  });
}

/**
 * Names that a file takes from others: those of its import declarations, and all of its words if it has an `import()`, whose
 * names stand anywhere.
 */
export function listUsedNames(text: string): readonly string[] {
  if (/\bimport\s*\(/.test(text)) return text.match(/[\w$]+/g) ?? [];
  const lists = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from/gm)].map(([, list = '']) => list);
  return lists.flatMap((list) => list.split(',').map((entry) => entry.trim().replace(/^type | as .*$/g, '')));
}

export const exportedValue = /^export (?:async )?(?:const|let|enum|class|function\*?) (\w+)/gm;
export const exportedType = /^export (?:declare )?(?:type|interface|class) (\w+)/gm;

/** Names that are exported by several files, with the files. `definition` captures the name. */
export function findRepeatedNames(sources: readonly SourceFile[], definition: RegExp): Map<string, readonly string[]> {
  const definitions = new Map<string, string[]>();
  for (const { file, code } of sources) {
    for (const [, name = ''] of code.matchAll(definition))
      definitions.set(name, [...(definitions.get(name) ?? []), file]);
  }
  return new Map([...definitions].filter(([, files]) => files.length > 1));
}
