/** What checks against a JSON file of the test folder share: their form, and the other bodies that they are tried with. */
import type { CheckOutcome } from '../check-kind.ts';
import { isList, isObjectValue, type Json } from '../json/json.ts';
import { appendToPointer, parsePointer, replaceValueAt } from '../json/json-pointer.ts';
import { formatPointer } from '../json/list-walk.ts';
import type { Observation } from '../observation.ts';
import { createBodySubject } from '../subjects/body-subject.ts';
import { estimateCopyCost, type Mutation, type Subject } from '../subjects/subject.ts';

const fileCheck = /^(?:(?:receive\s+\w+\s+)?until\s+)?body\s+(?:matches\s+schema|equals\s+file)\s+(\S+)/;

/** The name of the file that a bullet compares with; undefined for other checks. */
export function findCheckFile(text: string): string | undefined {
  return fileCheck.exec(text)?.[1];
}

const maxMembers = 40;

/** Members of the body, the first element of each list included, outermost first. */
function listMembers(body: Json): readonly string[] {
  const pointers: string[] = [];
  let level: (readonly [pointer: string, value: Json])[] = [['', body]];
  while (level.length > 0 && pointers.length < maxMembers) {
    const next: (readonly [pointer: string, value: Json])[] = [];
    for (const [pointer, value] of level) {
      const entries = isList(value)
        ? [...value.slice(0, 1).entries()]
        : isObjectValue(value)
          ? Object.entries(value)
          : [];
      for (const [key, child] of entries) next.push([appendToPointer(pointer, String(key)), child]);
    }
    pointers.push(...next.map(([pointer]) => pointer));
    level = next;
  }
  return pointers.slice(0, maxMembers);
}

function mutateMembers(body: Json): readonly Mutation[] {
  const cost = estimateCopyCost(body) + 100;
  return listMembers(body).flatMap((pointer) => {
    const change = (description: string, value: Json | undefined): Mutation => ({
      description: `${formatPointer(pointer)} ${description}`,
      affects: 'content',
      cost,
      size: 10,
      apply: (observation) => {
        const changed = replaceValueAt(body, parsePointer(pointer), value);
        return { ...observation, body: changed === undefined ? { kind: 'empty' } : { kind: 'json', value: changed } };
      },
    });
    return [
      change('is gone', undefined),
      change('is null', null),
      change('is a list in a list', [[]]),
      change('is another text', 'another text'),
    ];
  });
}

/** The whole body, which each of its members changes. */
export function createDocumentSubject(observation: Observation, outcome: CheckOutcome): Subject | undefined {
  const { body } = observation;
  if (body.kind !== 'json') return undefined;
  const field = { text: 'the body', steps: [] };
  const subject = createBodySubject({ field, expected: '' }, observation, { ...outcome, pointer: '' });
  if (!subject) return undefined;
  const { field: _field, suggestChecks: _suggestChecks, ...common } = subject;
  return { ...common, ownMutations: () => mutateMembers(body.value) };
}
