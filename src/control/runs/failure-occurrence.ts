import { hash } from 'node:crypto';
import { type Failure, toFingerprintText } from '../../insight/failure.ts';
import type { FailureOccurrence } from '../../store/control/runs/failure-groups.ts';

/** 64 bits: two of a million failures of an instance share an id with a probability of one in forty million. */
const idLength = 16;

/** A failure with the id of its group. */
export function toFailureOccurrence(failure: Failure): FailureOccurrence {
  return { ...failure, group: hash('sha256', toFingerprintText(failure)).slice(0, idLength) };
}
