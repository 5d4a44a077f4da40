/** Groups the checks of a scenario by what they name. */
import type { Observation } from '../../check/observation.ts';
import type { MutationContext, Subject } from '../../check/subjects/subject.ts';
import type { JudgedCheck } from '../verdict.ts';
import { estimateJudgingCost, type WorkBudget } from './work-budget.ts';

/** Checks are identified by their index in the scenario. */
export type SubjectGroup = {
  readonly subject: Subject;
  /** The checks of this subject, with their own subjects. */
  readonly owners: readonly number[];
  readonly ownerSubjects: readonly Subject[];
  /** Characters, about, that an owner reads. */
  readonly size: number;
  /** Checks of other subjects that may notice a mutation of this one, with the characters that each of them reads. */
  readonly others: readonly { readonly index: number; readonly size: number }[];
  readonly context: MutationContext;
};

export type SubjectGroups = ReadonlyMap<string, SubjectGroup>;

type OpenGroup = {
  readonly subject: Subject;
  readonly owners: number[];
  readonly ownerSubjects: Subject[];
  readonly size: number;
};

/** A single judgement of a check on a mutation within its subject may cost this many units. */
const maxReaderCost = 100_000;

/** By the ids of the subjects, in the order of the scenario. Measuring the subjects spends `work`. */
export function groupBySubject(
  checks: readonly JudgedCheck[],
  observation: Observation,
  work: WorkBudget,
): SubjectGroups {
  const groups = new Map<string, OpenGroup>();
  for (const [index, { check, definition, outcome }] of checks.entries()) {
    const subject = outcome && definition.getSubject?.(check, observation, outcome);
    if (!subject) continue;
    const known = groups.get(subject.id);
    if (known) {
      known.owners.push(index);
      known.ownerSubjects.push(subject);
    } else {
      const size = subject.measure?.((value) => work.measure(value)) ?? 0;
      groups.set(subject.id, { subject, owners: [index], ownerSubjects: [subject], size });
    }
  }
  return relate(groups, checks, observation);
}

/** Finds the checks that may notice mutations of other subjects: those around and within them, and those of their group. */
function relate(
  groups: ReadonlyMap<string, OpenGroup>,
  checks: readonly JudgedCheck[],
  observation: Observation,
): SubjectGroups {
  const outer = new Map<string, SubjectGroup['others'][number][]>();
  const inner = new Map<string, SubjectGroup['others'][number][]>();
  for (const { subject, owners, size } of groups.values()) {
    for (const id of subject.containers ?? []) {
      const container = groups.get(id);
      if (!container) continue;
      const readers = container.owners.filter(
        (index) => classifyReaderCost(checks[index], container.size) === 'affordable',
      );
      append(outer, subject.id, readers, container.size);
      append(inner, id, owners, size);
    }
  }
  const related = new Map<string, SubjectGroup>();
  for (const [id, group] of groups) {
    const around = outer.get(id) ?? [];
    const others = [...around, ...(inner.get(id) ?? []), ...findPeers(group, groups)];
    const context = { observation, size: group.size, isReadAround: around.length > 0 };
    related.set(id, { ...group, others, context });
  }
  return related;
}

function append(
  map: Map<string, SubjectGroup['others'][number][]>,
  id: string,
  indexes: readonly number[],
  size: number,
): void {
  const entries = map.get(id) ?? [];
  entries.push(...indexes.map((index) => ({ index, size })));
  map.set(id, entries);
}

function findPeers({ subject }: OpenGroup, groups: ReadonlyMap<string, OpenGroup>): SubjectGroup['others'][number][] {
  if (subject.group === undefined) return [];
  const peers = [...groups.values()].filter((other) => {
    return other.subject.id !== subject.id && other.subject.group === subject.group;
  });
  return peers
    .flatMap(({ owners, size }) => owners.map((index) => ({ index, size })))
    .sort((a, b) => a.index - b.index);
}

/**
 * Whether a check of a value of `size` characters is judged on mutations within that value. A presence check never notices
 * them, and a check that reads a large part of the body would be too expensive to judge on each of its values.
 */
export function classifyReaderCost(
  entry: JudgedCheck | undefined,
  size: number,
): 'never' | 'affordable' | 'too_expensive' {
  if (!entry || entry.definition.isPresenceCheck?.(entry.check)) return 'never';
  return estimateJudgingCost(entry, size) <= maxReaderCost ? 'affordable' : 'too_expensive';
}
