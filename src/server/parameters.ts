/**
 * Parameters that several routes share. Names of things are looser here than in the contract, so that a wrong name is
 * answered with INSTANCE_UNKNOWN and the names that exist, not with a regular expression.
 */
import { type TObject, Type } from '@sinclair/typebox';
import type { PageQuery } from '../control/control.ts';
import { vpError } from '../errors/vp-error.ts';

const Name = Type.String({ minLength: 1, maxLength: 200 });

/** `/instances/{instance}` */
export const InstancePath = Type.Object({ instance: Name });
/** `/instances/{instance}/scenarios/{scenario}` */
export const ScenarioPath = Type.Object({ instance: Name, scenario: Name });
/** `/runs/{run}` */
export const RunPath = Type.Object({ run: Name });

/** Query of a list in pages. */
export const PageParameters = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: '`next_cursor` of the page before' })),
});

/** The page that a query asks for; 50 items unless said otherwise. */
export function pageQueryOf({ limit = 50, cursor }: { limit?: number; cursor?: string }): PageQuery {
  return { limit, cursor };
}

/** A body that may have no other members: a misspelt `if_revision` must not overwrite. */
export function closed<T extends TObject>(schema: T): T {
  return { ...schema, additionalProperties: false };
}

/** A moment of the query, in milliseconds since 1970. A leap second has the right form and still is no moment here. */
export function momentMs(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const epochMs = Date.parse(text);
  if (!Number.isNaN(epochMs)) return epochMs;
  throw vpError('REQUEST_INVALID', { where: `query parameter ${name}`, problem: 'is not a moment' });
}
