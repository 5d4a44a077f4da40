/** Finds the documented operation of a scenario's request: parameters of the document match any segment. */
import type { Template, Trigger } from '../../scenario/scenario.ts';
import type { DocumentedOperation, OpenApiDocument } from './document.ts';

export type OperationFinder = (request: Pick<Trigger, 'method' | 'path' | 'tool'>) => DocumentedOperation | undefined;

/** Stands for the value of a placeholder. */
const anything = '\u0001';

function listSegments({ parts }: Template): readonly string[] {
  const text = parts.map((part) => ('text' in part ? part.text : anything)).join('');
  return (text.split(/[?#]/, 1)[0] ?? '')
    .replace(/(?<=.)\/+$/, '')
    .split('/')
    .map(safeDecode);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** More literal segments are a better match. A placeholder of the scenario matches parameters alone. */
function countLiterals(documented: readonly string[], actual: readonly string[]): number | undefined {
  let literals = 0;
  for (const [index, segment] of documented.entries()) {
    const value = actual[index] ?? '';
    if (segment === value) literals += 1;
    else if (!segment.includes('{') || value === '') return undefined;
  }
  return literals;
}

export function createOperationFinder({ operations }: OpenApiDocument): OperationFinder {
  const candidates = new Map<
    string,
    { readonly segments: readonly string[]; readonly operation: DocumentedOperation }[]
  >();
  for (const operation of operations) {
    const segments = operation.path.replace(/(?<=.)\/+$/, '').split('/');
    const key = `${operation.method} ${segments.length}`;
    candidates.set(key, [...(candidates.get(key) ?? []), { segments, operation }]);
  }
  return ({ method, path, tool }) => {
    if (tool !== undefined) return undefined;
    const actual = listSegments(path);
    let best: { readonly operation: DocumentedOperation; readonly literals: number } | undefined;
    for (const { segments, operation } of candidates.get(`${method} ${actual.length}`) ?? []) {
      const literals = countLiterals(segments, actual);
      if (literals !== undefined && literals > (best?.literals ?? -1)) best = { operation, literals };
    }
    return best?.operation;
  };
}
