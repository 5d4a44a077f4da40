/** Which earlier requests a request needs: those that capture the values it uses. */
import { type ImportedRequest, listPlaceholders, listRequestTexts } from './imported.ts';

/** Steps of a scenario; a longer chain is cut at its beginning, which the parser of scenarios then reports. */
const maxSteps = 30;

function listUsedNames(request: ImportedRequest): readonly string[] {
  return listPlaceholders([...listRequestTexts(request), ...request.checks]);
}

/** The nearest earlier request that captures `name`, or else the last one that does: collections are not always in order. */
function findProducer(requests: readonly ImportedRequest[], index: number, name: string): number | undefined {
  const captures = ({ captures: list }: ImportedRequest): boolean => list.some((capture) => capture.name === name);
  const before = requests.slice(0, index).findLastIndex(captures);
  if (before !== -1) return before;
  const any = requests.findLastIndex((request, other) => other !== index && captures(request));
  return any === -1 ? undefined : any;
}

/** In the order in which they must be sent. Each has the captures alone that are used after it, and the checks of its status. */
export function listSteps(requests: readonly ImportedRequest[], index: number): readonly ImportedRequest[] {
  const needed = new Set<number>();
  const usedNames = (at: number): readonly string[] => {
    const request = requests[at];
    return request ? listUsedNames(request) : [];
  };
  const visit = (at: number): void => {
    for (const name of usedNames(at)) {
      const producer = findProducer(requests, at, name);
      if (producer === undefined || producer === index || needed.has(producer) || needed.size >= maxSteps) continue;
      needed.add(producer);
      visit(producer);
    }
  };
  visit(index);
  const order = [...needed].sort((a, b) => a - b);
  const used = new Set([index, ...order].flatMap((at) => usedNames(at)));
  const captured = new Set<string>();
  return order.flatMap((at): ImportedRequest[] => {
    const request = requests[at];
    if (!request) return [];
    const captures = request.captures.filter(({ name }) => used.has(name) && !captured.has(name));
    for (const { name } of captures) captured.add(name);
    return [{ ...request, captures, checks: request.checks.filter((check) => check.startsWith('status=')) }];
  });
}
