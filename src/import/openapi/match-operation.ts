/** Finds the documented operation of a scenario's request: parameters of the document match any segment. */
import type { Template, Trigger } from '../../scenario/scenario.ts';
import { escapePattern } from '../assertion.ts';
import type { DocumentedOperation, OpenApiDocument } from './document.ts';

export type OperationFinder = (request: Pick<Trigger, 'method' | 'path' | 'tool'>) => DocumentedOperation | undefined;

type Candidate = { readonly segments: readonly string[]; readonly operation: DocumentedOperation };

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

/** How well a path fits: more literal segments are better. A placeholder of the scenario matches parameters alone. */
function scoreSegments(documented: readonly string[], actual: readonly string[]): number | undefined {
  let score = 0;
  for (const [index, segment] of documented.entries()) {
    const value = actual[index] ?? '';
    if (segment === value) score += 1;
    else if (!segment.includes('{') || value === '') return undefined;
    else if (!/^\{[^{}]*\}$/.test(segment)) {
      // `{base}...{head}`: what stands between the parameters must be there.
      const pattern = segment
        .split(/\{[^{}]*\}/)
        .map(escapePattern)
        .join('.+');
      if (!new RegExp(`^${pattern}$`, 's').test(value)) return undefined;
      score += 0.5;
    }
  }
  return score;
}

export function createOperationFinder({ operations }: OpenApiDocument): OperationFinder {
  const candidates = new Map<string, Candidate[]>();
  for (const operation of operations) {
    const segments = operation.path.replace(/(?<=.)\/+$/, '').split('/');
    const key = `${operation.method} ${segments.length}`;
    candidates.set(key, [...(candidates.get(key) ?? []), { segments, operation }]);
  }
  return ({ method, path, tool }) => {
    if (tool !== undefined) return undefined;
    const actual = listSegments(path);
    // The value of the last parameter may have slashes, as the name of a branch has.
    for (let length = actual.length; length > 1; length -= 1) {
      const joined = [...actual.slice(0, length - 1), actual.slice(length - 1).join('/')];
      const all = candidates.get(`${method} ${length}`) ?? [];
      const usable =
        length === actual.length ? all : all.filter(({ segments }) => /^\{[^{}]*\}$/.test(segments.at(-1) ?? ''));
      const operation = findBest(usable, joined);
      if (operation) return operation;
    }
    return undefined;
  };
}

function findBest(candidates: readonly Candidate[], actual: readonly string[]): DocumentedOperation | undefined {
  let best: { readonly operation: DocumentedOperation; readonly score: number } | undefined;
  for (const { segments, operation } of candidates) {
    const score = scoreSegments(segments, actual);
    if (score !== undefined && score > (best?.score ?? -1)) best = { operation, score };
  }
  return best?.operation;
}
