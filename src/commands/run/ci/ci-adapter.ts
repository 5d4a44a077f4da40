import type { Environment } from '../../../environment/environment.ts';
import { vpError } from '../../../errors/vp-error.ts';
import type { RunResults } from '../../../report/results.ts';
import type { CommentThread } from './request-comment.ts';

/** What a system adds to the common parts. */
export type CiAdapter = {
  begin(): void;
  endOutput(): void;
  publish(results: RunResults, summary: string): void;
  /** Undefined outside of a pull or merge request. Throws CI_VARIABLE_MISSING. */
  findThread(): CommentThread | undefined;
};

/** A variable that the CI system or its job sets. */
export function requireVariable(
  name: string,
  flag: string,
  { variables }: Pick<Environment, 'variables'>,
  cure: string,
): string {
  const value = variables[name];
  if (value === undefined || value === '') throw vpError('CI_VARIABLE_MISSING', { flag, name, cure });
  return value;
}
