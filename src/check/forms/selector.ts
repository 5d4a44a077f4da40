/** CSS selectors of checks: the parts of Selectors Level 4 whose meaning does not depend on a browser. */
import { parse, type Selector } from 'css-what';

const maxLength = 300;

const plainPseudos: ReadonlySet<string> = new Set(
  'empty first-child first-of-type last-child last-of-type only-child only-of-type root'.split(' '),
);
const nthPseudos: ReadonlySet<string> = new Set('nth-child nth-last-child nth-last-of-type nth-of-type'.split(' '));
const nthForm = /^\s*(?:odd|even|[+-]?\d{0,6}n(?:\s*[+-]\s*\d{1,6})?|[+-]?\d{1,6})\s*$/i;

function findPartProblem(part: Selector): string | undefined {
  const type: string = part.type;
  if (type === 'pseudo-element' || type === 'column-combinator' || type === 'parent')
    return 'a part of it is not supported';
  if ('namespace' in part && part.namespace !== null)
    return 'namespaces are not supported; escape the colon, `soap\\:Body`';
  if (!('data' in part) || !('name' in part)) return undefined;
  const { name, data } = part;
  if (plainPseudos.has(name) && data === null) return undefined;
  if (nthPseudos.has(name))
    return typeof data === 'string' && nthForm.test(data) ? undefined : `\`:${name}\` has no number`;
  if ((name === 'not' || name === 'is') && Array.isArray(data)) return findListProblem(data);
  return `\`:${name}\` is not supported`;
}

function findListProblem(selectors: readonly (readonly Selector[])[]): string | undefined {
  if (selectors.length === 0) return 'it is empty';
  for (const part of selectors.flat()) {
    const problem = findPartProblem(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Why the selector cannot be used; undefined where it can. */
export function findSelectorProblem(selector: string): string | undefined {
  if (selector.trim() === '') return 'it is empty';
  if (selector.length > maxLength) return `it has more than ${maxLength} characters`;
  try {
    return findListProblem(parse(selector));
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : String(error);
  }
}
