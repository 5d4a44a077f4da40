/** Pieces of answers' texts. */
import { vpError } from '../../errors/vp-error.ts';
import type { ToolContext } from '../tool.ts';

/** Joins the lines that there are. */
export function linesOf(...lines: readonly (string | undefined | null | false)[]): string {
  return lines.filter((line) => typeof line === 'string' && line !== '').join('\n');
}

/** A token is for one instance; saying its name is allowed, another one's is refused. Throws AGENT_INSTANCE_OTHER. */
export function requireOwn(asked: string | undefined, { instance }: ToolContext): void {
  if (asked !== undefined && asked !== instance) throw vpError('AGENT_INSTANCE_OTHER', { own: instance, asked });
}
