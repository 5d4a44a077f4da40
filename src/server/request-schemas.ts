/**
 * Parameters that several routes share. Names are less strict than in the contract, so that a wrong name is refused with
 * INSTANCE_UNKNOWN and the existing names, not with a regular expression.
 */
import { type TObject, Type } from '@sinclair/typebox';
import type { PageQuery } from '../control/control.ts';
import { vpError } from '../errors/vp-error.ts';

/** A name, slug or id in a path. */
export const PathName = Type.String({ minLength: 1, maxLength: 200 });

/** `/instances/{instance}` */
export const InstancePath = Type.Object({ instance: PathName });
/** `/instances/{instance}/scenarios/{scenario}` */
export const ScenarioPath = Type.Object({ instance: PathName, scenario: PathName });
/** `/runs/{run}` */
export const RunPath = Type.Object({ run: PathName });

/** `/hubs/{hub}` */
export const HubPath = Type.Object({ hub: PathName });
/** `/hubs/{hub}/connections/{connection}` */
export const ConnectionPath = Type.Object({ hub: PathName, connection: PathName });

/** Query of a list in pages. */
export const PageParameters = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: '`next_cursor` of the previous page' })),
});

/** 50 items by default. */
export function toPageQuery({ limit = 50, cursor }: { limit?: number; cursor?: string }): PageQuery {
  return { limit, cursor };
}

/** Forbids unknown members in a body: a misspelt `if_revision` must not overwrite. */
export function closedSchema<T extends TObject>(schema: T): T {
  return { ...schema, additionalProperties: false };
}

/** Milliseconds since 1970. A leap second passes the schema but cannot be represented, and is refused. */
export function parseTimestampMs(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const epochMs = Date.parse(text);
  if (!Number.isNaN(epochMs)) return epochMs;
  throw vpError('REQUEST_INVALID', { where: `query parameter ${name}`, problem: 'is not a valid timestamp' });
}
